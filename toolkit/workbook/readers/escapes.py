"""The `_xHHHH_` escapes of OOXML: what the file writes for what a program shows."""

from __future__ import annotations

import re

_ESCAPE = re.compile("_x([0-9A-Fa-f]{4})_")
_SURROGATE = re.compile("[\ud800-\udfff]")


def unescape(text: str) -> str:
    r"""Return a text as Excel shows it.

    Two escaped halves of a character become the character; a half alone, which no text may hold, becomes U+FFFD.

    >>> unescape("var _x005F_x0041_ap"), unescape("a_x000A_b"), unescape("_xD83D__xDE00_"), unescape("_x41_")
    ('var _x0041_ap', 'a\nb', '😀', '_x41_')
    """
    if "_x" not in text:
        return text
    text = _ESCAPE.sub(lambda match: chr(int(match[1], 16)), text)
    if _SURROGATE.search(text):
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
