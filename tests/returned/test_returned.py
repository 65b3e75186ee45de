"""Whatever came back: every way in the table is read as it must be, by `check` and by the report alike."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.returned.ways import WAYS, Way
from tests.returned.workbook import OPTIONS, RECORDS, SCORES, Filled
from tests.studies import make, toolkit
from toolkit.errors import ToolkitError
from toolkit.study import Study
from toolkit.workbook.ingest import Returned, ingest
from toolkit.workbook.readers import find_sources, read_book

FEWEST_WAYS = 60


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> tuple[Study, Path]:
    folder = tmp_path_factory.mktemp("returned") / "s"
    return make(folder, RECORDS, "A1,A2,A3", *OPTIONS), folder


def written(way: Way, study: Study, folder: Path, target: Path) -> tuple[Path, Filled]:
    filled = Filled(study, folder / "send" / "A1.xlsx")
    data = way.make(filled)
    path = target / way.file
    path.write_bytes(filled.data() if data is None else data)
    return path, filled


def read(path: Path, study: Study) -> tuple[Returned, tuple[str, ...]]:
    sources, warnings = find_sources([path])
    books = []
    for source in sources:
        try:
            books.append(read_book(source))
        except ToolkitError:
            pass
    return ingest(books, study), warnings


def test_the_table_is_long_and_each_way_is_there_once() -> None:
    assert len(WAYS) >= FEWEST_WAYS
    assert len({way.id for way in WAYS}) == len(WAYS)


@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.id)
def test_what_comes_of_it(way: Way, study: tuple[Study, Path], tmp_path: Path) -> None:
    path, filled = written(way, *study, tmp_path)
    result = toolkit("check", study[1], path, "--json")
    assert result.exit_code == (1 if way.problems else 0), result.output
    [found] = json.loads(result.stdout)
    told = [(problem["cell"], problem["what"]) for problem in found["problems"]]
    expected = [(filled.address(cell), words) for cell, words in way.problems]
    assert len(told) == len(expected), told
    for cell, words in expected:
        assert any(cell in (where, "*") and words in what for where, what in told), (cell, words, told)
    assert all(problem["fix"] for problem in found["problems"])
    assert len(found["repairs"]) == way.repairs, found["repairs"]
    warnings = found["warnings"]
    assert len(warnings) == len(way.warnings) and all(map(str.__contains__, warnings, way.warnings)), warnings

    returned, _warnings = read(path, study[0])
    if way.scores is None:
        assert not returned.annotations and found["annotator"] is None
        return
    right = SCORES | way.scores
    assert scores(returned, study[0]) == right
    assert (found["annotator"], found["scored"]) == ("A1", sum(score is not None for score in right.values()))
    for (key, item), value in way.words.items():
        assert entered(returned, filled, key, item) == value


def scores(returned: Returned, study: Study) -> dict[str, Any]:
    annotations = returned.annotations["A1"]
    return {item.item_id: annotations[item.item_code].score if item.item_code in annotations else None
            for item in study.items}  # fmt: skip


def entered(returned: Returned, filled: Filled, key: str, item: str) -> Any:
    if key == "closing":
        return returned.closing["A1"].get(item)
    return getattr(returned.annotations["A1"][filled.codes[item]], key)
