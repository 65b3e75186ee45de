"""Files made to do harm: each is refused, or read, in little time and memory. The sizes are the real ones."""

import dataclasses
import json
import struct
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from tests.readers.build import (
    MAIN,
    biff,
    cells,
    ods,
    ods_cell,
    ods_row,
    ole,
    read,
    record,
    row,
    xlsx,
    xlsx_parts,
    zipped,
)
from tests.readers.hostile import CSV_KEYS, HOSTILE, MB, sheet, with_part
from tests.studies import make
from tests.studies import record as record_
from toolkit.errors import ToolkitError
from toolkit.workbook.readers import Limits, find_sources, read_book

SECONDS = 5.0


def refused(data: bytes, limits: Limits | None = None) -> str:
    start = time.process_time()
    with pytest.raises(ToolkitError) as caught:
        read(data, limits)
    assert time.process_time() - start < SECONDS
    (problem,) = caught.value.problems
    assert problem.fix
    return str(problem)


# --- containers


def test_a_bomb_is_told_by_its_directory():
    message = refused(with_part("xl/media/x.bin", (bytes(MB) for _ in range(300))))
    assert "unpacks to 300 MB, more than 250 MB, which is the limit" in message


def test_a_directory_that_lies_about_sizes_unlocks_nothing():
    data = bytearray(sheet(b" " * (3 * MB)))
    at = data.rindex(b"PK\x01\x02")
    assert struct.unpack_from("<I", data, at + 24)[0] > 3 * MB
    struct.pack_into("<I", data, at + 24, 100)
    assert "damaged" in refused(bytes(data), Limits(unpacked_bytes=MB))


def test_one_part_under_many_names_counts_every_time():
    data = with_part(
        "xl/worksheets/sheet1.xml", [f'<worksheet xmlns="{MAIN}">'.encode(), b"\n" * MB, b"</worksheet>"], sheets=99
    )
    assert "unpacks to more than 5 MB" in refused(data, Limits(unpacked_bytes=5 * MB))
    assert "more than 50 sheets" in refused(data, Limits(sheets=50))


def test_too_many_members():
    assert "more than 5,000 files" in refused(zipped({f"x{n}": b"" for n in range(5_001)}))
    entries = b"PK\x03\x04" + bytes(26) + (b"PK\x01\x02" + bytes(42)) * 500_000
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, 65535, 65535, 46 * 500_000, 30, 0)
    assert "more than 5,000 files" in refused(entries + end)


def test_a_file_too_large_is_not_even_read(tmp_path: Path):
    path = tmp_path / "A1.xlsx"
    with path.open("wb") as file:
        file.truncate(10_000 * MB)
    with pytest.raises(ToolkitError, match="larger than 100 MB"):
        read_book(path)


def test_a_wrong_checksum_missing_parts_and_parts_that_are_there_twice():
    good = xlsx_parts(row('<c r="A1"><v>4</v></c>'))
    data = bytearray(zipped(good, zipfile.ZIP_STORED))
    at = data.index(b"<v>4</v>")
    data[at + 3] = ord("5")
    assert "damaged" in refused(bytes(data))
    for name in ("xl/workbook.xml", "xl/worksheets/sheet1.xml", "xl/styles.xml", "xl/_rels/workbook.xml.rels"):
        assert "missing" in refused(zipped({key: part for key, part in good.items() if key != name}))
    with pytest.warns(UserWarning, match="Duplicate"):
        doubled = zipped([*good.items(), ("xl/worksheets/sheet1.xml", good["xl/worksheets/sheet1.xml"])])
    assert "there twice" in refused(doubled)
    assert "there twice" in refused(zipped([*good.items(), ("XL/styles.xml", "<x/>")]))
    relations = str(good["xl/_rels/workbook.xml.rels"]).replace('Id="rId3"', 'Id="rId1"')
    assert "both called" in refused(zipped(good | {"xl/_rels/workbook.xml.rels": relations}))


# A file that goes past each limit, and a number that it goes past.
PAST = {
    "unpacked_bytes": (xlsx(), 1000),
    "cells": (CSV_KEYS + b"a,b,c\n" * 500, 1000),
    "members": (xlsx(), 2),
    "elements": (CSV_KEYS + b"a,b,c\n" * 500, 1000),
    "text_bytes": (CSV_KEYS + b"a,b,c\n" * 500, 1000),
    "cell_characters": (xlsx(row(f'<c t="str"><v>{"x" * 2000}</v></c>')), 1000),
    "sheets": (xlsx(sheets=3), 2),
    "file_bytes": (xlsx(), 100),
    "archived": (zipped({"A.csv": CSV_KEYS, "B.csv": CSV_KEYS}), 1),
}


