"""An item as rows of text: its parts in reading order, each cut into pieces that fit a row.

Cutting depends on the item and the language alone, never on the annotator, so that one hash per piece proves for
every workbook that nobody changed what was read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from toolkit.files import canonical_json, sha256
from toolkit.i18n import Language
from toolkit.model import Item
from toolkit.texts import clean, same_text_form
from toolkit.workbook.markdown import Mode, rendered
from toolkit.workbook.measure import break_runs, height
from toolkit.workbook.runs import BODY_POINTS, HEADING_POINTS, Run, Style, plain, sliced

TEXT_WIDTH_PX = 510
TEXT_POINTS = BODY_POINTS
# Excel cannot make a row taller than 409 pt (28 lines); rows under 25 lines also scroll smoothly.
MOST_LINES = 24
FEWEST_LINES = 12
# The last piece stands beside the answer cells, under the levels: all of it must fit on a small screen at once.
LAST_PIECE_LINES = 8
# Each annotator's workbook and the audit of each cut the same texts again.
REMEMBERED = 200_000


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece of an item's text that goes into one row.

    Attributes:
        number: Its place in the item, from 1; together with the item's code it makes the row's `part`.
        label: What it is, in the study's language (`Question`, `Answer 2`).
        text: The text itself, as a sheet shows it.
        lines: How many lines it takes in the text column.
        height: How tall its row must be, in points.
        runs: The text with its looks.
    """

    number: int
    label: str
    text: str
    lines: int
    height: float
    runs: tuple[Run, ...]


def labelled_parts(item: Item, _: Language) -> Iterator[tuple[str, str]]:
    """Yield (label, text) of each part in the order in which it is read: question, references, answers."""
    return ((label, text) for label, text, _written_by_people in _parts(item, _))


def _parts(item: Item, _: Language) -> Iterator[tuple[str, str, bool]]:
    """Yield label and text of each part, and whether it is a question, which people write and no markdown is in."""
    own = [response.prompt if response.prompt != item.prompt else None for response in item.responses]
    if item.prompt:
        # the question of the first answer, where a later answer has another
        first = item.original_response is None and own[:1] == [None] and own != [None] * len(own)
        yield _("Question {n}", n=1) if first else _("Question"), item.prompt, True
    if item.ground_truth is not None:
        yield _("Reference answer"), item.ground_truth, False
    if item.expected_behavior is not None:
        yield _("Expected behaviour"), item.expected_behavior, False
    if item.original_response is not None:
        yield _("Original answer"), item.original_response, False
    many = len(item.responses) > 1
    for place, (response, asked) in enumerate(zip(item.responses, own, strict=True), 1):
        if item.original_response is not None:
            kind = f" ({clean(response.variant_type)})" if response.variant_type else ""
            question, answer = _("Variant {n}: question", n=place) + kind, _("Variant {n}: answer", n=place)
        else:
            question = _("Question {n}", n=place)
            answer = _("Answer {n}", n=place) if many else _("Answer")
        if asked is not None:
            yield question, asked, True
        yield answer, response.response, False


def pieces(item: Item, _: Language, markdown: Mode) -> tuple[Piece, ...]:
    """Return an item's rows of text. Joined, they are its parts, whole and in order.

    Args:
        item: The item.
        _: The study's language.
        markdown: Whether answers and references are shown as their markdown means, or as it is written.
    """
    found: list[Piece] = []
    parts = list(_parts(item, _))
    for place, (label, source, question) in enumerate(parts, 1):
        text = clean(source).strip("\n") or _("(empty)")
        mode = "raw" if question else markdown
        for count, (runs, lines, tall) in enumerate(_cut(text, mode, place == len(parts))):
            name = label if count == 0 else _("{part} (continued)", part=label)
            found.append(Piece(len(found) + 1, name, plain(runs), lines, tall, runs))
    return tuple(found)


def cut_words(text: str) -> list[str]:
    """Return what somebody wrote in pieces that fit a row of the text column, each whole lines; at least one piece."""
    return [plain(runs) for runs, _lines, _height in _cut(clean(text).strip("\n"), "raw", False)]


def part_code(item_code: str, number: int) -> str:
    """Return what the hidden `part` column says of a row: the item's code and the piece's number."""
    return f"{item_code}:{number:03d}"


