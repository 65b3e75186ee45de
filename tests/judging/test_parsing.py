"""Reading answers: the right score, or none and why; never a wrong one."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from toolkit.judging.criteria import Criterion, criteria_scores
from toolkit.judging.parsing import parse_reply
from toolkit.judging.prompts import BINARY, PAIRWISE
from toolkit.judging.scores import interpret
from toolkit.model import Scale
from toolkit.rubrics import default_rubric
from toolkit.values import labels_of

SCALE = Scale()
LABELS = labels_of(default_rubric("en"), "factual")
TEN = Scale(values=tuple(range(1, 11)))

READ: list[tuple[str, int, str]] = [
    # whole JSON
    ('{"score": 4}', 4, "json"),
    ('{"evidence": "e", "justification": "ok", "score": 1}', 1, "json"),
    (' \n{"score": 5}\n ', 5, "json"),
    ('\ufeff{"score": 4}', 4, "json"),
    ('```json\n{"score": 4}\n```', 4, "json"),
    ('```\n{"score": 4}\n```', 4, "json"),
    ('~~~JSON\n{"score": 2}\n~~~', 2, "json"),
    ('{"score": "4"}', 4, "json"),
    ('{"score": " 4 "}', 4, "json"),
    ('{"score": 4.0}', 4, "json"),
    ('{"score": "4,0"}', 4, "json"),
    ('{"score": "4/5"}', 4, "json"),
    ('{"score": "4 de 5"}', 4, "json"),
    ('{"score": "4 out of 5"}', 4, "json"),
    ('{"score": "4."}', 4, "json"),
    ('{"score": "**4**"}', 4, "json"),
    ('{"score": "４"}', 4, "json"),
    ('{"score": "Good"}', 4, "json"),
    ('{"score": "4 - Good"}', 4, "json"),
    ('{"score": "4 (Good)"}', 4, "json"),
    ('{"Score": 4}', 4, "json"),
    ('{"nota": 3, "justificativa": "meio certa"}', 3, "json"),
    ('{"Pontuação": 3}', 3, "json"),
    ('{"pontuacao_final": 3}', 3, "json"),
    ('{"puntuacion": 2, "justificacion": "x"}', 2, "json"),
    ('{"Puntuación Final": 2}', 2, "json"),
    ('{"calificación": 2}', 2, "json"),
    ('{"overall_score": 2, "final": true}', 2, "json"),
    ('{"rating": 5}', 5, "json"),
    ('{"score": 4, "nota": "4"}', 4, "json"),
    ('{"score": 4, "max_score": 5}', 4, "json"),
    ('{"score": 4, "scale": "1-5"}', 4, "json"),
    ('{"evaluation": {"justification": "x", "score": 4}}', 4, "json"),
    ('[{"score": 4}]', 4, "json"),
    ('"{\\"score\\": 4}"', 4, "json"),
    ('{"justification": "line\nbreak", "score": 4}', 4, "json"),
    ('{"justification": "he wrote {\\"score\\": 1}", "score": 4}', 4, "json"),
    ('{"justification": "Score: 1 would be harsh", "score": 4}', 4, "json"),
    # think blocks
    ('<think>Score: 2? or {"score": 1}</think>\n{"score": 4}', 4, "json"),
    ("<thinking>a</thinking><thinking>b</thinking>Nota: 4", 4, "regex"),
    ('the opening tag was in the prompt {"score": 2}</think>{"score": 4}', 4, "json"),
    ('{"justification": "it shows <think> tags</think>", "score": 4}', 4, "json"),
    # JSON inside text
    ('Here is my verdict:\n{"score": 4}\nThank you.', 4, "json_embedded"),
    ('Sure!\n```json\n{"justification": "ok", "score": 4}\n```\nDone.', 4, "json_embedded"),
    ('The set {a, b} is wrong. {"score": 3}', 3, "json_embedded"),
    ('{"quoted": "from the answer"} so {"score": 3}', 3, "json_embedded"),
    ('{"score": 3} and again {"score": 3}', 3, "json_embedded"),
    ('Score: 3\n{"score": 3}', 3, "json_embedded"),
    # repaired
    ('{"score": 4,}', 4, "json_embedded"),
    ("{'justification': 'ok', 'score': 4}", 4, "json_embedded"),
    ("{“justification”: “ok”, “score”: 4}", 4, "json_embedded"),
    ('{justification: "ok", score: 4}', 4, "json_embedded"),
    ('{"justification": "he said "no" twice", "score": 2}', 2, "json_embedded"),
    ('{"justification": "a" "score": 4}', 4, "json_embedded"),
    ('{"justification": "ok", // fine\n "score": 4}', 4, "json_embedded"),
    ('{"ok": True, "score": 4}', 4, "json_embedded"),
    # labels
    ("Score: 4", 4, "regex"),
    ("**Score:** 4", 4, "regex"),
    ("**Score**: 4", 4, "regex"),
    ("**Score: 4**", 4, "regex"),
    ("### Score: 4/5", 4, "regex"),
    ("- Nota: 4,0", 4, "regex"),
    # jr-03: never 40
    ("Nota: 4.0", 4, "regex"),
    ("Nota: 4,", 4, "regex"),
    ("Score: 4e0", 4, "regex"),
    ('{"score": 4e0}', 4, "json"),
    ("A nota final é: 4", 4, "regex"),
    ("A nota é 4.", 4, "regex"),
    ("La puntuación es 3.", 3, "regex"),
    ("Puntuación final: **4/5**", 4, "regex"),
    ("Pontuação = 2", 2, "regex"),
    ("The final score is 4.", 4, "regex"),
    ("Because of this and that.\n\nScore: 4", 4, "regex"),
    ("## Score\n4", 4, "regex"),
    ("Score (1-5): 4", 4, "regex"),
    ("Score: 4 - Good", 4, "regex"),
    ("Score: Good", 4, "regex"),
    ("Score: 4\nFinal score: 4", 4, "regex"),
    ("<score>4</score>", 4, "regex"),
    ("Rating: [[4]]", 4, "regex"),
    ('"score": 4', 4, "regex"),
    # bare
    ("4", 4, "regex"),
    ("**4**", 4, "regex"),
    ("4/5", 4, "regex"),
    ("4.", 4, "regex"),
    ("Good", 4, "regex"),
]

UNREAD: list[tuple[str, str, str]] = [
    ("", "unparsed", "empty"),
    (" \n\t", "unparsed", "empty"),
    # jr-01, jr-03, jr-05
    ("não consigo avaliar", "refusal", "declines"),
    ("Nota: 3,5", "unparsed", "between two"),
    ("Nota: .5", "unparsed", "exactly one"),
    ("0.8", "unparsed", "off the scale"),
    ('{"score": "3,5"}', "unparsed", "between two"),
    ('{"score": 4.5}', "unparsed", "between two"),
    ('{"score": true}', "unparsed", "true or false"),
    ('{"score": false}', "unparsed", "true or false"),
    ('{"score": null}', "unparsed", "null"),
    ('{"score": "null"}', "unparsed", "exactly one"),
    ('{"score": "N/A"}', "unparsed", "exactly one"),
    ('{"score": ""}', "unparsed", "empty"),
    ('{"nota": {"score": 4}}', "unparsed", "an object"),
    ('{"score": [4]}', "unparsed", "a list"),
    ('{"score": {"value": 4, "max": 10}}', "unparsed", "an object"),
    ('{"score": NaN}', "unparsed", "off the scale"),
    ('{"score": Infinity}', "unparsed", "not certain"),
    ('{"justification": "it says ", "score": 2}", "score": 4}', "unparsed", "of its own"),
    ('{"score": 1e999}', "unparsed", "off the scale"),
    # off the scale by more than one, other scales, ranges
    ('{"score": 7}', "unparsed", "off the scale"),
    ('{"score": -3}', "unparsed", "off the scale"),
    ('{"score": 5.5}', "unparsed", "off the scale"),
    ('{"score": 45}', "unparsed", "off the scale"),
    ("Score: 100", "unparsed", "off the scale"),
    ('{"score": "8/10"}', "unparsed", "another scale"),
    ("8/10", "unparsed", "another scale"),
    ("Score: 4/10", "unparsed", "another scale"),
    ("Nota: 4 de 10", "unparsed", "another scale"),
    ("Score (0-10): 4", "unparsed", "another scale"),
    ('{"score": 4, "max_score": 10}', "unparsed", "another scale"),
    ('{"score": 3} Score: 3 of 10', "unparsed", "labelled line"),
    ('{"score": 3}\nScore: 8', "unparsed", "labelled line"),
    ('{"score": 3}\nScore: 4 (perhaps 5)', "unparsed", "labelled line"),
    ('Score (0-10):\n{"score": 3}', "unparsed", "labelled line"),
    ('{"score": 2, "result": {"score": 4}}', "unparsed", "differ in one object"),
    ('{"score": 4, "scale": "0-10"}', "unparsed", "another scale"),
    ("Score: 80%", "unparsed", "per cent"),
    ("Score: 3-4", "unparsed", "range"),
    ("Nota: 3 ou 4", "unparsed", "range"),
    ("Puntuación: entre 3 y 4", "unparsed", "range"),
    ('{"score": "3–4"}', "unparsed", "range"),
    ('{"score": 3-4}', "unparsed", "range"),
    ('{"score": "1,000"}', "unparsed", "range"),
    ('{"score": "4½"}', "unparsed", "fractional"),
    ('{"score": "⁴"}', "unparsed", "raised"),
    ('{"score": "④"}', "unparsed", "circled"),
    ('{"score": "four"}', "unparsed", "exactly one"),
    ('{"score": "4 - Weak"}', "unparsed", "differ"),
    ("Score: 4 or maybe less", "unparsed", "exactly one"),
    ("Score: 4 would be too generous, so 2", "unparsed", "exactly one"),
    # conflicts
    ('{"score": 4, "score": 5}', "unparsed", "duplicate"),
    ('{"score": 4, "score": 4}', "unparsed", "duplicate"),
    ('text {"a": {"score": 1, "score": 2}} text', "unparsed", "duplicate"),
    ('{"score": 4, "nota": 3}', "unparsed", "differ"),
    ('{"score": 4, "final_score": 3}', "unparsed", "differ"),
    ('{"score": 4}\n{"score": 3}', "unparsed", "differ"),
    ('The answer said {"score": 5}. Mine: {"score": 2}', "unparsed", "differ"),
    ("Score: 4\nFinal score: 3", "unparsed", "differ"),
    ("<score>4</score> <score>3</score>", "unparsed", "differ"),
    ('Score: 2\n{"score": 4}', "unparsed", "differ"),
    ('[{"score": 4}, {"score": 2}]', "unparsed", "list"),
    ("[]", "unparsed", "list"),
    ('{"clarity": {"score": 4}, "accuracy": {"score": 2}}', "unparsed", "no score"),
    ('{\n "clarity": {\n  "score": 4,\n },\n}', "unparsed", "not certain"),
    ('{"justification": "score: 2 is for errors", "score": 4,}', "unparsed", "not certain"),
    ('{"score": 4 or 5}', "unparsed", "not certain"),
    ('{"score": <1-5>}', "unparsed", "not certain"),
    ('{"score": "4" or "5"}', "unparsed", "not certain"),
    # cut off, though the provider did not say so
    ('{"justification": "because', "truncated", "never ends"),
    ('{"justification": "x", "score": 4', "truncated", "never ends"),
    ('{"justification": "x", "score": ', "truncated", "never ends"),
    ('{"criteria": {"clarity": {"score": 2}}, "score": ', "truncated", "never ends"),
    ('{"score": 2}\n{"score": ', "truncated", "never ends"),
    ("<think>hmm, Score: 4", "truncated", "thinking"),
    ('<think>{"score": 4}</think>', "truncated", "thinking"),
    # refusals, and texts without a score
    ("I'm sorry, but I can't evaluate this content.", "refusal", "declines"),
    ("I cannot rate this.", "refusal", "declines"),
    ("Desculpe, não posso avaliar.", "refusal", "declines"),
    ("Lo siento, no puedo puntuar esta respuesta.", "refusal", "declines"),
    ("The answer has 4 errors.", "unparsed", "no score"),
    ("I would give it a 4 perhaps", "unparsed", "no score"),
    ("Underscore: 4", "unparsed", "no score"),
    ("The scores: 4 and 5", "unparsed", "no score"),
    ("2024", "unparsed", "off the scale"),
    ("{}", "unparsed", "no score"),
    ('{"justification": "fine"}', "unparsed", "no score"),
    ("null", "unparsed", "no score"),
    ("[" * 5000, "unparsed", "no score"),
    ("{" * 5000, "truncated", "never ends"),
    ('{"a":' * 3000 + "1" + "}" * 3000, "unparsed", "no score"),
]

CLAMPED: list[tuple[str, int]] = [
    ('{"score": 6}', 5),
    ('{"score": 0}', 1),
    ('{"score": "0"}', 1),
    ("Nota: 6", 5),
    ("0", 1),
    ('Fine: {"score": 6.0}', 5),
]


@pytest.mark.parametrize(("text", "score", "method"), READ)
def test_a_score_is_read(text: str, score: int, method: str) -> None:
    parsed = parse_reply(text, SCALE, labels=LABELS)
    assert (parsed.score, parsed.method, parsed.failure) == (score, method, None), parsed


@pytest.mark.parametrize(("text", "failure", "reason"), UNREAD)
def test_no_score_and_the_reason(text: str, failure: str, reason: str) -> None:
    parsed = parse_reply(text, SCALE, labels=LABELS)
    assert (parsed.score, parsed.clamped, parsed.method, parsed.failure) == (None, None, "default", failure), parsed
    assert reason in (parsed.reason or "")


@pytest.mark.parametrize(("text", "end"), CLAMPED)
def test_one_step_off_the_scale_is_clamped_and_flagged(text: str, end: int) -> None:
    parsed = parse_reply(text, SCALE)
    assert (parsed.score, parsed.clamped, parsed.failure) == (None, end, "clamped")
    assert "off the scale by one" in (parsed.reason or "")


def test_there_are_enough_cases() -> None:
    assert len({text for text, *_ in (*READ, *UNREAD, *CLAMPED)}) == len(READ) + len(UNREAD) + len(CLAMPED) > 160


@pytest.mark.parametrize(
    "text",
    [
        "```json\n" + "\n" * 150_000,
        "```json\n{" + " " * 150_000 + "}",
        " " * 150_000 + "Score",
        ("*" * 290 + "\n") * 500,
        "<think>" * 20_000,
        "</think>" * 20_000,
        '{"score": ' + "[" * 30_000 + "}",
        "{" + '"score" ' * 4_000 + "}",
        '{"a": "' + '\\"' * 30_000 + "}",
        "[[" * 70_000,
        "<score>" * 20_000,
        '{"x": 1} ' * 15_000,
        "score " * 30_000,
        "4" * 150_000,
        '{"score": ' + "9" * 5_000 + "}",
        "a" * 199_999,
    ],
    ids=range(16),
)
def test_a_hostile_text_takes_no_time(text: str) -> None:
    started = time.process_time()
    assert parse_reply(text, SCALE, labels=LABELS).score is None
    assert time.process_time() - started < 2


def test_finish_reasons_come_first() -> None:
    whole = '{"score": 4}'
    assert parse_reply(whole, SCALE, finish="length").failure == "truncated"
    assert parse_reply(whole, SCALE, finish="refusal").failure == "refusal"


def test_texts_and_confidence() -> None:
    text = '{"evidencias": ["a", "b"], "justificativa": "j", "sugestão": "s", "confianca": 0.7, "nota": 2}'
    parsed = parse_reply(text, SCALE)
    assert parsed.texts == {"evidence": "a\nb", "justification": "j", "suggestion": "s"}
    assert parsed.confidence == 0.7
    assert parse_reply('{"confidence": 7, "score": 4}', SCALE).confidence is None


def test_repair_is_said() -> None:
    assert parse_reply('{"score": 4,}', SCALE).repaired
    assert not parse_reply('{"score": 4}', SCALE).repaired


@pytest.mark.parametrize(
    ("text", "scale", "score"),
    [
        ('{"winner": "A"}', PAIRWISE, "A"),
        ('{"winner": "TIE"}', PAIRWISE, "tie"),
        ("Winner: B", PAIRWISE, "B"),
        ("[[A]]", PAIRWISE, "A"),
        ('{"winner": "A or B"}', PAIRWISE, None),
        ('{"winner": 1}', PAIRWISE, None),
        ('{"critique": "c", "verdict": "fail"}', BINARY, "fail"),
        ("Veredito: pass", BINARY, "pass"),
        ('{"verdict": false}', BINARY, None),
        ('{"verdict": "not fail"}', BINARY, None),
        ("pass", BINARY, "pass"),
        ("It does not pass", BINARY, None),
        ('{"score": "10"}', TEN, 10),
        ("8/10", TEN, 8),
        ("4/5", TEN, None),
    ],
)
def test_other_scales(text: str, scale: Scale, score: Any) -> None:
    assert parse_reply(text, scale).score == score


CRITERIA = [Criterion(name="clarity", description="c", weight=2), Criterion(name="precisão", description="p")]


@pytest.mark.parametrize(
    ("text", "scores"),
    [
        ('{"justification": "j", "scores": {"clarity": 4, "precisão": 1}}', {"clarity": 4.0, "precisão": 1.0}),
        ('```json\n{"scores": {"Clarity": "4/5", "precisao": 1}}\n```', {"clarity": 4.0, "precisão": 1.0}),
        ('{"clarity": 4, "precisão": 1}', {"clarity": 4.0, "precisão": 1.0}),
        ('{"scores": {"clarity": 4}}', {}),
        ('{"scores": {"clarity": 4, "precisão": 6}}', {}),
        ('{"scores": {"clarity": 4, "clarity": 3, "precisão": 1}}', {}),
        ('{"scores": {"clarity": 4, "precisão": 1}} {"scores": {"clarity": 4, "precisão": 2}}', {}),
        ("clarity: 4, precisão: 1", {}),
        ('{"scores": {"clarity": 4, "precisão": 1}', {}),
    ],
)
def test_criteria_count_only_all_together(text: str, scores: dict[str, float]) -> None:
    found, why = criteria_scores(text, CRITERIA, SCALE)
    assert found == scores
    assert (why is None) == bool(scores)


# prose in which nothing is a score: no digits, braces, brackets or label words
PROSE = st.text(st.sampled_from("abcdefgh ção.,;!?\n*_-\"'“”"), max_size=60)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-20, 20) | st.floats(-20, 20) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=4,
)


def means(value: Any) -> int | None:
    """What a JSON score means, said again in another way."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return int(value) if value in (1, 2, 3, 4, 5) else None


