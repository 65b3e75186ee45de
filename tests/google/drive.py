"""The methods of drive.files."""

from __future__ import annotations

from tests.google import drive_query, export
from tests.google.accounts import Account, Accounts, Token, permission_id
from tests.google.errors import ApiError, Json, bad, forbidden, not_found, quota_exceeded
from tests.google.files import FOLDER, ROLES, SPREADSHEET, WHOLE_DRIVE, File, Store, permission, stamp
from tests.google.spreadsheets import URL, create

WRITABLE = {
    "name", "mimeType", "parents", "description", "appProperties", "writersCanShare", "copyRequiresWriterPermission",
    "trashed", "starred", "properties",
}  # fmt: skip
SHORT = ("kind", "id", "name", "mimeType", "driveId", "teamDriveId")
# Bytes of the key and the value of one appProperty, and how many a file may have.
MOST_PROPERTY_BYTES, MOST_PROPERTIES = 124, 30
MOST_EXPORT = 10 * 1024 * 1024
PERSONAL_STORAGE = 15 * 1024**3


def resource(store: Store, file: File, token: Token) -> Json:
    """Return all of a file's metadata, as this caller sees it."""
    role = ROLES.index(store.role(file, token.email))
    may_share = role >= ROLES.index("writer") and (role == 6 or file.drive or file.meta.get("writersCanShare", True))
    found: Json = {
        "kind": "drive#file",
        "id": file.id,
        "name": file.name,
        "mimeType": file.mime,
        "parents": file.parents,
        "createdTime": stamp(file.created),
        "modifiedTime": stamp(file.modified),
        "trashed": False,
        "starred": False,
        "ownedByMe": file.owner == token.email,
        "shared": len(store.inherited(file)) > 1,
        "webViewLink": URL.format(id=file.id),
        "capabilities": {
            "canEdit": role >= ROLES.index("writer"),
            "canAddChildren": file.mime == FOLDER and role >= ROLES.index("writer"),
            "canShare": bool(may_share),
            "canTrash": role >= ROLES.index("fileOrganizer"),
        },
        "copyRequiresWriterPermission": False,
    }
    if file.drive:
        found |= {"driveId": file.drive, "teamDriveId": file.drive}
    else:
        owner = {"kind": "drive#user", "emailAddress": file.owner, "me": file.owner == token.email}
        found |= {"owners": [owner | {"permissionId": permission_id(file.owner)}], "writersCanShare": True}
    found |= file.meta
    if file.app_properties.get(token.client):
        found["appProperties"] = file.app_properties[token.client]
    if role >= ROLES.index("writer"):
        found["permissions"] = store.inherited(file)
        found["permissionIds"] = [one["id"] for one in found["permissions"]]
    return found


def short(found: Json, query: Json) -> Json:
    """Return the few fields that an answer has where the caller names none."""
    return found if query.get("fields") else {key: found[key] for key in SHORT if key in found}


def make(store: Store, accounts: Accounts, token: Token, body: Json, query: Json, now: float) -> Json:
    """Answer files.create: an empty spreadsheet or a folder."""
    account = accounts.get(token.email)
    _check_body(body, creating=True)
    mime = body.get("mimeType", "application/octet-stream")
    if mime not in (SPREADSHEET, FOLDER):
        raise NotImplementedError(f"files of the type {mime}")
    parents = body.get("parents") or ["root"]
    if len(parents) > 1:
        raise bad("A file cannot have more than one parent", reason="invalid")
    drive, owner, parents = _home(store, account, token, parents[0], mime, bool(query.get("supportsAllDrives")))
    if drive and "writersCanShare" in body:
        raise _restricted()
    file = add(store, token, body.get("name") or "Untitled", mime, owner, drive, parents, now)
    if mime == SPREADSHEET:
        file.book = create(file.id, {"properties": {"title": file.name}}, owner or token.email, account.locale)
    _set(file, token, {key: value for key, value in body.items() if key not in ("name", "mimeType", "parents")})
    return short(resource(store, file, token), query)


