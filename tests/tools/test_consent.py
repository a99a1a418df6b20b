"""Which calls need consent; where no user can be asked, such a call is refused and never run."""

from collections.abc import Mapping
from typing import Any

import pytest

from core.domain.consent import ConsentPolicy, Permission, Rule, Ruling
from core.domain.interruption import Action
from core.domain.risk import Risk
from core.domain.settings import OnTimeout, Settings
from core.domain.template import ValidationMode
from core.domain.tool import CallStatus, Category
from core.ports import CallContext
from core.tools.registry import Tool, call_traits
from tests.tools.rig import Builtins, call, context, error_of, invoker, tool

AUTO, MANUAL, SELECTIVE = ValidationMode.AUTO, ValidationMode.MANUAL, ValidationMode.SELECTIVE
ARGUMENTS: dict[str, dict[str, Any]] = {
    "ask_user": {"question": "?"},
    "calculator": {"expression": "1"},
    "wait": {"seconds": 0},
    "read_file": {"path": "a"},
    "write_file": {"path": "a", "content": ""},
    "edit_file": {"path": "a", "edits": [{"old": "a", "new": "b"}]},
    "move_file": {"path": "a", "destination": "b"},
    "delete_file": {"path": "a"},
    "list_files": {"path": "."},
    "search_files": {"query": "a"},
    "run_code": {"code": "1"},
}
CHANGING = {"write_file", "edit_file", "move_file", "delete_file"}
DANGEROUS = tool(name="delete", is_dangerous=True)
READING = tool(name="look", read_only=True, category=Category.MCP)


def ruling(
    asked: Tool,
    mode: ValidationMode,
    arguments: Mapping[str, Any] | None = None,
    exceptions: Mapping[str, Rule] | None = None,
    **settings: Any,
) -> Ruling:
    policy = ConsentPolicy(Settings(**settings), exceptions or {})
    return policy.terms(call_traits(asked, arguments or {}), mode).ruling


def asks(asked: Tool, mode: ValidationMode, **given: Any) -> bool:
    return ruling(asked, mode, **given) is Ruling.ASK


# Commands of the system ask whatever is set.
SWITCHED = [category for category in Category if category is not Category.SYSTEM]


@pytest.mark.parametrize("category", SWITCHED)
def test_auto_asks_no_question(category: Category) -> None:
    assert not asks(tool(category=category), AUTO)
    assert not asks(tool(category=category, is_dangerous=True), AUTO)


def test_auto_asks_about_high_risk_if_it_is_to_be_confirmed() -> None:
    assert asks(DANGEROUS, AUTO, confirm_high_risk=True)
    assert not asks(tool(), AUTO, confirm_high_risk=True)


@pytest.mark.parametrize("name", ARGUMENTS)
def test_manual_asks_for_every_tool_but_those_that_ask_themselves(name: str) -> None:
    assert asks(Builtins().tools[name], MANUAL, arguments=ARGUMENTS[name]) is (name != "ask_user")


@pytest.mark.parametrize("name", ["ask_user", "todo", "pick_file"])
@pytest.mark.parametrize("mode", ValidationMode)
def test_some_tools_never_need_consent(name: str, mode: ValidationMode) -> None:
    assert not asks(tool(name=name, is_dangerous=True), mode, exceptions={name: Rule.ASK}, confirm_high_risk=True)


@pytest.mark.parametrize("name", ARGUMENTS)
def test_selective_asks_for_what_changes_files_alone_of_the_built_in_tools(name: str) -> None:
    assert asks(Builtins().tools[name], SELECTIVE, arguments=ARGUMENTS[name]) is (name in CHANGING)


def test_selective_asks_for_an_append_too() -> None:
    appending = {**ARGUMENTS["write_file"], "append": True}
    assert asks(Builtins().tools["write_file"], SELECTIVE, arguments=appending)


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
    assert asks(tool(category=category, read_only=read_only), SELECTIVE) is asked


