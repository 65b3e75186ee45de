"""Texts from outside: comparing them, and making them safe for a sheet without hiding what was changed."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Literal

# Characters that XML 1.0 cannot hold. A file with one of them opens in no program at all.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff\ud800-\udfff]")
_UNCLEAN = re.compile("[\x00-\x08\x0b-\x1f\x85\u2028\u2029\ufffe\uffff\ud800-\udfff]")
_PICTURES = {code: chr(0x2400 + code) for code in range(0x20)}
REPLACEMENT = "\ufffd"
MOST_MARKS = 500
# What takes no room on the screen: a byte order mark that files joined end to end leave inside, zero-width spaces and
# joiners that come with what is pasted from a web page, soft hyphens, marks of direction.
UNSEEN = "\u00ad\u034f\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\ufeff"
_UNSEEN_CHARACTER = re.compile(f"[{UNSEEN}]")
NOTHING = UNSEEN + "".join(filter(str.isspace, map(chr, range(0x3001))))


def visible(text: str) -> str:
    """Return a text without what nobody sees: characters that take no room, and space around it.

    >>> visible("\ufeff st-1\u200b ")
    'st-1'
    """
    return (text if text.isascii() else _UNSEEN_CHARACTER.sub("", text)).strip()


def many(n: int, one: str, several: str = "") -> str:
    """Return a number with the words that go with it, in English.

    Args:
        n: The number.
        one: The words after 1.
        several: The words after any other number; `one` with an s by default.

    >>> many(1, "item"), many(0, "item"), many(2, "item has", "items have")
    ('1 item', '0 items', '2 items have')
    """
    return f"{n} {one if n == 1 else several or one + 's'}"


def composed(text: str, form: Literal["NFC", "NFD", "NFKC"] = "NFC") -> str:
    r"""Return a text in a normal form of Unicode; as it is where marks are stacked higher than any writing does.

    Putting marks in order takes the square of their number: minutes for the hundred thousand that fit into a cell.
    Text that is meant to be read stacks at most 30 (Unicode Standard Annex 15, Stream-Safe Text Format).

    >>> composed("a\u0301") == "\u00e1", composed("a" + "\u0301\u0323" * 500) == "a" + "\u0301\u0323" * 500
    (True, True)
    """
    if unicodedata.is_normalized(form, text) or (len(text) > MOST_MARKS and _stacked().search(text)):
        return text
    return unicodedata.normalize(form, text)


@cache
def _stacked() -> re.Pattern[str]:
    # all marks are below the emoji, but for a few tags that are no marks to be ordered
    marks = "".join(filter(unicodedata.combining, map(chr, range(0x300, 0x1F000))))
    return re.compile(f"[{marks}]{{{MOST_MARKS}}}")


def plain_key(text: str) -> str:
    """Return a text in the form in which two spellings of the same words are equal.

    Full-width and decomposed characters, case, any kind or amount of white space, and what nobody sees make no
    difference.

    >>> plain_key("  Precisa\u0303o\u00a0") == plain_key("\ufeffprecisão")
    True
    """
    return " ".join(composed(visible(text), "NFKC").casefold().split())


def clean(text: str) -> str:
    r"""Return a text that any sheet and any XML file can hold, with what it could not hold made visible.

    Line ends become \n (also the Unicode ones, which programs disagree about). Control characters turn into their
    pictures (␀, ␛), lone surrogates and noncharacters into the replacement character.

    >>> clean("a\r\nb\x1b")
    'a\nb␛'
    """
    if _UNCLEAN.search(text) is None:
        return text
    text = re.sub("\r\n|[\r\x85\u2028\u2029]", "\n", text)
    return _FORBIDDEN.sub(lambda match: _PICTURES.get(ord(match.group()), REPLACEMENT), text)


def sound(text: str) -> str:
    """Return a text that has a UTF-8 form: lone surrogates become the replacement character.

    >>> sound("a" + chr(0xD83D))
    'a\ufffd'
    """
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def holds_forbidden(text: str) -> bool:
    """Return whether `clean` has to replace a character, which is worth telling the coordinator."""
    return _FORBIDDEN.search(text) is not None


def same_text_form(text: str) -> str:
    r"""Return the form in which a text is compared and hashed after a journey through spreadsheet programs.

    Line ends and Unicode composition change on the way without anybody touching the text; so may the literal
    `_x000D_` that some programs write for a carriage return, space at the ends of lines, and tabs, which LibreOffice
    drops from cells of several lines when it saves them as .ods.

    >>> same_text_form("linha 1_x000D_\nlinha 2 ") == same_text_form("linha 1\r\nlinha 2")
    True
    """
    return composed(_same_lines(text))


def _same_lines(text: str) -> str:
    text = clean(re.sub("_x000D_\n?", "\n", text)).replace("\t", "")
    return "\n".join(line.rstrip() for line in text.split("\n")).strip("\n")


def same_but_for_lost(text: str, found: str, encoding: str) -> bool:
    r"""Return whether a text is what a program makes of another in an encoding that has not all its characters.

    Each character the encoding has must be there. For each other one, programs write something they hold for similar,
    or a question mark, or two for an emoji; nothing there can be compared.

    >>> same_but_for_lost("ótimo 👍!", "ótimo ??!", "cp1252"), same_but_for_lost("2 ≥ 1", "2 = 1", "cp1252")
    (True, True)
    >>> same_but_for_lost("na\u0303o", "na?o", "cp1252"), same_but_for_lost("ótimo 👍", "péssimo ?", "cp1252")
    (True, False)
    """
    found = same_text_form(found)
    # accents may be characters of their own, and then they are what is lost
    for form in {same_text_form(text), _same_lines(text)}:
        kept = {character for character in set(form) if character.encode(encoding, "ignore")}
        for units in (1, 2):
            expected: list[str | None] = []
            for character in form:
                expected += [character] if character in kept else [None] * (units if character > "\uffff" else 1)
            if len(expected) == len(found) and all(a in (None, b) for a, b in zip(expected, found, strict=True)):
                return True
    return False


def utf16_length(text: str) -> int:
    """Return the length in UTF-16 units, which is what spreadsheet limits count (an emoji is two)."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2
