"""Checks of every request before it is answered: host, origin, size, rate and token.

A page of another site can make a browser send requests to this server. Such a request names another
host (with DNS rebinding, when the site's name resolves to this server) or another origin, and is
refused.
"""

import ipaddress
import secrets
import socket
from collections import OrderedDict
from dataclasses import dataclass, field
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from referee.errors import InputError

MAX_BODY = 4096
REQUESTS_PER_SECOND = {"GET": 100.0, "HEAD": 100.0, "POST": 10.0}
"""Requests of one client address; a burst may be ten seconds of them."""
BURST_SECONDS = 10.0
MAX_CLIENTS = 10_000
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';"
    " img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
]


@dataclass(frozen=True)
class Access:
    """Senders whose requests are accepted: hosts, origins and a token."""

    host: str
    """The address that the server listens on."""
    port: int
    public: str | None = None
    """The address that a reverse proxy has, like `https://arena.example.org`."""
    token: str | None = None
    """Required of requests that change something."""

    @property
    def is_loopback(self) -> bool:
        """Whether only programs on this machine can connect."""
        return is_loopback(self.host)

    def allows_host(self, header: str) -> bool:
        """Return whether a `Host` header names this server."""
        parts = urlsplit(f"//{header}")
        try:
            name, port = (parts.hostname or "").lower(), parts.port
        except ValueError:
            return False
        if self.public is not None and header.lower() == urlsplit(self.public).netloc.lower():
            return True
        return (port or 80) == self.port and self._is_own_name(name)

    def _is_own_name(self, name: str) -> bool:
        if self.is_loopback:
            return name == "localhost" or (_is_address(name) and is_loopback(name))
        # A `Host` header with an address excludes DNS rebinding, which needs a name.
        return _is_address(name) or name in (self.host.lower(), socket.gethostname().lower())

    def allows_origin(self, header: str) -> bool:
        """Return whether an `Origin` header names a page of this server."""
        parts = urlsplit(header)
        if self.public is not None and header.lower() == self.public.lower().rstrip("/"):
            return True
        return parts.scheme == "http" and self.allows_host(parts.netloc)

    def allows_token(self, header: str) -> bool:
        """Return whether an `Authorization` header has the token, if one is required."""
        if self.token is None:
            return True
        return secrets.compare_digest(header.encode(), f"Bearer {self.token}".encode())


def is_loopback(host: str) -> bool:
    """Return whether an address or name is that of the loopback interface."""
    if host.lower() == "localhost":
        return True
    return _is_address(host) and ipaddress.ip_address(host).is_loopback


def _is_address(text: str) -> bool:
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


@dataclass
class _Allowance:
    """Requests that a client may still send; it grows with time."""

    left: float
    updated: float = field(default_factory=monotonic)


class RateLimit:
    """Limit of requests by client address and method."""

    def __init__(self) -> None:
        self._clients: OrderedDict[tuple[str, str], _Allowance] = OrderedDict()

    def allows(self, client: str, method: str) -> bool:
        """Count a request; return False if there were too many."""
        rate = REQUESTS_PER_SECOND[method]
        most = rate * BURST_SECONDS
        key = (client, method)
        allowance = self._clients.pop(key, None) or _Allowance(most)
        self._clients[key] = allowance
        if len(self._clients) > MAX_CLIENTS:
            self._clients.popitem(last=False)
        now = monotonic()
        allowance.left = min(most, allowance.left + (now - allowance.updated) * rate)
        allowance.updated = now
        if allowance.left < 1:
            return False
        allowance.left -= 1
        return True


class RequestGuard:
    """Middleware that refuses requests which this server must not answer."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access
        self._rates = RateLimit()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        if refusal is not None:
            await refusal(scope, receive, _with_headers(send))
        else:
            await self._app(scope, _bounded(receive), _with_headers(send))

    def _refusal(self, scope: Scope) -> JSONResponse | None:
        headers = _Headers(scope)
        access, method = self._access, scope["method"]
        hosts = headers.all("host")
        if method not in REQUESTS_PER_SECOND:
            return _refuse(405, "use GET or POST")
        if len(hosts) != 1 or not access.allows_host(hosts[0]):
            return _refuse(421, "this server has another name: use the address that it printed")
        origins = headers.all("origin")
        if any(not access.allows_origin(origin) for origin in origins):
            return _refuse(403, "requests of other sites are refused")
        client = scope["client"][0] if scope.get("client") else ""
        if not self._rates.allows(client, method):
            return _refuse(429, "too many requests: wait a few seconds")
        if method == "POST":
            return self._refuse_change(headers)
        return None

    def _refuse_change(self, headers: "_Headers") -> JSONResponse | None:
        """Check a request that changes something."""
        length = headers.first("content-length")
        if not length.isdecimal() or len(length) > 9 or int(length) > MAX_BODY:
            return _refuse(413, f"a request has a length of at most {MAX_BODY} bytes")
        # A form of another site cannot send this type.
        if headers.first("content-type").partition(";")[0].strip() != "application/json":
            return _refuse(415, "a request is JSON: set Content-Type to application/json")
        if not self._access.allows_token(headers.first("authorization")):
            return _refuse(401, "playing here needs the token of the organiser")
        return None


class _Headers:
    """The headers of a request, by lower-case name."""

    def __init__(self, scope: Scope) -> None:
        self._pairs = [
            (name.decode("latin-1"), value.decode("latin-1")) for name, value in scope["headers"]
        ]

    def all(self, name: str) -> list[str]:
        return [value for found, value in self._pairs if found == name]

    def first(self, name: str) -> str:
        return next(iter(self.all(name)), "")


def _refuse(status: int, why: str) -> JSONResponse:
    return JSONResponse({"error": why}, status_code=status)


def _bounded(receive: Receive) -> Receive:
    """Limit the body of a request, whatever its headers say."""
    received = 0

    async def receive_bounded() -> Message:
        nonlocal received
        message = await receive()
        received += len(message.get("body", b""))
        if received > MAX_BODY:
            return {"type": "http.disconnect"}
        return message

    return receive_bounded


def _with_headers(send: Send) -> Send:
    """Add the headers of all answers."""

    async def send_with_headers(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers: list[Any] = list(message.get("headers", ()))
            names = {name.lower() for name, _ in headers}
            headers += _HEADERS
            if b"content-security-policy" not in names:
                headers.append((b"content-security-policy", POLICY.encode()))
            if b"cache-control" not in names:
                headers.append((b"cache-control", b"no-store"))
            message = {**message, "headers": headers}
        await send(message)

    return send_with_headers


def check_access(host: str, token: str | None, *, offers_games: bool) -> None:
    """Raise InputError if visitors from other machines could play without a token."""
    if offers_games and token is None and not is_loopback(host):
        raise InputError(
            f"--host {host} can be reached from other machines: --play needs --token TOKEN there,"
            " which visitors have to enter"
        )
