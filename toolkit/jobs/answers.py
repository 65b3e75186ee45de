"""What somebody filled in is never overwritten, with or without --force."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from toolkit.errors import Problem, ToolkitError, refuse
from toolkit.study import Study
from toolkit.workbook.ingest import holds_answers, ingest
from toolkit.workbook.readers import Limits, RawBook, read_book


def refuse_to_overwrite_answers(paths: Iterable[Path], limits: Limits) -> None:
    """Refuse when a file to be written is a workbook that somebody filled in.

    Args:
        paths: Where files are to be written.
        limits: What a file may hold.

    Raises:
        ToolkitError: With every such file.
    """
    refuse(_problem(path) for path in paths if _answers_at(path, limits) is not None)


def refuse_to_lose_answers(path: Path, book: RawBook, study: Study, limits: Limits) -> None:
    """Refuse to write a copy of a workbook over the workbook itself, or over answers that are not in it.

    Args:
        path: Where the copy would go.
        book: The workbook.
        study: The study it belongs to.
        limits: What a file may hold.

    Raises:
        ToolkitError: When answers would be lost.
    """
    if book.source.path is not None and path.exists() and path.samefile(book.source.path):
        raise ToolkitError(_problem(path))
    existing = _answers_at(path, limits)
    if existing is not None:
        there, here = (ingest([one], study).annotations for one in (existing, book))
        content = [{name: {code: given.content for code, given in entered.items()} for name, entered in one.items()}
                   for one in (there, here)]  # fmt: skip
        if content[0] != content[1]:
            raise ToolkitError(_problem(path))


def _answers_at(path: Path, limits: Limits) -> RawBook | None:
    """Return the workbook at a path if it holds answers; what cannot be read is no workbook of ours."""
    if not path.is_file():
        return None
    try:
        book = read_book(path, limits)
    except ToolkitError:
        return None
    return book if holds_answers(book) else None


def _problem(path: Path) -> Problem:
    what = "holds answers that somebody filled in, which are never overwritten"
    return Problem(what, "choose another name, or move that file away first", str(path))
