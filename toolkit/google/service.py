"""One door to Google: each call with a timeout, retried within bounds, counted, and refused in words.

gspread's client sends the calls; its retrying one is not used, since it can go on for hours and takes a full Drive
for a busy one (https://github.com/burnash/gspread/issues/1592).
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from toolkit.errors import Problem, ToolkitError, shown
from toolkit.google.refusals import AGAIN, GoogleError, Refusal, refusal_of

SHEETS_URL = "https://sheets.googleapis.com/v4/spreadsheets"
DRIVE_URL = "https://www.googleapis.com/drive/v3"
Json = dict[str, Any]


@dataclass(frozen=True)
class Patience:
    """How long to go on, in seconds.

    Attributes:
        call: For the answer to one call.
        total: For everything together, waiting included.
        attempts: How often one call is made; so often that the waiting is longer than the minute of Google's quotas.
        longest_wait: Between two attempts, unless Google asks for more.
    """

    call: float = 60
    total: float = 1800
    attempts: int = 8
    longest_wait: float = 64


class Service:
    """Calls to Sheets and Drive in the name of one account.

    Attributes:
        account: Its mail address, as far as it is known.
        calls: How many calls were made.
    """

    def __init__(
        self,
        session: Any,
        *,
        account: str = "",
        patience: Patience | None = None,
        sheets_url: str = SHEETS_URL,
        drive_url: str = DRIVE_URL,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
        jitter: Callable[[], float] = random.random,
        tell: Callable[[str], None] | None = None,
    ):
        """Open the door.

        Args:
            session: A requests session that signs every call.
            account: Whose it is, for messages.
            patience: How long to go on.
            sheets_url: Where Sheets answers, for who reaches it through a proxy.
            drive_url: Where Drive answers.
            clock: Tells the time in seconds.
            sleep: Waits.
            jitter: A random number from 0 to 1: programs that were refused together do not come back together.
            tell: Told what is being done, for whoever waits.

        Raises:
            ToolkitError: When gspread is not installed.
        """
        self._http = _client(session)
        self.account, self.calls = account, 0
        self._patience = patience or Patience()
        self._http.set_timeout(self._patience.call)
        self._sheets_url, self._drive_url = sheets_url.rstrip("/"), drive_url.rstrip("/")
        self._clock, self._sleep, self._jitter = clock, sleep, jitter
        self._tell = tell or (lambda _text: None)
        self._end = clock() + self._patience.total

    def sheets(self, doing: str, method: str, path: str, *, params: Json | None = None, body: Json | None = None,
               settled: Callable[[], Any] | None = None) -> Any:  # fmt: skip
        """Call Sheets and return what it answers; see `drive`."""
        return self._call(doing, method, self._sheets_url + path, params, body, settled)

    def drive(self, doing: str, method: str, path: str, *, params: Json | None = None, body: Json | None = None,
              settled: Callable[[], Any] | None = None) -> Any:  # fmt: skip
        """Call Drive and return what it answers: JSON, or bytes of a download.

        Args:
            doing: What the call is for, which completes "... did not work".
            method: GET, POST, PATCH or DELETE.
            path: Below Drive's address.
            params: Of the query.
            body: JSON to send.
            settled: For a call that must not be made twice: looks whether an attempt without an answer was carried out
                all the same, and returns what the call would have returned; None where it was not.

        Raises:
            GoogleError: When Google refuses, or still does after all attempts.
            ToolkitError: When the sign-in does not work, or the time is over.
        """
        return self._call(doing, method, self._drive_url + path, params, body, settled)

    def _call(self, doing: str, method: str, url: str, params: Json | None, body: Json | None,
              settled: Callable[[], Any] | None) -> Any:  # fmt: skip
        attempt = 0
        while True:
            attempt += 1
            if self._clock() > self._end:
                raise self._given_up(doing, "")
            answer = self._attempt(method, url, params, body, doing)
            if not isinstance(answer, Refusal):
                return answer
            if not answer.transient or attempt >= self._patience.attempts:
                raise GoogleError(answer, doing, self.account)
            self._wait(answer, attempt, doing)
            if settled is not None and (outcome := settled()) is not None:
                return outcome

    def _attempt(self, method: str, url: str, params: Mapping[str, Any] | None, body: Json | None, doing: str) -> Any:
        from google.auth.exceptions import GoogleAuthError, TransportError
        from gspread.exceptions import APIError
        from requests.exceptions import RequestException

        self.calls += 1
        self._tell(doing)
        try:
            response = self._http.request(method, url, params=params, json=body)
            if "application/json" not in response.headers.get("Content-Type", ""):
                return response.content
            return response.json()
        except APIError as error:
            return _refused(error.response)
        except (RequestException, TransportError) as error:
            return Refusal(0, f"{type(error).__name__}: {shown(error)}")
        except (KeyError, TypeError) as error:  # what gspread raises at an error that is not of the API's form
            return Refusal(0, f"an answer that the API does not give ({type(error).__name__})")
        except GoogleAuthError as error:
            raise ToolkitError(
                Problem(
                    f"{doing} did not work: the sign-in is not accepted ({shown(error)})",
                    "sign in again (toolkit google doctor --sign-in), or name another key with --credentials",
                )
            ) from error

    def _wait(self, refusal: Refusal, attempt: int, doing: str) -> None:
        wanted = _seconds(refusal.retry_after)
        if wanted is None:
            wanted = min(self._patience.longest_wait, 2.0 ** (attempt - 1)) * (0.5 + self._jitter() / 2)
        else:
            wanted += self._jitter()
        if self._clock() + wanted > self._end:
            raise self._given_up(doing, f" (Google says: {shown(refusal.message, 160)})")
        self._tell(f"{doing}: waiting {wanted:.0f} seconds, then again")
        self._sleep(wanted)

    def _given_up(self, doing: str, said: str) -> ToolkitError:
        what = f"{doing} was given up after {self._patience.total / 60:.2g} minutes{said}"
        return ToolkitError(Problem(what, f"{AGAIN}; --time-limit gives it more time"))


def _client(session: Any) -> Any:
    try:
        from gspread.http_client import HTTPClient
    except ImportError as error:
        raise needs_extra() from error
    return HTTPClient(None, session)


def needs_extra() -> ToolkitError:
    """Return what is said where the libraries of the extra are not installed."""
    return ToolkitError(
        Problem("Google Sheets needs gspread and google-auth, which are not installed", "pip install 'toolkit[google]'")
    )


def _refused(response: Any) -> Refusal:
    try:
        body = response.json()
    except ValueError:
        body = None
    return refusal_of(response.status_code, body, response.text, response.headers.get("Retry-After", ""))


def _seconds(header: str) -> float | None:
    """Return how long a header Retry-After asks to wait: it is a number of seconds, or a date."""
    if header.strip().isdecimal():
        return float(header)
    try:
        return max(0.0, (parsedate_to_datetime(header) - datetime.now(UTC)).total_seconds())
    except (TypeError, ValueError):
        return None
