"""Files for a thesis or paper: LaTeX that compiles, a Word document that opens, figures that are the report's."""

from __future__ import annotations

import hashlib
import io
import re
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from pathlib import Path

import docx
import pytest
import yaml
from matplotlib.backends.backend_agg import FigureCanvasAgg

from tests.report import stories
from tests.report.test_hostile import HOSTILE, story
from toolkit.report import docx as word_document
from toolkit.report import figure_files, latex
from toolkit.report.absent import not_computed
from toolkit.report.cite import REFERENCES, bibliography, render_bibliography, render_citation, source_key, used
from toolkit.report.docx import render_docx
from toolkit.report.facts import Facts
from toolkit.report.figure_files import drawings, render_figures, saved
from toolkit.report.latex import escaped, render_latex
from toolkit.report.paper import cited, mark, methods, results
from toolkit.report.procedures import procedures
from toolkit.report.sayings import saying, statistic_keys
from toolkit.texts import clean

# one of each kind; test_sharing writes all of them
BAND_WORDS = {"baixa", "moderada", "substancial", "quase perfeita"}
SOME = ("like-with-like", "confusion", "items")


@pytest.fixture(scope="module")
def some_figures() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        for module in (figure_files, latex, word_document):
            patch.setattr(module, "drawings", lambda told: {name: drawings(told)[name] for name in SOME})
        yield


@pytest.fixture(scope="module")
def figures(some_figures: None) -> dict[str, bytes]:
    return render_figures(stories.example("pt-BR"))


def compiled(files: dict[str, bytes], folder: Path) -> str:
    """Typeset a report as a student would; return its text."""
    pdflatex = shutil.which("pdflatex")
    if pdflatex is None:
        pytest.skip("pdflatex is not installed (texlive-latex-recommended)")
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    command = [pdflatex, "-interaction=nonstopmode", "-halt-on-error", "report.tex"]
    for step in (command, ["bibtex", "report"], command, command):
        done = subprocess.run(step, cwd=folder / "latex", capture_output=True, timeout=120)
        assert done.returncode == 0, done.stdout.decode("utf-8", "replace")[-2000:]
    log = (folder / "latex" / "report.log").read_text("latin-1")
    assert "undefined citations" not in log and "undefined references" not in log
    assert (folder / "latex" / "report.pdf").stat().st_size > 10_000
    return log


def test_pdflatex_compiles_it(figures: dict[str, bytes], tmp_path: Path) -> None:
    told = stories.example("pt-BR")
    log = compiled({**figures, **render_latex(told), "references.bib": render_bibliography(told)}, tmp_path)
    # a TeX without Portuguese compiles it too, and breaks its words as English
    found = subprocess.run(["kpsewhich", "brazilian.ldf"], capture_output=True).returncode == 0
    assert ("brazilian.ldf" in log) == found
    assert not [wide for wide in re.findall(r"Overfull \\hbox \(([\d.]+)pt", log) if float(wide) > 20]


def test_pdflatex_compiles_hostile_texts(tmp_path: Path) -> None:
    hostile = story(
        " ".join(text for name, text in HOSTILE.items() if name not in ("no space", "emoji")) + " \\end{x}%$#_^~"
    )
    files = render_latex(hostile)
    # the figures themselves are looked at elsewhere
    files["latex/figures.tex"] = b"\n"
    compiled({**files, "references.bib": render_bibliography(hostile)}, tmp_path)


@pytest.mark.parametrize("text", [*HOSTILE.values(), "\\input{/etc/passwd} $x$ #1 %"])
def test_nothing_stays_a_command(text: str) -> None:
    bare = re.sub(r"\\(text[a-z]+\{\}|dots\{\}|ensuremath\{(-|\\[a-z]+)\}|[&%$#_{}])", "", escaped(text))
    assert not re.search(r"[\\{}$%#_&^~]", bare.replace("~", ""))


def test_numbers_in_the_text_are_those_of_the_report() -> None:
    told = stories.example()
    facts = Facts(told)
    said = render_latex(told)["latex/results.tex"].decode()
    kappa = told.analysis.headline.overall.judges["juiz-demo-1"]["kappa_quadratic"]
    assert kappa.value is not None and f"Quadratic-weighted kappa: {kappa.value:.2f}" in said
    table = render_latex(told)["latex/table-judge.tex"].decode()
    assert f"{kappa.value:.2f}\\textsuperscript{{" in table and "\\toprule" in table and "\\bottomrule" in table
    assert "seed 1" in " ".join(methods(facts)) and results(facts)


@pytest.fixture(scope="module")
def word(some_figures: None) -> bytes:
    return render_docx(stories.example("es"))


def test_the_word_document_says_the_same(word: bytes) -> None:
    told = stories.example("es")
    document = docx.Document(io.BytesIO(word))
    text = "\n".join(paragraph.text for paragraph in document.paragraphs)
    facts = Facts(told)
    assert results(facts)[0] in text and "Cohen (1968)" in text and "\u27e6" not in text
    cells = [cell.text for table in document.tables for row in table.rows for cell in row.cells]
    assert any(facts.estimate(facts.judge_estimates["kappa_quadratic"]) in cell for cell in cells)
    assert len(document.inline_shapes) == len(SOME)


