"""The fake of Google does what its docstring says, so that what is tested against it is tested against something."""

from __future__ import annotations

import copy
import io
import zipfile
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from tests.google.caller import ANA, DRIVE, SHEETS, Caller, error, look, protected_book
from tests.google.entered import entered
from tests.google.export import ODS, XLSX
from tests.google.fake_server import FakeServer
from toolkit.workbook.readers import read_book


def test_what_does_not_fit_the_discovery_document_is_refused_in_googles_words(ana: Caller) -> None:
    book = ana.book()
    answer = ana.batch(book, {"addSheet": {"properties": {"titel": "x"}}}, {"deleteSheet": {"sheetId": "x"}})
    assert answer["error"]["message"].splitlines() == [
        "Invalid JSON payload received. Unknown name \"titel\" at 'requests[0].add_sheet.properties': "
        "Cannot find field.",
        "Invalid value at 'requests[1].delete_sheet.sheet_id' (TYPE_INT32), \"x\"",
    ]
    assert [one["field"] for one in answer["error"]["details"][0]["fieldViolations"]] == [
        "requests[0].add_sheet.properties",
        "requests[1].delete_sheet.sheet_id",
    ]
    assert error(ana("GET", f"{SHEETS}/{book}", nonsense="1")) == (400, "INVALID_ARGUMENT")
    assert error(ana("GET", f"{SHEETS}/{book}/values/A1", majorDimension="DIAGONAL")) == (400, "INVALID_ARGUMENT")
    assert "valueInputOption" in ana("PUT", f"{SHEETS}/{book}/values/A1", {"values": [[1]]})["error"]["message"]
    assert ana.session.get(f"{SHEETS}/{book}/nothing/here", timeout=10).status_code == 404


def test_a_batch_is_done_whole_or_not_at_all(ana: Caller) -> None:
    book = ana.book({"properties": {"title": "One"}})
    answer = ana.batch(
        book, {"addSheet": {"properties": {"title": "Two"}}}, {"addSheet": {"properties": {"title": "One"}}}
    )
    assert answer["error"]["message"] == (
        'Invalid requests[1].addSheet: A sheet with the name "One" already exists. Please enter another name.'
    )
    assert [one["properties"]["title"] for one in ana("GET", f"{SHEETS}/{book}")["sheets"]] == ["One"]
    data = [{"range": "A1", "values": [["x"]]}, {"range": "Nowhere!A1", "values": [["x"]]}]
    body = {"valueInputOption": "RAW", "data": data}
    assert error(ana("POST", f"{SHEETS}/{book}/values:batchUpdate", body)) == (400, "INVALID_ARGUMENT")
    assert ana.values(book, "A1") is None


