"""Signing in: a service account's key, an OAuth client of the kind Desktop app, or what the machine has by default.

What a file is, is told by its content. Only the OAuth flow stores anything: the token of the person who signed in, in
a folder of their own, which only they can read.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from toolkit.errors import Problem, ToolkitError, shown
from toolkit.files import read_text, sha256
from toolkit.google.service import needs_extra

# With the first, an application sees the files it made itself and no others; that is enough, unless files go into a
# folder that somebody else made. https://developers.google.com/workspace/drive/api/guides/api-specific-auth
OWN_FILES = ("https://www.googleapis.com/auth/drive.file",)
ALL_FILES = ("https://www.googleapis.com/auth/drive", "https://www.googleapis.com/auth/spreadsheets")
SERVICE_ACCOUNT, DESKTOP, AUTHORIZED, DEFAULT = "service account", "OAuth client", "stored sign-in", "default"
BROWSER_SECONDS = 300
_KINDS = {"service_account": SERVICE_ACCOUNT, "authorized_user": AUTHORIZED}


@dataclass(frozen=True)
class SignedIn:
    """A way in.

    Attributes:
        session: Signs every call.
        kind: Which way.
        account: The mail address, where the credentials say it.
    """

    session: Any
    kind: str
    account: str = ""


def sign_in(file: Path | None, tokens: Path, *, all_files: bool, anew: bool = False) -> SignedIn:
    """Return a session that signs calls.

    Args:
        file: Key of a service account, OAuth client, or stored sign-in (JSON); what the machine has by default if None.
        tokens: Folder where the token of an OAuth sign-in is kept.
        all_files: Whether files are needed that the toolkit did not make, such as a folder.
        anew: Whether a stored token is forgotten first.

    Raises:
        ToolkitError: When there are no credentials, or they cannot be used.
    """
    try:
        from google.auth.exceptions import GoogleAuthError
        from google.auth.transport.requests import AuthorizedSession
    except ImportError as error:
        raise needs_extra() from error
    scopes = ALL_FILES if all_files else OWN_FILES
    content = _content(file) if file else None
    kind = _kind(content, file)
    try:
        if kind == SERVICE_ACCOUNT:
            from google.oauth2.service_account import Credentials as Key

            credentials = Key.from_service_account_info(content, scopes=scopes)
        elif kind == AUTHORIZED:
            from google.oauth2.credentials import Credentials as Token

            credentials = Token.from_authorized_user_info(content)
        elif kind == DESKTOP:
            assert content is not None
            credentials = _of_person(content, tokens, scopes, anew)
        else:
            import google.auth

            credentials, _project = google.auth.default(scopes=scopes)
    except (GoogleAuthError, ValueError, KeyError) as error:
        raise ToolkitError(
            Problem(
                f"signing in to Google is not possible ({shown(error, 160)})",
                "name a key with --credentials, or run gcloud auth application-default login "
                f"--scopes={','.join((*scopes, 'https://www.googleapis.com/auth/cloud-platform'))}; see the README",
                str(file) if file else None,
            )
        ) from error
    return SignedIn(AuthorizedSession(credentials), kind, getattr(credentials, "service_account_email", ""))


def _content(file: Path) -> dict[str, Any]:
    try:
        content = json.loads(read_text(file))
    except (ValueError, RecursionError) as error:
        raise ToolkitError(Problem("is not JSON", "name the file as Google gave it to you", str(file))) from error
    return content if isinstance(content, dict) else {}


def _kind(content: dict[str, Any] | None, file: Path | None) -> str:
    if content is None:
        return DEFAULT
    if "installed" in content:
        return DESKTOP
    if content.get("type") in _KINDS:
        return _KINDS[content["type"]]
    what = "is an OAuth client for web servers" if "web" in content else "holds no credentials of Google's"
    fix = "make an OAuth client of the kind Desktop app, or a key of a service account; see the README"
    raise ToolkitError(Problem(what, fix, str(file)))


def _of_person(client: dict[str, Any], tokens: Path, scopes: tuple[str, ...], anew: bool) -> Any:
    """Return the credentials of whoever signed in before, or signs in now in the browser."""
    from google.oauth2.credentials import Credentials as Token
    from google_auth_oauthlib.flow import InstalledAppFlow

    # a token is good for one client and for what was allowed
    stored = tokens / f"google-{sha256(json.dumps([client['installed'].get('client_id'), scopes]))[:12]}.json"
    if stored.exists() and not anew:
        return Token.from_authorized_user_info(json.loads(read_text(stored)), scopes)
    flow = InstalledAppFlow.from_client_config(client, scopes)
    try:
        with contextlib.closing(flow.oauth2session), contextlib.redirect_stdout(sys.stderr):  # stdout is for results
            person = flow.run_local_server(port=0, timeout_seconds=BROWSER_SECONDS)
    except Exception as error:  # the browser was closed, the time ran out, permission was refused: any exception
        what = f"nobody signed in ({type(error).__name__})"
        raise ToolkitError(Problem(what, "run it again and allow access in the browser")) from error
    _keep(stored, person.to_json())
    return person


def _keep(path: Path, text: str) -> None:
    """Store a token where only its owner can read it, from the first byte on."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    path.unlink(missing_ok=True)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(text)
