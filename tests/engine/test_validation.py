"""Validation: every problem of a template, at once, with its place."""

import json
from collections.abc import Sequence
from typing import Any

import pytest

from core.domain.tool import ToolInfo
from core.engine.plan.validation import ValidationResult, Validator
from core.errors import CodeFailed
from core.ports import CodeLimits, Console, Violation


class _Tools:
    """Knows one tool."""

    def infos(self) -> Sequence[ToolInfo]:
        return [ToolInfo("read_file", "Read", "Reads", {})]

    def info(self, name: str) -> ToolInfo | None:
        return next((info for info in self.infos() if info.name == name), None)


class _Sandbox:
    """Takes code for broken that says so, and looks for no more than the word `export`."""

    async def run(
        self,
        source: str,
        input_json: str,
        limits: CodeLimits = CodeLimits(),
        console: Console | None = None,
        owner: str = "",
    ) -> str:
        raise AssertionError("validation runs nothing")

    async def check(self, source: str) -> CodeFailed | None:
        if "broken" in source:
            return CodeFailed("typescript_error", "unexpected token", line=1, column=2)
        return None if "export" in source else CodeFailed("no_default_export", "the code exports nothing")


class _Schemas:
    def problem(self, schema: Any) -> str | None:
        return None if isinstance(schema, dict) else "a schema is an object"

    async def violations(self, schema: Any, value: Any) -> list[Violation]:
        return []


VALIDATOR = Validator(_Tools(), _Sandbox(), _Schemas())  # type: ignore[arg-type]  # only what validation looks at


async def check(*steps: Any, **fields: Any) -> ValidationResult:
    template = {"format": "metier.template/1", "title": "T", "steps": list(steps), **fields}
    return await VALIDATOR.check_text(json.dumps(template))


def codes(checked: ValidationResult) -> list[tuple[str, str]]:
    return [(problem.code, problem.path) for problem in checked.problems]


def a_step(name: str = "a", **fields: Any) -> dict[str, Any]:
    return {"name": name, "action": {"set": True}, **fields}


async def test_a_step_may_name_who_answers() -> None:
    checked = await check(a_step(action={"agent": {"prompt": "go", "agentId": "writer", "model": "large"}}))
    assert checked.problems == []


async def test_a_good_template_has_no_problems() -> None:
    checked = await check(a_step(), a_step("b", input={"x": "@a.y"}, when={"ref": "@a", "eq": None}))
    assert checked.problems == []
    assert checked.is_valid


@pytest.mark.parametrize(
    "text", ["", "{", '{"title": "T", "steps": [', "NaN", '{"title": NaN}', "[1e999]", "[" * 100_000]
)
async def test_what_is_not_json_is_said_to_be_none(text: str) -> None:
    checked = await VALIDATOR.check_text(text)
    assert codes(checked) == [("not_json", "")]


@pytest.mark.parametrize("text", ["[]", "1", '"x"', "null", "{}", '{"name": "x"}'])
async def test_what_is_no_template_is_said_to_be_none(text: str) -> None:
    assert codes(await VALIDATOR.check_text(text)) == [("not_a_template", "")]


async def test_ten_megabytes_are_too_large() -> None:
    assert codes(await VALIDATOR.check_text('{"title": "' + "x" * 10_000_000 + '"}')) == [("too_large", "")]


async def test_all_problems_come_at_once() -> None:
    checked = await check(
        {"action": {"set": True}},
        a_step("a", input="@nobody"),
        a_step("a", when={"ref": "@a", "eq": 1, "gt": 2}),
        a_step("input"),
        a_step("no good"),
        a_step("code", action={"code": "broken"}),
        a_step("x", action={"fly": True}),
        a_step("y", input={"who": "@item.name"}),
        a_step("z", action={"code": 3}, forEach={"ref": "@a", "concurrency": 0}),
        inputSchema=3,
    )
    assert {
        ("missing_field", "/steps/0/name"),
        ("unknown_ref", "/steps/1/input"),
        ("duplicate_step", "/steps/2/name"),
        ("several_operators", "/steps/2/when"),
        ("reserved_name", "/steps/3/name"),
        ("bad_name", "/steps/4/name"),
        ("typescript_error", "/steps/5/action/code"),
        ("unknown_action", "/steps/6/action"),
        ("item_outside_for_each", "/steps/7/input/who"),
        ("wrong_type", "/steps/8/action/code"),
        ("wrong_type", "/steps/8/forEach/concurrency"),
        ("bad_schema", "/inputSchema"),
    } <= set(codes(checked))
    assert not checked.is_valid


async def test_a_cycle_is_reported_with_its_path() -> None:
    checked = await check(a_step("a", input="@b"), a_step("b", forEach={"ref": "@a"}))
    (problem,) = checked.problems
    assert problem.code == "cycle"
    assert problem.message.endswith(("a → b → a", "b → a → b"))


async def test_a_step_that_waits_for_itself_is_a_cycle() -> None:
    checked = await check(a_step("a", input="@a"))
    assert [problem.code for problem in checked.problems] == ["cycle"]
    assert "a → a" in checked.problems[0].message


async def test_an_unknown_word_in_text_is_a_warning_and_a_mail_address_none() -> None:
    checked = await check(a_step(input="ask @nobody or me@example.com or @@x"))
    assert [(problem.code, problem.severity) for problem in checked.problems] == [("unknown_word", "warning")]
    assert checked.is_valid


