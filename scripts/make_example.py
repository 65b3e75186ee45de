"""Make sheets/example anew from its three inputs: blank workbooks, filled workbooks, study.json and report.

    python scripts/make_example.py [FOLDER]

The example is README quickstart, golden fixture and picture book in one; tests/test_example.py compares.
"""

import shutil
import sys
import tempfile
from pathlib import Path

from toolkit.jobs.demo import demo

EXAMPLE = Path(__file__).resolve().parent.parent / "sheets" / "example"
MADE = ("study.json", "send", "filled", "report")


def main() -> None:
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else EXAMPLE
    target.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        fresh = Path(folder) / "example"
        demo(fresh)
        for name in MADE:
            old = target / name
            shutil.rmtree(old) if old.is_dir() else old.unlink(missing_ok=True)
            shutil.move(fresh / name, old)
    print(f"made {', '.join(MADE)} in {target.name}/")


if __name__ == "__main__":
    main()
