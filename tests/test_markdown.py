"""Markdown in a workbook: looks as in a chat, says the same words, and comes back from every program as it was."""

from __future__ import annotations

import io
import json
import random
import re
import time
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from openpyxl.cell.rich_text import CellRichText

from tests.office import Office
from tests.studies import annotation_sheet, fill, make, ok, record, refused, toolkit
from toolkit.i18n import language
from toolkit.model import Item, Response
from toolkit.study import read_study
from toolkit.texts import clean, same_text_form
from toolkit.workbook import sheets
from toolkit.workbook.ingest import ingest
from toolkit.workbook.markdown import rendered
from toolkit.workbook.markdown_inline import tokens
from toolkit.workbook.measure import break_lines, break_runs, character_width
from toolkit.workbook.parts import MOST_LINES, TEXT_WIDTH_PX, Piece, pieces
from toolkit.workbook.readers import Source, read_book
from toolkit.workbook.runs import Run, Style, merged, plain, sliced, split_lines
from toolkit.workbook.sheets import Book

LETTERS = {Style.BOLD: "b", Style.ITALIC: "i", Style.STRIKE: "s", Style.CODE: "c", Style.LARGE: "h", Style.QUIET: "q"}


def marked(text: str) -> str:
    """Render a text, with looks as <bi>...</>."""
    shown = ""
    for run in rendered(text):
        letters = "".join(letter for style, letter in LETTERS.items() if style in run.style)
        shown += f"<{letters}>{run.text}</>" if letters else run.text
    return shown


def words_alone(text: str) -> str:
    return plain(rendered(text))


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("a **b** *c* ***d*** ~~e~~ `f`", "a <b>b</> <i>c</> <bi>d</> <s>e</> <c>f</>"),
        ("__b__ _c_", "__b__ <i>c</>"),
        ("__Two words__", "<b>Two words</>"),
        ("# A\n#### B", "<bh>A</>\n\n<b>B</>"),
        ("*one*\ntwo  \nthree", "<i>one</>\ntwo\nthree"),
        ("one\n\n\n\ntwo", "one\n\n\n\ntwo"),  # nothing to render
        ("**one**\n\n\n\ntwo", "<b>one</>\n\ntwo"),
        ("- a\n- b\n  - c\n\n    d\n* e", "• a\n• b\n    ◦ c\n\n        d\n• e"),
        ("3. a\n7. b\n7. c", "3. a\n7. b\n7. c"),
        ("1) a\n   1. b", "1) a\n    1. b"),
        ("007. a", "007. a"),
        ("- [ ] a\n- [x] b", "• [ ] a\n• [x] b"),
        ("> a\n> b\n>\n> - c", "<q>│ </>a\n<q>│ </>b\n<q>│ </>\n<q>│ </>• c"),
        ("a\n\n---\n\nb", f"a\n\n<q>{'─' * 40}</>\n\nb"),
        ("[a](http://b.c/ç?d=e%20f)", "a<q> (http://b.c/ç?d=e%20f)</>"),
        ('[a](b "T")', 'a<q> (b "T")</>'),
        ("![a](b.png)", "a<q> (b.png)</>"),
        ("<https://a.b/ç>", "https://a.b/ç"),
        ("see https://a.b/_c_d_", "see https://a.b/_c_d_"),
        ("```python\ndef f():\n\treturn  1\n\n\n# x\n```", "<cq>python\n</><c>def f():\n    return  1\n\n\n# x</>"),
        ("a\n\n    b\n      c", "a\n\n<c>b\n  c</>"),
        ("```\nnever closed", "<c>never closed</>"),
        ("`` a`b ``", "<c>a`b</>"),
    ],
)
def test_looks(source: str, shown: str) -> None:
    assert marked(source) == shown


