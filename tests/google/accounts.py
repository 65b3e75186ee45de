"""Who there is, what they have signed in with, and the files that programs keep such things in."""

from __future__ import annotations

import base64
import hashlib
import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from urllib.parse import parse_qs, urlencode

from google.auth import jwt

from tests.google.errors import Json

# google-auth addresses its assertions to Google, whatever the token_uri of the file.
GOOGLE = "https://oauth2.googleapis.com/token"
LIFETIME = 3599
AUTHORIZATION_CODE = "authorization_code"
JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer"
CLIENT = {"client_id": "1-test.apps.googleusercontent.com", "client_secret": "not-secret"}


@dataclass
class Account:
    """Someone with an address.

    Args:
        email: The address.
        service: Whether it is a service account, which owns no storage.
        google: Whether there is a Google account behind the address; others can only be invited by mail.
        locale: The locale of spreadsheets that are made without one.
    """

    email: str
    service: bool = False
    google: bool = True
    locale: str = "en_US"


@dataclass(frozen=True)
class Token:
    """What a program shows: whose it is, what it is good for, which program it was given to, and until when."""

    email: str
    scopes: frozenset[str]
    client: str
    expires: float


class SignInError(Exception):
    """The token endpoint says no; the text is its JSON."""

    def __init__(self, error: str, description: str):
        super().__init__(json.dumps({"error": error, "error_description": description}))


@cache
def key_pair() -> tuple[str, bytes]:
    """Return a private key as PEM text and its public half, made once."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    public = key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    return private.decode(), public


def permission_id(email: str) -> str:
    """Return the number that permissions of an address have; it is the same for all files."""
    return str(int.from_bytes(hashlib.sha256(email.encode()).digest()[:8], "big")).zfill(20)


class Accounts:
    """All accounts, and the tokens they have given out."""

    def __init__(self, url: str):
        self.url = url
        self.known: dict[str, Account] = {}
        self.tokens: dict[str, Token] = {}
        self.codes: dict[str, tuple[str, frozenset[str]]] = {}
        # who consents when a program opens the consent page
        self.at_the_browser = ""
        self.revoked: set[str] = set()

    def add(self, account: Account) -> Account:
        """Make an account known."""
        self.known[account.email] = account
        return account

    def get(self, email: str) -> Account:
        """Return an account; addresses nobody has named belong to people with a Google account."""
        return self.known.get(email) or Account(email)

    def issue(self, email: str, scopes: frozenset[str], client: str, now: float, lifetime: float = LIFETIME) -> str:
        """Return a new access token."""
        text = f"ya29.fake-{len(self.tokens) + 1}"
        self.tokens[text] = Token(email, scopes, client, now + lifetime)
        return text

    def answer(self, form: str, now: float) -> Json:
        """Return what the token endpoint answers to a form.

        Raises:
            SignInError: The grant is not good.
        """
        given = {name: values[0] for name, values in parse_qs(form).items()}
        kind = given.get("grant_type")
        if kind == JWT_BEARER:
            email, scopes = self._assertion(given.get("assertion", ""))
            client = email
        elif kind == "refresh_token":
            email, scopes = self._refreshed(given.get("refresh_token", ""))
            client = given.get("client_id", "")
        elif kind == AUTHORIZATION_CODE and given.get("code") in self.codes:
            email, scopes = self.codes.pop(given["code"])
            client = given.get("client_id", "")
        else:
            raise SignInError("invalid_grant", "Malformed auth code.")
        answer: Json = {
            "access_token": self.issue(email, scopes, client, now),
            "expires_in": LIFETIME,
            "token_type": "Bearer",
            "scope": " ".join(sorted(scopes)),
        }
        if kind == AUTHORIZATION_CODE:
            answer["refresh_token"] = refresh_token(email, scopes)
        return answer

    def _assertion(self, assertion: str) -> tuple[str, frozenset[str]]:
        try:
            claims = jwt.decode(assertion, certs=key_pair()[1].decode(), audience=[self.url + "/token", GOOGLE])
        except ValueError as problem:
            raise SignInError("invalid_grant", "Invalid JWT Signature.") from problem
        account = self.known.get(claims.get("iss", ""))
        if account is None or not account.service:
            raise SignInError("invalid_grant", "Invalid grant: account not found")
        if not claims.get("scope"):
            raise SignInError("invalid_scope", "Empty or missing scope not allowed.")
        return claims.get("sub", account.email), frozenset(claims["scope"].split())

    def _refreshed(self, token: str) -> tuple[str, frozenset[str]]:
        if token in self.revoked or not token.startswith("1//"):
            raise SignInError("invalid_grant", "Token has been expired or revoked.")
        email, *scopes = json.loads(base64.urlsafe_b64decode(token.removeprefix("1//")))
        return email, frozenset(scopes)

    def consent(self, query: str) -> str:
        """Return where the consent page sends a browser, after whoever sits there has said yes to everything."""
        given = {name: values[0] for name, values in parse_qs(query).items()}
        code = f"4/fake-{len(self.codes) + 1}"
        self.codes[code] = (self.at_the_browser, frozenset(given.get("scope", "").split()))
        back = {"code": code, "scope": given.get("scope", ""), "state": given.get("state", "")}
        return given["redirect_uri"] + "?" + urlencode(back)


def refresh_token(email: str, scopes: frozenset[str]) -> str:
    """Return a refresh token, which holds all there is to know about it."""
    return "1//" + base64.urlsafe_b64encode(json.dumps([email, *sorted(scopes)]).encode()).decode()


def service_account_file(path: Path, email: str, url: str) -> Path:
    """Write the file that the console gives out for a service account."""
    content = {
        "type": "service_account",
        "project_id": "test-project",
        "private_key_id": "0123456789abcdef",
        "private_key": key_pair()[0],
        "client_email": email,
        "client_id": "100000000000000000001",
        "token_uri": url + "/token",
        "universe_domain": "googleapis.com",
    }
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def authorized_user_file(path: Path, email: str, scopes: frozenset[str], url: str) -> Path:
    """Write the file in which a program keeps what a person has consented to."""
    content = {"type": "authorized_user", "refresh_token": refresh_token(email, scopes), "token_uri": url + "/token"}
    path.write_text(json.dumps(CLIENT | content), encoding="utf-8")
    return path


def client_file(path: Path) -> Path:
    """Write the file that the console gives out for an OAuth client of the kind Desktop app.

    Its addresses are Google's, for oauthlib speaks to no other but those of https.
    """
    consent = "https://accounts.google.com/o/oauth2/auth"
    addresses = {"auth_uri": consent, "token_uri": GOOGLE, "redirect_uris": ["http://localhost"]}
    path.write_text(json.dumps({"installed": CLIENT | addresses}), encoding="utf-8")
    return path