@pytest.mark.parametrize("category", SWITCHED)
@pytest.mark.parametrize("is_on", [True, False])
def test_each_category_can_be_switched(category: Category, is_on: bool) -> None:
    assert asks(tool(category=category), SELECTIVE, **{f"ask_for_{category}": is_on}) is is_on


@pytest.mark.parametrize("category", Category)
def test_high_risk_is_asked_about_whatever_its_category(category: Category) -> None:
    switches = {f"ask_for_{category}": False, "low_risk_free_in_manual": True, "low_risk_free_in_selective": True}
    for mode in (MANUAL, SELECTIVE):
        assert asks(tool(category=category, is_dangerous=True), mode, **switches)


@pytest.mark.parametrize("method", ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
def test_what_sends_to_a_public_host_is_asked_about_and_reading_is_not(method: str) -> None:
    fetch, url = Builtins().tools["http_fetch"], "https://example.com/"
    for mode in (MANUAL, SELECTIVE):
        assert asks(fetch, mode, arguments={"url": url, "method": method})
    assert asks(fetch, AUTO, arguments={"url": url, "method": method}, confirm_high_risk=True)
    assert not asks(fetch, SELECTIVE, arguments={"url": url})
    assert not asks(fetch, SELECTIVE, arguments={"url": url, "method": "HEAD"})


@pytest.mark.parametrize("name", ["memory", "todo"])
def test_deleting_is_high_risk(name: str) -> None:
    assert call_traits(Builtins().tools[name], {"action": "delete", "id": "1"}).risk is Risk.HIGH


def test_low_risk_is_free_only_where_that_is_set() -> None:
    for mode, setting in ((MANUAL, "low_risk_free_in_manual"), (SELECTIVE, "low_risk_free_in_selective")):
        assert asks(READING, mode)
        assert not asks(READING, mode, **{setting: True})
        assert asks(tool(category=Category.MCP), mode, **{setting: True})
    assert asks(READING, MANUAL, low_risk_free_in_selective=True)


@pytest.mark.parametrize(
    ("asked", "risk"),
    [(tool(read_only=True), Risk.LOW), (tool(), Risk.MEDIUM), (DANGEROUS, Risk.HIGH)],
)
def test_the_risk_of_a_call_goes_by_what_it_does(asked: Tool, risk: Risk) -> None:
    assert call_traits(asked, {}).risk is risk


def test_the_risk_of_a_call_may_depend_on_its_arguments() -> None:
    several = tool(is_dangerous=lambda given: given.get("do") == "delete", read_only=lambda given: "do" not in given)
    assert [several.risk(given) for given in ({}, {"do": "add"}, {"do": "delete"})] == list(Risk)


# Exceptions

OF_SERVER = tool(name="mcp__files__read", category=Category.MCP, read_only=True)


@pytest.mark.parametrize("mode", [MANUAL, SELECTIVE])
def test_an_exception_for_a_tool_wins_over_its_category(mode: ValidationMode) -> None:
    asked = tool(category=Category.FILES)
    assert ruling(asked, mode, exceptions={"probe": Rule.ALLOW}) is Ruling.EXCEPTED
    assert ruling(asked, mode, exceptions={"another": Rule.ALLOW}) is Ruling.ASK
    assert asks(tool(), SELECTIVE, exceptions={"probe": Rule.ASK})


def test_an_exception_for_a_server_covers_its_tools_and_that_of_a_tool_wins() -> None:
    server = {"mcp__files": Rule.ALLOW}
    assert ruling(OF_SERVER, SELECTIVE, exceptions=server) is Ruling.EXCEPTED
    assert ruling(tool(name="mcp__files2__read", category=Category.MCP), SELECTIVE, exceptions=server) is Ruling.ASK
    assert asks(OF_SERVER, SELECTIVE, exceptions={**server, "mcp__files__read": Rule.ASK})
    assert asks(OF_SERVER, SELECTIVE, exceptions={"mcp__files": Rule.ASK}, ask_for_mcp=False)
    assert not asks(OF_SERVER, SELECTIVE, exceptions={"mcp__files": Rule.ASK, "mcp__files__read": Rule.ALLOW})


def test_what_the_user_has_allowed_by_name_is_allowed_though_its_risk_is_high() -> None:
    assert ruling(DANGEROUS, AUTO, exceptions={"delete": Rule.ALLOW}, confirm_high_risk=True) is Ruling.EXCEPTED


def test_an_exception_that_asks_has_no_effect_in_auto() -> None:
    assert ruling(tool(), AUTO, exceptions={"probe": Rule.ASK}) is Ruling.FREE


def test_a_call_that_needs_no_consent_needs_no_exception() -> None:
    assert ruling(tool(), SELECTIVE, exceptions={"probe": Rule.ALLOW}) is Ruling.FREE


# Time

TIMEOUTS = [(OnTimeout.REJECT, Action.REJECT), (OnTimeout.APPROVE, Action.APPROVE), (OnTimeout.ASK_AGAIN, Action.SKIP)]


@pytest.mark.parametrize(("wanted", "action"), TIMEOUTS)
def test_a_request_expires_only_if_that_is_set(wanted: OnTimeout, action: Action) -> None:
    settings = {"consent_timeout_s": 45, "consent_on_timeout": wanted}
    forever = ConsentPolicy(Settings(**settings)).terms(call_traits(tool(), {}), MANUAL)
    limited = ConsentPolicy(Settings(consent_expires=True, **settings)).terms(call_traits(tool(), {}), MANUAL)
    assert forever.timeout_ms is None
    assert (limited.timeout_ms, limited.on_timeout) == (45_000, action)


# Where nobody can be asked


async def test_a_call_that_needs_consent_is_rejected_and_not_run() -> None:
    ran = []

    async def run(arguments: Any, context: CallContext) -> None:
        ran.append(arguments)

    result = await call(invoker(tool(run)), context=context(mode=MANUAL))
    assert error_of(result)[0] == "rejected"
    assert ran == []


async def test_a_call_that_is_permitted_runs() -> None:
    result = await call(invoker(tool()), context=context(mode=MANUAL), is_permitted=True)
    assert result.status is CallStatus.COMPLETED


async def test_a_call_that_needs_none_runs_in_selective_mode() -> None:
    result = await call(invoker(tool()), context=context(mode=SELECTIVE))
    assert result.status is CallStatus.COMPLETED


def test_no_consent_is_needed_for_a_tool_that_does_not_exist() -> None:
    assert invoker().terms("nothing", {}, MANUAL).ruling is Ruling.FREE


async def test_what_is_remembered_is_asked_about_no_more() -> None:
    tools = invoker(tool())
    tools.remember("probe", Permission())
    assert tools.terms("probe", {}, MANUAL).ruling is Ruling.EXCEPTED
    assert (await call(tools, context=context(mode=MANUAL))).status is CallStatus.COMPLETED


@pytest.mark.parametrize(("mode", "asked"), [(AUTO, False), (MANUAL, True), (SELECTIVE, True)])
def test_what_reaches_out_of_its_workflow_asks_whatever_holds_for_its_category_and_risk(
    mode: ValidationMode, asked: bool
) -> None:
    """AGENTS_AND_TOOLS §5."""
    free = Settings(
        ask_for_database=False,
        low_risk_free_in_manual=True,
        low_risk_free_in_selective=True,
    )
    reads = tool(read_only=True, category=Category.DATABASE)
    for reaches_out in (False, True):
        found = ConsentPolicy(free).terms(call_traits(reads, {}, reaches_out=reaches_out), mode).ruling
        assert (found is Ruling.ASK) is (asked and reaches_out)
    allowed = ConsentPolicy(free, {reads.info.name: Rule.ALLOW})
    ruled = allowed.terms(call_traits(reads, {}, reaches_out=True), mode).ruling
    assert ruled is (Ruling.EXCEPTED if asked else Ruling.FREE)
