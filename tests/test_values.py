"""Which cells hold a score, and which one."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolkit.i18n import LANGUAGES, language
from toolkit.model import Scale
from toolkit.rubrics import default_rubric
from toolkit.texts import plain_key, same_text_form
from toolkit.values import labels_of, parse_score, says_yes, shows

SCALE = Scale()
LABELS = {"boa": 4, "ruim": 2}


@pytest.mark.parametrize("code", LANGUAGES)
def test_the_choices_that_sheets_offer_for_yes_and_no_are_known(code: str) -> None:
    _ = language(code)
    assert says_yes(_("yes")) is True and says_yes(_("no").upper()) is False


@pytest.mark.parametrize(
    ("text", "said"),
    [("SÍ", True), ("si", True), ("Verdadeiro", True), ("x", True), ("nao", False), ("FALSO", False), ("0", False)]
    + [(text, None) for text in ("", "-", "talvez", "yes, once", "nothing")],
)
def test_every_way_to_say_yes_or_no(text: str, said: bool | None) -> None:
    assert says_yes(text) is said


@pytest.mark.parametrize(
    ("raw", "value", "repaired"),
    [
        (4, 4, False),
        (4.0, 4, False),
        (2.9999999999999996, 3, True),
        ("4", 4, True),
        (" 4 ", 4, True),
        ("4.0", 4, True),
        ("4,0", 4, True),
        ("4,00", 4, True),
        ("\u00a04\u00a0", 4, True),
        ("\ufeff4", 4, True),
        ("\u200b4\u200e", 4, True),
        ("bo\u00ada", 4, True),
        ("４", 4, True),
        ("+4", 4, True),
        ("boa", 4, True),
        ("BOA ", 4, True),
        ("4 - boa", 4, True),
        ("4: Boa", 4, True),
        ("4 — boa", 4, True),
        ("4 = boa", 4, True),
    ],
)
def test_one_value_is_taken(raw: object, value: int, repaired: bool) -> None:
    parsed = parse_score(raw, SCALE, LABELS)
    assert parsed.value == value
    assert (parsed.repair is not None) == repaired


@pytest.mark.parametrize("raw", [None, "", "   ", "\u00a0", "\n", "\ufeff", " \u200b\u00a0"])
def test_a_blank_is_no_score_and_no_error(raw: object) -> None:
    assert parse_score(raw, SCALE).value is None


@pytest.mark.parametrize(
    "raw",
    [
        4.5,
        4.6,
        3.9999999999,
        4.0000000001,
        0,
        6,
        -4,
        1e300,
        float("nan"),
        float("inf"),
        True,
        False,
        [4],
        b"4",
        datetime.date(2026, 5, 4),
        datetime.datetime(2026, 5, 4),
        datetime.time(4),
        datetime.timedelta(4),
        "3-4",
        "4/5",
        "4 ou 5",
        "4 5",
        "4;5",
        "80%",
        "4e0",
        "0x4",
        "1_0",
        "4.",
        ".4",
        "4.000.000",
        "4.000",
        "4,000",
        "quatro",
        "VERDADEIRO",
        "#N/A",
        "=4",
        "4 - ruim",
        "ruim 4",
        "④",
        "⁴",
        "½",
        "4½",
        "4!",
        "~4",
        "4?",
        "-",
        "n/a",
        "4 - ",
    ],
)
def test_anything_else_is_refused_with_the_scale_named(raw: object) -> None:
    with pytest.raises(ValueError, match="1-5"):
        parse_score(raw, SCALE, LABELS)


def test_in_a_text_only_file_the_plain_text_is_the_plain_value() -> None:
    assert parse_score("4", SCALE, textual=True).repair is None
    assert parse_score("4,0", SCALE, textual=True).repair == "4,0"


def test_a_nominal_scale_takes_its_names_in_any_spelling_and_no_numbers() -> None:
    scale = Scale(kind="nominal", values=("A", "B", "tie"))
    assert parse_score("tie", scale) == parse_score("tie", scale, textual=True)
    assert parse_score("tie", scale).repair is None
    assert parse_score(" TIE", scale).value == "tie"
    for raw in (0, 1, "C", "A/B", True):
        with pytest.raises(ValueError, match="tie"):
            parse_score(raw, scale)


def test_every_level_of_the_default_rubrics_can_be_written_as_its_own_words() -> None:
    for code in ("en", "pt-BR", "es"):
        rubric = default_rubric(code)
        for key, dimension in rubric.dimensions.items():
            labels = labels_of(rubric, key)
            for value, level in dimension.levels.items():
                assert parse_score(level.short, rubric.scale, labels).value == value
                assert parse_score(f"{value} - {rubric.scale.labels[value]}", rubric.scale, labels).value == value


def test_words_of_two_levels_stand_for_none() -> None:
    rubric = default_rubric("en")
    level = rubric.dimensions["factual"].levels[1]
    levels = rubric.dimensions["factual"].levels | {2: level}
    factual = rubric.dimensions["factual"].model_copy(update={"levels": levels})
    doubled = rubric.model_copy(update={"dimensions": {"factual": factual}})
    with pytest.raises(ValueError, match="exactly one"):
        parse_score(level.short, rubric.scale, labels_of(doubled, "factual"))


@given(st.one_of(st.text(), st.floats(), st.integers(), st.booleans(), st.dates()))
def test_whatever_comes_gives_a_value_of_the_scale_a_blank_or_a_reason(raw: object) -> None:
    try:
        parsed = parse_score(raw, SCALE, LABELS)
    except ValueError as error:
        assert str(error)
    else:
        assert parsed.value is None or parsed.value in SCALE.values


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_no_number_is_ever_rounded_to_a_score(number: float) -> None:
    try:
        value = parse_score(number, SCALE).value
    except ValueError:
        assert all(abs(number - level) >= 1e-12 for level in (1, 2, 3, 4, 5))
    else:
        assert isinstance(value, int)
        assert abs(number - value) < 1e-12


@pytest.mark.parametrize(
    ("display", "value"),
    [
        ("4", 4),
        ("4,00", 4),
        (" 4 ", 4),
        ("R$ 4,00", 4),
        ("€4", 4),
        ("4 pontos", 4),
        ("4 of 5", 4),
        ("4 de 10", 4),
        ("-2", -2),
        ("\u22122", -2),
        ("(2)", -2),
        ("(2.00)", -2),
        ("( R$ 2,00 )", -2),
        (" $ (2.00)", -2),
        ("\u0664", 4),
    ],
)
def test_a_display_that_is_the_value(display: str, value: int) -> None:
    assert shows(display, value)
    assert not shows(display, value + 1)
    assert not shows(display, -value)


@pytest.mark.parametrize(
    "display",
    [
        "",
        "-",
        "x",
        "14",
        "4 5",
        "4/5",
        "3-4",
        "4-",
        "~4",
        "<4",
        "4?",
        "4!",
        "4%",
        ".4",
        ",4",
        "04",
        "(4",
        "4)",
        "-(4)",
        "((4))",
        "4.0.0",
        "4\n5",
        "4 * 2",
        "4 " + "x" * 99,
        "what its number format makes of it",
    ],
)
def test_a_display_that_is_not(display: str) -> None:
    assert not shows(display, 4)
    assert not shows(display, -4)


def test_a_display_of_a_name_is_no_number() -> None:
    assert not shows("A", "A")
    assert not shows("1", None)


def test_a_minus_sign_is_a_minus() -> None:
    scale = Scale(values=(-2, -1, 0, 1, 2))
    parsed = parse_score("\u22122", scale)
    assert (parsed.value, parsed.repair) == (-2, "\u22122")
    for raw in ("\u20132", "(2)", "2-", "- 2"):
        with pytest.raises(ValueError, match="exactly one"):
            parse_score(raw, scale)


def test_marks_without_end_on_a_letter_take_no_time() -> None:
    text = "a" + "\u0301\u0323" * 150_000
    # put in order, these would take minutes
    assert plain_key(text) == text and same_text_form(text) == text
    with pytest.raises(ValueError, match="scale"):
        parse_score(text, Scale())
