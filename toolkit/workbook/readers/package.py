"""The zip container of .xlsx and .ods: opened only after its size is known, and believed in nothing."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator

from toolkit.workbook.readers.budget import SAVE_AGAIN, SEND_AGAIN, Budget, Refused, too_much
from toolkit.workbook.readers.raw import Limits

CHUNK = 1 << 18
DIRECTORY_ENTRY = b"PK\x01\x02"
# Office programs write nothing else; the others need memory by the gigabyte when a file asks for it.
METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)


def open_zip(data: bytes, limits: Limits) -> zipfile.ZipFile:
    """Open an archive that is in memory.

    Raises:
        Refused: When it is damaged or holds too much.
    """
    # The directory is read as a whole on opening, so its entries are counted before. Archives inside add theirs,
    # hence the generous factor here and the exact count below.
    if data.count(DIRECTORY_ENTRY) > 20 * limits.members:
        raise too_much(f"holds more than {limits.members:,} files", "members")
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except zipfile.BadZipFile as error:
        raise _incomplete() from error
    members = archive.infolist()
    if len(members) > limits.members:
        raise too_much(f"holds more than {limits.members:,} files", "members")
    if min((member.header_offset for member in members), default=0):
        # What begins later is an archive inside one that lost its end; the others in it would be lost unseen.
        raise _incomplete()
    unpacked = sum(member.file_size for member in members)
    if unpacked > limits.unpacked_bytes:
        what = f"unpacks to {unpacked / 1e6:,.0f} MB, more than {limits.unpacked_bytes / 1e6:,.0f} MB"
        raise too_much(what, "unpacked_bytes")
    return archive


def _incomplete() -> Refused:
    what = "is incomplete or damaged: it begins like a workbook or archive, but its end is missing or broken"
    return Refused(what, SEND_AGAIN)


class Package:
    """The parts of a container, by name."""

    def __init__(self, archive: zipfile.ZipFile, budget: Budget):
        self._archive, self._budget = archive, budget
        self._parts: dict[str, zipfile.ZipInfo] = {}
        self._twice: set[str] = set()
        for member in archive.infolist():
            # part names differ in more than case
            key = member.filename.replace("\\", "/").lstrip("/").casefold()
            if key in self._parts:
                self._twice.add(key)
            self._parts[key] = member

    @property
    def names(self) -> list[str]:
        """The part names, in lower case."""
        return list(self._parts)

    def __contains__(self, name: str) -> bool:
        return name.casefold() in self._parts

    def chunks(self, name: str, most: int | None = None) -> Iterator[bytes]:
        """Yield a part's bytes, counting what really comes out, whatever the directory says.

        Args:
            name: The part.
            most: The most bytes it may have.

        Raises:
            Refused: When the part is missing, ambiguous, encrypted or damaged.
        """
        key = name.casefold()
        member = self._parts.get(key)
        if member is None:
            raise Refused(f"is damaged: its part {name} is missing", SAVE_AGAIN)
        if key in self._twice:
            raise Refused(f"is damaged: its part {name} is there twice", SAVE_AGAIN)
        if member.flag_bits & 1:
            raise Refused("is protected by a password", "ask the annotator to save it without the password")
        if member.compress_type not in METHODS:
            raise Refused("is compressed in a way no spreadsheet program uses", SAVE_AGAIN)
        if most is not None and member.file_size > most:
            raise too_much(f"holds a part, {name}, of more than {most / 1e6:,.0f} MB")
        with self._archive.open(member) as part:
            while chunk := part.read(CHUNK):
                self._budget.unpacked(len(chunk))
                yield chunk

    def head(self, name: str, count: int = 200_000) -> bytes:
        """Return the first bytes of a part; none where it is missing."""
        if name not in self:
            return b""
        found = b""
        for chunk in self.chunks(name):
            found += chunk
            if len(found) >= count:
                break
        return found[:count]
