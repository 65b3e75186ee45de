"""Proof that an outgoing workbook says nothing it must not: every part of the file, searched for what would unblind.

Searched are the words people or programs can read: cell texts, titles, names, comments, messages, properties, header
and footer. Markup is not: a model called `Custom` or an annotator `A1` occurs in the XML of every workbook.
"""

from __future__ import annotations

import html
import io
import re
import zipfile
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import PurePosixPath
from typing import Any, Literal

from toolkit.errors import Problem
from toolkit.i18n import language
from toolkit.model import Item, Response, Rubric
from toolkit.spellings import first_words, literal, spelling
from toolkit.study import Study
from toolkit.texts import clean, plain_key
from toolkit.workbook.gsheets_pages import Page, private_pages, words_of
from toolkit.workbook.layout import annotator_layout
from toolkit.workbook.parts import pieces
from toolkit.workbook.quotes import texts_of
from toolkit.workbook.readers import Source, read_book
from toolkit.workbook.readers.escapes import unescape
from toolkit.workbook.readers.raw import RawBook
from toolkit.workbook.traces import traces
from toolkit.workbook.traces_xls import xls_words
from toolkit.workbook.xlsx import write

# Attributes whose values are words for people; all others are markup.
_WORDY_ATTRIBUTES = frozenset(
    {"prompt", "promptTitle", "error", "errorTitle", "title", "descr", "author", "userName", "url"}
)
_NAME_ATTRIBUTES = frozenset({("sheet", "name"), ("definedName", "name"), ("property", "name")})
REMEDY = "take it out; if make-sheets put it there, please report it"
# Shared string, inline string, comment: one text in several runs.
_TEXTS_OF_RUNS = frozenset({"si", "is", "text"})
_FORMULAS = frozenset({"f", "formula", "formula1", "formula2", "sqref"})
# A text this short, or a bare number, is a word of many sentences: only a cell that says nothing else tells it.
TELLTALE_CHARACTERS = 2
UNNAMED_JUDGE = "judge"
# How a workbook is looked at: part by part, cell by cell as the readers see it, or as what is sent to Google.
_Seen = Literal["file", "cells", "online"]
# XML by expressions, for parts in which no sign of markup stands for anything else.
_ENCODING = re.compile(rb"""(?:\xef\xbb\xbf)?<\?xml[^>]*?encoding\s*=\s*["']([^"']*)""")
_PREFIX = r"(?:[\w.-]+:)?"
_RUNS = re.compile(
    rf"<{_PREFIX}({'|'.join(sorted(_TEXTS_OF_RUNS))})(?:\s[^>]*)?(?<!/)>(.*?)</{_PREFIX}\1\s*>".encode(), re.DOTALL
)
_TAG = re.compile(rb"<[^>]*>")
# the numbers of cells, most of which are places in the table of texts
_CELL_NUMBER = re.compile(rb"<v>[0-9.]+</v>")
_BETWEEN = re.compile(rb">([^<>]+)<")
_NAME = re.compile(rf"<{_PREFIX}([\w.-]+)".encode())
_ATTRIBUTE = re.compile(
    rf"""\b({"|".join(sorted(_WORDY_ATTRIBUTES | {"name"}))})\s*=\s*(?:"([^"]*)"|'([^']*)')""".encode()
)
_WORD = re.compile(r"[^\W_]+")
_PROPERTIES = "docProps/custom.xml"
# the parts of .xlsx and .ods files in which cells are
_HOLDS_CELLS = re.compile("xl/sharedStrings|xl/worksheets/|content\\.xml")


def audit(path: str, data: bytes, study: Study) -> list[Problem]:
    """Return what would unblind the annotator of an outgoing workbook; empty when nothing would.

    Args:
        path: STUDY-relative path of the file, `send/NAME.xlsx`.
        data: The file.
        study: The study it belongs to.
    """
    return Auditor(study).audit(path, data)


