"""Damaged files by the hundred: every one is read or refused by name, and where a checksum guards it, read right."""

import io
import random
import re
import time
import zipfile
from collections.abc import Callable

import pytest

from tests.readers.build import biff, ods_cell, ods_parts, ods_row, ole, read, record, row, xlsx_parts, zipped
from toolkit.errors import ToolkitError

SECONDS = 5.0
NASTY = (
    "",
    "-1",
    "0",
    "99999999999999999999",
    "1e400",
    "NaN",
    "\ufffd",
    "A",
    "H5:XFD1048576",
    "../../x",
    "s",
    "str",
    "b",
    "e",
    "d",
)
TAG = re.compile(r"<[^<>]+>")
ATTRIBUTE = re.compile(r'="([^"]*)"')


def outcome(data: bytes) -> list[dict] | None:
    """The cells of each sheet, or None when the file was refused; anything else is the fault looked for."""
    start = time.process_time()
    try:
        return [sheet.cells for sheet in read(data).sheets]
    except ToolkitError as error:
        assert all(problem.file and problem.what and problem.fix for problem in error.problems)
        return None
    finally:
        assert time.process_time() - start < SECONDS


def damage(data: bytes, chance: random.Random) -> bytes:
    """A file after a bad journey: bytes changed, lost, doubled, cut off."""
    changed = bytearray(data)
    for _ in range(chance.choice((1, 1, 1, 2, 5, 20))):
        at, length = chance.randrange(len(changed)), chance.choice((1, 1, 2, 4, 50))
        how = chance.randrange(5)
        if how == 0:
            changed[at] ^= 1 << chance.randrange(8)
        elif how == 1:
            changed[at : at + length] = chance.randbytes(length)
        elif how == 2:
            del changed[at : at + length]
        elif how == 3:
            changed[at:at] = changed[at : at + length]
        elif len(changed) > 100:
            del changed[chance.randrange(100, len(changed)) :]
        if not changed:
            break
    return bytes(changed)


