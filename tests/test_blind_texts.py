"""The words of a part are found alike with and without a tree, so that the audit may be fast and prove the same."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable
from pathlib import Path

import openpyxl
import pytest
from openpyxl.comments import Comment

from tests.returned.workbook import OPTIONS, RECORDS
from tests.studies import make, record
from toolkit.workbook import blindness

NUMBER = re.compile(r"[0-9.]+")


def said(texts: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    """Without the numbers of cells, which are places in the table of texts."""
    return {(part, words) for part, words in texts if "sheets/" not in part or not NUMBER.fullmatch(words)}


def slowly(data: bytes, monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    with monkeypatch.context() as patch:
        patch.setattr(blindness, "_is_simple", lambda _content: False)
        return list(blindness._texts(data))


def test_both_ways_find_the_same_in_a_workbook(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hostile = '<a title="gpt-4" name=\'x\'> & <b>**bold** `code`</b> ]]> <!-- c --> name="y" > prompt = "z"'
    records = [*RECORDS, record("h1", response=hostile, ground_truth="=1+1\n\n**x** <r>y</r>")]
    make(tmp_path / "s", records, "A1,A 2", *OPTIONS, "--contact", "a <b@c.org>")
    for name in ("A1", "A 2"):
        path = tmp_path / "s" / "send" / f"{name}.xlsx"
        book = openpyxl.load_workbook(path, rich_text=True)
        book.worksheets[2]["G20"].comment = Comment('says <b title="q">', "an author")
        buffer = io.BytesIO()
        book.save(buffer)
        for data in (path.read_bytes(), buffer.getvalue()):
            found, expected = said(blindness._texts(data)), said(slowly(data, monkeypatch))
            assert found == expected
            assert any("gpt-4" in words for _part, words in found) and len(found) > 100
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert blindness._is_simple(archive.read("xl/worksheets/sheet3.xml"))


@pytest.mark.parametrize(
    "content",
    [
        b"<a><![CDATA[x]]></a>",
        b"<a><!-- > --></a>",
        b'<!DOCTYPE a [<!ENTITY e "x">]><a>&e;</a>',
        b'<a b="x > y">z</a>',
        b"<a>x > y</a>",
        b"<a><?x y?></a>",
        '<?xml version="1.0" encoding="UTF-16"?><a>x</a>'.encode("utf-16"),
        '<?xml version="1.0" encoding="ISO-8859-1"?><a>é</a>'.encode("latin-1"),
    ],
)
def test_what_expressions_could_misread_is_left_to_the_parser(content: bytes) -> None:
    assert not blindness._is_simple(content)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("<x:sst><x:si><x:r><x:t>a &amp; </x:t></x:r><x:r><x:t>b</x:t></x:r></x:si></x:sst>", ["a & b"]),
        ('<c t="inlineStr"><is><t>a</t></is></c>', ["a"]),
        ("<dataValidation prompt = 'say \"4\"' type='list'/>", ['say "4"']),
        ('<property fmtid="1" name="key"><vt:lpwstr>value</vt:lpwstr></property>', ["value", "key"]),
        ("<c><f>SUM(A1)</f><v>4.5</v></c>", []),
        ("<c><v>text</v></c>", ["text"]),
        ('<?xml version="1.0" encoding="utf-8"?>\n<a>é \u2028 😀</a>', ["é \u2028 😀"]),
        ("<oddFooter>&amp;Lsecret</oddFooter>", ["&Lsecret"]),
        ('<font name="Arial"/>', []),
    ],
)
def test_what_they_find(content: str, words: list[str]) -> None:
    assert blindness._is_simple(content.encode())
    assert list(blindness._plain_texts(content.encode())) == words