class Auditor:
    """`audit` for many files of one study: what is secret, and what is not, is looked up once."""

    def __init__(self, study: Study):
        self._names = study.names
        self._secrets = _secrets(study)
        self._allowed, self._usual = _visible_texts(study), _usual_texts(study.rubric, study.language, "file")
        self._rubric, self._language = study.rubric, study.language

    def audit(self, path: str, data: bytes) -> list[Problem]:
        """Return what would unblind the annotator of an outgoing workbook; see the function of this name."""
        properties = (form for _part, words in _texts(data, only=_PROPERTIES) for form in (words, unescape(words)))
        own = next((words for words in properties if words in self._names), None)
        return [*self._told(path, _texts(data), own, self._usual), *traces(path, data)]

    def audit_book(self, book: RawBook, own: str | None, *, shared: bool = False) -> list[Problem]:
        """Return what would unblind the reader of a workbook of any format, by sheet and cell where it is in one.

        Args:
            book: The file as read.
            own: The name of the annotator it is for.
            shared: Whether it is for all annotators together, whose names may stand in it.
        """
        name, usual = book.source.name, self._usual | _usual_texts(self._rubric, self._language, "cells")
        found = [
            Problem(f"would show {what} to the annotator", REMEDY, name, sheet.title, cell.address, secret)
            for sheet in book.sheets
            for _place, cell in sorted(sheet.cells.items())
            if clean(cell.text) not in self._allowed and _without_numbers(cell.text) not in usual
            for secret, what in self._secrets.told_by(cell.text, own)
        ]
        if book.format in ("xlsx", "ods"):
            told = {problem.value for problem in found}
            rest = (part for part in _texts(book.source.data) if not _HOLDS_CELLS.match(part[0]))
            found += self._told(name, rest, own, usual)
            cells = (part for part in _texts(book.source.data) if _HOLDS_CELLS.match(part[0]))
            found += [one for one in self._told(name, cells, own, usual) if one.value not in told]
        elif book.format == "xls":
            found += self._told(name, xls_words(book.source.data), own, usual)
        found += traces(name, book.source.data)
        names = {plain_key(name) for name in self._names} if shared else set()
        return [problem for problem in found if problem.value not in names]

    def audit_pages(self, annotator: str, pages: Iterable[Page]) -> list[Problem]:
        """Return what would unblind an annotator in sheets that are sent to Google."""
        texts = ((page.title, words) for page in pages for words in (page.title, *words_of(page.requests)))
        usual = _usual_texts(self._rubric, self._language, "online")
        return self._told(f"Google: {annotator}", texts, annotator, usual)

    def _told(
        self, path: str, texts: Iterable[tuple[str, str]], own: str | None, usual: frozenset[str]
    ) -> list[Problem]:
        return [
            Problem(f"would show {what} to the annotator (in the part {part})", REMEDY, path, value=secret)
            for part, words in dict.fromkeys(texts)
            if clean(words) not in self._allowed and _without_numbers(words) not in usual
            for secret, what in self._told_in_file(words, own)
        ]

    def _told_in_file(self, words: str, own: str | None) -> Iterable[tuple[str, str]]:
        """Return what a text in a file tells, as written and as Excel shows it, where it has escapes."""
        if (seen := unescape(words)) == words:
            return self._secrets.told_by(words, own)
        if clean(seen) in self._allowed:
            return ()
        return dict.fromkeys([*self._secrets.told_by(words, own), *self._secrets.told_by(seen, own)])


def own_names(study: Study) -> dict[str, tuple[str, ...]]:
    """Return, by item_id, the names of its own model or provider, or of any judge, that an item's texts give away."""
    _, judges = language(study.language), _judges(study)
    index = _Index()
    for name in (*judges, *(name for item in study.items for name in (item.model, item.provider))):
        index.add(name, "a name", is_name=True)
    found = {}
    for item in study.items:
        texts = " | ".join(texts_of(item))  # a name does not go on from one text to the next
        seen = [piece.text for piece in pieces(item.seen, _, study.markdown) if piece.text not in texts]
        told = {plain for plain, _what in index.told_by(" | ".join((texts, *seen)))}
        names = dict.fromkeys(name for name in (item.model, item.provider, *judges) if name)
        if own := tuple(name for name in names if plain_key(name) in told):
            found[item.item_id] = own
    return found


