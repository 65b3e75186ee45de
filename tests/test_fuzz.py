"""Damaged workbooks by the thousand: the right scores or a named problem, never a traceback, a hang, a wrong score.

What is right is what the damaged file itself says, read a second time by a minimal reader that shares nothing with the
toolkit's: zipfile, ElementTree (or the csv module), and the few rules of the format that matter for a score. Where that
reading finds one value in the score cell of an item, no other may come out; where it finds something else, nothing may;
and nothing may be missing without a problem.
"""

from __future__ import annotations

import csv
import io
import random
import re
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any
from xml.etree.ElementTree import Element, ParseError

import pytest
from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import fromstring

from tests.readers.build import zipped
from tests.readers.test_fuzz import NASTY, damage, parts_of, restructure, rewrite
from tests.returned.workbook import RECORDS, SCORES, Filled, as_csv, as_ods
from tests.studies import make
from toolkit.errors import ToolkitError
from toolkit.jobs.make_sheets import study_layout
from toolkit.model import Annotation
from toolkit.study import Study
from toolkit.texts import plain_key
from toolkit.values import labels_of, parse_score
from toolkit.workbook.ingest import Returned, ingest
from toolkit.workbook.readers import find_sources, read_book
from toolkit.workbook.xlsx import write

SECONDS = 5.0
# In all: 20 x 105 workbooks of XML, and as many again of bytes, .ods and .csv.
SEEDS, CASES = 20, 105
SHEET = "xl/worksheets/sheet3.xml"
KEYS = {"study", "annotator", "part", "item_code", "text", "score", "justification", "doubt", "notes"}

Parts = dict[str, bytes]


class Unsure(Exception):  # noqa: N818
    """The file does not say anything for certain."""


BLANK, BAD = "blank", "bad"
Said = dict[str, Any]  # item code to a value of the scale, BLANK, BAD, or a list of several


# --- the second reading -------------------------------------------------------------------------------------------


def local(element: Element) -> str:
    return str(element.tag).rpartition("}")[2]


def children(element: Element, name: str) -> Iterator[Element]:
    return (child for child in element if local(child) == name)


