"""init: the files a new study starts from."""

from __future__ import annotations

import csv
from pathlib import Path

from toolkit.files import template, write_all
from toolkit.i18n import LANGUAGES


def example_prompts() -> frozenset[str]:
    """Return the prompts of the sample that `init` writes, in every language: whoever scores them forgot something."""
    found: set[str] = set()
    for code in LANGUAGES:
        with (template("init", code) / "sample.csv").open(encoding="utf-8", newline="") as file:
            found |= {row["prompt"] for row in csv.DictReader(file)}
    return frozenset(found)


def init(folder: Path, language_code: str, *, force: bool) -> list[Path]:
    """Write rubric.yaml, sample.csv and NOTES.md.

    Raises:
        ToolkitError: When one of them exists and `force` is off; nothing is written then.
    """
    start = template("init", language_code)
    contents = {
        "rubric.yaml": template("rubrics", language_code, ".yaml").read_bytes(),
        "sample.csv": b"\xef\xbb\xbf" + (start / "sample.csv").read_bytes(),  # the BOM tells Excel about the accents
        "NOTES.md": (start / "NOTES.md").read_bytes(),
    }
    return write_all(folder, contents, force=force)