def _judges(study: Study) -> tuple[str, ...]:
    """Return the names that judges have; a judge of whom the sample does not say it has none."""
    return tuple(dict.fromkeys(one.judge for one in study.judgements if one.judge != UNNAMED_JUDGE))


class _Index:
    """What is looked for in texts, by its first words, so that thousands cost no more than a few."""

    def __init__(self) -> None:
        self._what: dict[str, str] = {}
        self._names: set[str] = set()
        self._by_word: dict[str, list[str]] = {}

    def add(self, text: str | None, what: str, *, is_name: bool = False) -> None:
        """Add what a text must not tell; what is there already stays as it is.

        Args:
            text: The words; None for nothing.
            what: What they are.
            is_name: Whether they are a name that people spell in many ways, such as a model's.
        """
        plain = plain_key(text or "")
        if not plain or plain in self._what:
            return
        self._what[plain] = what
        if is_name:
            self._names.add(plain)
        words = [*first_words(plain)] if is_name else _WORD.findall(plain)[:1]
        for word in words or [""]:
            self._by_word.setdefault(word, []).append(plain)

    def told_by(self, words: str, own_name: str | None = None) -> list[tuple[str, str]]:
        """Return (plain words, what they are) of everything that a text tells; an annotator's own name is nothing."""
        plain, own = plain_key(words), plain_key(own_name or "")
        known = [word for word in {*_WORD.findall(plain), ""} if word in self._by_word]
        near = {secret for word in known for secret in self._by_word[word]} if known else ()
        return [(secret, self._what[secret]) for secret in sorted(near) if secret != own and self._tells(plain, secret)]

    def _tells(self, plain: str, secret: str) -> bool:
        if len(secret) < TELLTALE_CHARACTERS or secret.isdecimal():
            return plain == secret
        pattern = spelling(secret) if secret in self._names else literal(secret)
        return pattern.search(plain) is not None


def _secrets(study: Study) -> _Index:
    """Return what an annotator must not learn."""
    index = _Index()
    for judgement in study.judgements:
        index.add(judgement.justification, "a judge's justification")
    for judge in _judges(study):
        index.add(judge, "the name of a judge", is_name=True)
    for item in study.items:
        index.add(item.model, "the name of a model", is_name=True)
        index.add(item.provider, "the name of a provider", is_name=True)
    for item in study.items:
        index.add(item.item_id, "an item_id")
    for name in study.names:
        index.add(name, "the name of another annotator")
    return index


def _visible_texts(study: Study) -> frozenset[str]:
    """Return the item texts annotators are meant to read; what an answer says of its own model is not ours to hide."""
    _ = language(study.language)
    return frozenset(piece.text for item in study.items for piece in pieces(item.seen, _, study.markdown))


@lru_cache(maxsize=8)
def _usual_texts_of(rubric_json: str, language_code: str, seen: _Seen) -> frozenset[str]:
    """Return the texts of a workbook that holds nothing of the study: what every workbook with this rubric says."""
    rubric = Rubric.model_validate_json(rubric_json)
    set_of_two = (Response(response="x", prompt="y"), Response(response="x", prompt="z"))
    items = [
        Item(
            item_code=f"X{place}",
            dimension=key,
            prompt="p",
            ground_truth="g",
            expected_behavior="e",
            responses=answers,
            original_response=original,
        )
        for place, key in enumerate(rubric.dimensions)
        for answers, original in ((set_of_two, "o"), (set_of_two, None), (set_of_two[:1], None))
    ]
    layout = annotator_layout(
        items, rubric, study_id="", annotator="", language_code=language_code, markdown="raw", online=seen == "online"
    )
    match seen:
        case "online":
            texts = [words for page in private_pages(layout, ()) for words in (page.title, *words_of(page.requests))]
        case "file":
            texts = [words for _part, words in _texts(write(layout))]
        case "cells":  # they have formulas, too
            book = read_book(Source("", content=write(layout)))
            texts = [cell.text for sheet in book.sheets for cell in sheet.cells.values()]
    return frozenset(map(_without_numbers, texts))


