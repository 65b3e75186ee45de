"""The dated copies of Google Sheets in STUDY/filled: all are kept as evidence, the newest of each is read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

STAMP = "%Y%m%dT%H%M%SZ"
VALUES, WORKBOOK = "json", "xlsx"
_NAME = re.compile(rf"(?P<whose>.+)\.google-(?P<stamp>[0-9]{{8}}T[0-9]{{6}}Z)\.(?P<kind>{VALUES}|{WORKBOOK})")


def pull_name(whose: str, when: datetime, kind: str) -> str:
    """Return the file name of a copy.

    Args:
        whose: What the annotator's files are called.
        when: When it was fetched.
        kind: `VALUES` for the raw values, `WORKBOOK` for what Google exported.
    """
    return f"{whose}.google-{when.astimezone(UTC).strftime(STAMP)}.{kind}"


def newest_pull(folder: Path, whose: str, kind: str) -> Path | None:
    """Return the newest copy of a kind in a folder."""
    found = [(match["stamp"], path) for path in folder.glob("*") if (match := _NAME.fullmatch(path.name))
             and (match["whose"], match["kind"]) == (whose, kind)]  # fmt: skip
    return max(found)[1] if found else None


def newest_pulls(files: Sequence[Path], warnings: list[str]) -> list[Path]:
    """Return files without those that are copies of something newer among them.

    Raw values and the exported workbook of one moment are the same thing twice; the workbook, which tells formulas
    apart, is read where there is one.
    """
    newest: dict[tuple[Path, str], tuple[str, str]] = {}
    named = {path: match for path in files if (match := _NAME.fullmatch(path.name)) is not None}
    for path, match in named.items():
        key = path.parent, match["whose"]
        # "xlsx" comes after "json"
        newest[key] = max(newest.get(key, ("", "")), (match["stamp"], match["kind"]))
    earlier = {
        (path.parent, match["whose"], match["stamp"])
        for path, match in named.items()
        if match["stamp"] < newest[path.parent, match["whose"]][0]
    }
    if earlier:
        copies = "an earlier copy" if len(earlier) == 1 else f"{len(earlier)} earlier copies"
        warnings.append(f"{copies} from Google Sheets: kept, but not read, since there are newer ones")
    return [
        path
        for path in files
        if path not in named or (named[path]["stamp"], named[path]["kind"]) == newest[path.parent, named[path]["whose"]]
    ]
