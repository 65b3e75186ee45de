"""The project as others meet it: it starts fast, installs from a wheel, is what its README says, in three languages."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from tests.studies import ok, toolkit
from toolkit.cli import COMMANDS
from toolkit.i18n import LANGUAGES, language
from toolkit.rubrics import default_rubric, read_rubric

ROOT = Path(__file__).resolve().parent.parent
HEAVY = (
    "numpy",
    "scipy",
    "pandas",
    "openpyxl",
    "xlsxwriter",
    "pydantic",
    "jinja2",
    "duckdb",
    "matplotlib",
    "babel",
    "yaml",
)


def test_help_imports_nothing_heavy() -> None:
    code = "import sys; from toolkit.cli import main; main(['--help'], standalone_mode=False)"
    code += "; print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in done.stderr.split()}
    assert not loaded & set(HEAVY)
    for command in COMMANDS:
        assert command in done.stdout


@pytest.mark.parametrize("command", list(COMMANDS))
def test_every_command_explains_itself(command: str) -> None:
    output = ok(command, "--help")
    assert "Usage: toolkit " + command in output
    for option in re.findall(r"^  (--[a-z-]+)", output, re.MULTILINE):
        line = output[output.index(option) :]
        assert len(line.splitlines()[0].split()) > 1 or len(line.splitlines()[1].split()) > 1, option


def test_a_mistake_in_the_command_is_wrong_usage() -> None:
    assert toolkit("make-sheets").exit_code == 2
    assert toolkit("nonsense").exit_code == 2
    assert toolkit("consolidate", "x", "--nonsense").exit_code == 2


def test_an_unforeseen_fault_is_no_traceback(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    import toolkit.jobs.init

    def broken(*_args: object, **_options: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(toolkit.jobs.init, "init", broken)
    result = toolkit_run("init", tmp_path / "x")
    assert result.exit_code == 1 and "Traceback" not in result.output and "ZeroDivisionError" in result.output


def toolkit_run(*arguments: object):  # type: ignore[no-untyped-def]
    return toolkit(*arguments)


@pytest.mark.parametrize("code", LANGUAGES)
def test_init_gives_a_study_that_works_as_it_is(tmp_path: Path, code: str) -> None:
    folder = tmp_path / "study"
    ok("init", folder, "--lang", code)
    assert read_rubric(folder / "rubric.yaml") == default_rubric(code)
    assert (folder / "NOTES.md").read_text(encoding="utf-8").strip()
    sample = ("make-sheets", folder / "sample.csv", "--rubric", folder / "rubric.yaml", "--annotators", "3")
    ok(*sample, "-o", tmp_path / "made", "-q")
    assert toolkit("init", folder).exit_code == 1  # nothing is overwritten


def test_every_message_has_a_translation() -> None:
    done = subprocess.run(
        [sys.executable, str(ROOT / "scripts" / "messages.py"), "--check"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("code", ["pt-BR", "es"])
def test_translations_keep_their_places_and_their_limits(code: str) -> None:
    from babel.messages.pofile import read_po

    with (ROOT / "templates" / "locale" / f"{code}.po").open("rb") as file:
        catalogue = read_po(file)
    for message in catalogue:
        if not message.id:
            continue
        originals = message.id if isinstance(message.id, tuple) else (message.id,)
        translated = message.string if isinstance(message.string, tuple) else (message.string,)
        places = {name for text in originals for name in re.findall(r"\{(\w+)\}", text)}
        for text in translated:
            assert set(re.findall(r"\{(\w+)\}", text)) <= places, text
            assert places - {"n"} <= set(re.findall(r"\{(\w+)\}", text)), text
    _ = language(code)
    assert len({_("yes"), _("no")}) == 2
    assert len({_(word) for word in ("keep", "revise", "fix rubric", "exclude")}) == 4
    for title in ("Start here", "Rubric", "Annotation", "Discussion", "How to discuss"):
        assert len(_(title)) <= 31


def test_the_wheel_runs_the_demo_from_anywhere(tmp_path: Path) -> None:
    """Build the wheel, install it into a clean environment, and run the demo from /."""
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(tmp_path), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True, text=True)
    [wheel] = tmp_path.glob("*.whl")
    venv.create(tmp_path / "env", with_pip=False)
    site = next((tmp_path / "env" / "lib").glob("python*")) / "site-packages"
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(site), str(wheel)], check=True
    )
    # the dependencies of this environment serve the clean one, the toolkit itself does not
    here = [path for path in sys.path if path.endswith("site-packages")]
    script = "import toolkit; assert 'site-packages' in toolkit.__file__; from toolkit.cli import main; main()"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(site), *here])}
    done = subprocess.run(
        [str(tmp_path / "env" / "bin" / "python"), "-c", script, "demo", str(tmp_path / "demo")],
        cwd="/",
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "demo" / "report" / "report.html").exists()


def readme_commands() -> list[str]:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```console\n(.*?)```", text, re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if line.startswith("toolkit ")]


def python_blocks() -> list[str]:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


def test_the_commands_of_the_readme_run_in_the_order_they_are_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.readme import prepare

    monkeypatch.chdir(tmp_path)
    shutil.copytree(ROOT / "sheets" / "example", tmp_path / "sheets" / "example")
    (tmp_path / "toy_judge.py").write_text(python_blocks()[0])
    commands = readme_commands()
    assert len(commands) >= 7
    for command in commands:
        prepare(command, tmp_path)
        ok(*shlex.split(command, comments=True)[1:])


def test_what_the_readme_says_of_intervals_is_what_plan_says() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    [command] = [one for one in readme_commands() if one.startswith("toolkit plan")]
    designs = re.findall(r"^[235] +[235] +(\d+) ", ok(*shlex.split(command)[1:]).split("finding")[0], re.MULTILINE)
    assert f"{min(map(int, designs))} to {max(map(int, designs))} items" in readme
    sizes = ok(*shlex.split(command)[1:], "--annotators", "3", "--overlap", "3")
    widths = dict(re.findall(r"^(10|30|100) +(0\.\d\d)", sizes, re.MULTILINE))
    assert widths == {"10": "0.36", "30": "0.20", "100": "0.10"}
    assert "give or take 0.2, in a single dimension 0.36. For give or take 0.1 it takes about 100 items" in readme


def test_the_python_of_the_readme_runs() -> None:
    library = [block for block in python_blocks() if "toolkit" in block]
    assert library
    for block in library:
        exec(compile(block, "README.md", "exec"), {})


def test_no_file_names_this_machine() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True)
    if listed.returncode:
        pytest.skip("not a git checkout")
    place = re.compile(r"/(?:root|home)/[a-z]+/|/work/(?:main|shared)|/tmp/[a-z]")
    for name in listed.stdout.split():
        path = ROOT / name
        if path.is_file() and path.suffix not in (".xlsx", ".png") and path.name != Path(__file__).name:
            found = place.search(path.read_text(encoding="utf-8", errors="ignore"))
            assert not found, f"{name}: {found}"
