"""Which files are read when people name files, folders and archives."""

import io
import os
import zipfile

import pytest

from tests.readers.build import row, xlsx, zipped
from toolkit.errors import ToolkitError
from toolkit.workbook.readers import Limits, Source, find_sources, read_book

SHEET = xlsx(row('<c r="A1"><v>4</v></c>'))
OTHER = xlsx(row('<c r="A1"><v>5</v></c>'))
CSV = b"study;annotator;item_code;score\ns1;A1;i1;4\n"


@pytest.fixture
def folder(tmp_path):
    files = {
        "b.xlsx": SHEET,
        "a.csv": CSV,
        "no suffix": SHEET,
        "filled.txt": CSV,
        "round2/b.xlsx": OTHER,
        "~$b.xlsx": b"lock",
        ".~lock.b.xlsx#": b"lock",
        ".hidden.xlsx": SHEET,
        ".git/c.xlsx": SHEET,
        "desktop.ini": b"x",
        "Thumbs.db": b"x",
        "__MACOSX/b.xlsx": b"x",
        "readme.md": b"The keys are study, annotator, item_code, score.",
        "study.json": b'{"schema": 1}',
        "letter.docx": zipped({"[Content_Types].xml": "<Types/>", "word/document.xml": ""}),
        "empty.xlsx": b"",
    }
    for name, content in files.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return tmp_path


def test_a_folder_is_searched_through(folder):
    sources, warnings = find_sources([folder])
    assert [source.name for source in sources] == [
        "a.csv",
        "b.xlsx",
        "empty.xlsx",
        "filled.txt",
        "no suffix",
        "round2/b.xlsx",
    ]
    assert len(warnings) == 3
    for name in ("readme.md", "study.json", "letter.docx"):
        assert any(name in warning for warning in warnings)
    books = [read_book(source) for source in sources if source.name != "empty.xlsx"]
    assert [book.format for book in books] == ["csv", "xlsx", "csv", "xlsx", "xlsx"]


def test_a_named_file_is_kept_whatever_it_is(folder):
    named = [folder / name for name in ("readme.md", "~$b.xlsx", ".hidden.xlsx", "none.xlsx", "b.xlsx")]
    sources, warnings = find_sources([*named, folder / "b.xlsx"])
    assert [source.path for source in sources] == named
    assert warnings == ()
    with pytest.raises(ToolkitError, match="does not exist"):
        read_book(sources[3])


def test_a_file_named_beside_its_folder_is_read_once(folder):
    sources, _warnings = find_sources([folder / "b.xlsx", folder])
    assert sum(source.path == folder / "b.xlsx" for source in sources) == 1


def archive(tmp_path, members, name="returned.zip"):
    path = tmp_path / name
    path.write_bytes(zipped(members))
    return path


def test_an_archive_is_opened(tmp_path):
    path = archive(
        tmp_path,
        [
            ("b/A2.xlsx", OTHER),
            ("A1.xlsx", SHEET),
            ("__MACOSX/._A1.xlsx", b"x"),
            ("b/.DS_Store", b"x"),
            ("b/", b""),
            ("notes.txt", b"hello"),
        ],
    )
    for paths in ([path], [tmp_path]):
        sources, warnings = find_sources(paths)
        assert [source.name for source in sources] == ["returned.zip > A1.xlsx", "returned.zip > b/A2.xlsx"]
        assert [read_book(source).sheets[0].cells[1, 1].value for source in sources] == [4, 5]
        assert len(warnings) == 1
        assert "notes.txt" in warnings[0]


def test_members_with_one_name_are_all_read(tmp_path):
    with pytest.warns(UserWarning, match="Duplicate"):
        path = archive(tmp_path, [("A1.xlsx", SHEET), ("A1.xlsx", OTHER)])
    sources, _warnings = find_sources([path])
    assert [read_book(source).sheets[0].cells[1, 1].value for source in sources] == [4, 5]


