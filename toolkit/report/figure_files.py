"""Each picture of the report as files for a thesis or paper: SVG, PDF, and PNG at 300 dpi.

They are drawn from the same places and tables as the page's own pictures, so that a number cannot differ between the
two. Nothing in the files depends on the day or the machine's time.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import matplotlib
import matplotlib.patches
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from toolkit.report import counts, figures, pictures, tables
from toolkit.report.cells import HEAT_STEPS, Table
from toolkit.report.facts import Facts
from toolkit.report.figures import Bubbles, Distribution, Forest
from toolkit.report.sayings import band_word
from toolkit.report.sheet_page import HEAT_INK_FROM, HEATS
from toolkit.report.story import Story
from toolkit.stats.bands import Band
from toolkit.texts import clean

FOLDER = "figures"
WIDTH = 6.3  # inches: the text of an A4 page
DOTS_PER_INCH = 300
POINTS_PER_INCH = 72
INK, QUIET, LINE, PAPER = "#1b2733", "#52606f", "#d8dfe7", "#ffffff"
COLOURS = {"people": "#1d5fa6", "judge": "#a8480b", "mean": INK}
MARKERS = {"people": "o", "judge": "D", "mean": "o"}
BANDS = {"low": "#fbfcfd", "moderate": "#eff2f5", "substantial": "#e1e6ec", "almost-perfect": "#d0d8e1"}
LABEL_CHARACTERS = 42
LINE_CHARACTERS = 60  # of the label of a line, beside a value with its interval
BAND_LETTERS = 0.95  # letters of the name of a band that stand above one hundredth of the width
SETTINGS: Any = {
    "svg.hashsalt": "toolkit",  # ids in the SVG are otherwise drawn at random
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
    "text.parse_math": False,  # a dollar sign in a name is a dollar sign
    "font.family": "DejaVu Sans",
    "font.size": 8.5,
    "axes.edgecolor": LINE,
    "text.color": INK,
    "axes.labelcolor": QUIET,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
}


def drawings(story: Story) -> dict[str, tuple[str, Callable[[], Figure]]]:
    """Return each picture's caption and how to draw it, by the name of its files."""
    facts = Facts(story)
    found: dict[str, tuple[str, Callable[[], Figure]]] = {}
    for name, plot in (
        ("like-with-like", pictures.ceiling(facts)),
        ("people", pictures.people(facts)),
        ("judge", pictures.judge(facts)),
        ("bias", pictures.bias(facts)),
    ):
        if plot is not None:
            found[name] = plot.title, lambda plot=plot: _forest(plot, facts)  # type: ignore[misc]
    matrix = tables.pair_matrix(facts)
    found["pairs"] = matrix.caption, lambda: _heat(matrix, facts)
    given = counts.counts_by_rater(facts)
    found["scores"] = given.caption, lambda: _distributions(figures.distributions(given, facts))
    for judge in facts.judges:
        ending = "" if judge == facts.judge else f"-{facts.number_of(judge) + 1}"
        table = counts.confusion_table(facts, judge)
        found[f"confusion{ending}"] = table.caption, lambda table=table: _heat(table, facts)  # type: ignore[misc]
        if not facts.nominal:
            bubbles = figures.bubbles(facts, judge)
            found[f"items{ending}"] = bubbles.title, lambda plot=bubbles: _bubbles(plot, facts)  # type: ignore[misc]
    return found


def render_figures(story: Story) -> dict[str, bytes]:
    """Return every picture in three formats, by path inside the report folder."""
    found = {}
    for name, (caption, draw) in drawings(story).items():
        for kind, data in saved(draw, caption, ("svg", "pdf", "png")).items():
            found[f"{FOLDER}/{name}.{kind}"] = data
    return found


def saved(
    draw: Callable[[], Figure], caption: str, kinds: Sequence[str], dots_per_inch: int = DOTS_PER_INCH
) -> dict[str, bytes]:
    """Return a picture as files of several kinds."""
    title = _plain(caption)
    metadata = {
        "svg": {"Date": None, "Title": title},
        "pdf": {"CreationDate": None, "Title": title},
        "png": {"Title": title.encode("latin-1", "replace").decode("latin-1")},
    }
    found = {}
    with matplotlib.rc_context(SETTINGS), warnings.catch_warnings():
        # a name may hold letters that the font lacks; they are shown as boxes
        warnings.filterwarnings("ignore", message="Glyph")
        figure = draw()
        FigureCanvasAgg(figure)
        # places are found once, not again for each file
        figure.draw_without_rendering()
        figure.set_layout_engine("none")
        for kind in kinds:
            buffer = io.BytesIO()
            figure.savefig(buffer, format=kind, dpi=dots_per_inch, facecolor=PAPER, metadata=metadata[kind])
            found[kind] = buffer.getvalue()
    return found


def _plain(text: str) -> str:
    """Return a text as a font can draw it: one line, no control characters."""
    return " ".join(clean(text).split())


def _short(text: str, most: int = LABEL_CHARACTERS) -> str:
    text = _plain(text)
    return text if len(text) <= most else text[: most - 1] + "…"


def _axes(height: float, *, rows: int = 1, columns: int = 1) -> tuple[Figure, Sequence[Axes]]:
    figure = Figure(figsize=(WIDTH, height), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False)
    return figure, list(grid.ravel())


def _bare(axes: Axes) -> None:
    for side in ("top", "right", "left", "bottom"):
        axes.spines[side].set_visible(False)
    axes.tick_params(length=0)


