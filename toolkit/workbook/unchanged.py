"""Whether a locked cell came back as it was sent, and what is said where it did not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property

from toolkit.errors import shown
from toolkit.i18n import language
from toolkit.model import Item
from toolkit.study import Study
from toolkit.texts import same_but_for_lost, same_text_form
from toolkit.workbook.locked import locked_texts
from toolkit.workbook.parts import Piece, pieces, text_hash
from toolkit.workbook.readers.raw import Cell, RawSheet

ASK_AGAIN = "restore the cell from the workbook in send/, or ask the annotator to"
BY_THE_ORIGINAL = f"{ASK_AGAIN} score by the original"
# How much of a changed text is shown around the place where it changed.
CHANGE_CHARACTERS = 24


class Unchanged:
    """What was sent to one annotator, to be compared with what came back.

    Attributes:
        study: The study.
        assigned: The codes of the annotator's items, in study order.
        dimensions: Those of these items.
        locked: The hashes of what everybody scores by; empty in a study that an earlier release made.
        unlike: How many cells say something else only because their encoding has not every character.
        problem: Takes what is wrong, what to do, the cell, the value found, and the sheet if it is another
            than the annotation sheet.
    """

    def __init__(self, study: Study, annotator: str, lossy: str | None, problem: Callable[..., None]):
        """Begin to compare.

        Args:
            study: The study.
            annotator: Whose workbook it is.
            lossy: The encoding of a CSV file that has not every character.
            problem: See above.
        """
        share = frozenset(study.assignments.get(annotator, ()))
        self.study, self.problem, self._lossy = study, problem, lossy
        self.assigned = {code: item for code, item in study.by_code.items() if code in share}
        self.dimensions = tuple(dict.fromkeys(item.dimension for item in self.assigned.values()))
        self.locked = study.locked or {}
        self.unlike = 0

    def same(self, key: str, cell: Cell, what: str, value: str | None = None, sheet: RawSheet | None = None) -> None:
        """Refuse a cell that does not say what all annotators have there.

        Args:
            key: What it is, as `locked_texts` calls it.
            cell: The cell.
            what: What is wrong and why it matters.
            value: The hash of the one text that may stand there, of several under the key.
            sheet: Where it is, if not in the annotation sheet.
        """
        wanted = self.locked[key] if value is None else (value,)
        self.compare(cell, wanted, lambda: self.sent(key, wanted), what, BY_THE_ORIGINAL, sheet)

    def compare(
        self,
        cell: Cell,
        wanted: Sequence[str],
        sent: Callable[[], Sequence[str]],
        what: str,
        fix: str,
        sheet: RawSheet | None = None,
    ) -> None:
        """Refuse a cell that says none of the texts that may stand there.

        Args:
            cell: The cell.
            wanted: The hashes of these texts.
            sent: Gives the texts themselves, as far as they are known.
            what: What is wrong and why it matters.
            fix: What to do.
            sheet: Where it is, if not in the annotation sheet.
        """
        if says(cell, wanted):
            return
        texts = sent()
        if self._lossy and any(same_but_for_lost(text, cell.text, self._lossy) for text in texts):
            self.unlike += 1
        else:
            self.problem(f"{what}{_change(texts, cell)}", fix, cell, cell.text or cell.words, sheet)

    def is_word(self, word: str, found: str) -> bool:
        """Return whether a machine word, such as the key of a dimension, is what was found in a hidden cell."""
        lost = self._lossy is not None and same_but_for_lost(word, found, self._lossy)
        return lost or same_text_form(word) == same_text_form(found)

    def sent(self, key: str, wanted: Sequence[str]) -> list[str]:
        """Return what was sent under a key, by its hashes; nothing where another release worded it otherwise."""
        return [text for text in self._texts.get(key, ()) if text_hash(text) in wanted]

    def pieces(self, item: Item) -> tuple[Piece, ...]:
        """Return the rows of an item, as this release of the toolkit cuts them."""
        return pieces(item, language(self.study.language), self.study.markdown)

    def notes(self) -> Iterator[str]:
        """Yield what does not stand in the way."""
        if self.unlike:
            yield (
                f"{self.unlike} texts hold characters that this encoding has not (emoji, for instance), so that a "
                "program wrote others for them; the rest of these texts is unchanged. In the annotator's own words "
                "such characters are lost: ask for the .xlsx if they matter"
            )

    @cached_property
    def _texts(self) -> dict[str, tuple[str, ...]]:
        return locked_texts(self.study)


def says(cell: Cell, wanted: Sequence[str]) -> bool:
    """Return whether a cell says a text with one of the hashes."""
    if cell.words:
        return False
    # a literal such as _x0041_ is shown as A after some programs; then the stored form is what was sent
    forms = [cell.text] if cell.stored is None else [cell.text, cell.stored]
    if isinstance(cell.value, float) and cell.value.is_integer():
        forms.append(str(int(cell.value)))  # some programs make a number of a text that looks like one
    return any(text_hash(form) in wanted for form in forms)


def _change(sent: Sequence[str], cell: Cell) -> str:
    """Return in words where a cell begins to differ from what was sent; nothing where that is not known."""
    if cell.words:
        return f" (it is {cell.words})"
    if not sent:
        return ""
    found = same_text_form(cell.text)
    place, text = max((_alike(text, found), text) for text in map(same_text_form, sent))
    start = max(0, place - CHANGE_CHARACTERS // 2)
    before, after = (shown(words[start : start + CHANGE_CHARACTERS]) for words in (text, found))
    return f": {before!r} became {after!r}"


def _alike(one: str, two: str) -> int:
    """Return how many characters two texts begin with in common."""
    differing = (place for place, (a, b) in enumerate(zip(one, two, strict=False)) if a != b)
    return next(differing, min(len(one), len(two)))
