"""Colours and cell formats of the workbooks. Every pair of text and ground has a contrast of at least 4.5."""

from __future__ import annotations

from typing import Any

from toolkit.workbook.runs import Style

FONT, CODE_FONT = "Arial", "Courier New"
INK, QUIET, LINE = "#1B2733", "#4A5B6C", "#B8C4D0"
BRAND, BRAND_INK = "#1F3A5F", "#FFFFFF"
BANNER, TITLE, LABEL = "#D9E5F2", "#EDF2F7", "#F6F8FA"
ANSWER, DONE, WRONG, MISSING = "#FFF8DC", "#E3F2E1", "#F8D0CC", "#FFE3B3"
WRONG_INK = "#8B1A10"

_BASE: dict[str, Any] = {"font_name": FONT, "font_color": INK, "valign": "top", "text_wrap": True}
_BOX: dict[str, Any] = {"border": 1, "border_color": LINE}
_CENTRED: dict[str, Any] = {"align": "center", "valign": "vcenter"}
# a cell that the annotator fills in
_ENTRY: dict[str, Any] = {"border": 1, "border_color": BRAND, "bg_color": ANSWER, "locked": False}

FORMATS: dict[str, dict[str, Any]] = {
    "header": _BASE
    | _BOX
    | {"bold": True, "font_size": 10, "bg_color": BRAND, "font_color": BRAND_INK, "valign": "vcenter"},
    "column": _BASE | _BOX | {"bold": True, "font_size": 11, "bg_color": BRAND, "font_color": BRAND_INK},
    "section": _BASE | _BOX | {"bold": True, "font_size": 11, "bg_color": BANNER},
    "banner_title": _BASE | {"bold": True, "font_size": 10, "bg_color": BANNER},
    "banner": _BASE | {"font_size": 10, "bg_color": BANNER},
    "title": _BASE
    | {"bold": True, "font_size": 10, "bg_color": TITLE, "top": 2, "top_color": BRAND, "valign": "vcenter"},
    "title_text": _BASE | {"font_size": 10, "bg_color": TITLE, "top": 2, "top_color": BRAND, "valign": "vcenter"},
    "key": _BASE | {"font_size": 8, "font_color": QUIET, "text_wrap": False, "num_format": "@"},
    "code": _BASE | _BOX | {"bold": True, "font_size": 9, "bg_color": LABEL, "align": "center", "valign": "bottom"},
    # the code of a practice item is for the reader; its title says what it is, in the study's language
    "practice": _BASE | _BOX | {"font_size": 9, "bg_color": LABEL, "num_format": ";;;"},
    "label": _BASE
    | {"bold": True, "font_size": 9, "bg_color": LABEL, "font_color": QUIET, "left": 1, "left_color": LINE},
    "text": _BASE | {"font_size": 11, "bottom": 4, "bottom_color": LINE},
    # right above the answer cells, where the eyes are when the score is chosen
    "levels": _BASE | {"font_size": 9, "font_color": QUIET, "valign": "bottom"},
    "score": _BASE | _ENTRY | _CENTRED | {"font_size": 14, "bold": True},
    "justification": _BASE | _ENTRY | {"font_size": 10, "num_format": "@"},
    "doubt": _BASE | _ENTRY | _CENTRED | {"font_size": 10},
    # an annotator's words stay words, whatever they begin with
    "notes": _BASE | _ENTRY | {"font_size": 10, "num_format": "@"},
    "time": _BASE | _ENTRY | _CENTRED | {"font_size": 10, "num_format": "hh:mm"},
    "closing": _BASE | _ENTRY | {"font_size": 11, "num_format": "@"},
    # the number format ;;; shows nothing, in every program
    "hidden_key": _BASE | {"font_size": 8, "font_color": QUIET, "text_wrap": False, "num_format": ";;;"},
    "h1": _BASE | {"bold": True, "font_size": 18, "font_color": BRAND},
    "h2": _BASE | {"bold": True, "font_size": 12, "font_color": BRAND},
    "body": _BASE | {"font_size": 11},
    "small": _BASE | {"font_size": 9, "font_color": QUIET},
    "cell": _BASE | _BOX | {"font_size": 11},
    "cell_bold": _BASE | _BOX | {"font_size": 11, "bold": True, "bg_color": LABEL},
    "state": _BASE | _BOX | {"font_size": 11, "bold": True},
    "number": _BASE | _BOX | {"font_size": 11, "align": "center"},
    "status": _BASE | {"bold": True, "font_size": 12, "bg_color": MISSING},
}


def font_changes(look: Style) -> dict[str, Any]:
    """Return what the look of a stretch of text changes in its cell's format."""
    changes: dict[str, Any] = {}
    if look != Style.PLAIN:
        changes["font_size"] = look.points
    if Style.CODE in look:
        changes["font_name"] = CODE_FONT
    if Style.QUIET in look:
        changes["font_color"] = QUIET
    names = {Style.BOLD: "bold", Style.ITALIC: "italic", Style.STRIKE: "font_strikeout"}
    return changes | {name: True for flag, name in names.items() if flag in look}
