"""Which model answers a run, and where it is asked (AGENTS_AND_TOOLS §2)."""

import ipaddress
from enum import StrEnum
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

_PASSING = (408, 409, 425, 429)
_PORTS = {"http": 80, "https": 443}


class Reasoning(StrEnum):
    """How long a model may think before it answers; `off` leaves that to the model."""

    OFF = "off"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


def base_url(text: str) -> str:
    """The address as it is kept: without a slash at its end.

    Raises ValueError where it is none, and where it holds what would be kept with it and must not be: a password, or
    a query that may have a key in it. What was given is not repeated in the error.
    """
    if not text.isascii() or any(character.isspace() or not character.isprintable() for character in text):
        raise ValueError("an address has no spaces and only ASCII characters")
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise ValueError("it is no address that can be read") from None
    if parts.scheme not in _PORTS:
        raise ValueError("an address begins with http:// or https://")
    if not parts.hostname or port == 0:
        raise ValueError("an address names a host, and a port from 1 to 65535 if any")
    if "@" in parts.netloc:
        raise ValueError("an address has no user name and no password: a key is kept elsewhere")
    if "?" in text or "#" in text:
        raise ValueError("an address ends before the question mark: what follows one is not sent")
    return text.rstrip("/")


def origin_of(url: str) -> str:
    """Scheme, host and port of an address: what a key is given to. The usual port is left out."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    named = f"[{host}]" if ":" in host else host
    port = parts.port
    return f"{parts.scheme}://{named}" + ("" if port in (None, _PORTS.get(parts.scheme)) else f":{port}")


def is_loopback(url: str) -> bool:
    """Whether the address is on this machine, by its name alone: nobody is asked."""
    host = (urlsplit(url).hostname or "").rstrip(".")
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_retryable(code: str, status: object) -> bool:
    """Whether a request that failed so may succeed later, with nothing changed. `status` is that of the answer, if it
    was told."""
    if code == "provider_error" and isinstance(status, int):
        return status in _PASSING or status >= 500
    return code not in ("key_missing", "key_refused", "bad_response")


class ModelChoice(BaseModel):
    """A model of a provider, with all that a run needs to ask it again after a crash; never a key.

    `provider` names a preset. `model` None: the server has only one, and needs no name. `needs_key`: without one
    nothing is asked. `key_env` is the environment variable that the key is read from, beside the usual places.
    `context_tokens` is the size of its window, None where it is not known; prices are dollars for a million tokens.
    """

    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)

    provider: str = "custom"
    base_url: Annotated[str, Field(max_length=2000), AfterValidator(base_url)]
    model: Annotated[str, Field(min_length=1, max_length=256)] | None = None
    needs_key: bool = False
    key_env: Annotated[str, Field(min_length=1, max_length=256)] | None = None
    context_tokens: Annotated[int, Field(ge=256)] | None = None
    price_in: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    price_out: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    reasoning: Reasoning = Reasoning.OFF

    @property
    def origin(self) -> str:
        """Whom its key belongs to."""
        return origin_of(self.base_url)

    def is_same(self, other: "ModelChoice | None") -> bool:
        """Whether it is that model of that server, however it is asked."""
        return other is not None and (self.base_url, self.model) == (other.base_url, other.model)

    @property
    def label(self) -> str:
        """What people call it."""
        return self.model or self.provider