@pytest.mark.usefixtures("some_figures")
def test_the_same_story_gives_the_same_word_document() -> None:
    told = stories.make([[1, 2, 3], [4, 4, 5]] * 6, {"J": [1, 4] * 6})
    data = render_docx(told)
    assert data == render_docx(told)
    with zipfile.ZipFile(io.BytesIO(data)) as parts:
        assert {info.date_time[0] for info in parts.infolist()} == {2000}


@pytest.mark.usefixtures("some_figures")
def test_the_word_document_holds_hostile_texts_as_text() -> None:
    data = render_docx(story(HOSTILE["control characters"] + HOSTILE["lone surrogate"] + HOSTILE["noncharacters"]))
    assert docx.Document(io.BytesIO(data)).paragraphs


@pytest.mark.office
def test_libreoffice_opens_the_word_document(word: bytes, tmp_path: Path) -> None:
    soffice = shutil.which("soffice")
    if soffice is None or not any(Path(soffice).resolve().parent.glob("libswlo.so")):
        pytest.skip("LibreOffice Writer is not installed")
    path = tmp_path / "report.docx"
    path.write_bytes(word)
    profile = f"-env:UserInstallation={(tmp_path / 'profile').as_uri()}"
    command = [soffice, profile, "--headless", "--convert-to", "txt:Text", "--outdir", str(tmp_path), str(path)]
    subprocess.run(command, check=True, capture_output=True, timeout=180)
    assert "Cohen (1968)" in (tmp_path / "report.txt").read_text(encoding="utf-8-sig")


def test_every_figure_comes_in_three_formats(figures: dict[str, bytes]) -> None:
    starts = {"svg": b"<?xml", "pdf": b"%PDF-", "png": b"\x89PNG"}
    names = {name.rpartition(".")[0] for name in figures}
    assert names == {f"figures/{name}" for name in SOME} and len(figures) == 3 * len(SOME)
    for name, data in figures.items():
        assert data.startswith(starts[name.rpartition(".")[2]]), name
    # 300 dots per inch are 11811 per metre
    assert b"pHYs" + (11811).to_bytes(4, "big") * 2 in figures["figures/items.png"]


def test_the_same_story_gives_the_same_figures(figures: dict[str, bytes]) -> None:
    again = stories.example.__wrapped__("pt-BR")
    for name in ("like-with-like", "items"):
        caption, draw = drawings(again)[name]
        for kind, data in saved(draw, caption, ("svg", "pdf", "png")).items():
            assert hashlib.sha256(data).digest() == hashlib.sha256(figures[f"figures/{name}.{kind}"]).digest(), name
            assert b"202" not in b"".join(re.findall(rb"<dc:date>.*|/CreationDate.*", data))


