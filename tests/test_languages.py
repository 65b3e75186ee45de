"""Adding a language is adding one catalogue and one rubric."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.studies import record, write_jsonl

ROOT = Path(__file__).resolve().parent.parent


def test_another_language_is_one_catalogue_and_one_rubric(tmp_path: Path) -> None:
    for part in ("toolkit", "templates"):
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("__pycache__"))
    catalogue = (ROOT / "templates" / "locale" / "es.po").read_text(encoding="utf-8")
    assert 'msgid "Start here"\nmsgstr "' in catalogue
    start = catalogue.index('msgid "Start here"\nmsgstr "')
    translated = (
        catalogue[:start] + 'msgid "Start here"\nmsgstr "Commencez"' + catalogue[catalogue.index("\n\n", start) :]
    )
    (tmp_path / "templates" / "locale" / "fr.po").write_text(
        translated.replace("Language: es", "Language: fr"), "utf-8"
    )
    rubric = (ROOT / "templates" / "rubrics" / "es.yaml").read_text(encoding="utf-8")
    (tmp_path / "templates" / "rubrics" / "fr.yaml").write_text(rubric.replace("language: es", "language: fr"), "utf-8")
    sample = write_jsonl(tmp_path / "sample.jsonl", [record("f1", judge_score=4), record("f2", judge_score=2)])

    def run(*arguments: object) -> str:
        command = [sys.executable, "-c", "from toolkit.cli import main; main()", *map(str, arguments)]
        done = subprocess.run(
            command, cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "fr" in run("init", "--help")
    run("init", "begun", "--lang", "fr")
    run("make-sheets", sample, "--annotators", "2", "--lang", "fr", "-o", "study")
    assert "Commencez" in (tmp_path / "study" / "send" / "message.txt").read_text(encoding="utf-8")
    # what nobody has translated yet is there in English
    assert "Score" in run("judge", sample, "--lang", "fr", "--provider", "command", "--command", "cat", "--dry-run")
