"""What running MCP servers offer the user beside tools, for the composer (AGENTS_AND_TOOLS §7)."""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from core.domain.ids import OfferId, ServerId
from core.domain.mcp_offers import (
    OfferKind,
    ServerOffer,
    ServerPromptText,
    argument_values,
    arguments_schema,
    parse_resource_address,
    resource_address,
    split_offer_id,
)
from core.domain.slash_commands import PromptInput, append_rest
from core.domain.text.search import strip_accents
from core.errors import NotFound
from core.services.outcome import returns_outcome
from core.tools.mcp.hub import Hub
from core.tools.mcp.offers import Offers, expand_template

_URI = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://\S+")


class OfferService:
    """Finds resources and prompts, and reads them. A server that does not run offers nothing; what was chosen of it
    before starts it.
    """

    def __init__(self, hub: Hub) -> None:
        self._hub = hub

    async def prompts(self) -> list[ServerOffer]:
        """Return the prompts of all running servers."""
        listed = await asyncio.gather(*(offers.prompts() for offers in self._hub.running_offers))
        return [offer for offers in listed for offer in offers]

    @returns_outcome
    async def resources(self, query: str, most: int) -> list[ServerOffer]:
        """Return the resources and templates whose title, server or URI has all words of the query, titles first. A URI
        that is listed nowhere, such as that of a link in a result, is offered of each server that has resources.
        """
        listed = await asyncio.gather(*(offers.resources() for offers in self._hub.running_offers))
        found = await asyncio.to_thread(_matching, [offer for offers in listed for offer in offers], query, most)
        if found or _URI.fullmatch(query) is None:
            return found
        servers = [offers[0] for offers in listed if offers]
        return [ServerOffer(OfferKind.RESOURCE, each.server, each.server_name, query, query) for each in servers[:most]]

    @returns_outcome
    async def input_of(self, offer_id: OfferId, rest: str = "") -> tuple[PromptInput, Mapping[str, Any]]:
        """Return `rest` as the input of a prompt or a template, and the schema of a form for the arguments that it does
        not give. Fails with `not_found`.
        """
        offer, offers = await self._find(offer_id)
        values, text = argument_values(offer.arguments, rest)
        missing = [argument for argument in offer.arguments if argument.name not in values]
        # what is optional is asked for as well, unless something was given already
        asks = any(argument.is_required for argument in missing) or not (values or text)
        examples = await offers.examples(offer, values) if asks and missing else {}
        names = [argument.name for argument in missing] if asks else []
        return PromptInput(values, names, text), arguments_schema(missing, examples)

    @returns_outcome
    async def prompt_text(self, offer_id: OfferId, inputs: PromptInput, values: Mapping[str, str]) -> ServerPromptText:
        """Return what a prompt comes to. Fails with `failed` and the server's words."""
        server, name = split_offer_id(offer_id)
        filled = await (await self._awake(server)).prompt(name, {**values, **inputs.values})
        return replace(filled, text=append_rest(filled.text, inputs.appended))

    @returns_outcome
    async def expand(self, offer_id: OfferId, values: Mapping[str, str]) -> str:
        """Return the address of the resource that a template names with these values."""
        server, template = split_offer_id(offer_id)
        return resource_address(server, expand_template(template, values))

    async def read(self, path: str) -> tuple[str, bytes] | None:
        """Return name and content of a resource, None if the path is no address of a resource. Its server is started if
        it does not run. Raises ToolFailed, NotFound.
        """
        address = parse_resource_address(path)
        return None if address is None else await (await self._awake(address[0])).read(address[1])

    async def _find(self, offer_id: OfferId) -> tuple[ServerOffer, Offers]:
        server, _ = split_offer_id(offer_id)
        offers = await self._awake(server)
        listed = [*await offers.prompts(), *await offers.resources()]
        offer = next((offer for offer in listed if offer.id == offer_id), None)
        if offer is None:
            raise NotFound("prompt", offer_id)
        return offer, offers

    async def _awake(self, server: ServerId) -> Offers:
        """Return what the server offers, once it runs. Raises ToolFailed, NotFound."""
        offers = await self._hub.awake_offers(server)
        if offers is None:
            raise NotFound("server", server)
        return offers


def _matching(offers: Sequence[ServerOffer], query: str, most: int) -> list[ServerOffer]:
    words = strip_accents(query).split()
    ranked: list[tuple[bool, int]] = []
    for number, offer in enumerate(offers):
        title = strip_accents(offer.title)
        if all(word in strip_accents(f"{offer.title} {offer.server_name} {offer.key}") for word in words):
            ranked.append((not title.startswith(tuple(words)), number))
    return [offers[number] for _, number in sorted(ranked)[:most]]