@pytest.mark.parametrize(
    "text",
    [
        "snake_case_name, __init__, __my_name__ and _my_name_",
        "2*3*4 and a*b*c and x**2**y",
        "`int`s",
        "<b>bold</b> <br> <!-- x --> &amp; &nbsp; &copy;",
        "[a][b] and [c]\n\n[b]: http://x.y 'Title'",
        "[^1] and\n\n[^1]: note",
        "$$\nx\n= y\n- z\n+ w\n$$",
        "\\[\n# a_1 * b_2 * c\n- d\n\\]",
        "\\[ a_1 * b_2 * c_3 \\] and \\( x_1 * y_2 * z \\) and $a_1*b*c_2$ and $$\\frac{1}{2}$$",
        "\\begin{align}\na &= b \\\\\n- c_1 & d_1\n\\end{align}",
        "\\frac{1}{2} \\\\ \\alpha \\{ \\} \\; \\, \\!",
        "it costs $5 and $6_000",
        "C:\\Users\\name and a trailing \\\nbackslash",
        "é 👍🏽 👨‍👩‍👧 مرحبا ไทย",
        "a_b *",
        "**never closed",
        "* ",
        "```\n```",
        "[]()",
    ],
)
def test_what_stays_as_it_was_written(text: str) -> None:
    assert "".join(words_alone(text).split()) == "".join(text.split()).replace(
        "*" * (text == "* "), "•" * (text == "* ")
    )


def test_a_backslash_is_hidden_only_where_it_is_markdown() -> None:
    assert words_alone(r"\*a\* \_b\_ c\\d \# e 3\.5") == r"*a* _b_ c\\d \# e 3\.5"
    assert words_alone("1\\. a\n\\- b") == "1. a\n- b"


def test_emphasis_inside_a_line_of_a_script_without_spaces() -> None:
    assert marked("中**文**字 と**太字**だ") == "中<b>文</>字 と<b>太字</>だ"


def test_a_table_that_fits_is_a_grid() -> None:
    source = "| Nome | Valor |\n|:--|--:|\n| **ação** | 1 |\n| x | `22,5` |\n| ✅ | |\n"
    lines = words_alone(source).split("\n")
    assert lines == ["Nome │ Valor", "─────┼──────", "ação │     1", "x    │  22,5", "✅   │"]
    assert all(Style.CODE in run.style for run in rendered(source) if run.text.strip())
    assert Style.BOLD in rendered(source)[0].style


def test_a_table_of_sentences_wraps_its_cells_and_one_of_paragraphs_becomes_lines() -> None:
    wide = "| A | B |\n|---|---|\n| one | " + "word " * 20 + "|\n| two | short |\n"
    lines = words_alone(wide).split("\n")
    assert lines[0].startswith("A   │ B") and max(map(len, lines)) <= 58
    assert [line[:4] for line in lines].count("────") == 2  # under the header and between the rows
    prose = "| Case | What it means |\n|---|---|\n| one | " + "word " * 60 + "|\n| two | |\n"
    first = ["Case: one", "What it means: " + "word " * 59 + "word"]
    assert words_alone(prose).split("\n") == [*first, "", "Case: two", "What it means: -"]


def test_a_table_row_with_a_cell_too_many_is_shown_as_written() -> None:
    source = "| a | b |\n|---|---|\n| 1 | 2 | 3 |"
    assert words_alone(source) == source
    assert {run.style for run in rendered(source)} == {Style.CODE}


MARKS = r"""* ** *** _ __ ~~ ` ``` ~~~ | |---|---| \ \( \) \[ \] $ $$ [ ] ]( ](u) ![ ) < > <b> &amp; [a]: --- === :"""
MARKS += r""" " ' ! \begin{a} \end{a} a bc snake_case 2 3.5 ação 中文 😀 é http://x.y/z_1 = +1 %"""
OTHERS = [
    "```py\n",
    "# ",
    "## ",
    "- ",
    "+ ",
    "* ",
    "1. ",
    "7) ",
    "> ",
    " | ",
    "\n",
    "\n\n",
    "\n    ",
    "\n\t",
    " ",
    "  \n",
]
FRAGMENTS = st.sampled_from([*MARKS.split(), *OTHERS, "b c", "\u00a0", "x" * 90])
MARKDOWN = st.lists(FRAGMENTS, max_size=40).map("".join)


