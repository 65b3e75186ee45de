"""What Google says no with, in words and with what to do."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

from toolkit.errors import Problem, ToolkitError, shown

# https://developers.google.com/workspace/drive/api/guides/handle-errors
TRANSIENT_STATUSES = frozenset({408, 429, 500, 502, 503, 504})
TRANSIENT_REASONS = frozenset({"rateLimitExceeded", "userRateLimitExceeded"})
TOO_LARGE = "exportSizeLimitExceeded"
_SWITCHED_OFF = frozenset({"SERVICE_DISABLED", "accessNotConfigured"})
_SCOPE = frozenset({"ACCESS_TOKEN_SCOPE_INSUFFICIENT", "insufficientPermissions"})
_STORAGE = frozenset({"storageQuotaExceeded", "quotaExceeded", "teamDriveFileLimitExceeded"})
_LINK = re.compile(r"https://console\.(?:developers|cloud)\.google\.com/\S+")
AGAIN = "run the same command again later; it goes on where it stopped"
NO_STORAGE = (
    "a service account owns no files: use --folder with a folder of a shared drive, or sign in as yourself "
    "(--credentials with an OAuth client of the kind Desktop app); see the README"
)


@dataclass(frozen=True)
class Refusal:
    """An answer of Google's that is an error.

    Attributes:
        status: The HTTP status; 0 where no answer came.
        message: Google's own words.
        reasons: Its machine-readable reasons.
        link: A page of Google's that removes the reason.
        retry_after: How long to wait, as the header says it.
    """

    status: int
    message: str
    reasons: frozenset[str] = field(default_factory=frozenset)
    link: str = ""
    retry_after: str = ""

    @property
    def transient(self) -> bool:
        """Whether the same call may succeed in a moment."""
        if _STORAGE & self.reasons or _SWITCHED_OFF & self.reasons:
            return False
        return self.status == 0 or self.status in TRANSIENT_STATUSES or bool(TRANSIENT_REASONS & self.reasons)


class GoogleError(ToolkitError):
    """Google refused something; carries why, for code that knows another way."""

    def __init__(self, refusal: Refusal, doing: str, account: str):
        self.refusal = refusal
        super().__init__(_problem(refusal, doing, account))


def refusal_of(status: int, body: Any, text: str, retry_after: str) -> Refusal:
    """Return an answer as a refusal.

    Args:
        status: The HTTP status.
        body: The JSON of the answer, whatever it is; None where it is none.
        text: The answer as text.
        retry_after: The header of this name.
    """
    error = body.get("error") if isinstance(body, dict) else None
    if not isinstance(error, dict):
        return Refusal(status, shown(text) or "no explanation", retry_after=retry_after)
    message = str(error.get("message", ""))
    lists = [found for key in ("errors", "details") if isinstance(found := error.get(key), list)]
    entries = [entry for found in lists for entry in found if isinstance(entry, dict)]
    reasons = frozenset(str(entry["reason"]) for entry in entries if "reason" in entry)
    links = [entry["metadata"].get("activationUrl", "") for entry in entries if isinstance(entry.get("metadata"), dict)]
    links += _LINK.findall(message)
    return Refusal(status, message, reasons, next((link for link in links if link), ""), retry_after)


def _problem(refusal: Refusal, doing: str, account: str) -> Problem:
    what, fix = _explained(refusal, account)
    said = f" (Google says: {shown(refusal.message, 160)})" if refusal.message else ""
    return Problem(f"{doing} did not work: {what}{said}", fix)


def _explained(refusal: Refusal, account: str) -> tuple[str, str]:
    who = account or "the account you signed in with"
    if refusal.reasons & _SWITCHED_OFF:
        where = refusal.link or "console.cloud.google.com > APIs & Services > Library"
        return "the API is switched off in your Google Cloud project", f"open {where}, press Enable, wait a minute"
    if refusal.reasons & _SCOPE:
        return "what was allowed when you signed in is not enough (wrong scope)", _SIGN_IN_AGAIN
    if refusal.reasons & _STORAGE:
        return f"{who} has no storage left in Drive", NO_STORAGE + "; or make room"
    if "sharingRateLimitExceeded" in refusal.reasons:
        return "Google lets nothing more be shared for now", "run the same command again tomorrow, or share by hand"
    if "invalidSharingRequest" in refusal.reasons:
        return "no Google account has this address", "correct the address, or add --notify so that a mail invites them"
    if refusal.reasons & {"domainPolicy", "shareOutNotPermitted", "publishOutNotPermitted"}:
        return "the rules of your organisation forbid sharing with this address", "ask its administrator"
    if "dailyLimitExceeded" in refusal.reasons:
        return "the project's calls for today are used up", "run the same command again tomorrow"
    if TOO_LARGE in refusal.reasons:
        return "it is too large for Google to export", "download it in the browser: File > Download"
    if refusal.transient:
        return _troubled(refusal), AGAIN
    if refusal.status == 401:
        return "the sign-in is not accepted, or was withdrawn", _SIGN_IN_AGAIN
    if refusal.status == 404:
        return f"it is not there, or not shared with {who}", (
            f"check the id and the trash of Google Drive, and share it with {who} as Editor"
        )
    if refusal.status == 403:
        return f"{who} may not do that", f"share the folder or spreadsheet with {who} as Editor"
    return f"Google refused the call (HTTP {refusal.status})", "please report this, it is a fault of the toolkit"


_SIGN_IN_AGAIN = "sign in again (toolkit google doctor --sign-in), and allow everything that is asked"


def _troubled(refusal: Refusal) -> str:
    if refusal.status == 0:
        return "Google could not be reached"
    if refusal.status == 429 or refusal.reasons & TRANSIENT_REASONS:
        return "Google's limit of calls per minute was reached again and again"
    return "Google is in trouble just now"
