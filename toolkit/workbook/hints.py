"""What is worth knowing of a file that came back and is no fault of it: its name, comments, the judge's words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from toolkit.errors import shown
from toolkit.model import Annotation
from toolkit.study import Study
from toolkit.texts import many, plain_key
from toolkit.workbook.quotes import quoted_by_people
from toolkit.workbook.readers.raw import RawBook

# So many of the cells with comments are named.
MOST_NAMED = 10
# `A1 (2).xlsx` is what browsers call a second download of A1.xlsx.
_SECOND = re.compile(r"\s*\([0-9]+\)$")


def misnamed(file: str, annotator: str, study: Study) -> Iterator[str]:
    """Yield what to say of a file that is called like another annotator of the study than the one whose it is."""
    # `returned.zip > A1.xlsx` and `Rui/A1.xlsx` are A1.xlsx too
    stem = PurePosixPath(file.rpartition(" > ")[2].replace("\\", "/")).stem
    known = {plain_key(name): name for name in study.names}
    other = known.get(plain_key(stem)) or known.get(plain_key(_SECOND.sub("", stem)))
    if other not in (None, annotator):
        whose = shown(annotator)
        yield f"{shown(file)} is {whose}'s workbook, though it is named after {shown(other)}; it counts as {whose}'s"


def shared(file: str, annotators: int, study: Study) -> Iterator[str]:
    """Yield what to say of a file with the sheets of several annotators, which may be hidden; a shared one has them."""
    if annotators > 1 and not (study.google and study.google.one_spreadsheet):
        yield (
            f"{shown(file)} holds the sheets of {annotators} annotators, some of them perhaps hidden; what is in them "
            "counts as theirs"
        )


def commented(book: RawBook) -> Iterator[str]:
    """Yield what to say of a file with comments on its cells: what stands in them is no answer, and is not read."""
    places = [f"{shown(sheet.title, 40)} > {place}" for sheet in book.sheets for place in sheet.comments]
    if places:
        more = f" and {len(places) - MOST_NAMED} more" if len(places) > MOST_NAMED else ""
        yield (
            f"{shown(book.source.name)} has comments on {many(len(places), 'cell')}, which are not read: "
            f"{', '.join(places[:MOST_NAMED])}{more}; what should count belongs in the answer cells"
        )


def quoting(study: Study, entered: Mapping[str, Annotation]) -> Iterator[str]:
    """Yield what to say of each item in whose justification or notes an annotator repeats the judge's."""
    for given, words in quoted_by_people(study, entered.values()):
        yield (
            f"{given.place}: what is written about item {given.item_code} repeats the judge's justification "
            f"({shown(words)!r}); ask whether it was seen"
        )
