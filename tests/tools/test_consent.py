"""Who is asked before a call; where nobody can be asked, the call is refused and never run."""

from typing import Any

import pytest

from core.domain.template import ValidationMode
from core.domain.tool import CallStatus, Category
from core.ports.tools import CallContext
from core.tools.consent import needs_consent
from tests.tools.rig import Builtins, call, context, error_of, invoker, tool

ARGUMENTS: dict[str, dict[str, Any]] = {
    "calculator": {"expression": "1"},
    "wait": {"seconds": 0},
    "read_file": {"path": "a"},
    "write_file": {"path": "a", "content": ""},
    "list_files": {"path": "."},
    "run_code": {"code": "1"},
}


@pytest.mark.parametrize("category", Category)
def test_auto_asks_nobody(category: Category) -> None:
    assert not needs_consent(tool(category=category), {}, ValidationMode.AUTO)


@pytest.mark.parametrize("name", ARGUMENTS)
def test_manual_asks_for_every_tool(name: str) -> None:
    assert needs_consent(Builtins().tools[name], ARGUMENTS[name], ValidationMode.MANUAL)


@pytest.mark.parametrize("name", ARGUMENTS)
def test_selective_asks_for_write_file_alone_of_the_built_in_tools(name: str) -> None:
    asked = needs_consent(Builtins().tools[name], ARGUMENTS[name], ValidationMode.SELECTIVE)
    assert asked is (name == "write_file")


def test_selective_asks_for_an_append_too() -> None:
    appending = {**ARGUMENTS["write_file"], "append": True}
    assert needs_consent(Builtins().tools["write_file"], appending, ValidationMode.SELECTIVE)


@pytest.mark.parametrize(
    ("category", "read_only", "asked"),
    [
        (Category.TOOLS, False, False),
        (Category.SUB_AGENTS, True, True),
        (Category.MCP, True, True),
        (Category.MCP, False, True),
        (Category.DATABASE, False, True),
        (Category.DATABASE, True, False),
        (Category.FILES, True, False),
    ],
)
def test_selective_goes_by_category(category: Category, read_only: bool, asked: bool) -> None:
    probe = tool(category=category, read_only=read_only)
    assert needs_consent(probe, {}, ValidationMode.SELECTIVE) is asked


async def test_a_call_that_needs_consent_is_rejected_and_not_run() -> None:
    ran = []

    async def run(arguments: Any, context: CallContext) -> None:
        ran.append(arguments)

    result = await call(invoker(tool(run)), context=context(mode=ValidationMode.MANUAL))
    assert error_of(result)[0] == "rejected"
    assert ran == []


async def test_a_call_that_needs_none_runs_in_selective_mode() -> None:
    result = await call(invoker(tool()), context=context(mode=ValidationMode.SELECTIVE))
    assert result.status is CallStatus.COMPLETED
