"""The methods of drive.drives and drive.about."""

from __future__ import annotations

from tests.google import export
from tests.google.accounts import Accounts, Token, permission_id
from tests.google.errors import ApiError, Json, bad
from tests.google.files import ROLES, SPREADSHEET, WHOLE_DRIVE, Store

PERSONAL_STORAGE = 15 * 1024**3


def shared_drive(store: Store, token: Token, drive_id: str, query: Json) -> Json:
    """Answer drives.get."""
    drive = store.drives.get(drive_id)
    if drive is None or token.email not in drive.members or not token.scopes & WHOLE_DRIVE:
        raise ApiError(404, f"Shared drive not found: {drive_id}", reason="notFound")
    role = ROLES.index(drive.members[token.email])
    found: Json = {"kind": "drive#drive", "id": drive.id, "name": drive.name}
    if query.get("fields"):
        found["capabilities"] = {
            "canListChildren": True,
            "canAddChildren": role >= ROLES.index("writer"),
            "canManageMembers": role >= ROLES.index("organizer"),
        }
    return found


def shared_drives(store: Store, token: Token, query: Json) -> Json:
    """Answer drives.list."""
    mine = [drive.id for drive in store.drives.values() if token.email in drive.members]
    return {"kind": "drive#driveList", "drives": [shared_drive(store, token, one, query) for one in mine]}


def about(accounts: Accounts, token: Token, query: Json) -> Json:
    """Answer about.get, for which the caller must say what it wants."""
    if not query.get("fields"):
        message = "The 'fields' parameter is required for this method."
        raise bad(message, reason="required", location="fields")
    room = 0 if accounts.get(token.email).service else PERSONAL_STORAGE
    user: Json = {
        "kind": "drive#user",
        "emailAddress": token.email,
        "displayName": token.email.split("@")[0],
        "me": True,
    }
    return {
        "kind": "drive#about",
        "user": user | {"permissionId": permission_id(token.email)},
        "storageQuota": {"limit": str(room), "usage": "0", "usageInDrive": "0", "usageInDriveTrash": "0"},
        "exportFormats": {SPREADSHEET: list(export.WRITERS)},
    }
