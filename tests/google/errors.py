"""The two shapes in which Google's interfaces say no: that of Sheets (google.rpc.Status) and that of Drive v3."""

from __future__ import annotations

from typing import Any

Json = dict[str, Any]
TYPE = "type.googleapis.com/google.rpc."
# Project number of every client of the fake.
PROJECT = "123456789012"
STATUS = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    408: "DEADLINE_EXCEEDED",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    502: "UNAVAILABLE",
    503: "UNAVAILABLE",
    504: "DEADLINE_EXCEEDED",
}
SENTENCES = {
    429: "Resource has been exhausted (e.g. check quota).",
    500: "Internal error encountered.",
    503: "The service is currently unavailable.",
}
SERVICES = {"sheets": "sheets.googleapis.com", "drive": "drive.googleapis.com"}
TITLES = {"sheets": "Google Sheets API", "drive": "Google Drive API"}
PERMISSION = "The caller does not have permission"
NOT_FOUND = "Requested entity was not found."
PROTECTED = (
    "You are trying to edit a protected cell or object. "
    "Please contact the spreadsheet owner to remove protection if you need to edit."
)


class ApiError(Exception):
    """An answer that is an error.

    Args:
        status: The HTTP status.
        message: What the interface says.
        reason: Drive's machine-readable reason.
        domain: Drive's domain of the reason.
        details: The details of a google.rpc.Status.
        retry_after: Seconds or a date for the header of that name.
        more: Further keys of Drive's error entry (location, locationType, extendedHelp).
    """

    def __init__(
        self,
        status: int,
        message: str,
        *,
        reason: str = "",
        domain: str = "global",
        details: list[Json] | None = None,
        retry_after: float | str | None = None,
        more: Json | None = None,
    ):
        super().__init__(message)
        self.status, self.message, self.reason, self.domain = status, message, reason, domain
        self.details, self.retry_after, self.more = details or [], retry_after, more or {}

    def body(self, api: str) -> Json:
        """Return the answer as the interface named `sheets` or `drive` words it."""
        error: Json = {"code": self.status, "message": self.message}
        if api == "drive":
            entry = {"message": self.message, "domain": self.domain, "reason": self.reason or "backendError"}
            error["errors"] = [entry | self.more]
        if api == "sheets" or self.details:
            error["status"] = STATUS[self.status]
        if self.details:
            error["details"] = self.details
        return {"error": error}

    @property
    def headers(self) -> dict[str, str]:
        """The headers the answer carries besides the usual ones."""
        headers = {"WWW-Authenticate": 'Bearer realm="https://accounts.google.com/"'} if self.status == 401 else {}
        if self.retry_after is not None:
            headers["Retry-After"] = str(self.retry_after)
        return headers


def bad(message: str, *, reason: str = "badRequest", location: str = "") -> ApiError:
    """Return a 400 for something the interface can name."""
    more = {"location": location, "locationType": "parameter"} if location else {}
    return ApiError(400, message, reason=reason, more=more)


def violations(found: list[tuple[str, str]]) -> ApiError:
    """Return a 400 for a body or a query that does not fit the interface's schema.

    Args:
        found: Pairs of the field and the sentence about it.
    """
    fields = [
        {"field": field, "description": sentence} if field else {"description": sentence} for field, sentence in found
    ]
    details: list[Json] = [{"@type": TYPE + "BadRequest", "fieldViolations": fields}]
    return ApiError(400, "\n".join(sentence for _field, sentence in found), reason="badRequest", details=details)


def forbidden(message: str = PERMISSION, reason: str = "insufficientFilePermissions") -> ApiError:
    """Return a 403 for someone who may not."""
    return ApiError(403, message, reason=reason)


def not_found(what: str = "") -> ApiError:
    """Return a 404; Drive names the file, Sheets does not."""
    if not what:
        return ApiError(404, NOT_FOUND, reason="notFound")
    message = f"File not found: {what}."
    return ApiError(404, message, reason="notFound", more={"location": "fileId", "locationType": "parameter"})


