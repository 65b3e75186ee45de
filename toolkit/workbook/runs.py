"""Text with looks: what a cell of several formats is made of, and how its pieces are taken apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from enum import IntFlag
from typing import NamedTuple

BODY_POINTS, CODE_POINTS, HEADING_POINTS = 11, 10, 12


class Style(IntFlag):
    """How a stretch of text looks; looks add up."""

    PLAIN = 0
    BOLD = 1
    ITALIC = 2
    STRIKE = 4
    CODE = 8  # monospaced
    LARGE = 16  # the size of a heading
    QUIET = 32  # grey: what the page adds, or only points elsewhere

    @property
    def points(self) -> int:
        """The font size."""
        if Style.CODE in self:
            return CODE_POINTS
        return HEADING_POINTS if Style.LARGE in self else BODY_POINTS


class Run(NamedTuple):
    """A stretch of text of one look."""

    text: str
    style: Style


Line = list[Run]
_OF_LINE_ENDS = (Style.CODE, Style.CODE | Style.QUIET)


def plain(runs: Iterable[Run]) -> str:
    """Return the text without its looks."""
    return "".join(run.text for run in runs)


def merged(runs: Iterable[Run]) -> tuple[Run, ...]:
    """Return the same text in as few runs as possible; none is empty."""
    found: list[Run] = []
    for run in runs:
        if not run.text:
            continue
        if found and found[-1].style == run.style:
            found[-1] = Run(found[-1].text + run.text, run.style)
        else:
            found.append(run)
    return tuple(found)


def joined(lines: Sequence[Line]) -> tuple[Run, ...]:
    """Return lines as one text; a line end looks like its line, or like nothing, so that it makes no run of its own."""
    found: list[Run] = []
    for place, line in enumerate(lines):
        found += line
        if place < len(lines) - 1:
            style = line[-1].style if line else Style.PLAIN
            found.append(Run("\n", style if style in _OF_LINE_ENDS else Style.PLAIN))
    return merged(found)


def split_lines(runs: Iterable[Run]) -> list[Line]:
    """Return a text as its lines."""
    lines: list[Line] = [[]]
    for text, style in runs:
        first, *others = text.split("\n")
        if first:
            lines[-1].append(Run(first, style))
        lines += [[Run(part, style)] if part else [] for part in others]
    return lines


def sliced(runs: Iterable[Run], start: int, end: int) -> Iterator[Run]:
    """Yield the runs of a part of a text, from one place in it to another."""
    place = 0
    for text, style in runs:
        if place >= end:
            return
        if (part := text[max(0, start - place) : end - place]) and place + len(text) > start:
            yield Run(part, style)
        place += len(text)
