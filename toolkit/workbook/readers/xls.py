"""The .xls format."""
from __future__ import annotations
from toolkit.workbook.readers.budget import Budget, Refused
from toolkit.workbook.readers.raw import RawSheet


def open_container(data: bytes):
    """Not yet."""
    raise Refused("is .xls, being built")


def read_xls(container, data: bytes, budget: Budget) -> tuple[RawSheet, ...]:
    """Not yet."""
    raise Refused("is .xls, being built")
