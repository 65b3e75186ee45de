"""Write toolkit/workbook/arial_widths.json: how wide each character of an Arial-metric font is, regular and bold.

Liberation Sans has the advance widths of Arial. The table is data about the font, not the font, so the toolkit
measures text the same on every machine, whatever fonts are installed. Italics are as wide as upright letters.

    python scripts/make_widths.py PATH/TO/LiberationSans-Regular.ttf PATH/TO/LiberationSans-Bold.ttf
"""

import json
import sys
from pathlib import Path

from matplotlib.ft2font import FT2Font, LoadFlags

UNITS = 2048


def widths(path: str) -> list[list[int]]:
    font = FT2Font(path)
    scale = UNITS / font.units_per_EM
    runs: list[list[int]] = []  # [first code point, width, width, ...]
    previous = None
    for code in sorted(font.get_charmap()):
        if code < 0x20 or code > 0xFFFF:
            continue
        width = round(font.load_char(code, flags=LoadFlags.NO_SCALE).horiAdvance * scale)
        if previous is None or code != previous + 1:
            runs.append([code])
        runs[-1].append(width)
        previous = code
    return runs


table = {"units": UNITS, "runs": widths(sys.argv[1]), "bold": widths(sys.argv[2])}
target = Path(__file__).resolve().parent.parent / "toolkit" / "workbook" / "arial_widths.json"
target.write_text(json.dumps(table, separators=(",", ":")) + "\n")
print(len(table["runs"]), "and", len(table["bold"]), "runs,", target.stat().st_size, "bytes")