def test_every_kind_of_request_shows_and_none_does_if_the_last_is_refused(server: FakeServer, ana: Caller) -> None:
    book = ana.book({"properties": {"title": "A", "sheetId": 7}}, {"properties": {"title": "B", "sheetId": 8}})
    text, number = {"userEnteredValue": {"stringValue": "a"}}, {"userEnteredValue": {"numberValue": 1}}
    cells = [{"values": [text | {"note": "n"}, number]}]
    rows = {"sheetId": 7, "dimension": "ROWS", "startIndex": 0, "endIndex": 1}
    blank = {"condition": {"type": "NOT_BLANK"}, "format": {"textFormat": {"bold": True}}}
    bold = {"userEnteredFormat": {"textFormat": {"bold": True}}}
    spot = {"metadataKey": "study", "metadataValue": "s", "visibility": "DOCUMENT", "location": {"sheetId": 7}}
    line = {"style": "SOLID"}
    kinds: list[dict[str, Any]] = [
        {"addSheet": {"properties": {"title": "C", "sheetId": 9}}},
        {"deleteSheet": {"sheetId": 8}},
        {"updateSheetProperties": {"properties": {"sheetId": 7, "gridProperties": {"frozenRowCount": 2}},
                                   "fields": "gridProperties.frozenRowCount"}},
        {"updateSpreadsheetProperties": {"properties": {"locale": "pt_BR"}, "fields": "locale"}},
        {"updateCells": {"start": {"sheetId": 7}, "rows": cells, "fields": "userEnteredValue,note"}},
        {"repeatCell": {"range": look(7, 0, 1, 0, 1), "cell": bold, "fields": "userEnteredFormat.textFormat.bold"}},
        {"appendCells": {"sheetId": 7, "rows": cells, "fields": "userEnteredValue"}},
        {"mergeCells": {"range": look(7, 4, 6, 0, 2), "mergeType": "MERGE_ALL"}},
        {"updateDimensionProperties": {"range": rows, "properties": {"pixelSize": 50}, "fields": "pixelSize"}},
        {"autoResizeDimensions": {"dimensions": rows}},
        {"appendDimension": {"sheetId": 7, "dimension": "ROWS", "length": 5}},
        {"addProtectedRange": {"protectedRange": {"protectedRangeId": 5, "range": look(7, 0, 1)}}},
        {"updateProtectedRange": {"protectedRange": {"protectedRangeId": 5, "description": "d"},
                                  "fields": "description"}},
        {"addConditionalFormatRule": {"rule": {"ranges": [look(7, 0, 1)], "booleanRule": blank}}},
        {"createDeveloperMetadata": {"developerMetadata": spot}},
        {"setBasicFilter": {"filter": {"range": look(7, 0, 2)}}},
        {"addNamedRange": {"namedRange": {"name": "scores", "range": look(7, 0, 2, 0, 2)}}},
        {"updateBorders": {"range": look(7, 0, 1, 1, 2), "bottom": line}},
    ]  # fmt: skip
    before = copy.deepcopy(server.book(book))
    refused = ana.batch(book, *kinds, {"deleteSheet": {"sheetId": 99}})
    assert refused["error"]["message"] == f"Invalid requests[{len(kinds)}].deleteSheet: No grid with id: 99"
    assert server.book(book) == before
    assert len(ana.batch(book, *kinds)["replies"]) == len(kinds)
    seen = ana("GET", f"{SHEETS}/{book}", includeGridData=True)
    first, last = seen["sheets"]
    assert (first["properties"]["title"], last["properties"]["title"]) == ("A", "C")
    assert first["properties"]["gridProperties"] == {"rowCount": 1005, "columnCount": 26, "frozenRowCount": 2}
    assert seen["properties"]["locale"] == "pt_BR"
    grid = first["data"][0]
    assert grid["rowMetadata"][0]["pixelSize"] == 50
    value = text | {"effectiveValue": {"stringValue": "a"}, "formattedValue": "a"}
    assert grid["rowData"][0]["values"][0] == value | bold | {"note": "n"}
    assert grid["rowData"][0]["values"][1]["userEnteredFormat"] == {"borders": {"bottom": line}}
    assert grid["rowData"][1]["values"][0] == value
    assert first["merges"] == [look(7, 4, 6, 0, 2)]
    (protected,) = first["protectedRanges"]
    assert (protected["description"], protected["editors"]["users"]) == ("d", [ANA])
    assert first["conditionalFormats"] == [{"ranges": [look(7, 0, 1)], "booleanRule": blank}]
    assert first["developerMetadata"][0]["metadataValue"] == "s"
    assert first["basicFilter"] == {"range": look(7, 0, 2)}
    assert ana.values(book, "scores") == [["a", 1], ["a", 1]]


@pytest.mark.parametrize(
    ("locale", "typed", "becomes"),
    [
        ("pt_BR", "4,0", 4),
        ("pt_BR", "0,91", 0.91),
        ("pt_BR", "0.91", 91),  # public report gs-01
        ("pt_BR", "4/5", 46146),  # 4 May 2026: 46023 is 1 January, and 31 + 28 + 31 + 30 + 3 days later
        ("en_US", "4/5", 46117),  # 5 April: 29 days earlier
        ("pt_BR", "1-2", 46054),  # 1 February
        ("en_US", "50%", 0.5),
        ("en_US", "10:30", 0.4375),
        ("en_US", "0012", 12),
        ("pt_BR", "VERDADEIRO", True),
        ("pt_BR", "quatro", "quatro"),
        ("pt_BR", "'4,0", "4,0"),
    ],
)
def test_typed_texts_are_understood_by_the_locale(locale: str, typed: str, becomes: object) -> None:
    (value,) = entered(typed, locale, 2026)[0].values()
    assert value == becomes
    assert type(value) is type(becomes)