def parts_of(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def restructure(parts: dict[str, bytes], chance: random.Random) -> bytes:
    """A container with parts lost, exchanged, emptied, renamed."""
    names = list(parts)
    one, two = chance.sample(names, 2)
    changed = dict(parts)
    how = chance.randrange(5)
    if how == 0:
        del changed[one]
    elif how == 1:
        changed[one], changed[two] = changed[two], changed[one]
    elif how == 2:
        changed[one] = chance.choice((b"", b"<a/>", b"\0" * 100, changed[one][: len(changed[one]) // 2]))
    elif how == 3:
        changed[one.upper() if chance.random() < 0.5 else f"x{one}"] = changed.pop(one)
    else:
        changed[f"{one}/"] = b""
    return zipped(changed)


def rewrite(parts: dict[str, bytes], chance: random.Random) -> bytes:
    """A container with the XML of one part changed, well-formed or not."""
    name = chance.choice([name for name in parts if name.endswith((".xml", ".rels"))])
    text = parts[name].decode("utf-8")
    for _ in range(chance.choice((1, 1, 3))):
        how = chance.randrange(6)
        tags, values = list(TAG.finditer(text)), list(ATTRIBUTE.finditer(text))
        if how == 0 and values:
            value = chance.choice(values)
            text = text[: value.start(1)] + chance.choice(NASTY) + text[value.end(1) :]
        elif how == 1 and tags:
            tag = chance.choice(tags)
            text = text[: tag.start()] + text[tag.end() :]
        elif how == 2 and len(tags) > 1:
            first, last = sorted(chance.sample(tags, 2), key=lambda tag: tag.start())
            piece = text[first.start() : last.end()][:5000]
            text = text[: last.end()] + piece + text[last.end() :]
        elif how == 3 and tags:
            tag = chance.choice(tags)
            text = (
                text[: tag.end()]
                + chance.choice(("<a>", "</a>", "&b;", "<![CDATA[x]]>", "\x01", "<!-- -->", "4"))
                + text[tag.end() :]
            )
        elif how == 4 and tags:
            tag = chance.choice(tags)
            text = (
                text[: tag.start()]
                + re.sub(r"\w+", chance.choice(("c", "row", "v", "f", "is", "si", "t")), tag[0], count=1)
                + text[tag.end() :]
            )
        else:
            at = chance.randrange(len(text) + 1)
            text = text[:at] + chance.choice(NASTY) + text[at + chance.randrange(4) :]
    return zipped(parts | {name: text.encode("utf-8", "replace")})


@pytest.fixture(scope="module")
def samples(filled: bytes) -> dict[str, bytes]:
    strings = "<si><t>_x0041_</t></si><si><r><t>b</t></r><rPh sb='0' eb='1'><t>c</t></rPh></si>"
    kinds = (
        '<c r="A1"><v>4</v></c><c r="B1" t="s"><v>0</v></c><c r="C1" t="b"><v>1</v></c><c r="D1" s="2"><v>45000</v></c>'
    )
    kinds += '<c r="E1" t="inlineStr"><is><t>x</t></is></c><c r="F1"><f t="array" ref="F1:G1">A1</f></c>'
    kinds += '<c r="G1"><v>4</v></c>'
    small = xlsx_parts(row(kinds), strings=strings, tail='<mergeCells><mergeCell ref="A1:B2"/></mergeCells>')
    cell = ods_cell('office:value-type="float" office:value="4" table:number-columns-repeated="2"', "4")
    texts = ods_cell('office:value-type="string" table:number-rows-spanned="2"', "a<text:s text:c='2'/>b<text:tab/>")
    records = (
        record(0x203, bytes(6) + b"\0\0\0\0\0\0\x10\x40")
        + record(0xFD, b"\1\0\1\0\0\0\0\0\0\0")
        + record(0xE5, b"\1\0" + bytes(8))
    )
    records += record(0x06, b"\2\0\0\0\0\0" + bytes(16)) + record(0xBD, b"\3\0\0\0" + bytes(12) + b"\1\0")
    table = record(0xFC, b"\1\0\0\0\1\0\0\0\3\0\0abc")
    return {
        "ours": filled,
        "xlsx": zipped(small),
        "ods": zipped(ods_parts(ods_row(cell + texts, 'table:number-rows-repeated="2"'))),
        "xls": ole({"Workbook": biff(records, globals_=table)}),
        "csv": 'study;annotator;item_code;score\ns1;A1;"i;1";4\ns1;A1;"é\n""2""";5\n'.encode(),
    }


def test_the_samples_are_sound(samples):
    assert all(outcome(data) for data in samples.values())


@pytest.mark.parametrize("kind", ["ours", "xlsx", "ods", "xls", "csv"])
@pytest.mark.parametrize("seed", range(5))
def test_damaged_bytes(samples, kind, seed):
    chance = random.Random(f"{kind} {seed}")
    right = outcome(samples[kind])
    for _ in range(60):
        found = outcome(damage(samples[kind], chance))
        if kind in ("ours", "xlsx", "ods") and found is not None:
            # every part has a checksum, so what is read at all is read right
            assert found == right


@pytest.mark.parametrize("change", [restructure, rewrite])
@pytest.mark.parametrize("kind", ["ours", "xlsx", "ods"])
@pytest.mark.parametrize("seed", range(5))
def test_changed_parts(samples, kind, change: Callable[[dict[str, bytes], random.Random], bytes], seed):
    chance = random.Random(f"{kind} {change.__name__} {seed}")
    parts, right = parts_of(samples[kind]), outcome(samples[kind])
    for _ in range(30):
        found = outcome(change(parts, chance))
        if change is restructure and found is not None:
            # two sheets may have changed places; no cell is lost, and none becomes another
            assert len(found) == len(right)
            assert all(cells in right for cells in found)


def test_damaged_records(samples):
    """The records of the old format have no checksum: lengths, kinds and contents are changed one by one."""
    stream = biff(
        b"".join(record(code, bytes(range(30))) for code in (0x203, 0xFD, 0x204, 0x205, 0x06, 0x207, 0xBD, 0xBE, 0xE5))
    )
    chance = random.Random(1)
    for _ in range(300):
        outcome(ole({"Workbook": damage(stream, chance)}))