@pytest.mark.parametrize("name", [one.name for one in dataclasses.fields(Limits)])
def test_every_limit_says_how_to_raise_it_and_is_raised_so(tmp_path: Path, name: str):
    data, limit = PAST[name]
    path = tmp_path / "A1"
    path.write_bytes(data)

    def told(limits: Limits) -> str:
        problems = []
        for source in find_sources([path], limits)[0]:
            try:
                read_book(source, limits)
            except ToolkitError as error:
                problems += error.problems
        return " ".join(map(str, problems))

    assert told(dataclasses.replace(Limits(), **{name: limit})).endswith(f"add --limit {name}=NUMBER to the command.")
    assert "--limit" not in told(Limits())


def test_a_long_cell_of_a_csv_file_says_so_too():
    message = refused(CSV_KEYS + b"x" * 2000 + b",b,c\n", Limits(cell_characters=1000))
    assert "more than 1,000 characters" in message and message.endswith(
        "--limit cell_characters=NUMBER to the command."
    )
    # more than the csv module can count to on every system
    assert read(CSV_KEYS + b"a,b,c,4\n", Limits(cell_characters=10**12)).sheets


# --- XML


@pytest.mark.parametrize(
    "text",
    [
        '<!DOCTYPE x [<!ENTITY a "b">]><worksheet/>',
        '<!DOCTYPE x SYSTEM "file:///etc/passwd"><worksheet/>',
        '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><x>&b;</x>',
    ],
)
@pytest.mark.parametrize("part", ["xl/worksheets/sheet1.xml", "xl/workbook.xml", "_rels/.rels", "xl/styles.xml"])
def test_document_types_and_entities(text, part):
    assert "document type" in refused(zipped(xlsx_parts() | {part: text}))


def test_depth_length_and_number():
    assert "deeper than 100" in refused(sheet(b"<a>" * MB))
    assert "more than 4,000,000 bytes" in refused(sheet(b'<row r="', (b"1" * MB for _ in range(20)), b'"/>'))
    assert "more than 4,000,000 bytes" in refused(sheet(b"<!--", (b"x" * MB for _ in range(20)), b"-->"))
    many = b" ".join(b'a%d=""' % n for n in range(20_000))
    assert "200 attributes" in refused(sheet(b"<row " + many + b"/>"))
    assert "more than 1,000,000 elements" in refused(sheet(b"<row/>" * 1_100_000), Limits(elements=MB))


def test_a_million_blank_cells_cost_no_memory():
    blanks = (b'<row r="%d">%s</row>' % (n, b"<c/>" * 1000) for n in range(1, 501))
    assert read(sheet(blanks)).sheets[0].cells == {}


def test_one_cell_in_the_last_row_costs_nothing():
    body = row('<c r="A1"><v>4</v></c>') + row('<c r="XFD1048576" s="1"/>', 1_048_576)
    tail = '<cols><col min="1" max="16384" style="1"/></cols>'
    start = time.process_time()
    assert set(cells(xlsx(body, tail=tail))) == {"A1"}
    assert time.process_time() - start < 1


def test_texts():
    item = b"<si><t>" + "😀".encode() + b"x" * 900_000 + b"</t></si>"
    strings = with_part(
        "xl/sharedStrings.xml", [f'<sst xmlns="{MAIN}">'.encode(), *([item] * 99), b"</sst>"], strings=""
    )
    assert "150 MB of text" in refused(strings)
    assert "more than 1,000,000 characters" in refused(
        sheet(b'<row><c t="str"><v>', b"x" * (2 * MB), b"</v></c></row>")
    )
    # a few bytes a cell, and a megabyte of text in each
    body = row("".join('<c t="s"><v>0</v></c>' for _ in range(1000)))
    assert "150 MB of text" in refused(xlsx(body, strings=f"<si><t>{'x' * 900_000}</t></si>"))


