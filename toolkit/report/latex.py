r"""Tables and text for a thesis or paper in LaTeX: pieces to \input, and a document that shows them all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from toolkit.report import paper, population
from toolkit.report.cells import Cell, EstimateTable, Table, grid
from toolkit.report.facts import Facts
from toolkit.report.figure_files import FOLDER as FIGURES
from toolkit.report.figure_files import drawings
from toolkit.report.limits import limits
from toolkit.report.plan import day, validity
from toolkit.report.story import Story
from toolkit.texts import clean

FOLDER = "latex"
# Of the width of the text: a table, but for the space between its columns, and the names of its rows.
TABLE, FIRST_COLUMN = 0.86, 0.30
# babel calls languages by their English names, but for some varieties.
BABEL_NAMES = {"pt-BR": "brazilian"}
_SPECIAL = {
    **{sign: "\\" + sign for sign in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "−": r"\ensuremath{-}",
    "—": "---",
    "–": "--",
    "“": "``",
    "”": "''",
    "‘": "`",
    "’": "'",
    "…": r"\dots{}",
    "·": r"\textperiodcentered{}",
    "†": r"\textdagger{}",
    "‡": r"\textdaggerdbl{}",
    "\u00a0": "~",
    "κ": r"\ensuremath{\kappa}",
    "α": r"\ensuremath{\alpha}",
    "≤": r"\ensuremath{\leq}",
    "≥": r"\ensuremath{\geq}",
}
# What pdflatex draws without a package of its own: Latin letters with their accents.
_LATIN = range(0xA1, 0x180)


def escaped(text: str) -> str:
    r"""Return a text as LaTeX sets it, whatever it holds; a letter that pdflatex lacks stands as its number.

    >>> escaped("50% {a} \u4e2d")
    '50\\% \\{a\\} [U+4E2D]'
    """
    return "".join(map(_escaped, " ".join(clean(text).split(" ")).replace("\n", " ").replace("\t", " ")))


def _escaped(sign: str) -> str:
    if sign in _SPECIAL:
        return _SPECIAL[sign]
    return sign if ord(sign) < 0x7F or ord(sign) in _LATIN else f"[U+{ord(sign):04X}]"


def render_latex(story: Story) -> dict[str, bytes]:
    """Return the files in LaTeX, by path inside the report folder."""
    facts = Facts(story)
    _, tables = facts._, paper.main_tables(facts)
    pieces = {"methods": _sentences(paper.methods(facts)), "results": _sentences(paper.results(facts))}
    pieces |= {f"table-{name}": _table(name, table, facts) for name, table in tables.items()}
    if said := paper.whole_log(facts):
        pieces["population"] = _sentences(said) + _list(population.remarks(facts))
        pieces |= {f"table-{one.key}": _plain_table(one) for one in population.tables(facts)}
    pieces["figures"] = "\n".join(_figure(name, caption) for name, (caption, _draw) in drawings(story).items())
    pieces["report"] = _document(facts, tables)
    return {f"{FOLDER}/{name}.tex": text.encode() for name, text in pieces.items()}


def _sentences(sentences: Iterable[str]) -> str:
    return "\n".join(paper.cited(one, lambda keys: rf"\cite{{{','.join(keys)}}}", escaped) for one in sentences) + "\n"


def _list(texts: Sequence[str]) -> str:
    if not texts:
        return ""
    return "\n".join((r"\begin{itemize}", *(rf"\item {escaped(text)}" for text in texts), r"\end{itemize}", ""))


def _plain_table(table: Table) -> str:
    """Return a table whose cells may have a second, quieter line."""
    others = len(table.columns) - 1
    column = r">{\raggedright\arraybackslash}p{%.3f\linewidth}"
    widths = (column % FIRST_COLUMN) + (column % ((TABLE - FIRST_COLUMN) / others)) * others
    lines = [
        r"\begin{table}[htbp]",
        r"\centering\small",
        rf"\caption{{{escaped(table.caption)}}}\label{{tab:{table.key}}}",
        rf"\begin{{tabular}}{{@{{}}{widths}@{{}}}}",
        r"\toprule",
        " & ".join(map(escaped, table.columns)) + r" \\",
        r"\midrule",
        *(" & ".join(map(_cell, row)) + r" \\" for row in table.rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _cell(cell: Cell) -> str:
    return escaped(cell.text) + (rf"\newline{{\footnotesize {escaped(cell.under)}}}" if cell.under else "")


def _table(name: str, table: EstimateTable, facts: Facts) -> str:
    _ = facts._
    scoped = len(table.columns) > 1
    heads = [
        table.row_head or _("Figure"),
        *([_("Scope")] if scoped else []),
        _("Value"),
        _("95% interval"),
        _("Items"),
    ]
    lines = [
        r"\begin{table}[htbp]",
        r"\centering\small",
        rf"\caption{{{escaped(table.caption)}}}\label{{tab:{name}}}",
        rf"\begin{{tabular}}{{@{{}}p{{0.3\linewidth}}{'l' if scoped else ''}rcr@{{}}}}",
        r"\toprule",
        " & ".join(map(escaped, heads)) + r" \\",
        r"\midrule",
    ]
    shown = grid(table, facts)
    for number, (row, marked) in enumerate(zip(table.rows, shown.rows, strict=True)):
        if number and scoped:
            lines.append(r"\addlinespace")
        title = row.title
        for scope, one, cell in zip(table.columns, row.estimates, marked[1:], strict=True):
            if one is None:
                continue
            cells = [escaped(title), *([escaped(scope)] if scoped else []), escaped(cell.text) + _raised(cell.notes)]
            cells += [escaped(facts.interval(one, row.kind, row.thresholds) or "—"), escaped(_.number(one.n, 0))]
            lines.append(" & ".join(cells) + r" \\")
            title = ""
    lines += [r"\bottomrule", r"\end{tabular}"]
    if shown.remarks:
        said = r"\newline ".join(_raised(mark) + escaped(text) for mark, text in shown.remarks)
        lines.append(rf"\par\smallskip\parbox{{\linewidth}}{{\footnotesize\raggedright {said}}}")
    return "\n".join([*lines, r"\end{table}"]) + "\n"


def _raised(marks: str) -> str:
    return rf"\textsuperscript{{{escaped(marks)}}}" if marks else ""


def _figure(name: str, caption: str) -> str:
    return "\n".join(
        (
            r"\begin{figure}[htbp]",
            r"\centering",
            rf"\includegraphics[width=\linewidth]{{../{FIGURES}/{name}.pdf}}",
            rf"\caption{{{escaped(caption)}}}\label{{fig:{name}}}",
            r"\end{figure}",
            "",
        )
    )


def _document(facts: Facts, tables: Iterable[str]) -> str:
    _ = facts._
    names = {
        "tablename": _("Table {n}", n="").strip(),
        "figurename": _("Figure {n}", n="").strip(),
        "refname": _("References"),
    }
    babel = _babel(facts.story.language_code)
    title, holds = _("Validation report: {title}", title=facts.story.title), _("Validity")
    headings = {"method": _("Method"), "results": _("Results"), "limits": _("Limitations")}
    lines = [
        "% The pieces are for your own document: \\input{methods}, \\input{table-judge}...",
        "% There, load babel with your language, array, booktabs and graphicx.",
        r"\documentclass[11pt,a4paper]{article}",
        r"\usepackage[utf8]{inputenc}",
        r"\usepackage[T1]{fontenc}",
        rf"\IfFileExists{{{babel}.ldf}}{{\usepackage[{babel}]{{babel}}}}{{}}",
        r"\usepackage{textcomp,array,booktabs,graphicx}",
        r"\IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}",
        r"\usepackage[margin=25mm]{geometry}",
        # at the beginning of the document, where babel has put its own words
        *(rf"\AtBeginDocument{{\renewcommand{{\{command}}}{{{escaped(word)}}}}}" for command, word in names.items()),
        rf"\title{{{escaped(title)}}}",
        r"\author{}",
        rf"\date{{{escaped(day(facts)) if facts.story.date else ''}}}",
        r"\begin{document}",
        r"\maketitle",
        rf"\section{{{escaped(headings['method'])}}}",
        r"\input{methods}",
        rf"\section{{{escaped(headings['results'])}}}",
        r"\input{results}",
        *(rf"\input{{table-{name}}}" for name in tables),
        r"\input{figures}",
        *_whole_log(facts),
        rf"\section{{{escaped(headings['limits'])}}}",
        r"\begin{description}",
        *(rf"\item[{{{escaped(limit.short)}}}] {escaped(limit.text)}" for limit in limits(facts)),
        rf"\item[{{{escaped(holds)}}}] {escaped(validity(facts))}",
        r"\end{description}",
        r"\nocite{*}",
        r"\bibliographystyle{plain}",
        r"\bibliography{../references}",
        r"\end{document}",
        "",
    ]
    return "\n".join(lines)


def _whole_log(facts: Facts) -> list[str]:
    if population.estimates(facts) is None:
        return []
    shown = (rf"\input{{table-{table.key}}}" for table in population.tables(facts))
    return [rf"\section{{{escaped(facts._('The whole log'))}}}", r"\input{population}", *shown]


def _babel(code: str) -> str:
    from babel import Locale

    return BABEL_NAMES.get(code) or str(Locale.parse(code, sep="-").get_language_name("en")).lower()