def said_by_xlsx(data: bytes, study: Study) -> Said:
    """Return what the file says of each item, or raise Unsure."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = [name.replace("\\", "/").lstrip("/").casefold() for name in archive.namelist()]
            if len(set(names)) < len(names):
                raise Unsure
            parts = dict(zip(names, map(archive.read, archive.namelist()), strict=True))
        main = target_of(parts, "_rels/.rels", "", "officeDocument") or "xl/workbook.xml"
        folder = str(PurePosixPath(main).parent)
        relations = f"{folder}/_rels/{PurePosixPath(main).name}.rels"
        strings = texts(parts, target_of(parts, relations, folder, "sharedStrings"))
        sheets = []
        for sheets_element in children(fromstring(parts[main.casefold()]), "sheets"):
            for sheet in children(sheets_element, "sheet"):
                key = next(value for name, value in sheet.attrib.items() if name.rpartition("}")[2] == "id")
                found = target_of(parts, relations, folder, "worksheet", key)
                if found:
                    sheets.append(cells_of(fromstring(parts[found.casefold()]), strings))
    except Unsure:
        raise
    except Exception as error:  # damaged in any way
        raise Unsure from error
    return said_by_cells(sheets, study)


def target_of(parts: Parts, relations: str, folder: str, kind: str, key: str | None = None) -> str | None:
    if relations.casefold() not in parts:
        return None
    for element in fromstring(parts[relations.casefold()]):
        if element.get("Type", "").endswith(f"/{kind}") and key in (None, element.get("Id")):
            target = element.get("Target", "")
            whole = target.lstrip("/") if target.startswith("/") else f"{folder}/{target}".lstrip("/")
            if ".." in whole or "%" in whole or "./" in whole:
                raise Unsure
            return whole
    return None


def texts(parts: Parts, part: str | None) -> list[str]:
    if part is None or part.casefold() not in parts:
        return []
    return [text_of(item) for item in children(fromstring(parts[part.casefold()]), "si")]


def text_of(item: Element) -> str:
    """The text of a shared or inline string, without reading aids."""
    found = ""
    for child in item:
        if local(child) == "t":
            found += child.text or ""
        elif local(child) == "r":
            found += "".join(t.text or "" for t in children(child, "t"))
    return found


def cells_of(root: Element, strings: list[str]) -> dict[tuple[int, int], Any]:
    """Return the cells of a sheet: text, number, or BAD for what can be no score."""
    found: dict[tuple[int, int], Any] = {}
    arrays: list[tuple[int, int, int, int]] = []
    row = 0
    for data in children(root, "sheetData"):
        for line in children(data, "row"):
            row, column = int(line.get("r", row + 1)), 0
            for cell in children(line, "c"):
                if address := cell.get("r"):
                    place, column = place_of(address)
                    if place != row:
                        raise Unsure
                else:
                    column += 1
                content = content_of(cell, strings)
                if found.setdefault((row, column), content) != content:
                    raise Unsure
                arrays += [
                    range_of(f.get("ref", "")) for f in children(cell, "f") if f.get("t") in ("array", "dataTable")
                ]
    for area in arrays:
        spoil(found, area)
    for merges in children(root, "mergeCells"):
        for merge in children(merges, "mergeCell"):
            area = range_of(merge.get("ref", ""))
            first = found.get(area[:2])
            spoil(found, area)
            if first is not None:
                found[area[:2]] = first
    return found


class Spoilt:
    """What a cell holds that can be no score: the result of an array formula, or hidden under a merged cell."""

    def __init__(self, value: Any):
        self.value = value


def spoil(cells: dict[tuple[int, int], Any], area: tuple[int, int, int, int]) -> None:
    top, left, bottom, right = area
    for (row, column), value in cells.items():
        if top <= row <= bottom and left <= column <= right and not isinstance(value, Spoilt):
            cells[row, column] = Spoilt(value)


def place_of(address: str) -> tuple[int, int]:
    match = re.fullmatch(r"\$?([A-Za-z]{1,3})\$?([0-9]{1,7})", address)
    if match is None:
        raise Unsure
    column = 0
    for letter in match[1].upper():
        column = column * 26 + ord(letter) - 64
    return int(match[2]), column


def range_of(name: str) -> tuple[int, int, int, int]:
    first, _, last = name.partition(":")
    (top, left), (bottom, right) = place_of(first), place_of(last or first)
    return min(top, bottom), min(left, right), max(top, bottom), max(left, right)


def content_of(cell: Element, strings: list[str]) -> Any:
    values, inline = list(children(cell, "v")), list(children(cell, "is"))
    if list(children(cell, "f")):
        return BAD
    if len(values) + len(inline) > 1 and any(v.text for v in values):
        raise Unsure
    kind, value = cell.get("t", "n"), "".join(v.text or "" for v in values)
    if kind == "inlineStr":
        return "".join(map(text_of, inline))
    if inline:
        raise Unsure
    if kind == "s":
        return strings[int(float(value))] if value.strip() else ""
    if kind == "str":
        return value
    if not value.strip():
        return ""
    if kind == "n":
        return float(value) if re.fullmatch(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*", value, re.ASCII) else BAD
    return BAD


def said_by_cells(sheets: list[dict[tuple[int, int], Any]], study: Study) -> Said:
    """Return what a workbook says of each item: by keys and codes, like any reader of this format."""
    found = []
    for cells in sheets:
        rows: dict[int, dict[int, Any]] = {}
        for (row, column), value in cells.items():
            rows.setdefault(row, {})[column] = value
        for row in sorted(rows):
            line = {column: value.value if isinstance(value, Spoilt) else value for column, value in rows[row].items()}
            words = {plain_key(value): column for column, value in line.items() if isinstance(value, str)}
            if words.keys() >= KEYS:
                found.append((rows, row, words))
                break
    if len(found) != 1:
        raise Unsure
    rows, key_row, columns = found[0]
    said: Said = {}
    for row, line in rows.items():
        code, part = (line.get(columns[key], "") for key in ("item_code", "part"))
        code, part = (value.value if isinstance(value, Spoilt) else value for value in (code, part))
        if row == key_row or not isinstance(code, str) or (code := code.strip()) not in study.by_code:
            continue
        value = line.get(columns["score"], "")
        if not isinstance(part, str) or not part.strip().startswith(f"{code}:"):
            value = BAD
        value = valued(value, study, code)
        said[code] = value if code not in said else [said[code], value]
    return said


def valued(value: Any, study: Study, code: str) -> Any:
    if value is BAD or isinstance(value, Spoilt):
        return BAD
    if isinstance(value, float):
        near = [level for level in study.rubric.scale.values if abs(value - float(level)) < 1e-9]
        return near[0] if near else BAD
    if "_x" in value:
        raise Unsure
    try:
        # what a text means is tested elsewhere; here it is asked which text it is
        read = parse_score(value, study.rubric.scale, labels_of(study.rubric, study.by_code[code].dimension)).value
    except ValueError:
        return BAD
    return BLANK if read is None else read


# --- what comes out of the toolkit ---------------------------------------------------------------------------------


class Bench:
    """A study, one filled workbook, and what the toolkit makes of damaged ones."""

    def __init__(self, folder: Path):
        self.study = make(folder / "s", RECORDS, "A1,A2,A3", "--lang", "pt-BR", "--practice")
        self.codes = {item.item_id: item.item_code for item in self.study.items}
        self.right = {self.codes[item]: score for item, score in SCORES.items()}
        answers = {code: Annotation(annotator="A1", item_code=code, score=score, justification=f"porque {code}")
                   for code, score in self.right.items()}  # fmt: skip
        self.ours = parts_of(write(study_layout(self.study, "A1"), answers))
        filled = Filled(self.study, folder / "s" / "send" / "A1.xlsx")
        self.grid = filled.grid()
        # another program's way of writing the same
        self.theirs = parts_of(filled.data())
        self.path = folder / "A1.xlsx"
        self.read = self.refused = 0

    def returned(self, data: bytes) -> Returned:
        """Run the pipeline as check and consolidate do."""
        self.path.write_bytes(data)
        start = time.process_time()
        returned = Returned()
        sources, _warnings = find_sources([self.path])
        for source in sources:
            try:
                ingest([read_book(source)], self.study, returned)
            except ToolkitError as error:
                returned.problems += error.problems
        assert time.process_time() - start < SECONDS
        assert all(problem.file and problem.what and problem.fix and str(problem) for problem in returned.problems)
        return returned

    def judge(self, data: bytes, said: Callable[[bytes, Study], Said]) -> None:
        """Compare what comes out with what the file says."""
        returned = self.returned(data)
        scores = {code: given.score for code, given in returned.annotations.get("A1", {}).items()}
        assert returned.annotations.keys() <= {"A1"}
        try:
            truth = said(data, self.study)
        except Unsure:
            # nobody else can read this file; then it may be refused, or read right
            assert returned.problems or scores == self.right
            assert all(score in (None, self.right[code]) for code, score in scores.items())
            return
        for code in self.right:
            score, value = scores.get(code), truth.get(code)
            if isinstance(value, list) or value is None:
                assert returned.problems
            elif score is None:
                assert value is BLANK or returned.problems
            else:
                assert score == value, (code, value)
        self.refused += bool(returned.problems)
        self.read += not returned.problems


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return Bench(tmp_path_factory.mktemp("fuzz"))


# --- the damage ----------------------------------------------------------------------------------------------------

CELL = re.compile(r'<c r="([A-Z]+)(\d+)"[^>]*?(?:/>|>.*?</c>)', re.DOTALL)
ROW = re.compile(r'<row r="(\d+)"[^>]*?(?:/>|>.*?</row>)', re.DOTALL)
VALUES = (
    "1",
    "2",
    "3",
    "4",
    "5",
    "4.0",
    "4.5",
    "0",
    "6",
    "-4",
    "4e0",
    " 4 ",
    "0.04",
    "45000",
    "4.0000000001",
    "1e400",
    "",
)
INSIDES = (
    "<v>{0}</v>",
    "<is><t>{0}</t></is>",
    "<f>1+1</f><v>{0}</v>",
    "<f/><v>{0}</v>",
    '<f t="array" ref="I1:I99">1</f><v>{0}</v>',
    '<f t="shared" si="0"/><v>{0}</v>',
    "<v>{0}</v><v>{0}</v>",
    "<v>{0}</v><is><t>{0}</t></is>",
    "<is><r><t>{0}</t></r><rPh sb='0' eb='1'><t>5</t></rPh></is>",
    "<v><!-- 5 -->{0}</v>",
    "<v><![CDATA[{0}]]></v>",
    "<v xml:space='preserve'> {0}</v>",
    "",
)


def sheet_changed(parts: Parts, change: Callable[[str], str]) -> Parts:
    return parts | {SHEET: change(parts[SHEET].decode()).encode("utf-8", "replace")}


def a_cell(text: str, chance: random.Random) -> re.Match[str]:
    """A cell of the sheet; more often than not a score, which column I holds."""
    found = list(CELL.finditer(text))
    scores = [cell for cell in found if cell[1] == "I" and int(cell[2]) > 2]
    return chance.choice(scores if scores and chance.random() < 0.6 else found)


def new_inside(parts: Parts, chance: random.Random) -> Parts:
    """Another value, kind or structure in a cell."""

    def change(text: str) -> str:
        cell = a_cell(text, chance)
        style = re.search(r' s="\d+"', cell[0])
        kind = chance.choice(
            ("", "", ' t="n"', ' t="s"', ' t="str"', ' t="inlineStr"', ' t="b"', ' t="e"', ' t="d"', ' t="x"')
        )
        inside = chance.choice(INSIDES).format(chance.choice(VALUES))
        made = f'<c r="{cell[1]}{cell[2]}"{style[0] if style else ""}{kind}>{inside}</c>'
        return text[: cell.start()] + made + text[cell.end() :]

    return sheet_changed(parts, change)


def new_style(parts: Parts, chance: random.Random) -> Parts:
    """Another number format for a cell."""

    def change(text: str) -> str:
        cell = a_cell(text, chance)
        made = re.sub(r' s="\d+"', "", cell[0], count=1).replace("<c ", f'<c s="{chance.randrange(60)}" ', 1)
        return text[: cell.start()] + made + text[cell.end() :]

    return sheet_changed(parts, change)


def new_address(parts: Parts, chance: random.Random) -> Parts:
    """A cell or row that says it is elsewhere, is there twice, or is gone; two that have changed places."""

    def change(text: str) -> str:
        pattern = chance.choice((CELL, ROW))
        one = a_cell(text, chance) if pattern is CELL else chance.choice(list(ROW.finditer(text)))
        two = a_cell(text, chance) if pattern is CELL else chance.choice(list(ROW.finditer(text)))
        how = chance.randrange(7)
        if how == 0:
            return text[: one.start()] + text[one.end() :]
        if how == 1:
            return text[: one.end()] + one[0] + text[one.end() :]
        if how == 2:
            return text[: two.end()] + one[0] + text[two.end() :]
        if how == 6 and "<v>" in one[0]:
            other = re.sub(r"<v>[^<]*</v>", f"<v>{chance.choice('12345')}</v>", one[0], count=1)
            return text[: one.end()] + other + text[one.end() :]
        if how == 3:
            return text[: one.start()] + re.sub(r' r="[^"]*"', "", one[0], count=1) + text[one.end() :]
        if how == 4 and pattern is ROW:
            number = str(chance.choice((int(one[1]) + 1, int(two[1]), 900)))
            made = re.sub(rf'(r="[A-Z]*){one[1]}"', rf'\g<1>{number}"', one[0])
            return text[: one.start()] + made + text[one.end() :]
        first, last = sorted((one, two), key=lambda match: match.start())
        if first.end() > last.start():
            return text
        return text[: first.start()] + last[0] + text[first.end() : last.start()] + first[0] + text[last.end() :]

    return sheet_changed(parts, change)


def new_merge(parts: Parts, chance: random.Random) -> Parts:
    """Cells that are merged."""

    def change(text: str) -> str:
        one, two = (re.match(r'<c r="([^"]*)"', a_cell(text, chance)[0]) for _time in range(2))
        assert one and two
        merge = f'<mergeCell ref="{one[1]}:{two[1]}"/>'
        return text.replace("</mergeCells>", f"{merge}</mergeCells>", 1)

    return sheet_changed(parts, change)


def new_strings(parts: Parts, chance: random.Random) -> Parts:
    """Shared texts that changed, went missing, or changed places."""
    name = "xl/sharedStrings.xml"
    if name not in parts:  # openpyxl writes texts into their cells
        return new_inside(parts, chance)
    text = parts[name].decode()
    found = list(re.finditer(r"<si>.*?</si>", text, re.DOTALL))
    one, two = sorted(chance.sample(found, 2), key=lambda match: match.start())
    how = chance.randrange(4)
    if how == 0:
        text = text[: one.start()] + text[one.end() :]
    elif how == 1:
        text = text[: one.start()] + two[0] + text[one.end() : two.start()] + one[0] + text[two.end() :]
    elif how == 2:
        text = text[: one.start()] + f"<si><t>{chance.choice(VALUES)}</t></si>" + text[one.end() :]
    else:
        text = text[: one.end()] + "<si><t>x</t></si>" + text[one.end() :]
    return parts | {name: text.encode()}


def new_words(parts: Parts, chance: random.Random) -> Parts:
    """A text that says something else by a character, wherever it is."""
    names = (SHEET, "xl/sharedStrings.xml", "xl/workbook.xml", "xl/styles.xml", "xl/_rels/workbook.xml.rels")
    name = chance.choice([name for name in names if name in parts])
    text = parts[name].decode()
    spots = [match.start() for match in re.finditer(r"(?<=[>\"])[\w%;@]", text)]
    at = chance.choice(spots)
    return parts | {name: (text[:at] + chance.choice("0123456789%sdx;") + text[at + 1 :]).encode()}


def any_rewrite(parts: Parts, chance: random.Random) -> Parts:
    """XML changed anywhere, well-formed or not."""
    return parts_of(rewrite(parts, chance))


CHANGES = (new_inside, new_inside, new_inside, new_style, new_address, new_address, new_merge, new_strings, new_words,
           any_rewrite)  # fmt: skip


def test_nothing_changed(bench: Bench) -> None:
    for parts in (bench.ours, bench.theirs):
        data = zipped(parts)
        returned = bench.returned(data)
        assert not returned.problems
        assert {code: given.score for code, given in returned.annotations["A1"].items()} == bench.right
        assert said_by_xlsx(data, bench.study) == bench.right


@pytest.mark.parametrize("seed", range(SEEDS))
def test_changed_xml(bench: Bench, seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    bench.read = bench.refused = 0
    for number in range(CASES):
        parts = bench.ours if number % 2 else bench.theirs
        for _time in range(chance.choice((1, 1, 1, 2, 3))):
            try:
                parts = chance.choice(CHANGES)(parts, chance)
            except (IndexError, ValueError):  # an earlier change left nothing to change
                break
        try:
            bench.judge(zipped(parts), said_by_xlsx)
        except AssertionError as error:
            (tmp_path / "A1.xlsx").write_bytes(zipped(parts))
            raise AssertionError(f"case {number}, kept as {tmp_path / 'A1.xlsx'}: {error}") from error
    # neither is everything refused, nor does everything pass
    assert min(bench.read, bench.refused) > CASES / 20


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["ours", "theirs", "ods"])
def test_changed_containers_and_bytes(bench: Bench, kind: str, seed: int) -> None:
    chance = random.Random(f"{kind} {seed}")
    parts = parts_of(as_ods(bench.grid)) if kind == "ods" else getattr(bench, kind)
    whole = zipped(parts)
    for number in range(50):
        data = damage(whole, chance) if number % 2 else restructure(parts, chance)
        returned = bench.returned(data)
        scores = {code: given.score for code, given in returned.annotations.get("A1", {}).items()}
        # every part has a checksum, so that what is read at all is what was there
        assert scores == bench.right or (returned.problems and not scores), (seed, number)


def said_by_csv(data: bytes, study: Study) -> Said:
    try:
        lines = list(csv.reader(io.StringIO(data.decode("utf-8"), newline=""), delimiter=";", strict=True))
    except (UnicodeDecodeError, csv.Error) as error:
        raise Unsure from error
    cells = {(row, column): value for row, line in enumerate(lines, 1) for column, value in enumerate(line, 1)}
    return said_by_cells([cells], study)


@pytest.mark.parametrize("seed", range(8))
def test_changed_csv(bench: Bench, seed: int) -> None:
    chance = random.Random(f"csv {seed}")
    whole = as_csv(bench.grid, ";")
    for _case in range(60):
        if chance.random() < 0.5:
            data = damage(whole, chance)
        else:
            grid = [list(line) for line in bench.grid]
            for _time in range(chance.choice((1, 1, 3))):
                row = chance.randrange(len(grid))
                column = chance.choice((8, chance.randrange(len(grid[row]))))
                grid[row][column] = chance.choice(
                    (*VALUES, *NASTY, "4;5", '4"', "4\n5", grid[chance.randrange(len(grid))][column])
                )
            data = as_csv(grid, ";")
        bench.judge(data, said_by_csv)


def test_the_second_reading_refuses_what_is_no_workbook(bench: Bench) -> None:
    for data in (b"", b"PK", zipped({"a": b"b"}), zipped(bench.ours)[:-500]):
        with pytest.raises(Unsure):
            said_by_xlsx(data, bench.study)
    assert issubclass(ParseError, SyntaxError) and issubclass(DefusedXmlException, ValueError)
