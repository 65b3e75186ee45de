"""The methods of drive.permissions: whom a file, a folder or a shared drive is shared with."""

from __future__ import annotations

import re

from tests.google.accounts import Accounts, Token
from tests.google.errors import ApiError, Json, bad, forbidden, not_found
from tests.google.files import ROLES, File, SharedDrive, Store, permission

SHORT = ("kind", "id", "type", "role")
ADDRESS = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s.]+")
KINDS = ("user", "group", "domain", "anyone")


def _shown(one: Json, query: Json) -> Json:
    return one if query.get("fields") else {key: one[key] for key in SHORT}


def _target(store: Store, token: Token, file_id: str, query: Json, needed: str) -> File | SharedDrive:
    """Return what is shared: a file that the caller may change or, by its id, a shared drive."""
    all_drives = bool(query.get("supportsAllDrives"))
    if file_id in store.drives and all_drives:
        drive = store.drives[file_id]
        if token.email not in drive.members:
            raise not_found(file_id)
        if needed == "share" and drive.members[token.email] != "organizer":
            raise forbidden("The user does not have sufficient permissions for this file.")
        return drive
    file = store.find(file_id, token, "writer", all_drives=all_drives)
    locked = not file.meta.get("writersCanShare", True) and store.role(file, token.email) == "writer"
    if needed == "share" and locked and not file.drive:
        raise forbidden("The user does not have sufficient permissions for this file.")
    return file


def listed(store: Store, token: Token, file_id: str, query: Json) -> Json:
    """Answer permissions.list, with those a file has from its folders and its shared drive."""
    target = _target(store, token, file_id, query, "see")
    found = [_detailed(store, target, one) for one in _all(store, target)]
    size, start = query.get("pageSize") or 100, int(query.get("pageToken") or 0)
    answer: Json = {"kind": "drive#permissionList"}
    if len(found) > start + size:
        answer["nextPageToken"] = str(start + size)
    return answer | {"permissions": [_shown(one, query) for one in found[start : start + size]]}


def _all(store: Store, target: File | SharedDrive) -> list[Json]:
    if isinstance(target, File):
        return store.inherited(target)
    return [permission(email, role) for email, role in target.members.items()]


def _detailed(store: Store, target: File | SharedDrive, one: Json) -> Json:
    if isinstance(target, File) and target.drive:
        inherited = all(own["id"] != one["id"] for own in target.permissions)
        kind = "member" if inherited else "file"
        detail: Json = {"permissionType": kind, "role": one["role"], "inherited": inherited}
        return one | {"permissionDetails": [detail | ({"inheritedFrom": target.drive} if inherited else {})]}
    return one


def create(
    store: Store, accounts: Accounts, token: Token, file_id: str, body: Json, query: Json, mails: list[Json]
) -> Json:
    """Answer permissions.create. The mail that goes out, unless the caller says no, is kept in `mails`."""
    target = _target(store, token, file_id, query, "share")
    kind, role, email = body.get("type"), body.get("role"), body.get("emailAddress", "").lower()
    if kind not in KINDS:
        raise bad("The permission type field is required.", reason="required")
    if role not in ROLES[1:]:
        raise bad("The permission role field is required.", reason="required")
    if kind == "domain":
        raise NotImplementedError("permissions of a domain")
    if kind in ("user", "group") and not ADDRESS.fullmatch(email):
        message = "The specified emailAddress is invalid or not applicable for the given permission type."
        raise bad(message, reason="invalid")
    if role == "owner":
        message = "The transferOwnership parameter must be enabled when the permission role is 'owner'."
        raise ApiError(403, message, reason="forbidden")
    if isinstance(target, File) and role in ("organizer", "fileOrganizer"):
        raise ApiError(403, "This role is only for shared drives.", reason="fileOrganizerOnNonTeamDriveNotSupported")
    notify = query.get("sendNotificationEmail", True) and kind in ("user", "group")
    if kind != "anyone" and not accounts.get(email).google and not notify:
        message = (
            f'Bad Request. User message: "You are trying to invite {email}. Since there is no Google account '
            'associated with this email address, you must check the "Notify people" box to invite this recipient."'
        )
        raise bad(message, reason="invalidSharingRequest")
    new = permission(email, role, kind)
    if isinstance(target, SharedDrive):
        target.members[email] = role
    else:
        target.permissions = [one for one in target.permissions if one["id"] != new["id"] or one["role"] == "owner"]
        if all(one["id"] != new["id"] for one in target.permissions):
            target.permissions.append(new)
    if notify:
        mails.append({"to": email, "file": target.id, "role": role, "message": query.get("emailMessage", "")})
    return _shown(_detailed(store, target, new), query)


def _own(store: Store, target: File | SharedDrive, permission_id: str) -> Json:
    for one in _all(store, target):
        if one["id"] == permission_id:
            if isinstance(target, File) and all(own["id"] != permission_id for own in target.permissions):
                message = "Cannot delete an inherited permission."
                raise ApiError(403, message, reason="cannotModifyInheritedPermission")
            return one
    more = {"location": "permissionId", "locationType": "parameter"}
    raise ApiError(404, f"Permission not found: {permission_id}.", reason="notFound", more=more)


def get(store: Store, token: Token, file_id: str, permission_id: str, query: Json) -> Json:
    """Answer permissions.get."""
    target = _target(store, token, file_id, query, "see")
    found = {one["id"]: one for one in _all(store, target)}
    one = found.get(permission_id) or _own(store, target, permission_id)
    return _shown(_detailed(store, target, one), query)


def update(store: Store, token: Token, file_id: str, permission_id: str, body: Json, query: Json) -> Json:
    """Answer permissions.update: another role."""
    target = _target(store, token, file_id, query, "share")
    one = _own(store, target, permission_id)
    role = body.get("role")
    if role not in ROLES[1:] or set(body) - {"role", "expirationTime"}:
        message = "The resource body includes fields which are not directly writable."
        raise ApiError(403, message, reason="fieldNotWritable")
    if one["role"] == "owner" or role == "owner":
        raise forbidden("Insufficient permissions to change the owner.")
    if isinstance(target, SharedDrive):
        target.members[one["emailAddress"]] = role
    else:
        one["role"] = role
    return _shown(_detailed(store, target, one | {"role": role}), query)


def delete(store: Store, token: Token, file_id: str, permission_id: str, query: Json) -> None:
    """Answer permissions.delete."""
    target = _target(store, token, file_id, query, "share")
    one = _own(store, target, permission_id)
    if one["role"] == "owner":
        raise forbidden("The owner of a file cannot be removed.")
    if isinstance(target, SharedDrive):
        del target.members[one["emailAddress"]]
    else:
        target.permissions.remove(one)
