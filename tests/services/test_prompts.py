"""The prompt library and slash commands, on a whole core."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any, TypeVar

import pytest

from core.app import Core
from core.domain.ids import PromptId, TemplateId, WorkflowId
from core.domain.messages import Role
from core.domain.run import RunKind, RunStatus
from core.domain.slash_commands import SlashCommand, SlashKind, UnknownCommand
from core.domain.text.json_text import encode
from core.ports import Put, StoredTemplate
from core.services.outcome import Failed, Ok, Outcome
from core.wiring import run_core
from tests.support.command_line import template
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.world import tool_step

T = TypeVar("T")


@pytest.fixture
def storage() -> InMemoryStorage:
    return InMemoryStorage()


@pytest.fixture
async def core(storage: InMemoryStorage) -> AsyncIterator[Core]:
    async with run_core(storage) as core:
        yield core


def data(answer: Outcome[T]) -> T:
    assert isinstance(answer, Ok), answer
    return answer.data


def failed(answer: Outcome[Any]) -> Failed:
    assert isinstance(answer, Failed), answer
    return answer


async def test_a_prompt_is_created_changed_removed_and_restored_and_each_change_is_emitted(
    core: Core, storage: InMemoryStorage
) -> None:
    changes: list[list[str]] = []
    core.prompts.changed.connect(lambda: changes.append([prompt.name for prompt in core.prompts.current]))
    made = data(await core.prompts.save(name=" Sum  up ", content="Sum up {{text}}.", category="Work"))
    assert (made.name, made.variables, core.prompts.current) == ("Sum up", ("text",), (made,))
    data(await core.prompts.save(made.id, name="SUM UP", content="Shorter."))  # its own name is no other's
    removed = data(await core.prompts.remove(made.id))
    assert removed.category == ""
    assert failed(await core.prompts.remove(made.id)).code == "not_found"
    data(await core.prompts.save(removed.id, **removed.model_dump(exclude={"id"})))
    assert changes == [["Sum up"], ["SUM UP"], [], ["SUM UP"]]
    async with run_core(storage) as again:
        assert again.prompts.current == core.prompts.current


async def test_a_name_belongs_to_a_single_prompt_in_any_case_even_of_two_saved_at_once(core: Core) -> None:
    saved = await asyncio.gather(*(core.prompts.save(name=name, content="c") for name in ("Straße", "STRASSE")))
    assert [isinstance(one, Ok) for one in saved] == [True, False]
    assert failed(saved[1]).code == "name_taken"
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"name": "", "content": "c"}, "name"),
        ({"name": "a", "content": " "}, "content"),
        ({"name": "a", "content": "x" * 50_001}, "content"),
        ({"name": "a", "content": "c", "category": "\x00"}, "category"),
        ({"name": "a", "content": "c", "description": "x" * 1001}, "description"),
        ({"name": "a"}, "content"),
    ]
    for fields, field in wrong:
        refused = failed(await core.prompts.save(**fields))
        assert (refused.code, refused.details["field"]) == ("bad_input", field)


async def test_a_prompt_is_filled_or_every_missing_value_is_named(core: Core) -> None:
    made = data(await core.prompts.save(name="a", content="{{x}} {{y}} {{}} {{z z}}"))
    refused = failed(await core.prompts.fill(made.id, {"q": "1"}))
    assert (refused.code, refused.details["missing"]) == ("missing_values", ["x", "y"])
    assert data(await core.prompts.fill(made.id, {"x": "{{y}}", "y": "", "q": "1"})) == "{{y}}  {{}} {{z z}}"
    many = data(await core.prompts.save(name="b", content="{{x}}" * 10_000))
    assert failed(await core.prompts.fill(many.id, {"x": "y" * 50_000})).code == "filled_too_long"
    assert failed(await core.prompts.fill(PromptId("prompt_none"), {})).code == "not_found"


async def test_a_slash_names_templates_own_and_shipped_and_prompts(core: Core) -> None:
    text = encode(template(tool_step("a", "calculator", expression="1"), title="My own"))
    own = StoredTemplate(TemplateId("tpl_1"), 1, "My own", text, core.clock.now())
    await core.storage.commit([Put(own)])
    data(await core.prompts.save(name="Translate", content="Translate {{text}} to {{language}}."))
    titles = data(await core.slash.targets())
    assert {"Ask around", "My own", "Translate"} <= {one.title for one in titles}
    asked = data(await core.slash.read("/ask around say 2 words"))
    assert isinstance(asked, SlashCommand)
    assert (asked.target.kind, asked.rest) == (SlashKind.TEMPLATE, "say 2 words")
    ready = data(await core.slash.template(TemplateId(asked.target.id), asked.rest))
    assert (ready.input.values, ready.input.missing_schema) == ({"question": "say 2 words"}, None)
    refused = failed(await core.slash.template(TemplateId("tpl_none")))
    assert refused.code == "not_found"
    assert data(await core.slash.read("/nothing")) == UnknownCommand("nothing")
    assert data(await core.slash.read("hello")) is None
    prompt = data(await core.slash.read("/translate it"))
    assert isinstance(prompt, SlashCommand)
    given = data(await core.slash.prompt(PromptId(prompt.target.id), prompt.rest))
    assert (list(given.missing), given.appended) == (["text", "language"], "it")
    values = {"text": "a", "language": "b"}
    assert data(await core.slash.text(PromptId(prompt.target.id), given, values)) == "Translate a to b.\n\nit"


async def test_a_template_runs_in_a_workflow_that_is_there_with_what_was_written_as_its_message(core: Core) -> None:
    first = data(await core.chat.send("say 1 word"))
    await core.engine.wait(first.id)
    ready = data(await core.slash.template(TemplateId("shipped:ask-around"), "say 2 words"))
    said = "/ask around say 2 words"
    there = first.workflow_id
    run = data(await core.runs.start(ready.found, ready.input.values, workflow_id=there, prompt=said, gated=True))
    assert (run.kind, run.workflow_id) == (RunKind.WORKFLOW, there)
    busy = failed(await core.runs.start(ready.found, ready.input.values, workflow_id=there, prompt=said, gated=True))
    assert busy.code == "workflow_busy"
    assert (await core.engine.wait(run.id)).status is RunStatus.SUCCESS
    messages = await core.storage.messages.of_workflow(there)
    assert [one.text for one in messages if one.role is Role.USER] == ["say 1 word", said]
    assert [one.title for one in await core.storage.workflows.all()] == ["say 1 word"]
    gone = failed(await core.runs.start(ready.found, {}, workflow_id=WorkflowId("wf_none")))
    assert gone.code == "not_found"
