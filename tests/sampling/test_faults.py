"""The faults of the public reports, area sampling/records, each with its whole kind."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.sampling.logs import write_jsonl
from tests.sampling.test_sample import draw, ids
from toolkit.errors import ToolkitError
from toolkit.model import Scale
from toolkit.sampling.rejects import score_fault


@pytest.mark.parametrize("end", ["", "\n", "\r\n\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_sr_01_line_separators_inside_strings_and_a_byte_order_mark(end: str, mark: bytes, tmp_path: Path) -> None:
    breaks = "\u2028\u2029\x85\x0b\x0c\x1c\x1d\x1e"
    escaped = "".join(c if c > "\x1f" else f"\\u{ord(c):04x}" for c in breaks)
    text = (
        f'{{"id":"a","answer":"um{escaped}dois","score":4}}\r\n{{"id":"b","answer":"x\x85y","score":2}}\r\n\r\n'
        f'{{"id":"c","score":5}}{end}'
    )
    path = tmp_path / "log.jsonl"
    path.write_bytes(mark + text.encode())
    done = draw(path, tmp_path / "s.jsonl")
    assert {r["item_id"]: r.get("answer") for r in done.records} == {"a": f"um{breaks}dois", "b": "x\x85y", "c": None}
    assert done.report["rows"]["read"] == 3
    path.write_bytes(mark + text.replace('"score":5', '"score":"5/').encode())
    broken = draw(path, tmp_path / "s.jsonl")
    assert sorted(ids(broken)) == ["a", "b"]
    assert any("log.jsonl > line 4: is no record" in warning for warning in broken.warnings)


@pytest.mark.parametrize("missing", [None, "", "  ", "absent"])
def test_sr_03_a_missing_stratum_is_one_of_its_own(missing: str | None, tmp_path: Path) -> None:
    domains: list[str | None] = ["saude"] * 60 + ["direito"] * 20 + [None] * 15 + [missing] * 5
    rows = [{"id": f"x{i}", "domain": domain} for i, domain in enumerate(domains)]
    rows = [{k: v for k, v in row.items() if v != "absent"} for row in rows]
    done = draw(write_jsonl(tmp_path / "log.jsonl", rows), tmp_path / "s.jsonl", by=("domain",), total=20)
    assert {r["stratum"]: (r["log"], r["chosen"]) for r in done.report["strata"]} == {
        "domain=saude": (60, 12),
        "domain=direito": (20, 4),
        "domain=(missing)": (20, 4),
    }
    assert done.report["rows"]["frame"] == 100


SCORES = '{"id":"a","score":NaN}\n{"id":"b","score":1e400}\n{"id":"c","score":"4 "}\n{"id":"d","score":true}\n'
SCORES += '{"id":"e","score":"0"}\n{"id":"f","score":5}\n'


@pytest.mark.parametrize("kind", [".jsonl", ".csv"])
def test_sr_07_scores_that_are_none(kind: str, tmp_path: Path) -> None:
    path = tmp_path / f"log{kind}"
    path.write_text(SCORES if kind == ".jsonl" else "id,score\na,NaN\nb,1e400\nc,4 \nd,true\ne,0\nf,5\n")
    done = draw(path, tmp_path / "s.jsonl")
    assert {r["item_id"]: r["judge_score"] for r in done.records} == {"c": 4, "f": 5}
    assert done.report["strata"][0]["judge_mean_log"] == 4.5
    offset = 1 if kind == ".jsonl" else 2
    for line in (0, 1, 3, 4):
        assert any(f"log{kind} > line {line + offset}: score" in warning for warning in done.warnings), line
    above = draw(path, tmp_path / "s.jsonl", where="score >= 4")
    assert sorted(ids(above)) == ["c", "f"]
    assert draw(path, tmp_path / "s.jsonl", where="score >= 5").report["rows"]["filtered"] == 1


def test_sr_07_in_a_typed_column(tmp_path: Path) -> None:
    import duckdb

    path = tmp_path / "log.parquet"
    values = "('a', 'NaN'::DOUBLE), ('b', 'Infinity'::DOUBLE), ('c', 4.5), ('e', 0.0), ('f', NULL), (NULL, 3.0)"
    duckdb.connect().execute(f"COPY (SELECT * FROM (VALUES {values}) t(item_id, score)) TO '{path}'")
    done = draw(path, tmp_path / "s.jsonl")
    assert {r["item_id"]: r.get("judge_score") for r in done.records} == {"c": 4.5, "f": None}
    assert done.report["rows"] | {"frame": 2} == {
        "read": 6, "broken": 0, "no_item_id": 1, "bad_judge_score": 3, "excluded": 0, "filtered": 0, "frame": 2,
    }  # fmt: skip
    assert any("log.parquet > row 1: score is not a finite number" in warning for warning in done.warnings)
    duckdb.connect().execute(f"COPY (SELECT 'a' AS item_id, TRUE AS score) TO '{path}'")
    with pytest.raises(ToolkitError, match="no record that could be chosen"):
        draw(path, tmp_path / "s.jsonl")


@pytest.mark.parametrize("bad", ["", "  ", "null", "1.5", "true", "[1]", '{"a": 1}'])
def test_rows_without_a_usable_identifier(bad: str, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    value = bad if bad.strip() and bad != "  " else f'"{bad}"'
    path.write_text(f'{{"id": "a", "score": 3}}\n{{"id": {value}, "score": 3}}\n{{"score": 3}}\nnot json\n[1]\n')
    done = draw(path, tmp_path / "s.jsonl")
    assert ids(done) == ["a"]
    assert done.report["rows"]["no_item_id"] == 4
    for line in (2, 3, 4, 5):
        assert any(f"line {line}:" in warning for warning in done.warnings)


@pytest.mark.parametrize(
    ("bad", "found"),
    [(b"\\ud800", "\\ud800"), (b"\xff", "\\udcff"), (b'", "more": ["\\udc00"], "x": "', "\\udc00")],
)
def test_a_row_with_half_a_character_is_named(bad: bytes, found: str, tmp_path: Path) -> None:
    path = tmp_path / "log.jsonl"
    path.write_bytes(b'{"id": "a", "score": 3}\n{"id": "b", "prompt": "x ' + bad + b' y", "score": 4}\n')
    done = draw(path, tmp_path / "s.jsonl")
    assert ids(done) == ["a"]
    field = "more" if b"more" in bad else "prompt"
    assert any(f"log.jsonl > line 2: {field} holds '{found}', which is no character" in said for said in done.warnings)
    assert not any("not named" in said for said in done.warnings)


def test_a_chosen_row_of_csv_that_is_no_text_is_named(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    rows = "".join(f"i{i},{'x' * 1000},4\n" for i in range(1200))  # beyond what is looked at to find the encoding
    path.write_bytes(b"id,prompt,score\n" + rows.encode() + b"bad,\xff,3\n")
    for similarity in (None, 0.8):
        with pytest.raises(
            ToolkitError, match=r"log\.csv: item bad cannot be read whole: it holds bytes that are no UTF"
        ):
            draw(path, tmp_path / "s.jsonl", by=("judge_score",), similarity=similarity)


def test_identifiers_are_text_whatever_they_look_like(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text("item_id;score\n00123;3\n8e5;3\n1.0;4\n")
    assert sorted(ids(draw(path, tmp_path / "s.jsonl"))) == ["00123", "1.0", "8e5"]


def test_csv_rows_that_are_no_rows(tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_text('id;score;text\n001;4 ;"a;b\nc"\n2;3\n3;5;ok;more\n5;3;fine\n')
    done = draw(path, tmp_path / "s.jsonl")
    assert Counter(ids(done)) == {"001": 1, "5": 1}
    assert any("line 4: is no record" in w for w in done.warnings)
    assert any("line 5: is no record" in w for w in done.warnings)


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_csv_in_other_encodings(encoding: str, tmp_path: Path) -> None:
    path = tmp_path / "log.csv"
    path.write_bytes("item_id;domain;score\na;saúde;3\nb;educação;x\n".encode(encoding))
    done = draw(path, tmp_path / "s.jsonl", by=("domain",))
    assert done.records[0]["domain"] == "saúde"
    assert done.report["rows"]["bad_judge_score"] == 1


def test_a_score_is_judged_alike_in_both_places() -> None:
    kept = [4, "4", "4 ", "4,0", "4.0", "+4", "4e0", None, "", 1, 5.0000000000001]
    assert [value for value in kept if score_fault(value, _scale())] == []
    refused = [True, False, "true", float("nan"), float("inf"), "1e400", 0, 6, "0", "4/5", "four", "0x4", "4_0", [4]]
    assert [value for value in refused if not score_fault(value, _scale())] == []


def _scale() -> Scale:
    return Scale()
