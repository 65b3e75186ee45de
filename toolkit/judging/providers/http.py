"""What HTTP answers mean, for every adapter alike."""

from __future__ import annotations

import email.utils
import time
from collections.abc import Mapping

from toolkit.errors import shown
from toolkit.judging.provider import CallError, FailureKind

# 408 time-out, 409 conflict, 425 too early, 429 too many: the same request may well succeed later
_AGAIN = frozenset((408, 409, 425, 429))
# the key, the account or the model is wrong: no other request would fare better
_HOPELESS = frozenset((401, 402, 403, 404))
_SHOWN = 300


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return how many seconds a server asks to wait: a number, or a date (RFC 9110); None when it does not say.

    >>> retry_after({"retry-after": "1.5"}), retry_after({"retry-after-ms": "250"}), retry_after({})
    (1.5, 0.25, None)
    """
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = headers.get(name)
        if value is None:
            continue
        try:
            seconds = float(value) * unit
        except ValueError:
            try:
                seconds = email.utils.parsedate_to_datetime(value).timestamp() - time.time()
            except ValueError:
                continue
        if seconds == seconds and seconds < float("inf"):
            return max(0.0, seconds)
    return None


def status_error(status: int, message: str, headers: Mapping[str, str]) -> CallError:
    """Return the failure that a status code other than 200 stands for."""
    kind: FailureKind
    if status in _AGAIN or status >= 500:
        kind = "transport"
    elif status in _HOPELESS:
        kind = "fatal"
    else:
        kind = "rejected"
    said = f": {shown(message, _SHOWN)}" if message.strip() else ""
    return CallError(kind, f"HTTP {status}{said}", retry_after=retry_after(headers))
