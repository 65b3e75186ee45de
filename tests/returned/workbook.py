"""One annotator's workbook, filled in, and what people and programs do to it."""

from __future__ import annotations

import csv
import datetime
import io
import re
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from struct import pack
from typing import Any
from xml.sax.saxutils import escape

import openpyxl

from tests.readers.build import biff, ods_cell, ods_parts, ods_row, ole, record, zipped
from tests.studies import record as judged
from toolkit.study import Study

RECORDS = [
    judged("f1", response="linha 1\r\nvar _x0041_ap = 1"),
    judged("f2", response='Ele disse: "sim; talvez, não"\n\n- a;b\n- c,d', ground_truth="**1,5** ou 2"),
    judged("f3", prompt="+1? @x", response="=SOMA(A1)"),
    judged("c1", "consistency", response=None, responses=["um", "dois três quatro cinco " * 250, "três"]),
    judged("c2", "consistency", response=None, responses=["Precisa\u0303o", "precisão  dupla"]),
    judged("r1", "robustness", original_response="o", variant_type="typo", variant_prompt="p?"),
]
OPTIONS = ("--lang", "pt-BR", "--practice", "--time-columns")
SCORES: dict[str, int] = {"f1": 5, "f2": 3, "f3": 4, "c1": 1, "c2": 2, "r1": 4}
Grid = list[list[Any]]


class Filled:
    """A workbook that an annotator filled in, open for anything that may happen to it."""

    def __init__(self, study: Study, path: Path, scores: Mapping[str, int] = SCORES):
        self.study = study
        self.book = openpyxl.load_workbook(path, rich_text=True)
        self.codes = {item.item_id: item.item_code for item in study.items}
        self.find()
        for item, score in scores.items():
            self.put("score", item, score)
            self.put("justification", item, f"porque {item}")

    def find(self) -> None:
        """Look again for the annotation sheet, its columns and its answer rows, which may have moved."""
        for sheet in self.book.worksheets:
            for line in sheet.iter_rows():
                keys = {cell.value: cell.column for cell in line if isinstance(cell.value, str)}
                if keys.keys() >= {"item_code", "score", "part"}:
                    self.sheet, self.keys, self.key_row = sheet, keys, line[0].row
                    by_code = {sheet.cell(row, keys["item_code"]).value: row for row in range(1, sheet.max_row + 1)}
                    self.rows = {item: by_code[code] for item, code in self.codes.items() if code in by_code}
                    return

    def cell(self, key: str, item: str, part: int | None = None) -> Any:
        """Return a cell of an item's answer row, or of the row with one of its texts."""
        row = self.rows[item] if part is None else self.row_of(f"{self.codes[item]}:{part:03d}")
        return self.sheet.cell(row, self.keys[key])

    def row_of(self, part: str) -> int:
        """Return the row with a hidden part code."""
        return next(r for r in range(1, self.sheet.max_row + 1) if self.sheet.cell(r, self.keys["part"]).value == part)

    def put(self, key: str, item: str, value: Any, number_format: str | None = None) -> None:
        """Put a value into an answer cell, kept as what it is: a text that begins with = stays a text."""
        cell = self.cell(key, item)
        cell.value = value
        if isinstance(value, str) and number_format != "formula":
            cell.data_type = "s"
        elif number_format not in (None, "formula"):
            cell.number_format = number_format

    def formula(self, key: str, item: str, text: str) -> None:
        """Put a formula into an answer cell."""
        self.cell(key, item).value = text

    def address(self, place: str | None) -> str | None:
        """Return the address of `score:f1`, or of `text:c1:2` (its second text); an address stays what it is."""
        if place is None or ":" not in place:
            return place
        key, item, *part = place.split(":")
        return str(self.cell(key, item, int(part[0]) if part else None).coordinate)

    def unmerge(self) -> None:
        """Take merged cells apart: openpyxl would leave them where they are when rows move, as no program does."""
        for area in list(self.sheet.merged_cells.ranges):
            self.sheet.unmerge_cells(str(area))

    def delete_rows(self, first: int, count: int = 1) -> None:
        """Delete rows."""
        self.unmerge()
        self.sheet.delete_rows(first, count)

    def delete_columns(self, *keys: str) -> None:
        """Delete columns."""
        self.unmerge()
        for key in keys:
            self.sheet.delete_cols(self.keys[key])
            self.find()

    def data(self) -> bytes:
        """Return the file."""
        buffer = io.BytesIO()
        self.book.save(buffer)
        return buffer.getvalue()

    def grid(self) -> Grid:
        """Return the values of the annotation sheet."""
        return [[plain(cell.value) for cell in line] for line in self.sheet.iter_rows()]

    def reordered(self, order: Callable[[list[int]], Sequence[int]]) -> None:
        """Put the rows below the visible header into another order; what was merged is merged no longer."""
        self.unmerge()
        last = self.sheet.max_row
        kept = {row: [cell.value for cell in self.sheet[row]] for row in range(3, last + 1)}
        for row, source in zip(range(3, last + 1), order(list(kept)), strict=True):
            for column, value in enumerate(kept[source], 1):
                self.sheet.cell(row, column).value = value
                if isinstance(value, str):
                    self.sheet.cell(row, column).data_type = "s"
        self.find()