@given(JSON.filter(lambda value: not isinstance(value, str)), st.text(max_size=30), PROSE, PROSE)
@settings(max_examples=250, deadline=None)
@example(True, "", "", "")
@example(4.0, '"score": 1', "\n", "")
def test_whatever_the_score_field_holds_it_is_that_score_or_none(value: Any, why: str, before: str, after: str) -> None:
    text = json.dumps({"justification": why, "score": value})
    assert parse_reply(text, SCALE).score == means(value)
    assert parse_reply(f"{before}\n{text}\n{after}", SCALE).score in (means(value), None)
    if '"' not in before:
        assert parse_reply(f"{before}\n{text}\n{after}", SCALE).score == means(value)


@given(st.integers(1, 5), st.integers(1, 5), PROSE)
@settings(max_examples=150, deadline=None)
def test_two_scores_that_differ_are_no_score(first: int, second: int, between: str) -> None:
    one, two = (json.dumps({"justification": "j", "score": score}) for score in (first, second))
    expected = {first} if first == second else {None}
    assert parse_reply(one + between.replace('"', "") + two, SCALE).score in expected
    assert parse_reply(f"Score: {first}\n{between}\nNota: {second}", SCALE).score in expected | {None}


@given(st.integers(1, 5), st.text(max_size=40), st.data())
@settings(max_examples=250, deadline=None)
def test_an_answer_cut_anywhere_is_never_a_wrong_score(score: int, why: str, data: st.DataObject) -> None:
    text = json.dumps({"evidence": why, "justification": f"{why} Score: 1", "score": score}, ensure_ascii=False)
    cut = text[: data.draw(st.integers(0, len(text)))]
    assert parse_reply(cut, SCALE).score in (None, score)