def check_words(text: str) -> None:
    """What "the words are the same" means: see `tokens`; only tables may reorder them, or repeat their header."""
    runs = rendered(text)
    shown = plain(runs)
    assert runs == merged(runs) and all(run.text for run in runs)
    if "|" not in text:
        assert tokens(shown) == tokens(text)
    else:
        placed, wanted = Counter(tokens(shown)), Counter(tokens(text))
        assert wanted <= placed and placed.keys() == wanted.keys()
    assert bool(shown.strip()) == bool(text.strip())


@settings(max_examples=1500, deadline=None)
@given(MARKDOWN)
@example("| a | b |\n|---|---|\n| 1 | 2 | 3 |")
@example("> 1. 2. x\n- - 3")
@example("a\n\n[b]: c\n# d")
def test_no_word_is_lost_joined_or_changed(text: str) -> None:
    check_words(clean(text).strip("\n"))


@settings(max_examples=300, deadline=None)
@given(st.text(st.characters(codec="utf-8"), max_size=400))
def test_no_word_of_any_text_is_lost(text: str) -> None:
    check_words(clean(text).strip("\n"))


def test_the_words_of_every_real_answer_are_the_same(cases: Path) -> None:
    for case in ("two-annotators-pt", "mtbench_pairwise", "cebab_stars"):
        for line in (cases / case / "items.jsonl").read_text(encoding="utf-8").split("\n"):
            for text in texts_of(json.loads(line or "{}")):
                check_words(clean(text).strip("\n"))


def texts_of(content: Any) -> list[str]:
    if isinstance(content, str):
        return [content]
    parts = content.values() if isinstance(content, dict) else content if isinstance(content, list) else ()
    return [text for part in parts for text in texts_of(part)]


def test_a_long_answer_is_quick() -> None:
    part = "## Title\n\nSome **bold** words, *italic* ones and `code`, a [link](http://a.b) and more words here.\n\n"
    part += "- one **two**\n- three\n  1. four\n\n```py\nprint(1)\n```\n\n| a | b |\n|---|---|\n| 1 | two |\n\n"
    text = (part * 100)[:20_000]
    rendered(text)
    times = []
    for _attempt in range(5):
        start = time.process_time()
        rendered(text)
        times.append(time.process_time() - start)
    assert min(times) < 0.05 * 3  # 20 to 50 ms where nothing else runs