def plain(value: Any) -> Any:
    """Return the text of a cell of several looks, without the escapes that openpyxl leaves in."""
    return str(value).replace("_x005F_", "_") if isinstance(value, str | list) else value


def patched(data: bytes, address: str, content: str, attributes: str = "", sheet: str = "sheet3") -> bytes:
    """Return a workbook whose cell has other XML inside, for what openpyxl does not write."""
    parts = parts_of(data)
    name = f"xl/worksheets/{sheet}.xml"
    text, count = re.subn(
        rf'<c r="{address}"( s="\d+")?[^>]*?(/>|>.*?</c>)',
        lambda found: f'<c r="{address}"{found[1] or ""} {attributes}>{content}</c>',
        parts[name].decode(),
    )
    assert count == 1
    return zipped(parts | {name: text.encode()})


def parts_of(data: bytes) -> dict[str, bytes]:
    """Return the parts of a zip container."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def replaced(data: bytes, part: str, old: str, new: str) -> bytes:
    """Return a workbook with something replaced in one part, which must be there."""
    parts = parts_of(data)
    assert old in parts[part].decode()
    return zipped(parts | {part: parts[part].decode().replace(old, new).encode()})


def as_csv(grid: Grid, separator: str = ",", encoding: str = "utf-8", end: str = "\r\n") -> bytes:
    """Return the sheet as CSV; what the encoding does not have becomes a question mark."""
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, delimiter=separator, lineterminator=end)
    writer.writerows(["" if value is None else value for value in line] for line in grid)
    text = buffer.getvalue()
    return text.encode(encoding, "replace")


def as_ods(grid: Grid, raw: Mapping[tuple[int, int], str] | None = None) -> bytes:
    """Return the sheet as .ods, as LibreOffice stores it. `raw` holds the XML of some cells, by (row, column)."""
    raw = raw or {}
    lines = (
        "".join(raw.get((row, column)) or _ods_cell(value) for column, value in enumerate(line, 1))
        for row, line in enumerate(grid, 1)
    )
    return zipped(ods_parts("".join(map(ods_row, lines))))


def _ods_cell(value: Any) -> str:
    if value is None:
        return ods_cell()
    if isinstance(value, bool):
        return ods_cell(f'office:value-type="boolean" office:boolean-value="{str(value).lower()}"', str(value).upper())
    if isinstance(value, int | float):
        return ods_cell(f'office:value-type="float" office:value="{value}"', str(value))
    if isinstance(value, datetime.datetime):
        return ods_cell(f'office:value-type="date" office:date-value="{value.isoformat()}"', str(value))
    lines = [escape(line).replace("\t", "<text:tab/>").replace("  ", " <text:s/>") for line in str(value).split("\n")]
    return ods_cell('office:value-type="string"', "</text:p><text:p>".join(lines))


def as_xls(grid: Grid) -> bytes:
    """Return the sheet as .xls, as Excel 97 stores it."""
    records = b""
    for row, line in enumerate(grid):
        for column, value in enumerate(line):
            place = pack("<HHH", row, column, 0)
            if isinstance(value, bool):
                records += record(0x205, place + bytes((value, 0)))
            elif isinstance(value, int | float):
                records += record(0x203, place + pack("<d", value))
            elif value is not None:
                text = str(value).encode("utf-16-le")
                records += record(0x204, place + pack("<HB", len(text) // 2, 1) + text)
    return ole({"Workbook": biff(records)})