def test_raw_stays_text_and_user_entered_does_not(ana: Caller) -> None:
    book = ana.book(locale="pt_BR")
    texts = ["0012", "1-2", "+55 11", "0,914", "=1+1"]
    ana.write(book, [[*texts, 0.914, 4, True, None, ""]])
    assert ana.values(book, "1:1") == [[*texts, 0.914, 4, True]]
    ana.write(book, [["4,5", "=A1+0,5", "x"]], "A2", "USER_ENTERED")
    assert ana.values(book, "2:2") == [[4.5, 12.5, "x"]]  # arithmetic takes a text of digits for a number
    assert ana.values(book, "2:2", valueRenderOption="FORMATTED_VALUE") == [["4,5", "12,5", "x"]]
    assert ana.values(book, "2:2", valueRenderOption="FORMULA") == [[4.5, "=A1+0,5", "x"]]


def test_empty_cells_at_the_ends_are_not_in_the_answer(ana: Caller) -> None:
    """Public report gs-03: short rows, empty rows within, nothing at the end."""
    book = ana.book({"properties": {"title": "Start here", "gridProperties": {"rowCount": 5, "columnCount": 4}}})
    ana.write(book, [["a", "", "c", ""], [""], ["x"], [""]])
    answer = ana("GET", f"{SHEETS}/{book}/values/Start here")
    assert answer == {
        "range": "'Start here'!A1:D5",
        "majorDimension": "ROWS",
        "values": [["a", "", "c"], [], ["x"]],
    }
    assert ana.values(book, "B:C", majorDimension="COLUMNS") == [[], ["c"]]
    many = ana("GET", f"{SHEETS}/{book}/values:batchGet", ranges=["A1", "B2:C2"])
    assert [one.get("values") for one in many["valueRanges"]] == [[["a"]], None]
    assert "exceeds grid limits. Max rows: 5" in ana("GET", f"{SHEETS}/{book}/values/A1:A6")["error"]["message"]
    assert error(ana("GET", f"{SHEETS}/{book}/values/Nowhere!A1")) == (400, "INVALID_ARGUMENT")


def test_fields_cut_the_answer_and_may_ask_for_cells(ana: Caller) -> None:
    book = ana.book()
    ana.write(book, [["a", 1]])
    assert ana("GET", f"{SHEETS}/{book}", fields="sheets(properties.title),spreadsheetId") == {
        "spreadsheetId": book,
        "sheets": [{"properties": {"title": "Sheet1"}}],
    }
    cells = ana("GET", f"{SHEETS}/{book}", fields="sheets.data.rowData.values.effectiveValue", ranges="A1:B1")
    values = [{"effectiveValue": {"stringValue": "a"}}, {"effectiveValue": {"numberValue": 1}}]
    assert cells == {"sheets": [{"data": [{"rowData": [{"values": values}]}]}]}
    assert error(ana("GET", f"{SHEETS}/{book}", fields="properties, sheets.properties")) == (400, "INVALID_ARGUMENT")
    assert error(ana("GET", f"{DRIVE}/files/{book}", fields="id, nme")) == (400, "invalidParameter")
    assert ana("GET", f"{DRIVE}/files/{book}", fields="id, name") == {"id": book, "name": "t"}


def test_limits(ana: Caller) -> None:
    """Public report gs-05, counted in UTF-16 units."""
    book = ana.book()
    assert "updatedCells" in ana.write(book, [["x" * 50_000]])
    for text in ("x" * 50_001, "\N{GRINNING FACE}" * 25_001):
        assert error(ana.write(book, [["ok"], [text]])) == (400, "INVALID_ARGUMENT")
    assert len(ana.values(book, "A1")[0][0]) == 50_000
    large = {"properties": {"gridProperties": {"rowCount": 997_000, "columnCount": 10}}}
    assert "replies" in ana.batch(book, {"addSheet": large})
    assert "10000000 cells" in ana.batch(book, {"addSheet": large})["error"]["message"]