HOSTILE = {
    "stars": "*" * 10_000,
    "openers": "*a **b _c __d ~~e " * 1_000,
    "words": "a*" * 50_000,
    "brackets": "[" * 20_000,
    "images": "![" * 2_000 + "a",
    "links": "[a](" * 1_900,
    "backticks": "".join("`" * count + " " for count in range(1, 400)),
    "quotes": "> " * 5_000 + "x",
    "lists": "- " * 5_000 + "x",
    "nested": "".join("  " * depth + "- a\n" for depth in range(300)),
    "lines": "*a*\n" * 10_000,
    "numbers": "1. a\n" * 4_900,
    "headings": "# a\n" * 4_900,
    "cells": "|a" * 2_000 + "|\n" + "|-" * 2_000 + "|\n" + "|b\n" * 2_000,
    "rows": "|a" * 30 + "|\n" + "|-" * 30 + "|\n" + "|b\n" * 4_900,
    "formulas": "\\(" * 20_000 + "$$" * 9_999 + "$",
    "display": "\\[\n" * 4_900,
    "begin": "\\begin{a}\n" * 4_900,
    "big": "**a** " * 200_000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_no_text_keeps_the_program_busy(name: str) -> None:
    text = HOSTILE[name]
    start = time.process_time()
    shown = words_alone(text)
    assert time.process_time() - start < 5
    assert Counter(tokens(text)) <= Counter(tokens(shown))


RUNS = st.lists(st.tuples(st.text("ab \n\tç😀", max_size=30), st.sampled_from(list(LETTERS))), max_size=8)


@given(RUNS, st.integers(0, 100), st.integers(0, 100))
def test_runs_are_cut_like_their_text(content: list[tuple[str, Style]], start: int, end: int) -> None:
    runs = merged(Run(*run) for run in content)
    assert plain(sliced(runs, start, end)) == plain(runs)[start:end]
    assert [plain(line) for line in split_lines(runs)] == plain(runs).split("\n")


def test_plain_runs_are_broken_like_plain_text() -> None:
    text = "uma frase com várias palavras\te um tab " * 30 + "\n\n  fim"
    assert break_runs([Run(text, Style.PLAIN)], 540) == break_lines(text, 540, 11)
    bold, code = (len(break_runs([Run(text, style)], 540)) for style in (Style.BOLD, Style.CODE))
    assert len(break_lines(text, 540, 11)) < bold <= code
    assert character_width("\t") == 4 * character_width(" ")
    assert break_runs([Run("x" * 58, Style.CODE)], TEXT_WIDTH_PX) == [(0, 58)]  # a table of the full width


def item(answer: str) -> Item:
    return Item(item_code="X", dimension="factual", prompt="**q**", responses=(Response(response=answer),))


def answer_pieces(answer: str) -> list[Piece]:
    return [piece for piece in pieces(item(answer), language("en"), "rendered") if piece.number > 1]


def test_questions_stay_as_people_wrote_them() -> None:
    both = Item(
        item_code="X",
        dimension="robustness",
        prompt="**q**",
        ground_truth="**g**",
        original_response="**o**",
        responses=(Response(response="**r**", prompt="**p**"),),
    )
    assert [piece.text for piece in pieces(both, language("en"), "rendered")] == ["**q**", "g", "o", "**p**", "r"]
    assert all("**" in piece.text for piece in pieces(both, language("en"), "raw"))


@settings(max_examples=100, deadline=None)
@given(MARKDOWN, st.integers(0, 60))
def test_pieces_carry_their_looks_and_fit_the_rows(text: str, repeat: int) -> None:
    text = text + "\n\n**word** " * repeat
    found = answer_pieces(text)
    assert all(piece.lines <= MOST_LINES and piece.height <= 409 for piece in found)
    assert all(plain(piece.runs) == piece.text for piece in found)
    if text.strip("\n"):
        whole = rendered(clean(text).strip("\n"))
        assert "".join("".join(piece.text for piece in found).split()) == "".join(plain(whole).split())


def test_a_cut_leaves_code_and_headings_whole_where_it_can() -> None:
    code = "```\n" + "x = 1\n\n" * 6 + "```\n\n"
    found = answer_pieces("text\n\n" * 7 + code + "## Heading\n\n" + "text\n\n" * 30)
    assert [piece.text.count("x = 1") for piece in found if "x = 1" in piece.text] == [6]
    assert not any(piece.text.rstrip("\n").endswith("Heading") for piece in found)


HARD = [
    "<r>x</r>",
    "<r>_x0041_</r>",
    "**a** _x0041_ b",
    "`_x000D_` c",
    " **a** ",
    "**=1+1**",
    "*a*\n\n`  b  `\n\n```\n  c\n\n\n    d\n```",
]
HARD += ["**😀** x", "| a | b |\n|---|--:|\n| x |   1 |", "**<b>** & `]]>`", "**a**" + " b" * 20_000, "`a`\n" * 400]


def test_what_programs_read_back_is_what_was_shown(tmp_path: Path) -> None:
    study = make(tmp_path / "s", [record(f"i{n}", response=text) for n, text in enumerate(HARD)], "A1,A2")
    assert study.markdown == "rendered"
    path = tmp_path / "s" / "send" / "A1.xlsx"
    shown = {
        f"{seen.item_code}:{piece.number:03d}": piece.text
        for seen in study.items
        for piece in pieces(seen.seen, language("en"), "rendered")
    }
    for rich in (False, True):
        sheet, keys = annotation_sheet(openpyxl.load_workbook(path, rich_text=rich))
        read = {}
        for row in range(3, sheet.max_row + 1):
            value = sheet.cell(row, keys["text"]).value
            read[str(sheet.cell(row, keys["part"]).value)] = str(value).replace("_x005F_", "_")
            assert sheet.cell(row, keys["text"]).data_type != "f"
        assert {part: same_text_form(read[part]) for part in shown} == {p: same_text_form(t) for p, t in shown.items()}
    assert any(isinstance(cell.value, CellRichText) for line in sheet.iter_rows() for cell in line)
    book = read_book(Source.at(fill(study, tmp_path / "s", "A1", lambda _item: 3)))
    assert not ingest([book], study).problems
    assert not ingest([read_book(Source.at(path))], study).problems


def test_a_change_of_the_text_is_noticed_whatever_its_looks(tmp_path: Path) -> None:
    study = make(tmp_path / "s", [record("i1", response="**a** b")], "A1,A2")

    def change(sheet: Any, keys: dict[str, int], rows: dict[str, int]) -> None:
        sheet.cell(rows["i1"], keys["text"]).value = "a  b"

    problems = ingest([read_book(Source.at(fill(study, tmp_path / "s", "A1", lambda _i: 3, change)))], study).problems
    assert ["changed" in str(problem) for problem in problems] == [True]


def test_the_looks_are_those_of_the_design(tmp_path: Path) -> None:
    make(tmp_path / "s", [record("i1", response="# T\n\n**b** `c` d")], "A1,A2")
    sheet, _keys = annotation_sheet(openpyxl.load_workbook(tmp_path / "s" / "send" / "A1.xlsx", rich_text=True))
    (value,) = (cell.value for line in sheet.iter_rows() for cell in line if isinstance(cell.value, CellRichText))
    looks = {str(block.text).strip(): block.font for block in value}
    assert looks["T"].b and looks["T"].sz == 12 and looks["b"].b and looks["b"].sz == 11
    assert looks["c"].rFont == "Courier New" and looks["c"].sz == 10
    assert looks["d"].rFont == "Arial" and not looks["d"].b


def test_the_source_can_be_shown_instead(tmp_path: Path) -> None:
    records = [record("i1", response="**a** `b`")]
    shown, raw = make(tmp_path / "s", records, "A1,A2"), make(tmp_path / "r", records, "A1,A2", "--markdown", "raw")
    assert (shown.markdown, raw.markdown) == ("rendered", "raw")
    assert shown.study_id != raw.study_id and shown.items[0].hashes != raw.items[0].hashes
    assert shown.items[0].hashes["source"] == raw.items[0].hashes["source"]
    sheet, _keys = annotation_sheet(openpyxl.load_workbook(tmp_path / "r" / "send" / "A1.xlsx"))
    assert "**a** `b`" in [cell.value for line in sheet.iter_rows() for cell in line]
    # a workbook of one is no workbook of the other
    filled = fill(raw, tmp_path / "r", "A1", lambda _item: 3)
    assert ingest([read_book(Source.at(filled))], shown).problems
    assert not ingest([read_book(Source.at(filled))], read_study(tmp_path / "r")).problems
    assert toolkit("make-sheets", tmp_path / "s.jsonl", "--annotators", "2", "--markdown", "no").exit_code == 2


def test_a_workbook_that_came_back_is_not_orphaned_by_the_other_choice(tmp_path: Path) -> None:
    study = make(tmp_path / "s", [record("i1", response="**a**")], "A1,A2")
    fill(study, tmp_path / "s", "A1", lambda _item: 3)
    again = (
        "make-sheets",
        tmp_path / "s.jsonl",
        "--annotators",
        "A1,A2",
        "--seed",
        "1",
        "-o",
        tmp_path / "s",
        "--force",
    )
    assert "filled" in refused(*again, "--markdown", "raw")
    ok(*again)


def test_same_text_same_bytes_and_a_text_that_looks_like_markup_is_text() -> None:
    def book() -> bytes:
        made = Book("x")
        sheet = made.sheet("S")
        sheet.rich(0, 0, rendered("**a** `b`\n# c"), "text")
        sheet.rich(1, 0, rendered("**a**"), "text")
        sheet.text(2, 0, "<r><t>x & y</t></r>", "text")
        sheet.rich(3, 0, (), "text")
        return made.data()

    assert book() == book()
    read = openpyxl.load_workbook(io.BytesIO(book()))["S"]
    assert [read.cell(row, 1).value for row in (1, 2, 3, 4)] == ["a b\n\nc", "a", "<r><t>x & y</t></r> ", None]
    assert read.cell(2, 1).font.b


def test_runs_are_written_as_xlsxwriter_writes_them(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [Run(f" a{number} & <b>" if number % 3 else f"c{number}", Style(number % 64)) for number in range(64)]

    def book() -> bytes:
        made = Book("x")
        sheet = made.sheet("S")
        for row in range(60):
            sheet.rich(row, 0, texts[row : row + 3], "text")
        sheet.rich(60, 0, texts * 20, "text")  # more markup than a cell has characters
        return made.data()

    ours = book()
    monkeypatch.setattr(sheets, "CELL_CHARACTERS", 0)
    theirs = book()
    parts = [zipfile.ZipFile(io.BytesIO(data)).read("xl/sharedStrings.xml") for data in (ours, theirs)]
    assert parts[0] == parts[1] and parts[0].count(b"<r>") > 1400


@pytest.mark.office
def test_no_row_is_lower_than_libreoffice_needs(cases: Path, tmp_path: Path, office: Office) -> None:
    sample = tmp_path / "s.jsonl"
    real = (cases / "two-annotators-pt" / "items.jsonl").read_text(encoding="utf-8")
    sample.write_text(real + "".join(json.dumps(record(f"x{n}", response=t)) + "\n" for n, t in enumerate(stress())))
    ok("make-sheets", sample, "--annotators", "2", "--lang", "pt-BR", "--seed", "5", "-o", tmp_path / "s", "-q")
    path = tmp_path / "s" / "send" / "A1.xlsx"
    sheet, keys = annotation_sheet(openpyxl.load_workbook(path))
    place = sheet.parent.worksheets.index(sheet)
    (heights,) = office.ask(path, ["optimal_heights", place])
    low = []
    for row in range(3, sheet.max_row + 1):
        part = str(sheet.cell(row, keys["part"]).value)
        stored, needed = heights[row - 1]
        if re.fullmatch(r"\w+:(?!000)\d+", part) and stored < needed - 0.2:
            low.append((part, round(stored, 1), round(needed, 1), str(sheet.cell(row, keys["text"]).value)[:60]))
    assert not low


def stress() -> list[str]:
    """Answers in which the lines of one look are nearly full, for each look."""
    choose = random.Random(3)
    letters = "aeiourstlmnçãéWM.,-fi"
    found = []
    table = "| {} | x |\n|---|---|\n| a | b |"
    for mark in ("**{}**", "*{}*", "`{}`", "# {}", "- **{}**", "```\n{}\n```", "***{}***", "> ~~{}~~", table):
        words = ["".join(choose.choices(letters, k=choose.randint(1, 12))).strip(".-,") or "a" for _word in range(150)]
        found.append(mark.format(" ".join(words)))
    return found
