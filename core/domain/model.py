"""Which model answers a run, and at which address (AGENTS_AND_TOOLS §2)."""

import ipaddress
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field

from core.domain.document import Document
from core.domain.server_address import PORTS, mended_address

_PASSING = (408, 409, 425, 429)
_PER = 1_000_000
PRICES = ("price_in", "price_out", "price_cached", "price_cache_write")


class Reasoning(StrEnum):
    """How long a model may think before it answers; `off` leaves the choice to the model."""

    OFF = "off"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"


def base_url(text: str) -> str:
    """Return the base address of an API, mended where the meaning is plain. Raises BadAddress, a ValueError."""
    return mended_address(text).url


def origin_of(url: str) -> str:
    """Return scheme, host and port of an address, without a default port. Keys belong to origins."""
    # Keys are stored by origin, so different spellings of an address must give the same origin.
    parts = urlsplit(url)
    host = parts.hostname or ""
    host_text = f"[{host}]" if ":" in host else host
    port = parts.port
    return f"{parts.scheme}://{host_text}" + ("" if port in (None, PORTS.get(parts.scheme)) else f":{port}")


def is_loopback(url: str) -> bool:
    """Return whether the address is on this machine, judged by its text, without a lookup."""
    host = (urlsplit(url).hostname or "").rstrip(".")
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        ip = ipaddress.ip_address(host)
    except ValueError:
        return False
    return ip.is_loopback or bool(
        isinstance(ip, ipaddress.IPv6Address) and ip.ipv4_mapped and ip.ipv4_mapped.is_loopback
    )


def is_retryable(code: str, status: object) -> bool:
    """Return whether the same request may succeed later. `status` is the HTTP status of the response, if known."""
    if code == "provider_error" and isinstance(status, int):
        return status in _PASSING or status >= 500
    return code not in ("key_missing", "key_refused", "bad_response")


class WireFormatName(StrEnum):
    """The APIs of models that the app speaks."""

    CHAT_COMPLETIONS = "chat_completions"
    ANTHROPIC_MESSAGES = "anthropic_messages"
    GEMINI = "gemini"
    OPENAI_RESPONSES = "openai_responses"


@dataclass(frozen=True, slots=True)
class FilesTaken:
    """What a model takes beside text. `pictures` None: it is not known; `documents`: PDFs as they are."""

    pictures: bool | None = None
    documents: bool = False


TEXTS_TAKEN = FilesTaken(pictures=False)


class ModelChoice(Document):
    """A model of a provider, with everything that a run needs to ask it again after a crash; never a key.

    `provider` names a preset. `wire_format` None: the preset's. `model` None: the server has only one, and needs no
    name. `needs_key`: requests need a key. `key_env` is an additional environment variable for the key.
    `context_tokens` is the size of the context window, None if unknown. Prices are dollars per million tokens, those of
    input that is read from or written to the provider's cache None where they are `price_in`.
    `takes_pictures` is None if it is unknown.
    """

    provider: str = "custom"
    base_url: Annotated[str, Field(max_length=2000), AfterValidator(base_url)]
    model: Annotated[str, Field(min_length=1, max_length=256)] | None = None
    needs_key: bool = False
    key_env: Annotated[str, Field(min_length=1, max_length=256)] | None = None
    context_tokens: Annotated[int, Field(ge=256)] | None = None
    price_in: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    price_out: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    price_cached: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    price_cache_write: Annotated[float, Field(ge=0, allow_inf_nan=False)] | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    max_tokens: Annotated[int, Field(ge=1)] | None = None
    reasoning: Reasoning = Reasoning.OFF
    wire_format: WireFormatName | None = None
    takes_pictures: bool | None = None

    @property
    def origin(self) -> str:
        """The origin that its key belongs to."""
        return origin_of(self.base_url)

    def is_same(self, other: "ModelChoice | None") -> bool:
        """Return whether it is the same model of the same server, whatever the parameters."""
        return other is not None and (self.base_url, self.model) == (other.base_url, other.model)

    def cost(
        self, input_tokens: int, output_tokens: int, cached_tokens: int = 0, cache_write_tokens: int = 0
    ) -> float | None:
        """Compute the cost of an answer in dollars, or None if a price is unknown.

        The input includes what was cached. The value is not rounded, so that many small costs add up.
        """
        if self.price_in is None or self.price_out is None:
            return None
        price_cached = self.price_in if self.price_cached is None else self.price_cached
        price_write = self.price_in if self.price_cache_write is None else self.price_cache_write
        fresh_tokens = max(0, input_tokens - cached_tokens - cache_write_tokens)
        dollars = fresh_tokens / _PER * self.price_in + output_tokens / _PER * self.price_out
        return dollars + cached_tokens / _PER * price_cached + cache_write_tokens / _PER * price_write

    @property
    def label(self) -> str:
        """The display name."""
        return self.model or self.provider