def _info(reason: str, service: str, **metadata: str) -> Json:
    domain = "googleapis.com"
    return {
        "@type": TYPE + "ErrorInfo",
        "reason": reason,
        "domain": domain,
        "metadata": {"service": service} | metadata,
    }


def unauthenticated(api: str, method: str, *, missing: bool) -> ApiError:
    """Return a 401: no credentials, or ones that are not valid (any more)."""
    start = "Request is missing required authentication credential."
    if not missing:
        start = "Request had invalid authentication credentials."
    message = (
        f"{start} Expected OAuth 2 access token, login cookie or other valid authentication credential. "
        "See https://developers.google.com/identity/sign-in/web/devconsole-project."
    )
    reason = "CREDENTIALS_MISSING" if missing else "ACCESS_TOKEN_EXPIRED"
    details = [_info(reason, SERVICES[api], method=method)]
    return ApiError(401, message, reason="required" if missing else "authError", details=details)


def scope_insufficient(api: str, method: str) -> ApiError:
    """Return a 403: the token is good, but not for this."""
    details = [_info("ACCESS_TOKEN_SCOPE_INSUFFICIENT", SERVICES[api], method=method)]
    message = "Request had insufficient authentication scopes."
    if api == "drive":
        message = "Insufficient Permission: " + message
    return ApiError(403, message, reason="insufficientPermissions", details=details)


def service_disabled(api: str) -> ApiError:
    """Return a 403: nobody has switched the interface on for the project."""
    service, title = SERVICES[api], TITLES[api]
    url = f"https://console.developers.google.com/apis/api/{service}/overview?project={PROJECT}"
    message = (
        f"{title} has not been used in project {PROJECT} before or it is disabled. Enable it by visiting {url} then "
        "retry. If you enabled this API recently, wait a few minutes for the action to propagate to our systems and "
        "retry."
    )
    links = {
        "@type": TYPE + "Help",
        "links": [{"description": "Google developers console API activation", "url": url}],
    }
    info = _info(
        "SERVICE_DISABLED", service, consumer=f"projects/{PROJECT}", activationUrl=url, serviceTitle=title,
        containerInfo=PROJECT,
    )  # fmt: skip
    local = {"@type": TYPE + "LocalizedMessage", "locale": "en-US", "message": message}
    return ApiError(
        403,
        message,
        reason="accessNotConfigured",
        domain="usageLimits",
        details=[info, local, links],
        more={"extendedHelp": "https://console.developers.google.com"},
    )


def rate_exceeded(api: str, kind: str, limit: int, retry_after: float | str | None) -> ApiError:
    """Return a 429: too many requests of a kind (`Read`, `Write`) in a minute."""
    service = SERVICES[api]
    message = (
        f"Quota exceeded for quota metric '{kind} requests' and limit '{kind} requests per minute per user' of "
        f"service '{service}' for consumer 'project_number:{PROJECT}'."
    )
    info = _info(
        "RATE_LIMIT_EXCEEDED", service, consumer=f"projects/{PROJECT}", quota_limit_value=str(limit),
        quota_limit=f"{kind}RequestsPerMinutePerUser", quota_metric=f"{service}/{kind.lower()}_requests",
        quota_location="global", quota_unit="1/min/{project}/{user}",
    )  # fmt: skip
    return ApiError(
        429, message, reason="rateLimitExceeded", domain="usageLimits", details=[info], retry_after=retry_after
    )


def quota_exceeded() -> ApiError:
    """Return a 403: a service account owns no storage, so it can own no file in My Drive."""
    message = (
        "Service Accounts do not have storage quota. Leverage shared drives "
        "(https://developers.google.com/workspace/drive/api/guides/about-shareddrives), or use OAuth delegation "
        "(http://support.google.com/a/answer/7281227) instead."
    )
    return ApiError(403, message, reason="storageQuotaExceeded", domain="usageLimits")
