"""A name is found and hidden however a text writes it, and nowhere else: people read the same name in all of them."""

from __future__ import annotations

import time

import pytest

from toolkit.spellings import first_words, hidden, literal, spelling
from toolkit.texts import plain_key

DASHES = "-\u2010\u2011\u2012\u2013\u2014\u2212\ufe63\uff0d"
MARKED = ["**GPT**-4o", "GPT\\-4o", "`GPT`\u20114o", "*GPT*4o", "G**PT**-4o", "~~GPT~~ 4o", "GPT-*4*o", "_GPT_-4o"]
WRITTEN = [*(f"GPT{dash}4o" for dash in DASHES), *MARKED, "GPT4o", "gpt 4o", "GPT_4O", "GPT\u00a04o", "_GPT-4o_",
           "GPT\u200b-4o", "ＧＰＴ-4ｏ", "GPT - 4o", "gpt-4-o"]  # fmt: skip
OTHER = ["GPT-4", "GPT-40", "GPT-4omni", "xGPT-4o", "GPT é 4o", "GP T-4o", "GPT-5o", "GPT, 4o"]


@pytest.mark.parametrize("written", WRITTEN)
def test_every_way_to_write_a_name(written: str) -> None:
    for text in (written, f"Sou o {written}, sim: “{written}”.", f"({written})"):
        assert spelling("gpt-4o").search(plain_key(text)), text
        left = hidden(text, ["GPT-4o"], "[…]")
        assert left.count("[…]") == text.count(written) and not spelling("gpt-4o").search(plain_key(left)), left
        assert "4" not in left and "PT" not in left.upper()


@pytest.mark.parametrize("other", OTHER)
def test_what_is_another_name_or_none(other: str) -> None:
    assert not spelling("gpt-4o").search(plain_key(other))
    assert hidden(other, ["gpt-4o"], "[…]") == other


@pytest.mark.parametrize(
    ("name", "told", "others"),
    [
        ("o1", ["o1", "O-1", "o\u20111", "**o**1"], ["no1", "o 1º lugar", "o10", "foo 1", "po1o"]),
        ("a b", ["a b", "A-B", "a\u2013b", "**a** b"], ["ab", "a, b"]),
        ("gpt4o", ["GPT-4o", "GPT 4o", "gpt4o", "GPT-4-o"], ["GPT-4 o", "gpt4"]),
        ("claude-3-5", ["Claude 3\u20135", "claude3-5", "Claude_3_5"], ["claude 35", "claude-3", "claude 3 e 5"]),
        ("gemini-2.5-pro", ["Gemini 2.5 Pro", "gemini2.5pro"], ["gemini-2-5-pro", "gemini-2.5-product"]),
    ],
)
def test_only_a_border_of_letters_and_digits_may_be_left_out(name: str, told: list[str], others: list[str]) -> None:
    assert [text for text in (*told, *others) if spelling(name).search(plain_key(text))] == told


def test_every_way_begins_with_a_word_by_which_it_is_looked_up() -> None:
    assert list(first_words("gpt-4o")) == ["gpt", "gpt4", "gpt4o"]
    assert list(first_words("a b")) == ["a"]
    assert list(first_words("claude-3-5")) == ["claude", "claude3"]
    assert list(first_words("¿?")) == []


def test_words_that_are_no_name_are_found_with_their_parts_apart() -> None:
    assert literal("item-7").search("o item\u20137") and literal("item-7").search("item_7")
    assert not literal("item-7").search("item7") and not literal("a1").search("a-1")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**GPT**-4o", "**X**"),
        ("**Sou o GPT**-4o.", "**Sou o X**."),
        ("**GPT-4o**", "**X**"),
        ("GPT-*4*o", "X"),
        ("_GPT_-4o", "_X_"),
        ("`GPT`-`4o`", "`X`"),
        ("gpt-4-turbo e gpt-4", "X e X"),
        ("o\u0301 GPT-4o\u2014e\u0301 GPT-4o", "o\u0301 X\u2014e\u0301 X"),
        ("Straße ﬁm GPT\u20114o", "Straße ﬁm X"),
    ],
)
def test_what_is_left_around_a_mask(text: str, expected: str) -> None:
    assert hidden(text, ["gpt-4o", "gpt-4", "gpt-4-turbo"], "X") == expected
    assert hidden(text, ["gpt-4-turbo", "gpt-4", "gpt-4o"], "X") == expected


def test_names_that_say_nothing_hide_nothing() -> None:
    assert hidden("a -- b __ c", ["", " ", "\u200b"], "X") == "a -- b __ c"
    assert hidden("a -- b", ["--"], "X") == "a X b"
    assert hidden("", ["gpt"], "X") == ""


@pytest.mark.parametrize(
    "text", ["gpt" + "*" * 100_000, "gpt " * 30_000, "gpt" + "-*" * 50_000, "o" + "\u0301" * 90_000]
)
def test_no_text_takes_long(text: str) -> None:
    began = time.process_time()
    hidden(text, ["gpt-4o", "o1"], "X")
    assert time.process_time() - began < 2
