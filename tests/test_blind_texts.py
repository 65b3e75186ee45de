"""The words of a part are found alike with and without a tree, so that the audit may be fast and prove the same."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Iterable
from pathlib import Path

import openpyxl
import pytest
from openpyxl.comments import Comment

from tests.returned.workbook import OPTIONS, RECORDS
from tests.studies import make, ok, record, write_jsonl
from toolkit.study import MASK, Study, read_study
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


def audited(folder: Path) -> dict[str, object]:
    return dict(json.loads(ok("audit-blind", folder, "--json")))


def with_comment(data: bytes, words: str) -> bytes:
    book = openpyxl.load_workbook(io.BytesIO(data))
    book.worksheets[0]["B2"].comment = Comment(words, "toolkit")
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def told(study: Study, folder: Path, words: str) -> set[str | None]:
    """What the audit says of a workbook in which somebody wrote something."""
    data = with_comment((folder / "send" / "A1.xlsx").read_bytes(), words)
    return {problem.value for problem in blindness.audit("send/A1.xlsx", data, study) if "would show" in problem.what}


NAMED = ["GPT\u20104o", "GPT\u20114o", "GPT\u20134o", "GPT\u22124o", "GPT4o", "gpt_4o", "**GPT**-4o", "GPT\\-4o"]


@pytest.mark.parametrize("shown_as", ["rendered", "raw"])
def test_every_way_to_write_a_models_name_is_told_and_masked(tmp_path: Path, shown_as: str) -> None:
    records = [record(f"i{n}", model="gpt-4o", response=f"Sou o {name}.") for n, name in enumerate(NAMED)]
    records += [record("other", model="gpt-4o", response="Sou o GPT-4, não GPT-4omni.")]
    sample = write_jsonl(tmp_path / "s.jsonl", records)
    command = ("make-sheets", sample, "--annotators", "A1,A2", "--seed", "1", "--markdown", shown_as)
    output = ok(*command, "-o", tmp_path / "plain")
    assert output.count("--mask can hide it") == len(NAMED) and "item other" not in output
    output = ok(*command, "--mask", "gpt-4o", "-o", tmp_path / "masked")
    assert "--mask can hide it" not in output
    study = read_study(tmp_path / "masked")
    texts = {item.item_id: item.responses[0].response for item in study.items}
    assert {text.replace("*", "") for name, text in texts.items() if name != "other"} == {f"Sou o {MASK}."}
    assert texts["other"] == "Sou o GPT-4, não GPT-4omni."
    ok(*command, "--mask", "gpt-4o", "-o", tmp_path / "again", "-q")
    for name in ("study.json", "send/A1.xlsx"):
        assert (tmp_path / "again" / name).read_bytes() == (tmp_path / "masked" / name).read_bytes()


def test_the_audit_finds_a_name_however_it_is_written(tmp_path: Path) -> None:
    study = make(tmp_path / "s", [record("item-7", model="gpt-4o", judge_model="Sentinela 2")], "A1,A2")
    for words in (*NAMED[:6], "GPT_x002D_4o", "um GPT 4o"):
        assert told(study, tmp_path / "s", f"é {words}?") == {"gpt-4o"}, words
    assert told(study, tmp_path / "s", "sentinela\u20112 e item\u20137") == {"sentinela 2", "item-7"}
    assert told(study, tmp_path / "s", "GPT-4, item7, sentinela 20, A1") == set()


def test_a_judges_name_in_a_text_is_told(tmp_path: Path) -> None:
    """It is the user's text, so that the workbook counts as blind; but the user is told."""
    records = [
        record("i1", judge_model="SENTJM", expected_behavior="judge SENTJM says 3"),
        record("i2", judge_model="SENTJM", response="O **SENTJM** disse."),
        record("i3", judge_model="SENTJM", response="um SENTJMO"),
        record("i4", judge_model="SENTJM", response="the judge says"),
    ]
    sample = write_jsonl(tmp_path / "s.jsonl", records)
    output = ok("make-sheets", sample, "--annotators", "A1,A2", "--seed", "1", "-o", tmp_path / "s")
    assert "item i1: a text names its own model or provider, or a judge (SENTJM)" in output and "item i4" not in output
    unnamed = write_jsonl(tmp_path / "u.jsonl", [record("i1", response="the judge says")])
    output = ok("make-sheets", unnamed, "--annotators", "A1,A2", "--seed", "1", "-o", tmp_path / "u")
    assert "a text names" not in output
    found = audited(tmp_path / "s")
    assert found["blind"] is True and found["names_in_answers"] == {"i1": ["SENTJM"], "i2": ["SENTJM"]}
    assert "note: a text of item i1 names its own model or provider, or a judge: SENTJM" in ok(
        "audit-blind", tmp_path / "s"
    )


@pytest.mark.parametrize("escape", ["_x0041_", "_x000D_", "_x00e9_", "_x005F_", "_x005F_x0041_"])
def test_a_text_that_looks_escaped_is_the_text_that_may_be_read(tmp_path: Path, escape: str) -> None:
    texts = {
        "prompt": f"{escape} dito pelo GPT-4o",
        "ground_truth": f"item-7 {escape}",
        "response": f"a{escape} item-7",
    }
    make(tmp_path / "s", [record("item-7", model="gpt-4o", **texts)], f"A1,{escape}")
    assert audited(tmp_path / "s")["blind"] is True