def test_figures_write_hostile_names_as_they_are() -> None:
    told = story("$\\frac{1}$ <b> \x1b 中")
    caption, draw = drawings(told)["pairs"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(figure_files.SETTINGS, "svg.fonttype", "none")
        svg = saved(draw, caption, ("svg",))["svg"].decode()
    assert "$\\frac{1}$ &lt;b&gt;" in svg


# --- sources ---


def test_every_source_has_its_bibtex() -> None:
    for key in statistic_keys():
        source = saying(key, lambda text, **_values: text).source  # type: ignore[arg-type]
        assert (source_key(source) is not None) == bool(source), source
    assert len({one.key for one in REFERENCES}) == len(REFERENCES)


def test_bibliography_is_whole() -> None:
    facts = Facts(stories.example())
    text = bibliography(facts)
    assert {one.key for one in used(facts)} >= {"cohen1968", "light1971", "efron1979", "kottner2011", "calderon2025"}
    assert text.count("@") == len(used(facts)) + 1
    assert text.count("{") == text.count("}")
    text.encode("ascii")


def test_citation_file_is_yaml() -> None:
    content = yaml.safe_load(render_citation(stories.example()))
    assert content["cff-version"] == "1.2.0" and content["authors"] and content["version"]
    assert all(one["title"] and one["authors"] and one["year"] for one in content["references"])


def test_clean_is_what_latex_sees() -> None:
    assert escaped("a\x00b") == "a[U+2400]b" == escaped(clean("a\x00b"))


def test_what_is_missing_is_said_with_its_field() -> None:
    absent = dict(not_computed(Facts(stories.make([[1, 2, 3], [4, 4, 4]], {"J": [1, 4]}))))
    assert "time-columns" in absent["Minutes per item"]
    assert "model" in absent["Ranking of the chatbots"]


# --- readings of a student and a referee: what they could not find, cite or believe ---

NAMED = re.compile(r"\(?((?:[A-Z]\w+(?:, | & )?)+),? \(?((?:18|19|20)\d{2})\)")


@pytest.mark.parametrize("language", ["en", "pt-BR"])
def test_every_source_that_the_method_names_is_in_the_bibliography(language: str) -> None:
    facts = Facts(stories.example(language))
    named = [(one[0], one[1]) for _label, text in procedures(facts) for one in NAMED.findall(text)]
    assert {"Phipson & Smyth", "Benjamini & Hochberg", "Benjamini & Yekutieli"} <= {who for who, _year in named}
    cited = {one.short for one in used(facts)}
    assert {f"{who} ({year})" for who, year in named if who != "Wilson"} <= cited
    assert "Wilson (1927)" in cited


def test_a_source_is_named_by_all_its_authors_and_its_year() -> None:
    hochberg = next(one for one in REFERENCES if one.key == "benjamini1995")
    assert hochberg.named_in("ajustado (Benjamini & Hochberg 1995).")
    assert not hochberg.named_in("ajustado (Benjamini & Yekutieli 2001).")
    assert not hochberg.named_in("Benjamini & Hochberg")


@pytest.mark.parametrize(
    ("language", "date", "words"),
    [("pt-BR", "30 de novembro de 2026", ("Tabela", "Figura")), ("es", "30 de noviembre de 2026", ("Tabla", "Figura"))],
)
def test_the_latex_document_is_in_the_language_of_the_study(language: str, date: str, words: tuple[str, str]) -> None:
    told = replace(stories.example(language), date="2026-11-30")
    document = render_latex(told)["latex/report.tex"].decode()
    assert rf"\date{{{date}}}" in document
    names = re.findall(r"\\renewcommand\{\\(?:table|figure)name\}\{([^{}]*)\}", document)
    assert names == list(words)
    babel = {"pt-BR": "brazilian", "es": "spanish"}[language]
    assert rf"\IfFileExists{{{babel}.ldf}}{{\usepackage[{babel}]{{babel}}}}{{}}" in document
    assert "Validity" not in document


def test_what_a_mark_leaves_behind_is_no_space() -> None:
    text = f"made with toolkit {mark('toolkit')}; sources {mark('cohen1960')}."
    assert cited(text, lambda keys: "" if keys == ["toolkit"] else "(C)", str) == "made with toolkit; sources (C)."
    assert cited("a .b", lambda keys: "", str) == "a .b"


def test_the_word_document_can_be_cited_from(word: bytes) -> None:
    document = docx.Document(io.BytesIO(word))
    texts = [paragraph.text for paragraph in document.paragraphs]
    captions = [paragraph.text for paragraph in document.paragraphs if paragraph.style.name == "Caption"]
    tables = [one for one in captions if re.match(r"\w+ \d+\. ", one)]
    assert len(tables) == len(captions) == len(document.tables) + len(SOME)
    assert not any(" ;" in text or " ." in text for text in texts)
    assert any(text.startswith("toolkit ") for text in texts)
    assert "(Cohen, 1968)" in "\n".join(texts)


@pytest.mark.usefixtures("some_figures")
@pytest.mark.parametrize("dimensions", [1, 3, 4, 11])
def test_the_word_documents_tables_break_no_number(dimensions: int) -> None:
    table_of = [[1 + n % 5, 1 + (n + 1) % 5, 1 + n % 3] for n in range(44)]
    keys = [f"d{n % dimensions}" for n in range(44)]
    told = stories.make(table_of, {"J": [1 + n % 5 for n in range(44)]}, dimensions=keys)
    document = docx.Document(io.BytesIO(render_docx(told)))
    shown = [cell.text for table in document.tables for cell in table.rows[0].cells]
    assert dimensions == 1 or all(
        any(text.startswith(f"d{n}\n") or text.startswith(f"d{n} ") for text in shown) for n in range(dimensions)
    )
    section = document.sections[0]
    room = section.page_width - section.left_margin - section.right_margin
    for table in document.tables:
        widths = [cell.width for cell in table.rows[0].cells]
        assert sum(widths) <= room + len(widths)
        points = max(run.font.size.pt for cell in table.rows[0].cells for run in cell.paragraphs[0].runs)
        # "−0,99 a −0,88" in a wide letter, and the cell's margins
        assert min(widths) / 12_700 >= 13 * 0.6 * points + 11
        assert table.rows[0]._tr.xpath("w:trPr/w:tblHeader") and not table.autofit


def test_names_of_bands_do_not_run_into_each_other() -> None:
    # people below chance: the axis begins below 0 and the bands are narrow
    table = [[1, 5], [5, 1], [2, 4], [4, 2], [3, 3], [5, 1]] * 4
    told = stories.make(table, {"J": [1, 5, 2, 4, 3, 5] * 4}, language="pt-BR", dimensions=["a", "b"] * 12)
    for name in ("people", "like-with-like"):
        figure = drawings(told)[name][1]()
        FigureCanvasAgg(figure)
        figure.draw_without_rendering()
        words = [one.get_window_extent() for one in figure.axes[0].texts if one.get_text() in BAND_WORDS]
        assert len(words) == len(BAND_WORDS)
        assert not any(a.overlaps(b) for a, b in combinations(words, 2)), name
