"""Servers with more tools than a model should read: relevant tools are sent, the others are searched for."""

from collections.abc import Mapping
from typing import Any

from core.domain.tool_search import FIND_TOOLS, find_tools
from tests.agents.world import World

NOUNS = ("ship", "letter", "harbour", "invoice", "file")


def crowded() -> World:
    """A world with 500 tools of a server, among them two hundred for ships and letters."""
    world = World()

    async def done(arguments: Mapping[str, Any]) -> str:
        return "done"

    async def found(arguments: Mapping[str, Any]) -> dict[str, Any]:
        return {"tools": []}

    for number in range(500):
        world.tools.add(f"mcp__big__move_{NOUNS[number % 5]}_{number:03}", done)
    world.tools.add("plain", done)
    world.tools.add(FIND_TOOLS, found)
    return world


def sent(world: World, at: int) -> set[str]:
    return {tool.name.rpartition("_")[0] for tool in world.model.requests[at].tools}


async def test_tools_that_share_words_are_sent_and_what_was_found_is_sent_after_it_also_after_a_restart() -> None:
    world = crowded()
    search = {"call": FIND_TOOLS, "arguments": {"query": "moves harbours"}}
    call = {"call": "mcp__big__move_harbour_002", "arguments": {}}
    turn = world.turn("Please look at my ships", search, {"say": "There is one."}, call, {"say": "Done."})
    assert (await world.run(turn)).endswith("Done.")
    first, second, third = ({tool.name for tool in request.tools} for request in world.model.requests)
    assert sent(world, 0) == {"mcp__big__move_ship", "", "find"}
    assert {"plain", FIND_TOOLS} <= first
    assert len(first) == 102
    assert "mcp__big__move_harbour_002" in second & third
    assert len(second) == 102
    after = world.next_life()
    assert (await after.run(after.turn("And the letters?", {"say": "Seen."}, number=2))).endswith("Seen.")
    assert {"mcp__big__move_harbour", "mcp__big__move_letter"} <= sent(after, 0)


async def test_a_few_tools_are_sent_whole_without_the_search() -> None:
    world = World()

    async def done(arguments: Mapping[str, Any]) -> str:
        return "done"

    for name in (*(f"mcp__s__t{number}" for number in range(40)), FIND_TOOLS):
        world.tools.add(name, done)
    await world.run(world.turn("hello", {"say": "Hi."}))
    assert len(world.model.requests[0].tools) == 40


def test_a_search_ranks_by_words_of_name_title_and_description() -> None:
    infos = crowded().tools.infos()
    assert {tool.name.rpartition("_")[0] for tool in find_tools(infos, "Move the invoices!", 20)} == {
        "mcp__big__move_invoice"
    }
    assert find_tools(infos, "nothing of this kind") == []