def test_merged_ranges_without_number():
    body = row("".join(f'<c r="{chr(65 + n)}1"><v>1</v></c>' for n in range(26)))
    overlapping = "".join(f'<mergeCell ref="A1:XFD{n}"/>' for n in range(2, 250_000))
    assert "more than 200,000 merged ranges" in refused(xlsx(body, tail=f"<mergeCells>{overlapping}</mergeCells>"))
    overlapping = overlapping[: len(overlapping) // 2].rpartition("<")[0]
    assert "overlap" in refused(xlsx(body, tail=f"<mergeCells>{overlapping}</mergeCells>"))
    assert "impossible address" in refused(xlsx(body, tail='<mergeCells><mergeCell ref="A1:A0"/></mergeCells>'))
    # one allowance for all sheets
    tail = '<mergeCells><mergeCell ref="A1:Z3000"/></mergeCells>'
    book = read(xlsx(body, tail=tail, sheets=20))
    assert sum(len(found.cells) for found in book.sheets) < 120_000


def test_cells_without_number():
    repeated = ods_cell('office:value-type="float" office:value="4" table:number-columns-repeated="16384"')
    assert "more than 1,000,000 filled cells" in refused(ods(ods_row(repeated, 'table:number-rows-repeated="1048576"')))
    long = ods_cell('office:value-type="string" table:number-columns-repeated="9999"', "x" * 100_000)
    assert "150 MB of text" in refused(ods(ods_row(long)))
    assert "more than 1,000 filled cells" in refused(CSV_KEYS + b"a,b,c\n" * 500, Limits(cells=1000))
    number = record(0x203, struct.pack("<3Hd", 0, 0, 0, 4.0))
    assert "more than 1,000 elements" in refused(ole({"Workbook": biff(number * 2000)}), Limits(elements=1000))


# --- old containers


def test_a_directory_that_runs_in_circles():
    data = bytearray(ole({"Workbook": biff(b""), "Other": b"x"}))
    start = struct.unpack_from("<I", data, 48)[0] * 512 + 512
    for place in range(3):
        struct.pack_into("<3i", data, start + 128 * place + 68, 1, 2, 1)
    refused(bytes(data))


def test_a_chain_of_sectors_that_runs_in_circles():
    data = bytearray(ole({"Workbook": biff(b"")}))
    fat = struct.unpack_from("<I", data, 76)[0] * 512 + 512
    struct.pack_into("<I", data, fat, 0)
    start = struct.unpack_from("<I", data, 48)[0] * 512 + 512
    for size in (0x7FFFFFFF, 0x7FFFFF00, 0xFFFFFFFF):
        struct.pack_into("<I", data, start + 128 + 120, size)
        refused(bytes(data))


# --- memory, as the operating system sees it


MEASURED = """
import json, os, sys, time
from pathlib import Path
from toolkit.jobs.check import check
for path in sorted(Path(sys.argv[2]).iterdir()):
    if os.fork() == 0:
        start = time.process_time()
        said = " ".join(str(problem) for found in check(Path(sys.argv[1]), [path])[0] for problem in found.problems)
        # not ru_maxrss, in which a child begins with what its parent used
        status = Path("/proc/self/status").read_text().splitlines()
        peak = int(next(line for line in status if line.startswith("VmHWM")).split()[1])
        print(json.dumps([path.name, peak, time.process_time() - start, said]), flush=True)
        os._exit(0)
    os.wait()
"""


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the peak is read from /proc")
def test_check_says_what_each_is_within_500_mb_and_little_time(tmp_path: Path):
    """Every hostile file in a process of its own, from the file on disk to the words."""
    make(tmp_path / "s", [record_("i1"), record_("i2")], "A1,A2")
    (tmp_path / "hostile").mkdir()
    for name, (made, _words) in HOSTILE.items():
        (tmp_path / "hostile" / name).write_bytes(made())
    arguments = [sys.executable, "-c", MEASURED, str(tmp_path / "s"), str(tmp_path / "hostile")]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    found = {name: (peak, seconds, said) for name, peak, seconds, said in map(json.loads, done.stdout.splitlines())}
    assert found.keys() == HOSTILE.keys()
    assert [name for name, (_made, words) in HOSTILE.items() if words not in found[name][2]] == []
    assert {name: peak for name, (peak, _seconds, _said) in found.items() if peak >= 500_000} == {}
    assert {name: seconds for name, (_peak, seconds, _said) in found.items() if seconds >= 3 * SECONDS} == {}
