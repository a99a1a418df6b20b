"""Available models: what a server lists, and which servers run on this machine (AGENTS_AND_TOOLS §2)."""

import asyncio
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from core.domain.model import PRICES, ModelChoice
from core.errors import StepFailed
from core.llm.http import HttpClients
from core.llm.key_masking import Masker, Secret
from core.llm.presets import LOCAL, Preset, wire_format_of
from core.llm.provider.failures import connection_failure, model_error, refusal, unusable_route
from core.llm.provider.wire_format import WireFormat
from core.llm.wire_formats import WIRE_FORMATS
from core.ports import Clock

if TYPE_CHECKING:
    import httpx

LISTING_BYTES = 20_000_000
LISTING_S = 10.0
DISCOVERY_S = 0.3
MAX_MODELS = 5000
_PER = 1_000_000


@dataclass(frozen=True, slots=True)
class ListedModel:
    """A model as listed by its server. Prices are dollars per million tokens; unknown values are None."""

    id: str
    context_tokens: int | None = None
    price_in: float | None = None
    price_out: float | None = None
    price_cached: float | None = None
    price_cache_write: float | None = None
    takes_pictures: bool | None = None


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A responding server on this machine, with its models."""

    preset: Preset
    models: Sequence[ListedModel]


class Catalogue:
    """Lists models. Nothing is cached, since a model may be loaded at any time."""

    def __init__(self, clients: HttpClients, clock: Clock) -> None:
        self._clients = clients
        self._clock = clock

    async def models(self, choice: ModelChoice, key: Secret | None, limit_s: float = LISTING_S) -> list[ListedModel]:
        """List the models in the order of the server's list.

        Raises StepFailed like the client, and `bad_response` if the response is not a list of models.
        """
        masker = Masker(key)
        try:
            async with asyncio.timeout(limit_s):
                return await self._list(choice, key, limit_s)
        except TimeoutError:
            message = f"no list of models came from {choice.origin} within {limit_s:g} s"
            raise model_error("timeout", message, timeout_s=limit_s, origin=choice.origin) from None
        except StepFailed as error:
            raise StepFailed(error.code, masker.text(error.message), **masker.values(error.parameters)) from None

    async def discover(self, presets: Iterable[Preset] = LOCAL) -> list[LocalServer]:
        """Find the servers that respond within 300 ms, asked concurrently without a key."""
        presets = list(presets)
        await self._clients.client_for(
            "http://127.0.0.1"
        )  # created first, so that it does not count towards the 300 ms
        listings = await asyncio.gather(*(self._models_or_none(preset) for preset in presets))
        return [
            LocalServer(preset, models) for preset, models in zip(presets, listings, strict=True) if models is not None
        ]

    async def _models_or_none(self, preset: Preset) -> list[ListedModel] | None:
        try:
            return await self.models(ModelChoice(provider=preset.id, base_url=preset.base_url), None, DISCOVERY_S)
        except StepFailed:
            return None

    async def _list(self, choice: ModelChoice, key: Secret | None, limit_s: float) -> list[ListedModel]:
        wire_format = WIRE_FORMATS[wire_format_of(choice)]
        url = wire_format.models_url(choice)
        try:
            client, proxy = await self._clients.client_for(url)
        except ValueError as error:
            raise unusable_route(error, url) from None
        import httpx

        headers = dict(wire_format.headers(key))
        try:
            async with client.stream("GET", url, headers=headers, timeout=limit_s) as response:
                body = await _body(response)
                if not response.is_success:
                    text = body.decode("utf-8", "replace")
                    raise refusal(response.status_code, text, None, self._clock.now(), url).error
        except (httpx.HTTPError, httpx.InvalidURL) as error:
            raise connection_failure(error, limit_s, url=url, proxy=proxy).error from None
        try:
            return _parse_models(body, wire_format)
        except StepFailed as error:
            raise model_error(error.code, f"{url}: {error.message}", part="address", origin=choice.origin) from None


async def _body(response: "httpx.Response") -> bytes:
    body = bytearray()
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) > LISTING_BYTES:
            raise model_error("bad_response", f"the list of models has over {LISTING_BYTES:,} bytes")
    return bytes(body)


def _parse_models(body: bytes, wire_format: WireFormat) -> list[ListedModel]:
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        value = None
    rows = wire_format.model_rows(value)
    more = _described_models(value)
    if not isinstance(rows, list):
        raise model_error("bad_response", "the server returned no list of models")
    entries = (row for row in rows if isinstance(row, dict) and isinstance(row.get("id"), str) and row["id"])
    models = {row["id"][:256]: _model({**more.get(row["id"], {}), **row}) for row in entries}
    return list(models.values())[:MAX_MODELS]


def _described_models(value: Any) -> dict[str, dict[str, Any]]:
    """Return what llama.cpp lists of its models beside `data`, by their names."""
    rows = value.get("models") if isinstance(value, dict) else None
    rows = [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []
    return {name: row for row in rows if isinstance(name := row.get("model") or row.get("name"), str)}


def _takes_pictures(row: dict[str, Any]) -> bool | None:
    """Return whether the model takes pictures, by the fields of OpenRouter, Mistral, LM Studio, llama.cpp or Ollama."""
    architecture, capabilities = row.get("architecture"), row.get("capabilities")
    modalities = architecture.get("input_modalities") if isinstance(architecture, dict) else None
    if isinstance(modalities, list):
        return "image" in modalities
    if isinstance(capabilities, dict) and isinstance(capabilities.get("vision"), bool):
        return bool(capabilities["vision"])
    if isinstance(capabilities, list) and ("vision" in capabilities or "multimodal" in capabilities):
        return True
    if isinstance(capabilities, list) and "completion" in capabilities:  # a full list: it would be named
        return False
    return {"vlm": True, "llm": False}.get(str(row.get("type")))


def _model(row: dict[str, Any]) -> ListedModel:
    meta, pricing = row.get("meta"), row.get("pricing")
    meta = meta if isinstance(meta, dict) else {}
    pricing = pricing if isinstance(pricing, dict) else {}
    windows = [row.get(name) for name in ("max_model_len", "max_context_length", "context_length", "context_window")]
    windows += [meta.get("n_ctx"), meta.get("n_ctx_train")]
    window = next((size for size in windows if type(size) is int and 256 <= size < 2**40), None)
    names = ("prompt", "completion", "input_cache_read", "input_cache_write")
    prices = dict(zip(PRICES, (_price(pricing.get(name)) for name in names), strict=True))
    return ListedModel(row["id"][:256], window, takes_pictures=_takes_pictures(row), **prices)


def _price(token_price: Any) -> float | None:
    """Parse the price of a token, a number or its text, into the price of a million tokens."""
    try:
        price = round(float(token_price) * _PER, 6)
    except (TypeError, ValueError, OverflowError):
        return None
    return price if 0 <= price < _PER else None
