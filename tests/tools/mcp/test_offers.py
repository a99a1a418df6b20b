"""Resources and prompts that a server offers: listed, found, filled in, read."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from core.domain.ids import ServerId
from core.domain.mcp_offers import (
    OfferArgument,
    OfferKind,
    ServerOffer,
    argument_values,
    parse_resource_address,
    resource_address,
)
from core.errors import ToolFailed
from core.services.mcp_offers import OfferService
from core.services.outcome import Failed, Ok, unwrap
from tests.support.mcp_rig import hostile, mcp_rig

CITY, STATE = OfferArgument("city"), OfferArgument("state", is_required=False)


@pytest.mark.parametrize(
    ("arguments", "rest", "expected"),
    [
        ((CITY, STATE), 'city="New York" state=NY and more', ({"city": "New York", "state": "NY"}, "and more")),
        ((CITY, STATE), "Paris in spring", ({"city": "Paris in spring"}, "")),
        ((CITY, STATE), "state=NY New York", ({"state": "NY", "city": "New York"}, "")),
        ((CITY, STATE), "", ({}, "")),
        ((STATE,), "a=b", ({"state": "a=b"}, "")),
        ((CITY, OfferArgument("day")), "Paris", ({}, "Paris")),
        ((), "just text", ({}, "just text")),
    ],
)
def test_the_text_after_a_prompt_is_its_arguments(
    arguments: tuple[OfferArgument, ...], rest: str, expected: tuple[dict[str, str], str]
) -> None:
    assert argument_values(arguments, rest) == expected


@pytest.mark.parametrize("uri", ["notes://a/b?c=d#e", "file:///a b/é", "x"])
def test_the_address_of_a_resource_is_no_path_of_a_file(uri: str) -> None:
    assert parse_resource_address(resource_address(ServerId("s"), uri)) == (ServerId("s"), uri)
    assert parse_resource_address(f"/mcp-resource:s/{uri}") is None


def by_title(offers: list[ServerOffer]) -> dict[str, ServerOffer]:
    return {offer.title: offer for offer in offers}


async def test_what_a_server_offers_is_listed_once_found_and_read_when_it_is_needed(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    async with mcp_rig() as rig:
        service = OfferService(rig.hub)
        server = rig.add("notes", **hostile("offers", trace))
        assert (await service.prompts(), unwrap(await service.resources("", 9))) == ([], [])  # it does not run
        await rig.hub.connect(server)
        assert "resources/list" not in trace.read_text()
        listed: list[Any] = await asyncio.gather(*(service.resources("", 9) for _ in range(3)))
        found = by_title(unwrap(listed[0]))
        assert list(found) == ["Today", "Scan", "A day's notes"]  # no hidden characters, and nothing invalid
        assert found["A day's notes"].kind is OfferKind.TEMPLATE
        assert trace.read_text().count("resources/list") == 1
        assert [offer.title for offer in unwrap(await service.resources("day notes", 9))] == ["Today", "A day's notes"]
        assert [offer.title for offer in unwrap(await service.resources("", 1))] == ["Today"]
        (linked,) = unwrap(await service.resources("notes://of/a-link", 9))  # listed nowhere
        assert (linked.server, linked.key) == (server, "notes://of/a-link")
        inputs, schema = unwrap(await service.input_of(found["A day's notes"].id))
        assert (inputs.missing, schema["properties"]["day"]["examples"]) == (["day", "part"], ["monday"])
        address = unwrap(await service.expand(found["A day's notes"].id, {"day": "mon day", "part": "1/2"}))
        assert await service.read(address) == ("2.txt", b"notes://mon%20day/1%2F2 read 1 times")
        assert await service.read(resource_address(server, "notes://scan")) == ("scan", b"\0\1\2\3")
        assert await service.read("/a/file") is None
        with pytest.raises(ToolFailed, match="notes answered: there are no such notes"):
            await service.read(resource_address(server, "notes://none"))
        await rig.value("mcp__notes__once")
        async with asyncio.timeout(10):
            while "Grown" not in by_title(unwrap(await service.resources("", 9))):
                await asyncio.sleep(0.01)
        await rig.hub.stop(server)
        name, _ = await service.read(resource_address(server, "notes://today")) or ("", b"")  # which starts it
        assert name == "today.txt"


async def test_a_prompt_asks_for_its_arguments_and_comes_as_text_files_and_links(tmp_path: Path) -> None:
    async with mcp_rig() as rig:
        service = OfferService(rig.hub)
        await rig.connected("notes", **hostile("offers", tmp_path / "trace"))
        prompts = {offer.key: offer for offer in await service.prompts()}
        assert list(prompts) == ["ask", "plain"]
        inputs, schema = unwrap(await service.input_of(prompts["ask"].id))
        assert (inputs.missing, schema["required"]) == (["topic", "tone"], ["topic"])
        assert schema["properties"]["topic"]["examples"] == ["whales", "winds"]
        inputs, _ = unwrap(await service.input_of(prompts["ask"].id, "topic=whales briefly"))
        assert (inputs.values, inputs.missing) == ({"topic": "whales"}, [])
        filled = unwrap(await service.prompt_text(prompts["ask"].id, inputs, {}))
        assert filled.text == "Tell me of whales, plainly.\n\nbriefly"
        assert filled.files == (("it.txt", b"On it."),)
        inputs, _ = unwrap(await service.input_of(prompts["plain"].id))
        spoken = unwrap(await service.prompt_text(prompts["plain"].id, inputs, {}))
        assert spoken.text == "User: Hello.\n\nAssistant: What is it?"
        assert (spoken.resources, spoken.left_out) == (("mcp-resource:notes/notes://today",), ("audio",))
        assert isinstance(await service.input_of(prompts["plain"].id), Ok)
        gone = await service.input_of(prompts["plain"].id.replace("plain", "gone"))  # type: ignore[arg-type]
        assert isinstance(gone, Failed)
