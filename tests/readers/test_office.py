"""What LibreOffice makes of our workbook in each of its formats, as annotators do when they save."""

import datetime
import io
import shutil
import subprocess
from pathlib import Path

import openpyxl
import pytest
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.styles import Font

from tests.readers.build import read
from toolkit.texts import same_text_form
from toolkit.values import shows
from toolkit.workbook.readers import Cell, RawBook, read_book
from toolkit.workbook.readers.raw import STRUCK

SOFFICE = shutil.which("soffice") or shutil.which("libreoffice")
pytestmark = [pytest.mark.office, pytest.mark.skipif(SOFFICE is None, reason="LibreOffice is not installed")]

# separator, quote, character set (76 is UTF-8, 65535 UTF-16, 1 Windows-1252)... as shown, ..., the second sheet
CSV_FILTERS = {
    "comma": "44,34,76,1,,0,false,true,false,false,false,2",
    "semicolon": "59,34,1,1,,0,false,true,false,false,false,2",
    "tab": "9,34,65535,1,,0,true,false,false,false,false,2",
}


# Number formats whose effect is known here, and the numbers and texts they are tried on.
FORMATS = (
    "General", "0", "0.00", "#", "#,##0", '"1"General', '0" de 5"', '"R$" #,##0.00', "[$R$-416] #,##0.00", "[Red]0",
    "0;0", "0;(0)", r"_(* #,##0_);_(* \(#,##0\);_(* \-_);_(@_)", ";;;", '0;0;0;"5"', '0;"2"@', '@"%"', "0;0;0;@",
    "# ?/?", "0/0", "0.0E+00", "#.#", "0,", "[>3]0;[Red]0", '0;"x"0', r"\40",
)  # fmt: skip
SHOWN = (4, -2, 0, "4")


@pytest.fixture(scope="module")
def saved(filled: bytes, tmp_path_factory: pytest.TempPathFactory) -> dict[str, RawBook]:
    """The filled workbook with everything people do to it, and the same saved by LibreOffice."""
    folder = tmp_path_factory.mktemp("office")
    book = openpyxl.load_workbook(io.BytesIO(filled))
    sheet = book.worksheets[1]
    sheet.row_dimensions[7].hidden = True
    sheet["A7"].comment = openpyxl.comments.Comment("a note", "somebody")
    extra = book.create_sheet("Rascunho")
    values = (
        4,
        4.5,
        "4",
        " 4 ",
        True,
        "a\nb\n\nc",
        "two  spaces",
        "tab\there",
        "😀 漢字",
        datetime.datetime(2024, 5, 4),
        "=2+2",
        "=1/0",
    )
    for number, value in enumerate(values, 1):
        extra.cell(number, 1, value)
    for number, (value, code) in enumerate(
        ((0.04, "0%"), (4.6, "0"), (4, "0.00"), (4, '"R$" #,##0.00'), (2.5, "[h]:mm")), 1
    ):
        extra.cell(number, 3, value).number_format = code
    extra.merge_cells("E1:E2")
    extra["E1"] = 4
    for number, code in enumerate(FORMATS, 1):
        for column, value in enumerate(SHOWN, 7):
            extra.cell(number, column, value).number_format = code
    for number, value in enumerate((4, "4", CellRichText(TextBlock(InlineFont(strike=True), "3"), " 4")), 1):
        extra.cell(number, 12, value).font = Font(strike=number < 3)
    extra.cell(4, 12, CellRichText(TextBlock(InlineFont(b=True), "4"), " "))
    extra.sheet_state = "hidden"
    source = folder / "A1.xlsx"
    book.save(source)
    found = {"original": read_book(source)}
    for kind in ("xlsx", "ods", "xls"):
        found[kind] = read_book(convert(source, folder / kind, kind))
    for name, options in CSV_FILTERS.items():
        filter_ = f"csv:Text - txt - csv (StarCalc):{options}"
        found[name] = read_book(convert(source, folder / name, filter_))
    return found


def convert(source: Path, folder: Path, kind: str) -> Path:
    profile = source.parent / "profile"
    folder.mkdir()
    command = [str(SOFFICE), "--headless", f"-env:UserInstallation={profile.as_uri()}", "--convert-to", kind]
    subprocess.run([*command, "--outdir", str(folder), str(source)], check=True, capture_output=True, timeout=120)
    (made,) = folder.iterdir()
    return made


def forms(cell: Cell) -> set[str]:
    """openpyxl wrote the file, and left `_x0041_` as it was, which Excel takes for an A and LibreOffice does not."""
    return {same_text_form(cell.text), same_text_form(cell.stored or cell.text)}


@pytest.mark.parametrize("kind", ["xlsx", "ods", "xls"])
def test_every_cell_of_the_annotation_sheet_survives(saved, kind):
    before, after = saved["original"].sheets[1], saved[kind].sheets[1]
    assert saved[kind].format == kind
    assert after.title == before.title
    assert after.cells.keys() == before.cells.keys()
    for place, cell in before.cells.items():
        other = after.cells[place]
        assert other.trouble == cell.trouble
        assert same_text_form(other.text) in forms(cell)
        assert type(other.value) is type(cell.value)


@pytest.mark.parametrize("kind", list(CSV_FILTERS))
def test_every_text_of_the_annotation_sheet_survives_as_csv(saved, kind):
    before, after = saved["original"].sheets[1], saved[kind].sheets[0]
    assert (saved[kind].format, after.textual) == ("csv", True)
    expected = {place: cell for place, cell in before.cells.items() if cell.value is not None and not cell.merged}
    if kind == "semicolon":
        # Windows-1252 has no smiley; LibreOffice writes a question mark, and the text's hash will tell
        expected = {place: cell for place, cell in expected.items() if "😀" not in cell.text}
    for place, cell in expected.items():
        assert same_text_form(after.cells[place].text) in forms(cell)
        assert after.cells[place].address == cell.address


