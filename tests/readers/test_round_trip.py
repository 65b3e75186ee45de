"""What is written is read back, value by value and type by type, whatever the order of rows and the format."""

import datetime
import io
import re

import openpyxl
import xlsxwriter
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.readers.build import ods, ods_cell, ods_row, read, row, xlsx

TEXT = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"), min_size=1, max_size=30
)
# XlsxWriter misses the second of two escapes that share an underscore: _x0041_x0042_
OVERLAPPING = re.compile("_x[0-9A-Fa-f]{4}_x[0-9A-Fa-f]{4}_")
TEXT = TEXT.filter(lambda text: not OVERLAPPING.search(text))
ESCAPED = st.sampled_from(
    ["_x0041_", "_x000D_", "_x005F_ _x0041_", "a\nb", "\tc", " d ", "=1+1", "+2", "@x", "'q", "4", "TRUE"]
)
MOMENTS = st.datetimes(datetime.datetime(1901, 1, 1), datetime.datetime(2200, 1, 1)).map(
    lambda m: m.replace(microsecond=0)
)
NUMBERS = st.integers(-(2**53) + 1, 2**53 - 1) | st.floats(-1e300, 1e300).map(lambda f: float(f"{f:.15G}"))
VALUES = st.none() | TEXT | ESCAPED | NUMBERS | st.booleans() | MOMENTS
GRIDS = st.dictionaries(st.tuples(st.integers(1, 60), st.integers(1, 30)), VALUES, max_size=40)


def same(found: object, expected: object) -> bool:
    """Whether two values are equal and of one type; a workbook has one kind of number."""
    if isinstance(expected, float) and expected.is_integer() and abs(expected) < 2**53:
        expected = int(expected)
    return type(found) is type(expected) and found == expected


def written(grid: dict[tuple[int, int], object], **options: object) -> bytes:
    buffer = io.BytesIO()
    book = xlsxwriter.Workbook(buffer, options)
    date = book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
    sheet = book.add_worksheet()
    for (number, column), value in grid.items():
        place = (number - 1, column - 1)
        if value is None:
            sheet.write_blank(*place, None, date)
        elif isinstance(value, bool):
            sheet.write_boolean(*place, value)
        elif isinstance(value, str):
            sheet.write_string(*place, value)
        elif isinstance(value, datetime.datetime):
            sheet.write_datetime(*place, value, date)
        else:
            sheet.write_number(*place, value)
    book.close()
    return buffer.getvalue()


@settings(max_examples=150, deadline=None)
@given(GRIDS)
def test_xlsxwriter(grid):
    cells = read(written(grid)).sheets[0].cells
    assert cells.keys() == {place for place, value in grid.items() if value is not None}
    for place, cell in cells.items():
        assert same(cell.value, float(f"{grid[place]:.16G}") if isinstance(grid[place], float) else grid[place])
        assert cell.trouble is None
        assert openpyxl.utils.cell.coordinate_to_tuple(cell.address) == place


@settings(max_examples=60, deadline=None)
@given(GRIDS.map(lambda grid: {place: v for place, v in grid.items() if not (isinstance(v, str) and "_x" in v)}))
def test_openpyxl(grid):
    book = openpyxl.Workbook()
    for (number, column), value in grid.items():
        cell = book.active.cell(number, column, value)
        if isinstance(value, str):
            cell.data_type = "s"
    buffer = io.BytesIO()
    book.save(buffer)
    cells = read(buffer.getvalue()).sheets[0].cells
    assert cells.keys() == {place for place, value in grid.items() if value is not None}
    for place, cell in cells.items():
        assert same(cell.value, grid[place])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.none() | TEXT | NUMBERS | st.booleans(), max_size=8), max_size=8), st.randoms())
def test_rows_in_any_order_and_both_formats_agree(rows, chance):
    """The same grid, its rows out of order in the one format and its equal neighbours joined in the other."""
    order = list(range(1, len(rows) + 1))
    chance.shuffle(order)
    body = "".join(
        row("".join(xlsx_cell(number, n, value) for n, value in enumerate(rows[number - 1])), number)
        for number in order
    )
    one = read(xlsx(body)).sheets[0].cells
    other = (
        read(ods("".join(ods_row("".join(ods_value(value) for value in values)) for values in rows))).sheets[0].cells
    )
    assert one == other
    assert {place: cell.value for place, cell in one.items()} == {
        (number, column): value
        for number, values in enumerate(rows, 1)
        for column, value in enumerate(values, 1)
        if value is not None
    }


def escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def xlsx_cell(number: int, column: int, value: object) -> str:
    place = f'r="{"ABCDEFGH"[column]}{number}"'
    if value is None:
        return f"<c {place}/>"
    if isinstance(value, bool):
        return f'<c {place} t="b"><v>{value:d}</v></c>'
    if isinstance(value, str):
        return f'<c {place} t="inlineStr"><is><t>{escaped(value)}</t></is></c>'
    return f"<c {place}><v>{value!r}</v></c>"


def ods_value(value: object) -> str:
    if value is None:
        return ods_cell()
    if isinstance(value, bool):
        return ods_cell(f'office:value-type="boolean" office:boolean-value="{str(value).lower()}"')
    if isinstance(value, str):
        spaced = escaped(value).replace(" ", "<text:s/>")
        return ods_cell('office:value-type="string"', spaced)
    return ods_cell(f'office:value-type="float" office:value="{value!r}"')
