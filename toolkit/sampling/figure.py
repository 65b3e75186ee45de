"""A picture of a plan: items against the half-width of each interval, as SVG that any browser or editor shows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from itertools import cycle, pairwise

from toolkit.i18n import Language

WIDE, HIGH = 880, 440
LEFT, RIGHT, TOP, BOTTOM = 64, 284, 44, 56
# Okabe & Ito's colours, which people with any colour vision tell apart
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#000000")
DASHES = ("none", "7 4", "2 3", "9 3 2 3", "4 2")
MARKS = (10, 20, 30, 50, 100, 200, 300, 500, 1000, 2000, 5000)


def render(
    title: str,
    lines: Mapping[str, Sequence[tuple[int, float]]],
    target: float,
    chosen: int | None,
    _: Language,
) -> bytes:
    """Return the picture.

    Args:
        title: What it shows.
        lines: Under the name of each line its points (items, half-width).
        target: The half-width that is wanted: a dashed line.
        chosen: A number of items to mark.
        _: The language.
    """
    points = [point for line in lines.values() for point in line]
    low, high = math.log(min(n for n, _value in points)), math.log(max(n for n, _value in points))
    top = max(0.1, math.ceil(max([target, *(value for _items, value in points)]) * 10) / 10)

    def across(items: float) -> float:
        return round(LEFT + (math.log(items) - low) / (high - low or 1.0) * (WIDE - LEFT - RIGHT), 1)

    def down(value: float) -> float:
        return round(TOP + (1 - value / top) * (HIGH - TOP - BOTTOM), 1)

    right, bottom = WIDE - RIGHT, HIGH - BOTTOM
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDE} {HIGH}" width="{WIDE}" height="{HIGH}" '
        f'role="img" font-family="sans-serif" font-size="13" fill="#222">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{WIDE}" height="{HIGH}" fill="#fff"/>',
        f'<text x="{LEFT}" y="24" font-size="15" font-weight="bold">{escape(title)}</text>',
    ]
    step = 0.1 if top <= 1 else math.ceil(top * 2) / 20
    for place in range(math.floor(top / step + 1e-9) + 1):
        y = down(place * step)
        parts.append(f'<path d="M{LEFT} {y}H{right}" stroke="#ddd"/>')
        parts.append(f'<text x="{LEFT - 8}" y="{y + 4}" text-anchor="end">{_.number(place * step, 1)}</text>')
    for items in [mark for mark in MARKS if low - 1e-9 <= math.log(mark) <= high + 1e-9]:
        parts.append(f'<path d="M{across(items)} {bottom}v5" stroke="#222"/>')
        parts.append(f'<text x="{across(items)}" y="{bottom + 20}" text-anchor="middle">{items}</text>')
    middle = (LEFT + right) / 2
    # outside of the f-strings, where the messages would not be found
    below, beside = escape(_("items that people score")), escape(_("half-width of the 95% interval"))
    parts.append(f'<text x="{middle}" y="{HIGH - 12}" text-anchor="middle">{below}</text>')
    turned = f"translate(18 {(TOP + bottom) / 2}) rotate(-90)"
    parts.append(f'<text transform="{turned}" text-anchor="middle">{beside}</text>')
    parts.append(f'<path d="M{LEFT} {bottom}H{right}M{LEFT} {TOP}V{bottom}" stroke="#222" fill="none"/>')
    parts.append(f'<path d="M{LEFT} {down(target)}H{right}" stroke="#222" stroke-dasharray="3 3"/>')
    wanted = _("wanted: {half_width}", half_width=_.number(target, 2 if round(target, 2) == target else 3))
    parts.append(f'<text x="{LEFT + 6}" y="{down(target) - 6}">{escape(wanted)}</text>')
    if chosen is not None and low <= math.log(chosen) <= high:
        parts.append(f'<path d="M{across(chosen)} {TOP}V{bottom}" stroke="#222" stroke-dasharray="3 3"/>')
        enough = _.plural("{n} item", "{n} items", chosen)
        parts.append(f'<text x="{across(chosen) + 6}" y="{TOP + 12}">{escape(enough)}</text>')
    labels = _apart([down(line[-1][1]) for line in lines.values()])
    for (name, line), colour, dash, y in zip(lines.items(), cycle(COLOURS), cycle(DASHES), labels, strict=False):
        path = "L".join(f"{across(items)} {down(value)}" for items, value in line)
        parts.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2.5" stroke-dasharray="{dash}"/>')
        parts.append(f'<path d="M{right + 8} {y}h22" stroke="{colour}" stroke-width="2.5" stroke-dasharray="{dash}"/>')
        parts.append(f'<text x="{right + 36}" y="{y + 4}">{escape(name)}</text>')
    return ("\n".join([*parts, "</svg>"]) + "\n").encode()


def _apart(places: Sequence[float], gap: float = 18) -> list[float]:
    """Return places for labels, each at least a line from the next, in the order given."""
    order = sorted(range(len(places)), key=lambda i: places[i])
    found = list(places)
    for before, after in pairwise(order):
        found[after] = max(found[after], found[before] + gap)
    overshoot = max(0.0, max(found, default=0.0) - (HIGH - BOTTOM))
    return [place - overshoot for place in found]
