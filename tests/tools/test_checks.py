"""What a call has to pass before it runs, and in which order."""

from typing import Any

import pytest

from core.domain.template import ValidationMode
from core.domain.tool import CallStatus, Effect, Runtime
from core.ports import CallContext, ToolRunner
from core.tools.invocation import ToolInvoker
from tests.tools.rig import call, context, error_of, invoker, tool

PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}, "mood": {"enum": ["good", "bad"]}},
    "required": ["name"],
}


def runner() -> ToolRunner:
    return invoker(tool(name="b"), tool(name="a", read_only=True))


def test_the_invoker_describes_the_registered_tools() -> None:
    tools = runner()
    assert [info.name for info in tools.infos()] == ["a", "b"]
    info = tools.info("a")
    assert info is not None
    assert info.title == "A"
    assert tools.info("c") is None


def test_the_effect_of_an_unknown_tool_is_assumed_to_be_the_worst() -> None:
    tools = runner()
    assert [tools.effect(name, {}) for name in "abc"] == [Effect.NONE, Effect.ONCE, Effect.ONCE]


async def test_a_call_that_passes_gives_the_value_of_its_handler() -> None:
    result = await call(invoker(tool()), {"a": 1})
    assert (result.status, result.value, result.error) == (CallStatus.COMPLETED, {"a": 1}, None)


async def test_the_handler_sees_whose_call_it_is() -> None:
    seen: list[CallContext] = []

    async def look(arguments: Any, context: CallContext) -> None:
        seen.append(context)

    await call(invoker(tool(look)), context=context("/data"))
    assert seen == [context("/data").within(None, seen[0].progressed)]


async def test_an_unknown_tool_is_not_registered() -> None:
    code, message = error_of(await call(invoker(), name="nothing"))
    assert code == "not_registered"
    assert "nothing" in message


async def test_a_tool_that_was_not_advertised_is_not_available() -> None:
    assert error_of(await call(invoker(tool()), advertised={"other"}))[0] == "not_available"
    assert (await call(invoker(tool()), advertised={"probe"})).status is CallStatus.COMPLETED


async def test_being_registered_comes_before_being_advertised() -> None:
    assert error_of(await call(invoker(), advertised=()))[0] == "not_registered"


async def test_a_client_tool_is_skipped_where_the_run_is_not_viewed() -> None:
    result = await call(invoker(client_tool()), [])
    assert result.status is CallStatus.SKIPPED
    assert result.error is not None
    assert result.error.message == "Tool not available in background mode"


async def test_a_client_tool_runs_where_somebody_watches() -> None:
    assert (await call(invoker(client_tool(), viewed=True))).value == "client"


async def test_without_a_window_nothing_is_viewed() -> None:
    tools = invoker(client_tool())
    bare = ToolInvoker(tools._registry, tools._clock)
    assert (await call(bare)).status is CallStatus.SKIPPED


async def test_being_advertised_comes_before_the_runtime() -> None:
    assert error_of(await call(invoker(client_tool()), advertised=()))[0] == "not_available"


@pytest.mark.parametrize(("viewed", "who"), [(True, "client"), (False, "server")])
async def test_a_hybrid_tool_uses_the_handler_of_its_place(viewed: bool, who: str) -> None:
    both = tool(said("server"), client=said("client"))
    assert (await call(invoker(both, viewed=viewed))).value == who


@pytest.mark.parametrize("viewed", [True, False])
async def test_a_hybrid_tool_with_one_handler_uses_it_everywhere(viewed: bool) -> None:
    assert (await call(invoker(tool(said("server")), viewed=viewed))).value == "server"
    assert (await call(invoker(tool(None, client=said("client")), viewed=viewed))).value == "client"


async def test_a_server_tool_never_uses_the_client_handler() -> None:
    served = tool(said("server"), client=said("client"), runtime=Runtime.SERVER)
    assert (await call(invoker(served, viewed=False))).value == "server"


@pytest.mark.parametrize("arguments", [[], "text", 5, True])
async def test_arguments_have_to_be_an_object(arguments: object) -> None:
    assert "object" in await violation(arguments, "")


async def test_arguments_that_no_one_could_read_are_no_object() -> None:
    result = await invoker(tool()).call("probe", None, context(), default_timeout_s=1)
    assert error_of(result)[0] == "invalid_arguments"


@pytest.mark.parametrize(
    ("arguments", "path", "words"),
    [
        ({"name": 5}, "/name", "string"),
        ({"name": "Ann", "age": 1.5}, "/age", "integer"),
        ({"name": "Ann", "age": True}, "/age", "integer"),
        ({"name": "Ann", "mood": "odd"}, "/mood", "good"),
        ({}, "", "name"),
    ],
)
async def test_a_violation_names_the_path_and_what_was_expected(arguments: object, path: str, words: str) -> None:
    assert words in await violation(arguments, path)


async def test_all_violations_are_listed() -> None:
    result = await call(invoker(tool(schema=PERSON)), {"name": 1, "age": "old", "mood": None})
    message = error_of(result)[1]
    assert all(path in message for path in ("/name", "/age", "/mood"))
    assert result.error is not None
    assert {each["path"] for each in result.error.parameters["violations"]} == {"/name", "/age", "/mood"}


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1, 2}, {1: 2}])
async def test_arguments_that_are_no_json_are_invalid(value: object) -> None:
    assert error_of(await call(invoker(tool()), {"a": value}))[0] == "invalid_arguments"


async def test_the_runtime_comes_before_the_arguments() -> None:
    assert (await call(invoker(client_tool()), "no object")).status is CallStatus.SKIPPED


async def test_the_arguments_come_before_consent() -> None:
    manual = context(mode=ValidationMode.MANUAL)
    assert error_of(await call(invoker(tool(schema=PERSON)), {}, context=manual))[0] == "invalid_arguments"


async def violation(arguments: Any, path: str) -> str:
    """Return the message of the only violation, which is at `path`."""
    result = await call(invoker(tool(schema=PERSON)), arguments)
    code, message = error_of(result)
    assert code == "invalid_arguments"
    assert result.error is not None
    (only,) = result.error.parameters["violations"]
    assert only["path"] == path
    assert only["message"] in message
    return str(only["message"])


def client_tool() -> Any:
    return tool(None, client=said("client"), runtime=Runtime.CLIENT)


def said(word: str) -> Any:
    async def say(arguments: Any, context: CallContext) -> str:
        return word

    return say