async def test_unknown_fields_and_tools_are_warnings_with_a_suggestion() -> None:
    checked = await check(a_step(whn={"ref": "@a"}), a_step("b", action={"toolName": "read_fil"}), colour="red")
    assert codes(checked) == [
        ("unknown_field", "/steps/0/whn"),
        ("unknown_tool", "/steps/1/action/toolName"),
        ("unknown_field", "/colour"),
    ]
    assert "'when'" in checked.problems[0].message
    assert "'read_file'" in checked.problems[1].message
    assert checked.is_valid


async def test_unknown_fields_are_kept() -> None:
    checked = await check(a_step(colour="red"), shade=1)
    assert checked.template is not None
    kept = checked.template.as_json()
    assert kept["shade"] == 1
    assert kept["steps"][0]["colour"] == "red"


async def test_no_steps_and_a_foreign_format_are_errors() -> None:
    checked = await check(format="metier.template/9")
    assert codes(checked) == [("bad_format", "/format"), ("no_steps", "/steps")]


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        ("export default (raw) => raw", None),
        ("broken", "typescript_error"),
        ("", "no_default_export"),
    ],
)
async def test_a_transform_is_checked_before_any_call_is_made(code: str, problem: str | None) -> None:
    checked = await check(a_step(action={"toolName": "read_file", "transformCode": code}))
    assert codes(checked) == ([(problem, "/steps/0/action/transformCode")] if problem else [])
    assert checked.is_valid is (problem is None)
    if problem == "typescript_error":
        assert "(line 1, column 2)" in checked.problems[0].message


async def test_a_code_step_without_a_default_export_is_warned_of() -> None:
    checked = await check(a_step(action={"code": "const f = () => 1"}))
    assert codes(checked) == [("no_default_export", "/steps/0/action/code")]
    assert checked.is_valid


EACH = {"ref": "@input.items"}
TOOL = {"toolName": "read_file"}


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"interrupt": {"kind": "shrug"}}, "/steps/0/interrupt/kind"),
        ({"interrupt": {"kind": "question"}}, "/steps/0/interrupt/kind"),
        ({"interrupt": {"kind": "tool-input"}}, "/steps/0/interrupt/kind"),
        ({"interrupt": {"kind": "input-review"}, "forEach": EACH}, "/steps/0/interrupt/kind"),
        ({"interrupt": {"kind": "state-edit", "defaultAction": "approve"}}, "/steps/0/interrupt/defaultAction"),
        ({"interrupt": {"kind": "approval", "defaultAction": "wait"}}, "/steps/0/interrupt/defaultAction"),
        ({"interrupt": {"kind": "approval", "timeoutMs": 0}}, "/steps/0/interrupt/timeoutMs"),
    ],
)
async def test_an_interrupt_has_a_kind_that_goes_with_its_step(fields: dict[str, Any], path: str) -> None:
    assert codes(await check(a_step(**fields))) == [("bad_interrupt", path)]


@pytest.mark.parametrize(
    "fields",
    [
        {"interrupt": {"kind": "approval", "prompt": "Really?", "defaultAction": "approve", "timeoutMs": 1000}},
        {"interrupt": {"kind": "local-execution", "schema": {"type": "string"}}, "forEach": EACH},
        {"interrupt": {"kind": "tool-input"}, "action": TOOL},
        {"outputSchema": {"type": "object"}},
        {"action": {"workflow": {"title": "x"}}},
        {"config": {"maxAttempts": 2, "backoffMs": 100, "timeoutMs": 100, "onUnknown": "rerun"}},
    ],
)
async def test_all_of_a_step_is_carried_out(fields: dict[str, Any]) -> None:
    assert (await check(a_step(**fields), timeoutMs=1000)).problems == []


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"outputSchema": 3}, "/steps/0/outputSchema"),
        ({"interrupt": {"kind": "approval", "schema": 3}}, "/steps/0/interrupt/schema"),
    ],
)
async def test_every_schema_of_a_step_is_looked_at(fields: dict[str, Any], path: str) -> None:
    assert codes(await check(a_step(**fields))) == [("bad_schema", path)]


async def test_a_step_that_runs_another_template_names_it_once() -> None:
    for named in ({}, {"title": "x", "templateId": "tpl_1"}):
        checked = await check(a_step(action={"workflow": named}))
        assert codes(checked) == [("missing_field", "/steps/0/action/workflow")]


async def test_on_error_and_idempotent_are_carried_out() -> None:
    assert (await check(a_step(config={"onError": "continue", "idempotent": True}))).problems == []


async def test_a_condition_compares_with_a_number_and_looks_at_one_ref() -> None:
    checked = await check(a_step(), a_step("b", when={"ref": "@a.n", "gt": "3"}), a_step("c", when={"ref": "a.n"}))
    assert codes(checked)[0] == ("bad_condition", "/steps/1/when/gt")
    assert ("bad_condition", "/steps/2/when/ref") in codes(checked)


async def test_depends_on_names_steps() -> None:
    checked = await check(a_step(), a_step("b", dependsOn=["a", "aa"]))
    assert codes(checked) == [("unknown_ref", "/steps/1/dependsOn/1")]


async def test_a_question_is_asked_once_before_the_list() -> None:
    step = a_step(interrupt={"kind": "approval", "prompt": "Use @item?"}, forEach=EACH)
    assert codes(await check(step)) == [("item_outside_for_each", "/steps/0/interrupt/prompt")]
