"""Which part of a connection failed, and who was asked (AGENTS_AND_TOOLS §11).

The HTTP libraries wrap the errors of the system in their own, often without a word of the reason. Here the chain of
causes is searched for the error that says it, whatever library made the connection.
"""

import errno
import socket
import ssl
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, TypeVar
from urllib.parse import urlsplit

from core.domain.model import is_loopback, origin_of
from core.network.proxies import Proxy, UnusableProxy

T = TypeVar("T", bound=BaseException)


class Part(StrEnum):
    """The part of a connection that failed."""

    NAME = "name"
    REFUSED = "refused"
    UNREACHABLE = "unreachable"
    SLOW = "slow"
    PROXY = "proxy"
    CERTIFICATE = "certificate"
    TLS = "tls"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class ConnectionProblem:
    """Why there is no connection. `message` is a sentence that names who was asked. `is_final`: a retry would fail as
    well. `is_near`: of this machine, where a retry is of little use.
    """

    part: Part
    message: str
    is_final: bool
    parameters: dict[str, Any]
    is_near: bool = False


_CERTIFICATE_REASONS = {
    9: "it is not valid yet; is the clock of this computer right?",
    10: "it has expired",
    18: "it is signed by itself alone",
    19: "its authority is not known to this computer",
    20: "its authority is not known to this computer",
    21: "its authority is not known to this computer",
    62: "it is for another name",
    64: "it is for another address",
}
_UNREACHABLE = (errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EADDRNOTAVAIL)


def connection_problem(error: BaseException, url: str, proxy: Proxy | None = None) -> ConnectionProblem:
    """Return what failed in a connection to `url`, from the error of any of the HTTP libraries."""
    origin, host = origin_of(url), urlsplit(url).hostname or url
    parameters: dict[str, Any] = {"origin": origin}

    def problem(part: Part, message: str, *, is_final: bool = False, **more: Any) -> ConnectionProblem:
        return ConnectionProblem(part, message, is_final, {"part": part.value, **parameters, **more})

    causes = list(_causes(error))
    reason = _reason(causes)
    if any(type(cause).__name__ == "ProxyError" for cause in causes):
        return problem(Part.PROXY, f"{proxy or 'the proxy'} did not connect to {host}: {reason}", **_named(proxy))
    certificate = _first(causes, ssl.SSLCertVerificationError)
    if certificate is not None:
        why = _CERTIFICATE_REASONS.get(certificate.verify_code, certificate.verify_message)
        message = f"the certificate of {host} is not trusted, so nothing was sent: {why}"
        return problem(Part.CERTIFICATE, message, is_final=True, verify_code=certificate.verify_code)
    if (tls := _first(causes, ssl.SSLError)) is not None:
        if "WRONG_VERSION_NUMBER" in str(tls) or "HTTP_REQUEST" in str(tls):
            message = f"{host} does not encrypt at this port; does its address begin with http://?"
            return problem(Part.TLS, message, is_final=True)
        return problem(Part.TLS, f"no encrypted connection to {host} was made: {tls.reason or reason}")
    part, why, is_final = _system_reason(causes)
    if proxy is not None and part in (Part.NAME, Part.REFUSED, Part.UNREACHABLE, Part.SLOW):
        found = problem(Part.PROXY, f"{proxy} cannot be reached: {why}", is_final=is_final, **_named(proxy))
        return replace(found, is_near=part is Part.REFUSED and is_loopback(proxy.shown))
    match part:
        case Part.NAME:
            return problem(part, f"the name {host} was not found: {why}", is_final=is_final)
        case Part.REFUSED if is_loopback(url):
            return replace(problem(part, f"nothing answers at {origin}; is the server running?"), is_near=True)
        case Part.REFUSED | Part.UNREACHABLE:
            return problem(part, f"{origin} cannot be reached: {why}")
        case Part.SLOW:
            return problem(part, f"{origin} did not answer in time")
    return problem(Part.BROKEN, f"the connection to {origin} failed: {reason}")


def route_problem(error: ValueError, url: str) -> ConnectionProblem:
    """Return what is wrong with the proxy or the certificates, so that no connection was tried."""
    part = Part.PROXY if isinstance(error, UnusableProxy) else Part.CERTIFICATE
    variable = {"variable": error.variable} if isinstance(error, UnusableProxy) else {}
    return ConnectionProblem(part, str(error), True, {"part": part.value, "origin": origin_of(url), **variable})


def _system_reason(causes: list[BaseException]) -> tuple[Part, str, bool]:
    """Return the part that the system's error is about, its reason, and whether it is final."""
    name = _first(causes, socket.gaierror)
    if name is not None:
        # "No such name" is an answer; all else may be a resolver out of reach.
        is_final = name.errno in (socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME))
        return Part.NAME, "there is no such name" if is_final else name.strerror or str(name), is_final
    if _first(causes, ConnectionRefusedError) is not None:
        return Part.REFUSED, "the connection was refused", False
    for cause in causes:
        if isinstance(cause, OSError) and cause.errno in _UNREACHABLE:
            return Part.UNREACHABLE, cause.strerror or str(cause), False
    if any(isinstance(cause, TimeoutError) or type(cause).__name__ == "ConnectTimeout" for cause in causes):
        return Part.SLOW, "it did not answer in time", False
    return Part.BROKEN, "", False


def _named(proxy: Proxy | None) -> dict[str, Any]:
    return {} if proxy is None else {"proxy": proxy.shown, "variable": proxy.variable}


def _first(causes: list[BaseException], kind: type[T]) -> T | None:
    return next((cause for cause in causes if isinstance(cause, kind)), None)


def _reason(causes: list[BaseException]) -> str:
    return next((text for cause in causes if (text := str(cause))), type(causes[0]).__name__)


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Yield an error and what caused it, groups included."""
    while error is not None:
        yield error
        if isinstance(error, BaseExceptionGroup):
            for inner in error.exceptions:
                yield from _causes(inner)
            return
        error = error.__cause__ or error.__context__
