"""toolkit rubric: what a check finds, and what becomes of a model's draft."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.studies import ok, refused, toolkit, write_jsonl
from toolkit.files import resources
from toolkit.jobs.rubric_check import check_rubric
from toolkit.judging.drafts import Topic, draft_prompt, draft_schema, read_draft
from toolkit.model import Scale
from toolkit.rubrics import default_rubric, read_rubric

LEVELS = {
    1: "Nobody could act on it: no step is named.",
    2: "One step is named; the rest must be guessed by the reader.",
    3: "Most steps are named, out of order.",
    4: "Every step in order, with one that needs a second reading.",
    5: "A newcomer follows it at first sight, without asking anybody.",
}


def dimension(**changes: Any) -> dict[str, Any]:
    levels = {value: {"short": f"Short {value}", "description": text} for value, text in LEVELS.items()}
    examples = [{"text": "x", "score": 1, "why": "y"}, {"text": "z", "score": 5, "why": "w"}]
    whole = {
        "title": "Clarity",
        "question": "Can a newcomer follow it?",
        "levels": levels,
        "edge_cases": ["Empty: 1."],
        "examples": examples,
    }
    return whole | changes


def rubric(path: Path, language: str = "en", **dimensions: Any) -> Path:
    whole = {"name": "n", "language": language, "scale": {"values": [1, 2, 3, 4, 5]}, "dimensions": dimensions}
    path.write_text(yaml.safe_dump(whole, allow_unicode=True), encoding="utf-8")
    return path


def with_level(value: int, **changes: str) -> dict[Any, Any]:
    levels = dimension()["levels"]
    return levels | {value: levels[value] | changes}


@pytest.mark.parametrize("code", ["en", "pt-BR", "es"])
def test_the_rubrics_that_ship_pass_their_own_check(code: str) -> None:
    found = check_rubric(resources("templates") / "rubrics" / f"{code}.yaml")
    assert (found.errors, found.warnings) == ((), ())


def warned(path: Path) -> dict[str | None, str]:
    found = check_rubric(path)
    assert found.errors == ()
    assert all(problem.fix for problem in found.warnings)
    return {problem.cell: problem.what for problem in found.warnings}


def test_a_good_rubric_has_nothing_against_it(tmp_path: Path) -> None:
    assert warned(rubric(tmp_path / "r.yaml", clarity=dimension())) == {}
    assert "nothing to say against it" in ok("rubric", "check", tmp_path / "r.yaml")


def test_every_lint_names_its_place(tmp_path: Path) -> None:
    same = dimension()["levels"]
    same[4] = {"short": "SHORT  5", "description": same[5]["description"].upper()}
    path = rubric(
        tmp_path / "r.yaml",
        overlap=dimension(levels=same),
        near=dimension(levels=with_level(2, description="Most steps are named, out of their order.")),
        bare=dimension(levels=with_level(3, description="Mixed 3.")),
        alone=dimension(edge_cases=[], examples=[]),
        one=dimension(examples=[{"text": "x", "score": 2, "why": "y"}]),
        double=dimension(title="Clarity and tone", question="Is it clear, is it kind, and is it short and true?"),
    )
    assert warned(path) == {
        "dimensions.overlap.levels.5.short": "the levels 4 and 5 have the same short form",
        "dimensions.overlap.levels.5.description": "the levels 4 and 5 are described in the same words",
        "dimensions.near.levels.3.description": "the levels 2 and 3 are described in nearly the same words",
        "dimensions.bare.levels.3.description": "the description says hardly more than the level's name",
        "dimensions.alone.edge_cases": "has no edge cases",
        "dimensions.alone.examples": "has no examples",
        "dimensions.one.examples": "all examples have the score 2",
        "dimensions.double.title": "the title names several things",
        "dimensions.double.question": "the question asks for several things",
    }


@pytest.mark.parametrize(
    ("language", "title", "question", "several"),
    [
        ("pt-BR", "Clareza e tom", "É claro?", {"title"}),
        ("pt-BR", "Clareza", "É claro, e é gentil ou breve?", {"question"}),
        ("es", "Claridad y tono", "¿Es claro?", {"title"}),
        ("es", "Claridad", "¿Es claro? ¿Es amable?", {"question"}),
        ("pt-BR", "Completude", "O que falta à resposta?", set()),
        ("en", "Tone/clarity", "Is it kind?", {"title"}),
        ("de", "Klarheit und Ton", "Ist es klar und kurz und wahr?", set()),
    ],
)
def test_several_things_in_one_criterion(
    tmp_path: Path, language: str, title: str, question: str, several: set[str]
) -> None:
    found = warned(rubric(tmp_path / "r.yaml", language, d=dimension(title=title, question=question)))
    assert set(found) == {f"dimensions.d.{place}" for place in several}


def test_errors_of_all_dimensions_come_at_once(tmp_path: Path) -> None:
    missing, unknown = dimension()["levels"], dimension()["levels"]
    del missing[2], missing[5]
    unknown[7] = {"short": "s", "description": "d"}
    path = rubric(
        tmp_path / "r.yaml",
        a=dimension(levels=missing),
        b=dimension(levels=with_level(3, short="x" * 46)),
        c=dimension(levels=unknown),
        d=dimension(examples=[{"text": "x", "score": "five", "why": "y", "more": 1}]),
    )
    found = {problem.cell: problem.what for problem in check_rubric(path).errors}
    assert found["dimensions.a.levels.2"] == "the level 2 is missing"
    assert found["dimensions.a.levels.5"] == "the level 5 is missing"
    assert found["dimensions.b.levels.3.short"] == "short has 46 characters; 45 fit beside the score"
    assert found["dimensions.c.levels.7"] == "there is no value 7 on the scale"
    assert "dimensions.d.examples.0.more" in found
    said = refused("rubric", "check", path)
    assert "r.yaml > dimensions.a.levels.2: the level 2 is missing. -> describe it, with short and description." in said


def test_short_forms_that_do_not_fit_together(tmp_path: Path) -> None:
    values = list(range(1, 8))
    levels = {value: {"short": "s" * 40, "description": f"{value} " + LEVELS[value % 5 + 1]} for value in values}
    whole = {"name": "n", "language": "en", "scale": {"values": values}, "dimensions": {"d": dimension(levels=levels)}}
    (tmp_path / "r.yaml").write_text(yaml.safe_dump(whole))
    # 7 lines of "n = " and 40 characters, 6 line ends
    [problem] = check_rubric(tmp_path / "r.yaml").errors
    assert (problem.cell, problem.what) == (
        "dimensions.d.levels",
        "the short forms need 314 characters together; 255 fit",
    )


def test_the_check_as_json_and_its_exit_codes(tmp_path: Path) -> None:
    path = rubric(tmp_path / "r.yaml", d=dimension(edge_cases=[]))
    result = toolkit("rubric", "check", path, "--json")
    assert result.exit_code == 0
    found = json.loads(result.stdout)
    assert found["errors"] == []
    assert [(one["place"], one["what"]) for one in found["warnings"]] == [
        ("dimensions.d.edge_cases", "has no edge cases")
    ]
    path = rubric(tmp_path / "r.yaml", d=dimension(levels=with_level(1, short="x" * 50)))
    result = toolkit("rubric", "check", path, "--json")
    assert result.exit_code == 1
    [error] = json.loads(result.stdout)["errors"]
    assert error["place"] == "dimensions.d.levels.1.short" and error["fix"] == "shorten it"


@pytest.mark.parametrize(
    "content",
    [
        "",
        "- a\n",
        "a: [",
        "scale: 3\ndimensions: 4\n",
        "dimensions: {d: 3}\nscale: {values: .nan}\n",
        "\x00",
        "a: &a [*a]",
    ],
)
def test_files_that_are_no_rubric(tmp_path: Path, content: str) -> None:
    path = tmp_path / "r.yaml"
    path.write_text(content)
    assert "r.yaml" in refused("rubric", "check", path)
    assert json.loads(toolkit("rubric", "check", path, "--json").stdout)["errors"]


# --- drafts


def drafted(**changes: Any) -> dict[str, Any]:
    levels = [
        {"value": value, "characteristics": ["seen: a", "seen: b"], "description": text, "short": f"Short {value}"}
        for value, text in LEVELS.items()
    ]
    whole = {
        "title": "Clarity",
        "question": "Can a newcomer follow it?",
        "levels": levels,
        "edge_cases": ["Empty: give 1."],
        "examples": [{"text": "x", "score": 1, "why": "y"}, {"text": "z", "score": 5, "why": "w"}],
        "guidance": "Read twice. " * 20,
    }
    return whole | changes


def draft(tmp_path: Path, *answers: Any, options: tuple[object, ...] = ()) -> list[object]:
    """Return a command whose model gives these answers, one for each time it is asked."""
    rows = [
        {
            "item_id": "rubric",
            "dimension": "clarity",
            "sample": place,
            "text": a if isinstance(a, str) else json.dumps(a),
        }
        for place, a in enumerate(answers)
    ]
    replay = write_jsonl(tmp_path / "answers.jsonl", rows)
    given = ["rubric", "draft", "--domain", "recipes", "--dimension", "clarity=Can a newcomer follow it?"]
    return [*given, "--provider", "replay", "--answers", replay, "-o", tmp_path / "r.yaml", *options]


def test_a_draft_is_a_rubric_to_be_edited(tmp_path: Path) -> None:
    said = ok(*draft(tmp_path, "Here it is:\n```json\n" + json.dumps(drafted()) + "\n```"))
    assert "to be edited by a person" in said
    text = (tmp_path / "r.yaml").read_text(encoding="utf-8")
    assert text.startswith("# DRAFT, written by a model (answers) and to be edited by a person.")
    assert "  # Guidance: Read twice. Read twice." in text
    assert max(map(len, text.splitlines())) <= 120
    made = read_rubric(tmp_path / "r.yaml")
    assert made.name == "recipes"
    assert made.scale == default_rubric("en").scale
    level = made.dimensions["clarity"].levels[3]
    assert level.description == "Most steps are named, out of order.\n- seen: a\n- seen: b"
    assert [example.score for example in made.dimensions["clarity"].examples] == [1, 5]
    assert "nothing to say against it" in ok("rubric", "check", tmp_path / "r.yaml")


def test_nothing_is_overwritten_and_nothing_paid_twice(tmp_path: Path) -> None:
    command = draft(tmp_path, drafted())
    ok(*command)
    first = (tmp_path / "r.yaml").read_bytes()
    assert "not overwritten" in refused(*command)
    assert "0 made, 1 from the store" in ok(*command, "--force")
    assert (tmp_path / "r.yaml").read_bytes() == first


def test_a_model_may_correct_what_cannot_be_used(tmp_path: Path) -> None:
    long = drafted()
    long["levels"][0]["short"] = "x" * 46
    said = ok(*draft(tmp_path, "no JSON", long, drafted()))
    assert "3 made" in said
    assert read_rubric(tmp_path / "r.yaml").dimensions["clarity"].levels[1].short == "Short 1"


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        ("I would rather not.", "the answer is not one JSON object"),
        ("", "the answer is not one JSON object"),
        ('{"title": "a", "title": "b"}', "the answer is not one JSON object"),
        ({"title": "t"}, "question: Field required"),
        (drafted(levels=drafted()["levels"][1:]), "the level 1 is missing"),
        (drafted(levels=[*drafted()["levels"], drafted()["levels"][0]]), "the level 1 is there twice"),
        (
            drafted(levels=[*drafted()["levels"], {"value": 6, "short": "s", "description": "d"}]),
            "6 is not on the scale",
        ),
        (
            drafted(examples=[{"text": "t", "score": "6/5", "why": "w"}]),
            "examples.0: the score 6/5 is not on the scale",
        ),
        (drafted(title=""), "title: String should have at least 1 character"),
    ],
)
def test_an_answer_that_stays_unusable_is_explained_and_nothing_is_written(
    tmp_path: Path, answer: Any, why: str
) -> None:
    said = refused(*draft(tmp_path, answer, answer, answer))
    assert why in said
    assert "the answers are in r.yaml.calls.sqlite" in said
    assert not (tmp_path / "r.yaml").exists()


def test_a_value_is_the_scales_own_or_none() -> None:
    levels = [level | {"value": str(level["value"])} for level in drafted()["levels"]]
    found, problems = read_draft(json.dumps(drafted(levels=levels)), "stop", Scale())
    assert problems == () and found is not None
    assert [level.value for level in found.levels] == [1, 2, 3, 4, 5]
    for value in (True, 1.0, "1.0", "one"):
        levels[0]["value"] = value
        assert read_draft(json.dumps(drafted(levels=levels)), "stop", Scale())[0] is None


def test_what_went_wrong_is_said_to_the_model(tmp_path: Path) -> None:
    topic = Topic("clarity", "Is it?", "recipes", Scale(), "strict", "en")
    prompt = draft_prompt(topic, ("the level 2 is missing",))
    assert "Your last answer could not be used:\n- the level 2 is missing" in prompt
    assert "Strictness: strict." in prompt and "at most 45 characters" in prompt
    for code, word in (("pt-BR", "Rigor: severo"), ("es", "Rigor: severo")):
        assert word in draft_prompt(Topic("c", "", "d", Scale(), "strict", code), ())
    assert read_draft("x", "length", Scale())[1] == ("the answer is cut off at the length limit",)
    assert read_draft("x", "refusal", Scale())[1] == ("the model declined",)
    schema = draft_schema(Scale())["properties"]["levels"]["items"]
    assert list(schema["properties"]) == ["value", "characteristics", "description", "short"]


def test_hostile_texts_stay_texts(tmp_path: Path) -> None:
    hostile = drafted(
        title="a: b # c",
        question="{{ 7 * 7 }} !!python/object:os.system",
        edge_cases=["- x\n---\nb: *a", "tab\tand\x00nul", "  leading\n  lines "],
        guidance="one\ntwo\u2028three\x85 four\nname: evil",
    )
    ok(*draft(tmp_path, hostile))
    made = read_rubric(tmp_path / "r.yaml").dimensions["clarity"]
    assert made.title == "a: b # c"
    assert made.question == "{{ 7 * 7 }} !!python/object:os.system"
    assert made.edge_cases == ("- x\n---\nb: *a", "tab\tand␀nul", "  leading\n  lines ")
    assert "  # Guidance: one two three four name: evil\n" in (tmp_path / "r.yaml").read_text(encoding="utf-8")


def test_what_a_person_should_look_at_first_is_said(tmp_path: Path) -> None:
    said = ok(*draft(tmp_path, drafted(edge_cases=[])))
    assert "dimensions.clarity.edge_cases: has no edge cases" in said


def test_a_scale_of_ones_own(tmp_path: Path) -> None:
    texts = {"no": "It stops at the first step named.", "yes": "Whoever reads it arrives without asking."}
    levels = [{"value": value, "short": value, "description": text} for value, text in texts.items()]
    answer = drafted(levels=levels, examples=[{"text": "t", "score": "no", "why": "w"}])
    ok(*draft(tmp_path, answer, options=("--scale", "no,yes")))
    made = read_rubric(tmp_path / "r.yaml")
    assert made.scale == Scale(kind="nominal", values=("no", "yes"))
    assert list(made.dimensions["clarity"].levels) == ["no", "yes"]


def test_a_dry_run_and_wrong_usage(tmp_path: Path) -> None:
    command = draft(tmp_path, drafted())
    assert "clarity" in ok(*command, "--dry-run")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["answers.jsonl"]
    assert toolkit(*command, "--samples", 2).exit_code == 2
    assert toolkit(*command, "--dimension", "clarity").exit_code == 2
    assert toolkit("rubric", "draft", "--domain", "x").exit_code == 2
    assert toolkit("rubric").exit_code == 2
