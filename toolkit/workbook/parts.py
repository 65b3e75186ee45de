"""An item as rows of text: its parts in reading order, each cut into pieces that fit a row.

Cutting depends on the item and the language alone, never on the annotator, so that one hash per piece proves for
every workbook that nobody changed what was read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from toolkit.files import canonical_json, sha256
from toolkit.i18n import Language
from toolkit.model import Item
from toolkit.texts import clean, same_text_form
from toolkit.workbook.measure import break_lines

TEXT_WIDTH_PX = 540
TEXT_POINTS = 11
# Excel cannot make a row taller than 409 pt (28 lines); rows under 25 lines also scroll smoothly.
MOST_LINES = 24
FEWEST_LINES = 12
# The last piece stands beside the answer cells, under the levels: all of it must fit on a small screen at once.
LAST_PIECE_LINES = 8


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of an item's text that goes into one row.

    Attributes:
        number: Its place in the item, from 1; together with the item's code it makes the row's `part`.
        label: What it is, in the study's language (`Question`, `Answer 2`).
        text: The text itself, cleaned for a sheet.
        lines: How many lines it takes in the text column.
    """

    number: int
    label: str
    text: str
    lines: int


def labelled_parts(item: Item, _: Language) -> Iterator[tuple[str, str]]:
    """Yield (label, text) of each part in the order in which it is read: question, references, answers."""
    if item.prompt:
        yield _("Question"), item.prompt
    if item.ground_truth is not None:
        yield _("Reference answer"), item.ground_truth
    if item.expected_behavior is not None:
        yield _("Expected behaviour"), item.expected_behavior
    if item.original_response is not None:
        yield _("Original answer"), item.original_response
    many = len(item.responses) > 1
    for place, response in enumerate(item.responses, 1):
        if item.original_response is not None:
            kind = f" ({clean(response.variant_type)})" if response.variant_type else ""
            question, answer = _("Variant {n}: question", n=place) + kind, _("Variant {n}: answer", n=place)
        else:
            question = _("Question {n}", n=place)
            answer = _("Answer {n}", n=place) if many else _("Answer")
        if response.prompt is not None and response.prompt != item.prompt:
            yield question, response.prompt
        yield answer, response.response


def pieces(item: Item, _: Language) -> tuple[Piece, ...]:
    """Return an item's rows of text. Joined, they are the cleaned text of its parts, whole and in order."""
    found: list[Piece] = []
    parts = list(labelled_parts(item, _))
    for place, (label, source) in enumerate(parts, 1):
        text = clean(source).strip("\n") or _("(empty)")
        for count, (piece, lines) in enumerate(_cut(text, last_part=place == len(parts))):
            name = label if count == 0 else _("{part} (continued)", part=label)
            found.append(Piece(len(found) + 1, name, piece, lines))
    return tuple(found)


def part_code(item_code: str, number: int) -> str:
    """Return what the hidden `part` column says of a row: the item's code and the piece's number."""
    return f"{item_code}:{number:03d}"


def content_hashes(item: Item, _: Language) -> dict[str, str]:
    """Return SHA-256 of every piece as rendered, by its number, and of the item's source under `source`."""
    source = item.model_dump(mode="json", exclude={"item_code"})
    hashes = {"source": sha256(canonical_json(source))}
    return hashes | {f"{p.number:03d}": sha256(same_text_form(p.text)) for p in pieces(item, _)}


def _cut(text: str, *, last_part: bool) -> Iterator[tuple[str, int]]:
    lines = break_lines(text, TEXT_WIDTH_PX, TEXT_POINTS)
    start, end = 0, len(lines)
    tail = end
    if last_part and end > LAST_PIECE_LINES:
        tail = _best_cut(text, lines, end - LAST_PIECE_LINES, end - 2)
    while start < end:
        stop = tail if start < tail else end
        if stop - start > MOST_LINES:
            stop = _best_cut(text, lines, start + FEWEST_LINES, start + MOST_LINES)
        piece = text[lines[start][0] : lines[stop - 1][1]]
        yield piece, stop - start
        start = stop


def _best_cut(text: str, lines: list[tuple[int, int]], first: int, last: int) -> int:
    """Return the line before which to cut: after a paragraph if there is one, else after a line end, else anywhere."""
    places = range(last, first - 1, -1)
    blank = (place for place in places if not text[slice(*lines[place - 1])].strip())
    line_end = (place for place in places if "\n" in text[lines[place - 1][1] : lines[place][0]])
    return next(blank, None) or next(line_end, None) or (first if last - first < FEWEST_LINES // 2 else last)
