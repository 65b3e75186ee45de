"""Files, folders and shared drives as the fake holds them, and who may do what with them."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field

from tests.google.accounts import Token, permission_id
from tests.google.book import Spreadsheet
from tests.google.errors import ApiError, Json, not_found

SPREADSHEET = "application/vnd.google-apps.spreadsheet"
FOLDER = "application/vnd.google-apps.folder"
ROLES = ("", "reader", "commenter", "writer", "fileOrganizer", "organizer", "owner")
WHOLE_DRIVE = {"https://www.googleapis.com/auth/drive", "https://www.googleapis.com/auth/drive.readonly"}
EVERY_SHEET = WHOLE_DRIVE | {
    "https://www.googleapis.com/auth/spreadsheets",
    "https://www.googleapis.com/auth/spreadsheets.readonly",
}


@dataclass
class SharedDrive:
    """A shared drive and its members' roles by their addresses."""

    id: str
    name: str
    members: dict[str, str] = field(default_factory=dict)


@dataclass
class File:
    """A file. `owner` is empty where a shared drive owns it; `apps` are the programs that reach it with drive.file."""

    id: str
    name: str
    mime: str
    owner: str
    drive: str
    parents: list[str]
    created: float
    modified: float
    apps: set[str]
    permissions: list[Json] = field(default_factory=list)
    app_properties: dict[str, dict[str, str]] = field(default_factory=dict)
    meta: Json = field(default_factory=dict)
    book: Spreadsheet | None = None


def permission(email: str, role: str, kind: str = "user") -> Json:
    """Return a permission as the interface shows it."""
    if kind == "anyone":
        return {"kind": "drive#permission", "id": "anyoneWithLink", "type": "anyone", "role": role}
    name = email.split("@")[0]
    found: Json = {"kind": "drive#permission", "id": permission_id(email), "type": kind, "role": role}
    return found | {"emailAddress": email, "displayName": name, "deleted": False, "pendingOwner": False}


def stamp(moment: float) -> str:
    """Return a moment as the interface writes it."""
    return datetime.datetime.fromtimestamp(moment, datetime.UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


class Store:
    """Everything that is in Drive."""

    def __init__(self) -> None:
        self.files: dict[str, File] = {}
        self.drives: dict[str, SharedDrive] = {}
        self._number = 0

    def new_id(self, kind: str) -> str:
        """Return an id that looks like one of Google's and says what it is of."""
        self._number += 1
        return (
            f"1{kind}{self._number:0>4}".ljust(33, "x") if kind != "drive" else f"0A{self._number:0>4}".ljust(17, "x")
        )

    def role(self, file: File, email: str) -> str:
        """Return the highest role someone has for a file, by itself, its folders or its shared drive."""
        roles = ["owner"] if file.owner == email else [""]
        roles += [one["role"] for one in self.inherited(file) if one.get("emailAddress") in (email, None)]
        return max(roles, key=ROLES.index)

    def inherited(self, file: File) -> list[Json]:
        """Return all permissions of a file: its own and those of the folders and the shared drive it lies in."""
        found = {one["id"]: one for one in file.permissions}
        above = [self.files[parent] for parent in file.parents if parent in self.files]
        others = [one for folder in above for one in self.inherited(folder) if one["role"] != "owner"]
        if file.drive:
            others += [permission(email, role) for email, role in self.drives[file.drive].members.items()]
        for one in others:
            known = found.get(one["id"])
            if known is None or ROLES.index(known["role"]) < ROLES.index(one["role"]):
                found[one["id"]] = one
        return list(found.values())

    def find(self, file_id: str, token: Token, needed: str = "reader", *, all_drives: bool = True) -> File:
        """Return a file that a caller of Drive may see and, where more is needed, may change.

        Args:
            file_id: The file's id.
            token: The caller's.
            needed: The role the caller must have.
            all_drives: Whether the caller says that it knows of shared drives.

        Raises:
            ApiError: 404 where the caller may not even know of it, 403 where the role is too low.
        """
        file = self.files.get(file_id)
        if file is None or (file.drive and not all_drives) or not self.visible(file, token):
            raise not_found(file_id)
        if ROLES.index(self.role(file, token.email)) < ROLES.index(needed):
            message = "The user does not have sufficient permissions for this file."
            raise ApiError(403, message, reason="insufficientFilePermissions")
        return file

    def visible(self, file: File, token: Token) -> bool:
        """Return whether a caller may know of a file: its person has a role, its program's scopes reach so far."""
        return bool(self.role(file, token.email)) and (bool(token.scopes & WHOLE_DRIVE) or token.client in file.apps)

    def spreadsheet(self, file_id: str, token: Token, needed: str) -> File:
        """Return a spreadsheet for a caller of Sheets, who is told 403 where a caller of Drive is told 404.

        Raises:
            ApiError: There is none, or the caller may not.
        """
        file = self.files.get(file_id)
        if file is None or file.book is None:
            raise not_found()
        reaches = token.scopes & EVERY_SHEET or token.client in file.apps
        if not reaches or ROLES.index(self.role(file, token.email)) < ROLES.index(needed):
            raise ApiError(403, "The caller does not have permission")
        return file