def test_names_that_lead_elsewhere_lead_nowhere(tmp_path):
    inside = tmp_path / "in"
    inside.mkdir()
    path = archive(inside, [("../../A1.xlsx", SHEET), ("/etc/A2.xlsx", SHEET), ("..\\A3.xlsx", SHEET)])
    sources, _warnings = find_sources([path])
    assert sorted(source.name.partition(" > ")[2] for source in sources) == ["A1.xlsx", "A3.xlsx", "etc/A2.xlsx"]
    assert all(read_book(source).format == "xlsx" for source in sources)
    assert sorted(p.name for p in tmp_path.rglob("*")) == ["in", "returned.zip"]


def problems(path, limits=None):
    """What reading every source of a path complains of."""
    found = []
    for source in find_sources([path], limits or Limits())[0]:
        try:
            read_book(source, limits or Limits())
        except ToolkitError as error:
            found += [str(problem) for problem in error.problems]
    return found


def encrypted(data: bytes) -> bytes:
    """The same archive with the flag of a password in both places."""
    member = zipfile.ZipFile(io.BytesIO(data)).infolist()[0]
    changed = bytearray(data)
    changed[member.header_offset + 6] |= 1
    changed[data.rindex(b"PK\x01\x02") + 8] |= 1
    return bytes(changed)


def test_archives_that_cannot_be_opened_are_problems_of_their_own(tmp_path):
    def one(data, limits=None):
        path = tmp_path / "r.zip"
        path.write_bytes(data)
        (message,) = problems(path, limits)
        assert message.startswith("r.zip")
        assert " -> " in message
        return message

    good = zipped({"A1.xlsx": SHEET}, zipfile.ZIP_STORED)
    assert "password" in one(encrypted(good))
    assert "incomplete" in one(good[:-40])
    assert "no sheet in it" in one(zipped({"a.txt": "x"}))
    assert "no sheet in it" in one(zipped({}))
    assert "archive inside" in one(zipped({"inner.zip": good}))
    assert "is larger than 0 MB" in one(good, Limits(file_bytes=100))
    two = zipped({"A.xlsx": SHEET, "B.xlsx": SHEET})
    path = tmp_path / "two.zip"
    path.write_bytes(two)
    sources, _warnings = find_sources([path], Limits(archived=1))
    assert "more than 1 sheets" in str(sources[1].problem) and len(sources) == 2
    assert "more than 1 files" in one(zipped({"A.xlsx": SHEET, "B.xlsx": SHEET}), Limits(members=1))
    assert "unpacks to" in one(zipped({"A1.csv": CSV + b"\n" * 3_000_000}), Limits(unpacked_bytes=1_000_000))
    assert "unusual kind" in one(zipped({"A1.xlsx": SHEET}, zipfile.ZIP_LZMA))
    damaged = bytearray(good)
    damaged[60] ^= 0xFF
    assert "cannot be taken out" in one(bytes(damaged)) or "damaged" in one(bytes(damaged))


def test_a_numbers_document_may_be_a_folder(tmp_path):
    (tmp_path / "A1.numbers" / "Index").mkdir(parents=True)
    (tmp_path / "A1.numbers" / "Data.csv").write_bytes(CSV)
    for path in (tmp_path, tmp_path / "A1.numbers"):
        (message,) = problems(path)
        assert "Numbers" in message


def test_links_pipes_and_closed_folders_do_not_stop_it(tmp_path):
    (tmp_path / "lost.xlsx").symlink_to(tmp_path / "nowhere")
    os.mkfifo(tmp_path / "pipe.xlsx")
    (tmp_path / "loop").symlink_to(tmp_path, target_is_directory=True)
    (tmp_path / "A1.xlsx").write_bytes(SHEET)
    sources, warnings = find_sources([tmp_path])
    assert [source.name for source in sources] == ["A1.xlsx"]
    assert len(warnings) == 2


def test_a_source_in_memory():
    assert read_book(Source("x", content=SHEET)).format == "xlsx"
    with pytest.raises(ToolkitError, match="does not exist"):
        read_book(Source("x"))