def _forest(plot: Forest, facts: Facts) -> Figure:
    """Draw a forest plot; places across are the page's percentages, places down its pixels."""
    figure, (axes,) = _axes(0.62 * plot.height / POINTS_PER_INCH + 0.2)
    _bare(axes)
    words = [band_word(Band(name.replace("-", "_")), facts._) for name, _start, _end in plot.bands]
    # where a word is wider than its band, every second one stands a line higher
    crowded = any(
        len(word) > (end - start) * BAND_LETTERS for word, (_n, start, end) in zip(words, plot.bands, strict=True)
    )
    for place, (word, (name, start, end)) in enumerate(zip(words, plot.bands, strict=True)):
        axes.axvspan(start, end, color=BANDS[name], linewidth=0)
        above = 18 if crowded and place % 2 else 4
        axes.text((start + end) / 2, -above, word, ha="center", va="bottom", color=QUIET, size=7.5)
    for tick in plot.ticks:
        axes.axvline(tick.place, color=LINE, linewidth=0.6)
    if plot.zero is not None:
        axes.axvline(plot.zero, color=QUIET, linewidth=1)
    for row in plot.rows:
        colour, down = COLOURS[row.kind], row.top + 30
        weight = "bold" if row.kind == "mean" else "normal"
        axes.text(2.6, row.top + 12, _short(row.label, LINE_CHARACTERS), va="center", weight=weight)
        value = f"{row.value} [{row.range}]" if row.range else row.value
        axes.text(97.4, row.top + 12, _plain(value), va="center", ha="right", weight="bold")
        if row.low is not None and row.high is not None:
            axes.plot([row.low, row.high], [down, down], color=colour, linewidth=1.4)
            for end in (row.low, row.high):
                axes.plot([end, end], [down - 5, down + 5], color=colour, linewidth=1.4)
        if row.point is not None:
            axes.plot([row.point], [down], MARKERS[row.kind], color=colour, markersize=5, markeredgecolor=PAPER)
    axes.set_xlim(0, 100)
    axes.set_ylim(plot.axis, 0)
    axes.set_yticks([])
    axes.set_xticks([tick.place for tick in plot.ticks], [tick.text for tick in plot.ticks])
    return figure


def _heat(table: Table, facts: Facts) -> Figure:
    """Draw a shaded table with its numbers."""
    columns = len(table.columns) - 1
    figure, (axes,) = _axes(0.5 + 0.42 * len(table.rows))
    _bare(axes)
    for down, row in enumerate(table.rows):
        for across, cell in enumerate(row[1:]):
            shade = cell.heat or 0
            edge = INK if cell.marked else LINE
            box = matplotlib.patches.Rectangle(
                (across - 0.5, down - 0.5), 1, 1, facecolor=HEATS[min(shade, HEAT_STEPS)], edgecolor=LINE, linewidth=0.6
            )
            axes.add_patch(box)
            if cell.marked:
                inner = matplotlib.patches.Rectangle(
                    (across - 0.46, down - 0.44), 0.92, 0.88, fill=False, edgecolor=edge, linewidth=1.4
                )
                axes.add_patch(inner)
            ink = PAPER if shade >= HEAT_INK_FROM else INK
            text = f"{cell.text}\n{cell.under}" if cell.under else cell.text
            axes.text(across, down, text, ha="center", va="center", color=ink, size=8)
    axes.set_xlim(-0.5, columns - 0.5)
    axes.set_ylim(len(table.rows) - 0.5, -0.5)
    axes.xaxis.tick_top()
    axes.set_xticks(range(columns), [_short(name) for name in table.columns[1:]])
    axes.set_yticks(range(len(table.rows)), [_short(row[0].text) for row in table.rows])
    return figure


def _distributions(found: Sequence[Distribution]) -> Figure:
    columns = min(3, len(found))
    rows = -(-len(found) // columns)
    levels = max(len(one.bars) for one in found)
    figure, every = _axes(rows * (0.45 + 0.19 * levels), rows=rows, columns=columns)
    for axes in every[len(found) :]:
        axes.set_axis_off()
    for axes, one in zip(every, found, strict=False):
        _bare(axes)
        places = range(len(one.bars))
        widths = [bar.width for bar in one.bars]
        axes.barh(places, widths, color=COLOURS[one.kind], height=0.72)
        for place, bar in zip(places, one.bars, strict=True):
            axes.text(bar.width + 2, place, bar.count, va="center", color=QUIET)
        axes.set_xlim(0, 115)
        axes.set_xticks([])
        axes.set_yticks(places, [_short(bar.label) for bar in one.bars])
        axes.invert_yaxis()
        axes.set_title(_short(one.name), size=9, loc="left", weight="bold")
    return figure


def _bubbles(plot: Bubbles, facts: Facts) -> Figure:
    figure, (axes,) = _axes(4.2)
    _bare(axes)
    for tick in plot.columns:
        axes.axvline(tick.place, color=LINE, linewidth=0.6, zorder=0)
    for tick in plot.lines:
        axes.axhline(tick.place, color=LINE, linewidth=0.6, zorder=0)
    axes.plot([0, 100], [plot.height, 0], "--", color=QUIET, linewidth=0.8, zorder=1)
    for bubble in plot.bubbles:
        axes.scatter([bubble.x], [bubble.y], s=(1.5 * bubble.radius) ** 2, color=COLOURS["judge"], alpha=0.85, zorder=2)
        if bubble.count > 1:
            axes.text(bubble.x, bubble.y, str(bubble.count), ha="center", va="center", color=PAPER, size=7, zorder=3)
    axes.set_xlim(0, 100)
    axes.set_ylim(plot.height, 0)
    axes.set_xticks([tick.place for tick in plot.columns], [_short(tick.text) for tick in plot.columns])
    axes.set_yticks([tick.place for tick in plot.lines], [_short(tick.text) for tick in plot.lines])
    axes.set_xlabel(facts._("Human consensus"))
    axes.set_ylabel(facts._("Judge"))
    axes.set_box_aspect(1)
    return figure
