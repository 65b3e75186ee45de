"""Where spreadsheets are made, and who sees them there beside those they are for."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from toolkit.errors import Problem, ToolkitError, shown
from toolkit.google import calls
from toolkit.google.refusals import NO_STORAGE, GoogleError
from toolkit.google.service import Service

PUBLIC, DOMAIN = "anyone", "domain"
FORBIDDEN = 403


def open_place(service: Service, folder: str | None, *, owns_files: bool) -> calls.Place | None:
    """Return the folder for spreadsheets; None for the top of My Drive.

    Args:
        service: The way to Google.
        folder: The folder's id, if one is wanted.
        owns_files: Whether the account can own files; a service account cannot.

    Raises:
        ToolkitError: When no spreadsheet can be made there.
    """
    if folder is None:
        if not owns_files:
            raise ToolkitError(Problem("a service account cannot make files in a Drive of its own", NO_STORAGE))
        return None
    place = calls.place(service, folder)
    if not place.is_folder:
        raise ToolkitError(Problem("--folder is no folder", "copy the id from the folder's address", value=folder))
    if not place.may_add:
        what = f"{service.account or 'the account'} may not add files to the folder “{shown(place.name)}”"
        raise ToolkitError(Problem(what, "share it with this account as Editor or Content manager", value=folder))
    if not place.drive and not owns_files:
        what = f"the folder “{shown(place.name)}” is not in a shared drive, so the files in it would need an owner"
        raise ToolkitError(Problem(what, NO_STORAGE, value=folder))
    return place


def audience(service: Service, place: calls.Place | None) -> list[calls.Permission] | None:
    """Return who sees everything in a folder; nobody does at the top of My Drive, None where nobody may ask.

    The members of a shared drive are among those who see a folder in it.

    Raises:
        ToolkitError: When anyone with the link can see it.
    """
    if place is None:
        return []
    try:
        found = calls.permissions(service, place.id, f"looking who sees the folder “{shown(place.name)}”")
    except GoogleError as error:
        if error.refusal.status != FORBIDDEN:
            raise
        return None
    if any(permission.kind == PUBLIC for permission in found):
        what = f"anyone with the link can open the folder “{shown(place.name)}”, and so every spreadsheet in it"
        raise ToolkitError(Problem(what, "choose another folder, or restrict it (Share > General access > Restricted)"))
    return found


def insiders(editors: Collection[str], mails: Mapping[str, str]) -> list[str]:
    """Return in words which annotators may open everything because they coordinate.

    Args:
        editors: The addresses of those who may edit everything.
        mails: The address of each annotator.
    """
    editors = {mail.casefold() for mail in editors}
    return [
        f"{shown(name)} ({mail}) coordinates, and so can open the spreadsheets of the other annotators"
        for name, mail in mails.items()
        if mail.casefold() in editors
    ]


def audience_warnings(
    place: calls.Place | None, found: Collection[calls.Permission] | None, mails: Sequence[str]
) -> list[str]:
    """Return in words which annotators would see the others' spreadsheets because they see the folder.

    Args:
        place: The folder.
        found: Who sees it.
        mails: The addresses of the annotators.
    """
    if place is None:
        return []
    if place.id == place.drive:
        name = f"shared drive “{shown(place.name)}”"
    else:
        name = f"folder “{shown(place.name)}”" + (" of a shared drive" if place.drive else "")
    if found is None:
        return [f"nobody could say who sees the {name}"]
    members = {permission.mail.casefold() for permission in found if permission.mail}
    warnings = [
        f"{mail} sees everything in the {name}, so also the spreadsheets of the other annotators"
        for mail in mails
        if mail.casefold() in members
    ]
    if any(permission.kind == DOMAIN for permission in found):
        warnings.append(f"everybody of your organisation sees the {name}, so perhaps also annotators")
    return warnings