def _usual_texts(rubric: Rubric, language_code: str, seen: _Seen) -> frozenset[str]:
    return _usual_texts_of(rubric.model_dump_json(by_alias=True), language_code, seen)


def _without_numbers(words: str) -> str:
    return re.sub("[0-9]+", "0", clean(words))


def _texts(data: bytes, only: str | None = None) -> Iterator[tuple[str, str]]:
    """Yield (part, words) of everything readable in an xlsx file, or in one part of it."""
    from defusedxml.ElementTree import fromstring

    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for name in archive.namelist() if only is None else [only] if only in archive.namelist() else []:
            yield name, PurePosixPath(name).stem
            if not name.endswith((".xml", ".rels", ".vml")):
                continue
            content = archive.read(name)
            if _is_simple(content):
                yield from ((name, words) for words in _plain_texts(content))
                continue
            root = fromstring(content)
            in_runs: set[Any] = set()
            for element in root.iter():
                tag = element.tag.rsplit("}", 1)[-1]
                if tag in _TEXTS_OF_RUNS:
                    in_runs.update(element.iter())
                    yield name, "".join(element.itertext())
                elif element not in in_runs and tag not in _FORMULAS and (element.text or "").strip():
                    yield name, element.text or ""
                yield from ((name, value) for value in _wordy(tag, element.attrib.items()))


def _is_simple(content: bytes) -> bool:
    """Return whether in a part every `<` opens a tag and every `>` closes one, so that expressions find what is in it.

    It is so when there are as many of both, and no comment, CDATA or document type: in what spreadsheet programs write.
    """
    encoding = _ENCODING.match(content[:200])
    return (
        (encoding is None or encoding[1].lower() == b"utf-8")
        and content.count(b"<") == content.count(b">")
        and not any(sign in content for sign in (b"<!", b"\0"))
        and content.find(b"<?", 4 if content.startswith(b"\xef") else 1) < 0
    )


def _plain_texts(content: bytes) -> Iterator[str]:
    """Yield the words of a simple part as `_texts` does, without building a tree of it."""
    rest, end = [], 0
    for hit in _RUNS.finditer(content):
        yield _words(_TAG.sub(b"", hit[2]))
        rest.append(content[end : hit.start()])
        end = hit.end()
    content = _CELL_NUMBER.sub(b"", b"".join(rest) + content[end:] if rest else content)
    for hit in _BETWEEN.finditer(content):
        if not hit[1].isspace() and _tag(content, hit.start()) not in _FORMULAS:
            yield _words(hit[1])
    for hit in _ATTRIBUTE.finditer(content):
        if content.rfind(b">", 0, hit.start()) < content.rfind(b"<", 0, hit.start()):  # in a tag, not in a text
            value = _words(hit[2] or hit[3] or b"")
            yield from _wordy(_tag(content, hit.start()), [(hit[1].decode(), value)])


def _words(content: bytes) -> str:
    words = content.decode("utf-8", "replace")
    return html.unescape(words) if "&" in words else words


def _tag(content: bytes, place: int) -> str:
    """Return the name of the tag that a place in a part is in or right behind; empty for one that closes."""
    match = _NAME.match(content, content.rfind(b"<", 0, place))
    return match[1].decode() if match else ""


def _wordy(tag: str, attributes: Iterable[tuple[str, str]]) -> Iterator[str]:
    for key, value in attributes:
        key = key.rsplit("}", 1)[-1]
        if key in _WORDY_ATTRIBUTES or (tag, key) in _NAME_ATTRIBUTES:
            yield value