def test_conditional_formats_are_those_that_sheets_has(ana: Caller) -> None:
    book = ana.book({"properties": {"title": "A", "sheetId": 7}}, {"properties": {"title": "B"}}, locale="pt_BR")

    def answer(formula: str, look_of: dict[str, Any], kind: str = "CUSTOM_FORMULA") -> str:
        condition = {"type": kind, "values": [{"userEnteredValue": formula}]}
        rule = {"ranges": [look(7, 0, 2)], "booleanRule": {"condition": condition, "format": look_of}}
        found = ana.batch(book, {"addConditionalFormatRule": {"rule": rule, "index": 0}})
        return str(found.get("error", found).get("message", "done"))

    red = {"backgroundColor": {"red": 1}}
    assert answer('=AND($A1<>"";LEN($B1)=0)', red) == "done"
    assert "userEnteredValue" in answer('=AND($A1<>"",LEN($B1)=0)', red)
    assert "different sheet" in answer('=B!$A1<>""', red)
    assert "wrapStrategy is not supported" in answer("=TRUE", {"wrapStrategy": "WRAP"})
    assert "not supported for conditional formatting" in answer("1", red, "ONE_OF_LIST")


def test_formulas_are_calculated_with_the_separators_of_the_locale(ana: Caller) -> None:
    scores: list[list[Any]] = [["score", "code"], [4, "q1"], ["", "q2"], ["5", "P1"], [9, "q3"]]
    done = 'SUMPRODUCT((B2:B5<>"")*(LEFT(B2:B5{0}1)<>"P")*ISNUMBER(MATCH(A2:A5{0}{{1{1}2{1}3{1}4{1}5}}{0}0)))'
    for locale, argument, column, half in (("en_US", ",", ",", "0.5"), ("pt_BR", ";", "\\", "0,5")):
        book = ana.book(locale=locale)
        ana.write(book, scores)
        formulas = [
            f"={done.format(argument, column)}",
            f'=IF(D1=1{argument}"one"{argument}"more")',
            f"=3-D1+{half}",
            f'=COUNTIF(A2:A5{argument}">4")',
            "=UNKNOWN(1)",
            "=1/0",
        ]
        ana.write(book, [formulas], "D1", "USER_ENTERED")
        # q1 alone: q2 has no score, P1 is practice, 9 is off the scale; COUNTIF counts numbers, so not the text 5
        assert ana.values(book, "D1:I1") == [[1, "one", 2.5, 1, "#NAME?", "#DIV/0!"]]
    ana.write(book, [["=IF(1=1,2,3)"]], "D2", "USER_ENTERED")
    assert ana.values(book, "D2") == [["#ERROR!"]]


def test_exports_hold_what_the_cells_hold(server: FakeServer, ana: Caller, tmp_path: Path) -> None:
    book = protected_book(ana)
    ana.write(book, [["texto", 4, 2.5, True], ["  two  spaces\nline", "=B1+1"]], how="USER_ENTERED")
    hide = {"range": {"sheetId": 7, "dimension": "ROWS", "startIndex": 0, "endIndex": 1}, "fields": "hiddenByUser"}
    ana.batch(book, {"updateDimensionProperties": hide | {"properties": {"hiddenByUser": True}}})
    ana.batch(book, {"mergeCells": {"range": look(7, 2, 4, 0, 3), "mergeType": "MERGE_ALL"}})
    files = {kind: ana.session.get(f"{DRIVE}/files/{book}/export", params={"mimeType": kind}, timeout=10).content
             for kind in (XLSX, ODS, "text/csv")}  # fmt: skip
    assert files["text/csv"].decode() == 'texto,4,"2,5",VERDADEIRO\r\n"  two  spaces\nline",5,,'
    for name, kind in (("x.xlsx", XLSX), ("x.ods", ODS)):
        (tmp_path / name).write_bytes(files[kind])
        (sheet,) = read_book(tmp_path / name).sheets
        assert [sheet.cells[1, column].value for column in range(1, 5)] == ["texto", 4, 2.5, True]
        assert sheet.cells[2, 1].value == "  two  spaces\nline"
        assert sheet.cells[2, 2].trouble == "a formula"
    workbook = openpyxl.load_workbook(io.BytesIO(files[XLSX]))
    assert workbook["S"].row_dimensions[1].hidden
    assert workbook["S"]["B2"].value == "=B1+1"
    assert "docProps/custom.xml" not in zipfile.ZipFile(io.BytesIO(files[XLSX])).namelist()
    assert [str(one.sqref) for one in workbook["S"].data_validations.dataValidation] == ["B1"]
    again = server.as_user(ANA).upload(tmp_path / "x.xlsx")
    assert ana.values(again, "S!A1:D2") == ana.values(book, "S!A1:D2")
    assert ana.session.get(f"{DRIVE}/files/{again}/export", params={"mimeType": XLSX}, timeout=10).content
