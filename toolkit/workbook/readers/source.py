"""A file that came back, wherever it lies: on disk, inside an archive, or in memory."""

from __future__ import annotations

import dataclasses
import stat
import zipfile
import zlib
from dataclasses import dataclass, field
from pathlib import Path

from toolkit.errors import Problem, ToolkitError

ARCHIVE_ERRORS = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError)
SEND_AGAIN = "ask the annotator to send it again"
SMALLER = "send the workbook as it was handed out, with nothing added but the answers"


@dataclass(frozen=True)
class Source:
    """A file to read.

    Attributes:
        name: What messages call it: `A1.xlsx`, or `returned.zip > A1.xlsx`.
        path: The file on disk; for a member of an archive, the archive.
        member: For a member of an archive, its place in the archive's directory (names may be there twice).
        content: The bytes, where they are in memory already.
        problem: What was found wrong before it was even opened; reading it reports this.
    """

    name: str
    path: Path | None = None
    member: int | None = None
    content: bytes | None = field(default=None, repr=False)
    problem: Problem | None = None

    @classmethod
    def at(cls, path: Path) -> Source:
        """Return the source of a file on disk."""
        return cls(path.name, path)

    @property
    def data(self) -> bytes:
        """The bytes of the file, read now unless they are in memory.

        Raises:
            ToolkitError: When it cannot be read.
        """
        return self.content if self.content is not None else self.head(None)

    def loaded(self, limit: int) -> Source:
        """Return the same source with its bytes in memory.

        Args:
            limit: The most bytes it may have.

        Raises:
            ToolkitError: When it cannot be read, or is larger.
        """
        data = self.content if self.content is not None else self.head(limit + 1)
        if len(data) > limit:
            what = f"is larger than {limit / 1e6:,.0f} MB, which is the limit"
            raise ToolkitError(Problem(what, f"{SMALLER}; {raise_limit('file_bytes')}", self.name))
        return dataclasses.replace(self, content=data)

    def head(self, count: int | None) -> bytes:
        """Return the first bytes, or all of them.

        Raises:
            ToolkitError: When they cannot be read.
        """
        if self.problem is not None:
            raise ToolkitError(self.problem)
        size = -1 if count is None else count
        if self.content is not None:
            return self.content[:count]
        try:
            if self.path is None:
                raise FileNotFoundError("no such file")
            if self.member is None:
                mode = self.path.stat().st_mode
                if not stat.S_ISREG(mode) and not stat.S_ISDIR(mode):
                    # opening a pipe that nobody writes to would wait for ever
                    raise ToolkitError(Problem("is not an ordinary file", "save it as a file first", self.name))
                with self.path.open("rb") as file:
                    return file.read(size)
            with zipfile.ZipFile(self.path) as archive, archive.open(archive.infolist()[self.member]) as file:
                return file.read(size)
        except IsADirectoryError as error:
            raise ToolkitError(Problem("is a folder, not a file", "name the files in it", self.name)) from error
        except FileNotFoundError as error:
            raise ToolkitError(Problem("does not exist", "check the name", self.path or self.name)) from error
        except OSError as error:
            what = f"cannot be opened: {error.strerror or error}"
            raise ToolkitError(
                Problem(what, "check that it may be read and is not open elsewhere", self.name)
            ) from error
        except (*ARCHIVE_ERRORS, IndexError) as error:
            what = f"cannot be taken out of its archive ({error})"
            raise ToolkitError(Problem(what, SEND_AGAIN, self.name)) from error


def raise_limit(name: str) -> str:
    """Return how to let a file hold more, in words that end the advice of a message."""
    return f"or allow more: add --limit {name}=NUMBER to the command"