def text_hash(text: str) -> str:
    """Return SHA-256 of a text that is sent, the same after any journey through spreadsheet programs."""
    return sha256(same_text_form(text))


def labels_hash(labels: Iterable[str]) -> str:
    """Return SHA-256 of the labels of an item's texts, in reading order."""
    return sha256(canonical_json([same_text_form(label) for label in labels]))


def content_hashes(item: Item, _: Language, markdown: Mode) -> dict[str, str]:
    """Return SHA-256 of every piece as shown, by its number.

    With them come those of the labels of all of them, under `labels`, and of the item's source, under `source`.
    """
    source, shown = item.model_dump(mode="json", exclude={"item_code"}), pieces(item, _, markdown)
    hashes = {"source": sha256(canonical_json(source)), "labels": labels_hash(piece.label for piece in shown)}
    return hashes | {f"{piece.number:03d}": text_hash(piece.text) for piece in shown}


@lru_cache(REMEMBERED)
def _cut(text: str, mode: Mode, last_part: bool) -> tuple[tuple[tuple[Run, ...], int, float], ...]:
    """Return the pieces of a part: the runs of each, how many lines it takes, and how tall it is."""
    runs = rendered(text) if mode == "rendered" else (Run(text, Style.PLAIN),)
    page = _Page(runs)
    start, end = 0, len(page.lines)
    tail = end
    if last_part and end > LAST_PIECE_LINES:
        tail = page.best_cut(end - LAST_PIECE_LINES, end - 2)
    found = []
    while start < end:
        stop = tail if start < tail else end
        if stop - start > MOST_LINES:
            stop = page.best_cut(start + FEWEST_LINES, start + MOST_LINES)
        first, last = page.trimmed(start, stop)
        piece = tuple(sliced(runs, page.lines[first][0], page.lines[last - 1][1]))
        found.append((piece, last - first, page.height(first, last)))
        start = stop
    return tuple(found)


class _Page:
    """A text broken into lines, and where it may be cut."""

    def __init__(self, runs: tuple[Run, ...]):
        self.text = plain(runs)
        self.lines = break_runs(runs, TEXT_WIDTH_PX)
        self._looks: list[Style] = []  # everything that occurs in each line
        place = run = 0
        for start, end in self.lines:
            while run < len(runs) - 1 and place + len(runs[run].text) <= start:
                place += len(runs[run].text)
                run += 1
            look, reach, other = runs[run].style, place + len(runs[run].text), run + 1
            while reach < end:
                look |= runs[other].style
                reach, other = reach + len(runs[other].text), other + 1
            self._looks.append(look)

    def trimmed(self, start: int, stop: int) -> tuple[int, int]:
        """Return the same lines without the empty ones at both ends, where the rows' own border is gap enough."""
        said = [place for place in range(start, stop) if not self._blank(place)]
        return (said[0], said[-1] + 1) if said else (start, start + 1)

    def height(self, start: int, stop: int) -> float:
        """Return how tall the lines from one to before another are, in points."""
        large = sum(Style.LARGE in look for look in self._looks[start:stop])
        return round(height(stop - start, BODY_POINTS) + height(large, HEADING_POINTS) - height(large, BODY_POINTS), 2)

    def best_cut(self, first: int, last: int) -> int:
        """Return the line before which to cut: between paragraphs if possible, else after a line end, else anywhere.

        Code and tables are cut only where there is nothing else, and a heading stays with what it heads.
        """
        places = range(last, first - 1, -1)
        for good in (self._between_blocks, self._blank_above, self._line_end_above):
            if (found := next((place for place in places if good(place)), None)) is not None:
                return found
        return first if last - first < FEWEST_LINES // 2 else last

    def _between_blocks(self, place: int) -> bool:
        return (
            self._blank_above(place)
            and not (Style.CODE in self._looks[place] and Style.CODE in self._looks[place - 1])  # an empty line of it
            and not (place > 1 and Style.LARGE in self._looks[place - 2])
        )

    def _blank_above(self, place: int) -> bool:
        return self._blank(place - 1)

    def _blank(self, place: int) -> bool:
        return not self.text[slice(*self.lines[place])].strip()

    def _line_end_above(self, place: int) -> bool:
        return "\n" in self.text[self.lines[place - 1][1] : self.lines[place][0]]