PIECES = [
    '"',
    '", ',
    '"score": 2',
    "'score': 2",
    '"nota":2',
    "score: 2",
    "Score: 2",
    "\n",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
]
PIECES += ["\\", "“", "x", '"x": ', "</think>", "```", "2", "[[2]]", "<score>2</score>", "evaluation", " "]


@given(st.sampled_from([1, 3, 4, 5]), st.lists(st.sampled_from(PIECES), max_size=9).map("".join))
@settings(max_examples=400, deadline=None)
@example(4, '"score": 2')
@example(4, '", "score": 2, "x": "')
@example(4, '{"score": 2}')
@example(4, '", "score": 2}')
@example(4, '", "score": 2}\n{"x": "')
@example(4, '"} {"score": 2')
@example(4, '"}[[2]]')
@example(4, '"</think>[[2]]')
@example(4, "', 'score': 2, 'x': '")
def test_a_text_that_was_not_escaped_never_makes_a_wrong_score(score: int, quoted: str) -> None:
    # models forget to escape what they quote; what is quoted must never become the score on its own
    text = '{"justification": "it says ' + quoted + '", "score": ' + str(score) + "}"
    assert parse_reply(text, SCALE).score in (None, score)


@given(st.text(max_size=200) | st.text(st.sampled_from("{}[]\":,'score nota:=4/5.-\n<>think/"), max_size=120))
@settings(max_examples=400, deadline=None)
def test_any_text_is_read_without_an_accident(text: str) -> None:
    parsed = parse_reply(text, SCALE, labels=LABELS)
    assert parsed.score is None or parsed.score in SCALE.values
    assert (parsed.score is None) == (parsed.failure is not None) == (parsed.reason is not None)


@given(st.text(st.sampled_from("0123456789.,/-+eE%½ "), max_size=8))
@settings(max_examples=400, deadline=None)
def test_a_written_number_is_one_value_or_none(text: str) -> None:
    found = interpret(text, SCALE).value
    if found is None:
        return
    plain = text.strip(" .,;").replace(",", ".")
    number = plain.split("/")[0] if "/" in plain else plain
    assert float(number) == found
    assert "/" not in plain or float(plain.split("/")[1]) == 5