def _home(
    store: Store, account: Account, token: Token, parent: str, mime: str, all_drives: bool
) -> tuple[str, str, list[str]]:
    """Return the shared drive, the owner and the parents of a file that is to be made in a folder."""
    if parent in store.drives and all_drives:
        if ROLES.index(store.drives[parent].members.get(account.email, "")) < ROLES.index("writer"):
            raise not_found(parent)
        return parent, "", [parent]
    if parent != "root":
        folder = store.find(parent, token, "writer", all_drives=all_drives)
        if folder.mime != FOLDER:
            raise ApiError(403, "The specified parent is not a folder.", reason="parentNotAFolder")
        if folder.drive:
            return folder.drive, "", [parent]
    # whoever makes a file in somebody's folder of My Drive owns it, and needs room for it
    if account.service and mime != FOLDER:
        raise quota_exceeded()
    return "", account.email, [root(account.email) if parent == "root" else parent]


def root(email: str) -> str:
    """Return the id of someone's My Drive."""
    return f"0A{permission_id(email)[:15]}"


def add(
    store: Store, token: Token, name: str, mime: str, owner: str, drive: str, parents: list[str], now: float
) -> File:
    """Put a file into Drive and return it."""
    file_id = store.new_id("folder" if mime == FOLDER else "sheet")
    file = File(file_id, name, mime, owner, drive, parents, now, now, {token.client})
    if owner:
        file.permissions.append(permission(owner, "owner"))
    store.files[file_id] = file
    return file


def _not_writable(name: str) -> ApiError:
    message = f"The resource body includes fields which are not directly writable: {name}"
    return ApiError(403, message, reason="fieldNotWritable")


def _restricted() -> ApiError:
    """Return a 403: a shared drive has its own rules on who may share, for all of its files."""
    message = "Sharing restrictions cannot be set on a shared drive item."
    return ApiError(403, message, reason="teamDrivesSharingRestrictionNotAllowed")


def _check_body(body: Json, *, creating: bool) -> None:
    for key in body:
        if key not in WRITABLE and not (creating and key in ("id", "createdTime", "modifiedTime")):
            raise _not_writable(key)
    if not creating and "parents" in body:
        message = "The parents field is not directly writable in update requests. "
        message += "Use the addParents and removeParents parameters instead."
        raise ApiError(403, message, reason="fieldNotWritable")


def _set(file: File, token: Token, body: Json) -> None:
    own = file.app_properties.get(token.client, {})
    own = {key: value for key, value in (own | (body.get("appProperties") or {})).items() if value is not None}
    if any(len((key + value).encode()) > MOST_PROPERTY_BYTES for key, value in own.items()):
        message = f"The property key and value must not exceed {MOST_PROPERTY_BYTES} bytes in total."
        raise bad(message, reason="propertyTooLarge")
    if len(own) > MOST_PROPERTIES:
        raise bad("The limit on the number of properties has been exceeded.", reason="propertiesLimitExceeded")
    file.app_properties[token.client] = own
    file.meta |= {key: value for key, value in body.items() if key not in ("name", "appProperties", "mimeType")}


def got(store: Store, token: Token, file_id: str, query: Json) -> Json:
    """Answer files.get: the metadata of a file or, under its id, of a shared drive's top folder."""
    all_drives = bool(query.get("supportsAllDrives"))
    if file_id == "root":
        file_id = root(token.email)
    if file_id == root(token.email) or (file_id in store.drives and all_drives):
        return short(_top(store, token, file_id), query)
    return short(resource(store, store.find(file_id, token, all_drives=all_drives), token), query)


def _top(store: Store, token: Token, file_id: str) -> Json:
    drive = store.drives.get(file_id)
    if not token.scopes & WHOLE_DRIVE or (drive and token.email not in drive.members):
        raise not_found(file_id)
    found: Json = {"kind": "drive#file", "id": file_id, "name": "My Drive", "mimeType": FOLDER, "trashed": False}
    may = drive is None or ROLES.index(drive.members[token.email]) >= ROLES.index("writer")
    found["capabilities"] = {"canEdit": may, "canAddChildren": may}
    return found | ({"name": "Drive", "driveId": file_id, "teamDriveId": file_id} if drive else {"ownedByMe": True})


