"""Tools are registered once, and declare the effect of their calls."""

import pytest

from core.domain.tool import Effect, Runtime
from core.errors import NotFound, Refused
from core.sandbox.pool import WorkerPool
from core.sandbox.schemas import JsonSchemas
from core.tools.registry import Tool
from core.wiring import run_core
from tests.support.in_memory.storage import InMemoryStorage
from tests.tools.rig import echo, registry, tool


def test_infos_are_sorted_by_name() -> None:
    assert [info.name for info in registry(tool(name="b"), tool(name="a"), tool(name="c")).infos()] == ["a", "b", "c"]


def test_a_name_is_taken_once() -> None:
    first, second = tool(), tool()
    tools = registry(first)
    with pytest.raises(Refused, match="probe") as refusal:
        tools.register(second)
    assert refusal.value.code == "duplicate_tool"
    assert tools.get("probe") is first


@pytest.mark.parametrize("schema", [{"type": "objekt"}, {"properties": 5}])
def test_a_bad_input_schema_is_refused(schema: object) -> None:
    with pytest.raises(Refused) as refusal:
        registry(tool(schema=schema))
    assert refusal.value.code == "bad_schema"


def test_a_bad_output_schema_is_refused() -> None:
    info = tool().info
    bad = type(info)(info.name, info.title, info.description, {}, output_schema={"type": 1})
    with pytest.raises(Refused) as refusal:
        registry(Tool(bad, server=echo))
    assert refusal.value.code == "bad_schema"


async def test_every_tool_of_ours_has_schemas_that_are_of_use() -> None:
    """They are not checked when the core starts."""
    schemas = JsonSchemas(WorkerPool(size=1))
    async with run_core(InMemoryStorage()) as core:
        infos = core.tools.infos()
    assert len(infos) > 20
    problems = {
        info.name: [schemas.problem(info.input_schema), schemas.problem(info.output_schema or {})] for info in infos
    }
    assert {name for name, found in problems.items() if any(found)} == set()


@pytest.mark.parametrize(
    "handlerless",
    [
        tool(None),
        tool(echo, runtime=Runtime.CLIENT),
        tool(None, client=echo, runtime=Runtime.SERVER),
    ],
    ids=["none", "client without client", "server without server"],
)
def test_a_tool_that_nothing_could_carry_out_is_refused(handlerless: Tool) -> None:
    with pytest.raises(Refused) as refusal:
        registry(handlerless)
    assert refusal.value.code == "no_handler"


def test_an_unregistered_tool_is_gone_and_its_name_is_free() -> None:
    tools = registry(tool())
    tools.unregister("probe")
    assert tools.get("probe") is None
    tools.register(tool())


def test_unregistering_what_is_not_there_is_an_error() -> None:
    with pytest.raises(NotFound):
        registry().unregister("probe")


@pytest.mark.parametrize(
    ("traits", "effect"),
    [
        ({}, Effect.ONCE),
        ({"idempotent": True}, Effect.IDEMPOTENT),
        ({"read_only": True}, Effect.NONE),
        ({"read_only": True, "idempotent": False}, Effect.NONE),
    ],
)
def test_the_effect_follows_from_the_traits(traits: dict[str, bool], effect: Effect) -> None:
    assert tool(**traits).effect({}) is effect  # type: ignore[arg-type]


def test_a_trait_may_depend_on_the_arguments() -> None:
    request = tool(read_only=lambda arguments: arguments.get("method") == "GET")
    assert request.effect({"method": "GET"}) is Effect.NONE
    assert request.effect({"method": "POST"}) is Effect.ONCE
