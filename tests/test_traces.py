"""What a file says of who made it is found in every format: no audit passes what names a person or a folder."""

from __future__ import annotations

from struct import pack

import pytest

from tests.readers.build import biff, ods_cell, ods_parts, ods_row, ole, record, xlsx, xlsx_parts, zipped
from toolkit.workbook.traces import traces
from toolkit.workbook.traces_xls import xls_words

MADE_BY, MADE_IN = "names who made or changed it", "names a folder of the computer it was made on"
COMMENTS = "<comments><authors><author>{}</author></authors></comments>"


def told(data: bytes) -> list[tuple[str, object]]:
    found = traces("A1", data)
    assert all(problem.file == "A1" and problem.fix for problem in found)
    return [(problem.what.partition(" (in the part")[0], problem.value) for problem in found]


@pytest.mark.parametrize(
    ("part", "content", "expected"),
    [
        ("docProps/app.xml", "<Properties><Company>ACME</Company></Properties>", [(MADE_BY, "ACME")]),
        ("docProps/app.xml", "<Properties><Company/><Manager> </Manager></Properties>", []),
        (
            "docProps/app.xml",
            "<Properties><Template>C:\\u\\x.xltx</Template></Properties>",
            [(MADE_IN, "C:\\u\\x.xltx")],
        ),
        ("docProps/app.xml", "<Properties><Template>Normal.xltm</Template></Properties>", []),
        ("xl/comments1.xml", COMMENTS.format("Fulana"), [(MADE_BY, "Fulana")]),
        ("xl/comments1.xml", COMMENTS.format("toolkit"), []),  # what check --annotated writes
        ("xl/x.xml", '<workbook><fileSharing userName="Fulana"/></workbook>', [(MADE_BY, "Fulana")]),
        ("xl/vbaProject.bin", "x", [("holds macros, which cannot be searched", None)]),
        ("xl/media/a.png", "x", [("holds a picture or a file inside it, which cannot be searched", None)]),
        ("xl/persons/person.xml", "<x/>", [("holds a history of edits", None)]),
    ],
)
def test_xlsx(part: str, content: str, expected: list[tuple[str, object]]) -> None:
    assert told(xlsx()) == []
    assert told(zipped(xlsx_parts() | {part: content})) == expected


def test_ods() -> None:
    parts = ods_parts(ods_row(ods_cell("", "creator", inside="<office:annotation><a/></office:annotation>")))
    assert told(zipped(parts)) == []
    for name in ("initial-creator", "creator", "printed-by"):
        meta = f"<m xmlns:a='urn:a'><a:{name}>F &amp; B</a:{name}><a:editing-cycles>9</a:editing-cycles></m>"
        assert told(zipped(parts | {"meta.xml": meta})) == [(MADE_BY, "F & B")]
    comment = str(parts["content.xml"]).replace("<a/>", "<dc:creator>F &amp; B</dc:creator>")
    assert told(zipped(parts | {"content.xml": comment})) == [(MADE_BY, "F & B")]
    tracked = str(parts["content.xml"]).replace("<a/>", "<table:tracked-changes/>")
    assert told(zipped(parts | {"content.xml": tracked})) == [("holds a history of edits", None)]
    path = "/".join(("..", "..", "..", "home", "f", "t.ots"))
    link = f"<m xmlns:x='urn:x'><template x:href='{path}'/></m>"
    assert told(zipped(parts | {"meta.xml": link})) == [(MADE_IN, path)]
    assert told(zipped(parts | {"Basic/Standard/Module1.xml": "<x/>"}))[0][0].startswith("holds macros")


def properties(codepage: int, **texts: str) -> bytes:
    """A property set as [MS-OLEPS] has it: its codepage, and texts by their numbers."""
    encoded = {int(key[1:]): text.encode("utf-8" if codepage == 65001 else f"cp{codepage}") + b"\0"
               for key, text in texts.items()}  # fmt: skip
    values = {1: pack("<IHH", 2, codepage, 0)}
    values |= {key: pack("<II", 30, len(text)) + text + bytes(-len(text) % 4) for key, text in encoded.items()}
    offsets, content, start = b"", b"", 8 + 8 * len(values)
    for key, value in values.items():
        offsets += pack("<II", key, start + len(content))
        content += value
    section = pack("<II", start + len(content), len(values)) + offsets + content
    return pack("<HHI", 0xFFFE, 0, 0) + bytes(16) + pack("<I", 1) + bytes(16) + pack("<I", 48) + section


def stated(text: str, *, wide: bool = False) -> bytes:
    return pack("<HB", len(text), wide) + text.encode("utf-16-le" if wide else "latin-1")


def xls(records: bytes = b"", **streams: bytes) -> bytes:
    return ole({"Workbook": biff(records), **streams})


def test_the_properties_of_an_xls() -> None:
    assert told(xls()) == []
    for codepage in (65001, 1252):
        about = properties(codepage, p4="Fulana Á", p8="Beltrana", p7="C:\\f\\x.xlt", p2="A title")
        more = properties(codepage, p14="Chefe", p15="ACME", p2="c")
        data = ole({"Workbook": biff(b""), "\x05SummaryInformation": about, "\x05DocumentSummaryInformation": more})
        assert told(data) == [*((MADE_BY, who) for who in ("Fulana Á", "Beltrana", "Chefe", "ACME")),
                              (MADE_IN, "C:\\f\\x.xlt")]  # fmt: skip
        assert ("SummaryInformation", "A title") in set(xls_words(data))
    blank = ole({"Workbook": biff(b""), "\x05SummaryInformation": properties(1252, p4=" ", p7="Modelo")})
    assert told(blank) == []


@pytest.mark.parametrize("wide", [False, True])
def test_the_records_of_an_xls(wide: bool) -> None:
    who = record(0x5C, stated("Fulana", wide=wide).ljust(112))
    note = record(0x1C, bytes(8) + stated("Beltrana", wide=wide))
    said = record(0x1B6, bytes(18)) + record(0x3C, bytes([wide]) + stated("by gpt-4", wide=wide)[3:])
    assert told(xls(who + note + said)) == [(MADE_BY, "Fulana"), (MADE_BY, "Beltrana")]
    assert ("Workbook", "by gpt-4") in set(xls_words(xls(said)))
    assert told(xls(record(0x5C, stated("Calc", wide=wide).ljust(112)))) == []
    assert told(xls(record(0x1AE, b"\3\0\1\4"))) == []  # its own sheets
    [(what, _value)] = told(xls(record(0x1AE, b"\1\0" + stated("\1\1Cf\3x.xls", wide=wide))))
    assert what == MADE_IN
    link = record(0x1B8, bytes(30) + "file:///C:/f/x.xls".encode("utf-16-le"))
    assert (MADE_IN, "file:///C:/f/x.xls") in told(xls(link))


def test_a_shared_xls_and_one_with_macros() -> None:
    found = told(ole({"Workbook": biff(b""), "Revision Log": b"x", "User Names": b"x", "_VBA_PROJECT_CUR": b"x"}))
    assert [what for what, _value in found] == ["holds a history of edits"] * 2 + [
        "holds macros, which cannot be searched"
    ]


def test_a_csv_has_nothing_but_its_cells() -> None:
    assert told(b"study,annotator\nC:\\x,author") == []
