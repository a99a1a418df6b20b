"""What can go wrong between here and a provider, and which of it may pass."""

from datetime import datetime
from http import HTTPStatus
from typing import TYPE_CHECKING

from core.errors import StepFailed
from core.llm.openai_compatible.refusals import said_in_body
from core.llm.retry import asked_s, is_passing

if TYPE_CHECKING:
    import httpx


class Failed(Exception):
    """An attempt failed with `error`. `may_pass`: the same request may succeed after `asked_s` seconds, or after a
    while; `is_about_options`: it may succeed without `stream_options`. `is_stale`: the connection had been used before,
    and the server was just about to close it."""

    def __init__(
        self,
        error: StepFailed,
        *,
        may_pass: bool = False,
        asked_s: float | None = None,
        is_about_options: bool = False,
        is_stale: bool = False,
    ) -> None:
        super().__init__(error.message)
        self.error = error
        self.may_pass = may_pass
        self.asked_s = asked_s
        self.is_about_options = is_about_options
        self.is_stale = is_stale


def model_failed(code: str, message: str, **parameters: object) -> StepFailed:
    return StepFailed(code, message, failed_during="model", **parameters)


def refused(status: int, body: str, retry_after: str | None, now: datetime) -> Failed:
    """An answer that is no success, with what it says."""
    if 300 <= status <= 399:
        message = f"the server answered {status} and points to another address; nothing was sent there"
        return Failed(model_failed("provider_error", message, status=status))
    said = said_in_body(body) or f"the server answered {_phrase(status)}"
    code = "key_refused" if status == HTTPStatus.UNAUTHORIZED else "provider_error"
    wait_s = asked_s(retry_after, now)
    asked = {"retry_after_s": round(wait_s, 3)} if wait_s is not None else {}
    error = model_failed(code, said, status=status, **asked)
    is_about_options = status in (400, 422) and ("stream_options" in body or "include_usage" in body or _is_vague(said))
    return Failed(error, may_pass=is_passing(status), asked_s=wait_s, is_about_options=is_about_options)


def broken(error: "httpx.HTTPError", silence_s: float, *, was_used: bool = False) -> Failed:
    """A connection that was not made, or did not hold. `was_used`: for another request before this one."""
    import httpx

    match error:
        case httpx.ReadTimeout() | httpx.WriteTimeout():
            return Failed(model_failed("timeout", f"nothing came for {silence_s:g} s", timeout_s=silence_s))
        case httpx.ConnectTimeout():
            return Failed(model_failed("connection_failed", "the server could not be reached in time"), may_pass=True)
        case httpx.DecodingError() | httpx.UnsupportedProtocol() | httpx.LocalProtocolError():
            return Failed(model_failed("bad_response", f"the connection is of no use: {_reason(error)}"))
    if _is_untrusted(error):
        message = f"the server's certificate is not trusted, so nothing was sent: {_reason(error)}"
        return Failed(model_failed("connection_failed", message))
    failed = model_failed("connection_failed", f"the connection failed: {_reason(error)}")
    return Failed(failed, may_pass=True, is_stale=was_used)


def _reason(error: BaseException) -> str:
    return str(error) or type(error).__name__


def _phrase(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"
    except ValueError:
        return str(status)


def _is_vague(said: str) -> bool:
    """Whether a server complains of a field without saying of which."""
    words = said.lower()
    is_unknown = any(word in words for word in ("unknown", "unrecognized", "unexpected", "extra", "unsupported"))
    return is_unknown and any(word in words for word in ("field", "input", "argument", "parameter", "propert", "key"))


def _is_untrusted(error: BaseException | None) -> bool:
    import ssl

    while error is not None:
        if isinstance(error, ssl.SSLCertVerificationError) or "CERTIFICATE_VERIFY_FAILED" in str(error):
            return True
        error = error.__cause__ or error.__context__
    return False
