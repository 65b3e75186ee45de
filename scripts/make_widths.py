"""Write toolkit/workbook/arial_widths.json: how wide each character of an Arial-metric font is.

Liberation Sans has the advance widths of Arial. The table is data about the font, not the font, so the toolkit
measures text the same on every machine, whatever fonts are installed.

    python scripts/make_widths.py PATH/TO/LiberationSans-Regular.ttf
"""

import json
import sys
from pathlib import Path

from matplotlib.ft2font import FT2Font, LoadFlags

UNITS = 2048
font = FT2Font(sys.argv[1])
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
target = Path(__file__).resolve().parent.parent / "toolkit" / "workbook" / "arial_widths.json"
target.write_text(json.dumps({"units": UNITS, "runs": runs}, separators=(",", ":")) + "\n")
print(len(runs), "runs,", target.stat().st_size, "bytes")