@pytest.mark.parametrize("kind", ["original", "xlsx", "ods", "xls"])
def test_types_survive_and_troubles_are_told(saved, kind):
    cells = {cell.address: cell for cell in saved[kind].sheets[2].cells.values()}
    values = {address: cell.value for address, cell in cells.items() if cell.trouble is None and address < "G"}
    moment = values.pop("A10")
    assert moment in (datetime.datetime(2024, 5, 4), datetime.date(2024, 5, 4))
    assert values.pop("C5") == datetime.timedelta(hours=60)
    # LibreOffice makes a formula of a true/false value: =TRUE()
    assert values.pop("A5", True) is True
    assert values == {
        "A1": 4,
        "A2": 4.5,
        "A3": "4",
        "A4": " 4 ",
        "A6": "a\nb\n\nc",
        "A7": "two  spaces",
        "A8": "tab\there",
        "A9": "😀 漢字",
        "C2": 4.6,
        "C3": 4,
        "C4": 4,
        "E1": 4,
    }
    assert cells["A5"].value is True or cells["A5"].trouble == "a formula"
    assert cells["C2"].shown == "5"
    assert {
        address: cell.trouble
        for address, cell in cells.items()
        if cell.trouble and address not in ("A5", "L1", "L2", "L3")
    } == {
        "A11": "a formula",
        "A12": "a formula",
        "C1": "a percentage",
        "E2": "merged with E1",
    }
    assert cells["C1"].value == 0.04


@pytest.mark.parametrize("number", range(len(FORMATS)), ids=FORMATS)
def test_a_number_format_shows_what_libreoffice_shows(saved, number):
    """In .ods, LibreOffice writes beside a value what it displays; in the others, that is worked out here."""
    for column, value in enumerate(SHOWN, 7):
        taken = {}
        for kind in ("original", "xlsx", "ods", "xls"):
            cell = saved[kind].sheets[2].cells[number + 1, column]
            assert (cell.trouble, cell.value) == (None, value)
            taken[kind] = cell.shown is None or shows(cell.shown, float(value))
        # what is certain here is so there
        assert taken["ods"] or not any(taken.values()), (FORMATS[number], value, taken)
        assert taken["original"] == taken["xls"]


@pytest.mark.parametrize("kind", ["original", "xlsx", "ods", "xls"])
def test_what_is_struck_out_stays_so(saved, kind):
    cells = saved[kind].sheets[2].cells
    assert [cells[row, 12].trouble for row in range(1, 5)] == [STRUCK, STRUCK, STRUCK, None]
    assert [sheet.hidden for sheet in saved[kind].sheets] == [False, False, True]


def test_properties_survive_where_they_are_read(saved):
    for kind in ("original", "xlsx", "ods"):
        properties = saved[kind].properties
        assert {key: properties[key] for key in ("study", "annotator", "layout")} == {
            "study": "s-1",
            "annotator": "A1",
            "layout": "1",
        }


def test_a_password(filled, tmp_path):
    """Files with a password, as LibreOffice saves them. (That of .xlsx it can set by hand only: see test_xls.)"""
    script = tmp_path / "protect.py"
    script.write_text(PROTECT)
    source = tmp_path / "A1.xlsx"
    source.write_bytes(filled)
    python = shutil.which("python3", path="/usr/bin") or "python3"
    if subprocess.run([python, "-c", "import uno"], capture_output=True).returncode:
        pytest.skip("the Python of LibreOffice is not here")
    subprocess.run([python, str(script), str(SOFFICE), str(source)], check=True, capture_output=True, timeout=120)
    for name in ("p.ods", "p.xls"):
        with pytest.raises(Exception, match="protected by a password"):
            read_book(tmp_path / name)


PROTECT = """
import subprocess, sys, time
from pathlib import Path
import uno
from com.sun.star.beans import PropertyValue

def options(**values):
    return tuple(PropertyValue(Name=name, Value=value) for name, value in values.items())

soffice, source = sys.argv[1], Path(sys.argv[2])
pipe = f"uno{source.stat().st_ino}"
profile = (source.parent / "profile").as_uri()
accept = f"--accept=pipe,name={pipe};urp;"
office = subprocess.Popen([soffice, "--headless", f"-env:UserInstallation={profile}", accept])
resolver = uno.getComponentContext().ServiceManager.createInstance("com.sun.star.bridge.UnoUrlResolver")
for _ in range(100):
    try:
        context = resolver.resolve(f"uno:pipe,name={pipe};urp;StarOffice.ComponentContext")
        break
    except Exception:
        time.sleep(0.3)
desktop = context.ServiceManager.createInstanceWithContext("com.sun.star.frame.Desktop", context)
document = desktop.loadComponentFromURL(source.as_uri(), "_blank", 0, options(Hidden=True))
for name, filter_ in (("p.ods", "calc8"), ("p.xls", "MS Excel 97")):
    document.storeToURL((source.parent / name).as_uri(), options(FilterName=filter_, Password="secret"))
document.close(True)
try:
    desktop.terminate()
except Exception:
    pass
office.wait(30)
"""


def test_read_is_one_and_the_same(saved):
    assert isinstance(saved["original"].sheets[2].cells[1, 1], Cell)
    assert read(saved["ods"].source.data).sheets == saved["ods"].sheets
