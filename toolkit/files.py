"""Writing files so that nothing is lost: whole files or none, and never over something that is there."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import sysconfig
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from toolkit.errors import Problem, ToolkitError


def resources(name: str) -> Path:
    """Return the folder of things that ship with the toolkit.

    Args:
        name: `templates`, or `example` for the inputs of the bundled example.

    In a wheel they lie inside the package; in a checkout (editable install) at the top of the tree.
    """
    package = Path(__file__).resolve().parent
    shipped = package / "_data" / name
    if shipped.is_dir():
        return shipped
    return package.parent / {"templates": "templates", "example": "sheets/example"}[name]


def languages() -> tuple[str, ...]:
    """Return the languages there are: English, in which messages are written, and each that has a catalogue."""
    return "en", *sorted(path.stem for path in (resources("templates") / "locale").glob("*.po"))


def template(kind: str, language: str, suffix: str = "") -> Path:
    """Return a template in a language, or in English where nobody has written it in that one yet.

    Args:
        kind: The folder of such templates: `prompts`, `probes`...
        language: The language, which names the file or folder.
        suffix: Of the file; empty for a folder.
    """
    folder = resources("templates") / kind
    path = folder / f"{language}{suffix}"
    return path if path.exists() else folder / f"en{suffix}"


def canonical_json(value: Any) -> str:
    """Return JSON that is the same for the same content: sorted keys, no spare space, strict numbers."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)


def pretty_json(value: Any) -> bytes:
    """Return JSON for a file people may open: indented, in the order given, strict numbers, UTF-8.

    Lone surrogates (a broken emoji in a log) have no UTF-8 form; they stay as their JSON escape.
    """
    text = json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
    try:
        return text.encode()
    except UnicodeEncodeError:
        return (json.dumps(value, ensure_ascii=True, indent=1, allow_nan=False) + "\n").encode()


def sha256(data: bytes | str) -> str:
    """Return the SHA-256 of bytes or of a text's UTF-8, in hexadecimal."""
    return hashlib.sha256(data.encode("utf-8", "surrogatepass") if isinstance(data, str) else data).hexdigest()


def read_text(path: Path) -> str:
    """Return the content of a text file in UTF-8, with or without BOM.

    Raises:
        ToolkitError: When it cannot be read or is no such text.
    """
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise ToolkitError(Problem(f"cannot be read: {why}", "check the path", str(path))) from error
    except UnicodeDecodeError as error:
        raise ToolkitError(Problem("is not a text in UTF-8", "save it as UTF-8", str(path))) from error


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that its name only ever shows the old content or all of the new.

    Raises:
        ToolkitError: When the folder cannot be written to.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".writing-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            # mkstemp makes private files; these are for sharing, so give them the usual mode
            mask = os.umask(0)
            os.umask(mask)
            Path(temporary).chmod(0o666 & ~mask)
            Path(temporary).replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()
            raise
    except OSError as error:
        why = error.strerror or type(error).__name__
        raise ToolkitError(Problem(f"cannot be written: {why}", "choose another place for it", str(path))) from error


def write_all(folder: Path, contents: Mapping[str, bytes], *, force: bool) -> list[Path]:
    """Write several files of one folder, all of them or, when something stands in the way, none.

    Args:
        folder: The folder; made when absent.
        contents: Relative path to bytes. Everything is in memory before the first byte is written, so an error
            while it was being made has left nothing behind.
        force: Whether files that exist may be replaced.

    Returns:
        The paths written, in the order given.

    Raises:
        ToolkitError: When a file exists and `force` is off (nothing is written then), or writing fails.
    """
    paths = [folder / name for name in contents]
    existing = [path for path in paths if path.exists()]
    if existing and not force:
        raise ToolkitError(
            Problem(
                "exists already and is not overwritten",
                "choose another place for it, or --force to replace it",
                str(path),
            )
            for path in existing
        )
    for path, data in zip(paths, contents.values(), strict=True):
        write_atomically(path, data)
    return paths


def code_version() -> str:
    """Return the toolkit's version and Python's, as the report's method section names them."""
    from toolkit import __version__

    return f"toolkit {__version__}, Python {sysconfig.get_python_version()}"