def update(store: Store, token: Token, file_id: str, body: Json, query: Json, now: float) -> Json:
    """Answer files.update."""
    all_drives = bool(query.get("supportsAllDrives"))
    file = store.find(file_id, token, "writer", all_drives=all_drives)
    _check_body(body, creating=False)
    role = ROLES.index(store.role(file, token.email))
    if body.get("trashed") is not None and role < ROLES.index("fileOrganizer" if file.drive else "owner"):
        raise forbidden("The user does not have sufficient permissions for this file.")
    if "writersCanShare" in body and file.drive:
        raise _restricted()
    if body.get("writersCanShare") is not None and role < ROLES.index("owner"):
        raise forbidden("The user does not have sufficient permissions for this file.")
    if query.get("addParents"):
        folder = query["addParents"]
        drive, owner, parents = _home(store, Account(token.email), token, folder, file.mime, all_drives)
        if query.get("removeParents") != file.parents[0]:
            message = "Increasing the number of parents is not allowed"
            raise ApiError(403, message, reason="cannotAddParent")
        file.drive, file.parents = drive, parents
        file.owner = "" if drive else file.owner or owner
    if body.get("name"):
        file.name = body["name"]
        if file.book:
            file.book.properties["title"] = file.name
    _set(file, token, body)
    file.modified = now
    return short(resource(store, file, token), query)


def listed(store: Store, token: Token, query: Json) -> Json:
    """Answer files.list, a page at a time."""
    test = drive_query.parse(query["q"]) if query.get("q") else lambda file: True
    drive, corpora = query.get("driveId"), query.get("corpora") or "user"
    if (corpora == "drive") != bool(drive):
        raise bad("The driveId parameter must be specified if and only if corpora is set to drive.", reason="invalid")
    if drive and not (query.get("includeItemsFromAllDrives") and query.get("supportsAllDrives")):
        raise bad("includeItemsFromAllDrives and supportsAllDrives must be true with driveId.", reason="invalid")
    if drive and (drive not in store.drives or token.email not in store.drives[drive].members):
        raise ApiError(404, f"Shared drive not found: {drive}", reason="notFound")
    found = []
    for file in reversed(store.files.values()):
        in_reach = file.drive == drive if drive else not file.drive or query.get("includeItemsFromAllDrives")
        if in_reach and store.visible(file, token) and test(_searched(store, file, token)):
            found.append(resource(store, file, token))
    size, start = query.get("pageSize") or 100, int(query.get("pageToken") or 0)
    answer: Json = {"kind": "drive#fileList", "incompleteSearch": False}
    if len(found) > start + size:
        answer["nextPageToken"] = str(start + size)
    return answer | {"files": [short(one, query) for one in found[start : start + size]]}


def _searched(store: Store, file: File, token: Token) -> Json:
    people = store.inherited(file)
    roles = {"owners": 6, "writers": 3, "readers": 1}
    names = {
        name: [one.get("emailAddress") for one in people if ROLES.index(one["role"]) >= least]
        for name, least in roles.items()
    }
    shared = file.owner != token.email and not file.drive
    parents = [*file.parents, "root"] if root(token.email) in file.parents else file.parents
    return resource(store, file, token) | names | {"sharedWithMe": shared, "parents": parents}


def exported(store: Store, token: Token, file_id: str, query: Json) -> tuple[str, bytes]:
    """Answer files.export: the type and the bytes of the file."""
    file = store.find(file_id, token)
    if file.book is None:
        raise ApiError(403, "Export only supports Docs Editors files.", reason="fileNotExportable")
    if query["mimeType"] not in export.WRITERS:
        raise bad("The requested conversion is not supported.", location="convertTo")
    data = export.WRITERS[query["mimeType"]](file.book)
    if len(data) > MOST_EXPORT:
        raise ApiError(403, "This file is too large to be exported.", reason="exportSizeLimitExceeded")
    return query["mimeType"], data


def delete(store: Store, token: Token, file_id: str, query: Json) -> None:
    """Answer files.delete: gone, without a stay in the trash."""
    file = store.find(file_id, token, all_drives=bool(query.get("supportsAllDrives")))
    needed = "organizer" if file.drive else "owner"
    store.find(file_id, token, needed, all_drives=True)
    del store.files[file_id]
