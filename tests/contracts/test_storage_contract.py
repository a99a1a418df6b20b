"""Storage and reading of every kind of row."""

from dataclasses import replace
from typing import Any

import pytest

from core.domain.events import (
    Event,
    Fact,
    RunFinished,
    RunStarted,
    StepSkipped,
    StepStarted,
    UnknownFact,
    UsageReported,
    with_text,
)
from core.domain.ids import MessageId, RunId, TemplateId, WorkflowId
from core.domain.messages import MessageState, Role
from core.domain.model import ModelChoice, Reasoning
from core.domain.progress import progress_of
from core.domain.run import RunKind, RunStatus, StepStatus
from core.domain.template import ValidationMode
from core.domain.text.json_text import decode, encode
from core.ports import (
    AppendChunk,
    CreateRun,
    DropChunks,
    Put,
    PutMessage,
    PutSetting,
    PutWorkflow,
    Remove,
    Storage,
    StoredTemplate,
    Write,
)
from tests.contracts.rows import (
    ERROR,
    R2,
    W2,
    R,
    W,
    a_call,
    a_chunk,
    a_message,
    a_run,
    a_snapshot,
    a_template,
    a_workflow,
    appended,
    asked,
    at,
    created,
    creation_fact,
    ended,
    finished,
    numbered_events,
    said,
    settled,
)

TEXTS = [
    "",
    "plain",
    "lone \ud800 surrogate",
    "pair \U0001f600 of them",
    "a\x00b",
    "'; DELETE run; --",
    'quote " and ⟨angle⟩ and `tick`',
    "line\n\r\u2028\u2029end",
    "x" * 1_000_000,
]


def deep(levels: int) -> Any:
    value: Any = None
    for _ in range(levels):
        value = {"a": [value]}
    return value


VALUES = [
    None,
    10**30,
    -0.0,
    1.5e300,
    {"eq": None},
    {"": 1, "a.b": 2, 'c"d': 3, "[0]": 4, "$where": "x", "id": "run:1"},
    [None, [None, {}], []],
    ["\ud800", "\x00", "\U0001f600"],
    deep(50),
    "x" * 1_000_000,
]


async def test_an_empty_store_has_nothing(storage: Storage) -> None:
    assert await storage.workflows.all() == []
    assert await storage.runs.page() == []
    assert await storage.runs.unfinished() == []
    assert await storage.runs.children(R) == []
    assert await storage.interruptions.open(R) == []
    assert await storage.interruptions.open() == []
    assert await storage.templates.all() == []
    assert await storage.settings.all() == {}
    assert await storage.workflows.get(W) is None
    assert await storage.runs.get(R) is None
    assert await storage.templates.get(TemplateId("t")) is None
    assert await storage.messages.of_workflow(W) == []
    assert await storage.events.of_run(R) == []
    assert await storage.events.last_seq(R) == 0
    assert await storage.chunks.of_run(R) == []


async def test_a_commit_of_nothing_loses_nothing(storage: Storage) -> None:
    assert await storage.commit([]) == frozenset()


async def test_workflows_come_last_changed_first(storage: Storage) -> None:
    first, second = a_workflow(W, 1), a_workflow(W2, 2, "Two")
    await storage.commit([PutWorkflow(second), PutWorkflow(first)])
    assert await storage.workflows.all() == [second, first]
    changed = a_workflow(W, 3, "One again")
    await storage.commit([PutWorkflow(changed)])
    assert await storage.workflows.all() == [changed, second]
    assert await storage.workflows.get(W) == changed


async def test_messages_come_oldest_first_and_of_the_same_time_as_they_were_put(storage: Storage) -> None:
    other = a_message("0", workflow_id=W2)
    late, asked, answer = a_message("a", 5), a_message("z", 1), a_message("b", 1, role=Role.ASSISTANT)
    await storage.commit([PutMessage(each) for each in (late, asked, answer, other)])
    assert await storage.messages.of_workflow(W) == [asked, answer, late]
    assert await storage.messages.newest(W, 2) == [answer, late]
    assert await storage.messages.newest(W, 10) == [asked, answer, late]
    again = replace(asked, text="changed", state=MessageState.INTERRUPTED, run_id=R)
    await storage.commit([PutMessage(again)])
    assert await storage.messages.of_workflow(W) == [answer, again, late]


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: repr(text[:20]))
async def test_every_text_comes_back_as_it_was(storage: Storage, text: str) -> None:
    message, template = a_message("m", text=text), a_template(title=text, text=text)
    workflow, piece = a_workflow(title=text), a_chunk(0, text)
    run = a_run(title=text)
    writes: list[Write] = [PutMessage(message), Put(template), PutWorkflow(workflow), AppendChunk(piece)]
    await storage.commit([*writes, CreateRun(run, a_snapshot()), appended(numbered_events(said(message, step="a")))])
    assert await storage.messages.of_workflow(W) == [message]
    assert await storage.templates.get(template.id) == template
    assert await storage.workflows.get(W) == workflow
    assert await storage.chunks.of_run(R) == [piece]
    assert await storage.runs.get(R) == run
    assert await storage.events.of_run(R) == numbered_events(said(message, step="a"))


@pytest.mark.parametrize("value", VALUES, ids=lambda value: encode(value)[:20])
async def test_every_json_value_comes_back_as_it_was(storage: Storage, value: Any) -> None:
    text = encode(value)
    snapshot = a_snapshot(input={"value": value}, script=({"say": value},))
    facts: list[Fact] = [StepSkipped(step="b", value=value), finished(output=value)]
    facts += [with_text(finished("c", value), text), a_call(arguments=value), settled(result=value)]
    await storage.commit([CreateRun(a_run(), snapshot)])
    await storage.commit([appended(numbered_events(*facts)), PutSetting("value", text), ended(output_json=text)])
    run = await storage.runs.get(R)
    assert run is not None
    assert run.output_json == text
    assert await storage.snapshots.of_run(R) == snapshot
    events = await storage.events.of_run(R)
    assert events == numbered_events(*facts)
    assert [result.output_json for result in progress_of(R, events).results] == [text, "null", text]
    assert await storage.settings.all() == {"value": decode(text)}


@pytest.mark.parametrize("name", ["a b", "a\x00", "'\"`", "⟨x⟩", "run:1", "\U0001f600", "..", "1", "x" * 3000, "["])
async def test_ids_may_hold_any_character(storage: Storage, name: str) -> None:
    run_id, workflow_id = RunId(name), WorkflowId(name)
    run = a_run(run_id, workflow_id=workflow_id, message_id=MessageId(name))
    await storage.commit([PutWorkflow(a_workflow(workflow_id)), CreateRun(run, a_snapshot()), created(R, 1)])
    events = numbered_events(finished("b", "x" * 5000), run_id=run_id)
    await storage.commit([appended(events, run_id), asked(run_id=run_id)])
    await storage.commit([AppendChunk(a_chunk(0, "x", run_id=run_id)), PutSetting(name, "1")])
    assert await storage.runs.get(run_id) == run
    assert await storage.runs.page(workflow_id=workflow_id) == [run]
    assert await storage.events.of_run(run_id) == [replace(event, workflow_id=W) for event in events]
    assert [found.run_id for found in await storage.interruptions.open(run_id)] == [run_id]
    assert await storage.chunks.of_run(run_id) == [a_chunk(0, "x", run_id=run_id)]
    assert await storage.settings.all() == {name: 1}
    await storage.delete_workflow(workflow_id)
    assert await storage.runs.get(run_id) is None
    assert await storage.events.of_run(run_id) == []
    assert await storage.workflows.all() == []
    assert [run.id for run in await storage.runs.page()] == [R]


async def test_an_id_that_nothing_can_have_finds_nothing(storage: Storage) -> None:
    await storage.commit([PutWorkflow(a_workflow()), created()])
    stray = "run_\ud800"
    assert await storage.runs.get(RunId(stray)) is None
    assert await storage.workflows.get(WorkflowId(stray)) is None
    assert await storage.templates.get(TemplateId(stray)) is None
    assert await storage.events.of_run(RunId(stray)) == []
    assert await storage.runs.page(before=RunId(stray)) == []
    assert await storage.messages.of_workflow(WorkflowId(stray)) == []


async def test_the_newest_version_of_a_template_is_found_and_the_others_stay(storage: Storage) -> None:
    versions = [a_template("tpl_1", version, f"b {version}") for version in (1, 2, 10)]
    await storage.commit([Put(versions[2]), Put(versions[0])])
    await storage.commit([Put(versions[1]), Put(a_template("tpl_2", title="A"))])
    assert await storage.templates.get(TemplateId("tpl_1")) == versions[2]
    assert await storage.templates.get(TemplateId("tpl_1"), 2) == versions[1]
    assert await storage.templates.get(TemplateId("tpl_1"), 3) is None
    assert [template.title for template in await storage.templates.all()] == ["A", "b 10"]


async def test_a_template_is_removed_with_all_its_versions_and_its_id_can_come_again(storage: Storage) -> None:
    ids = [TemplateId("tpl_1"), TemplateId("tpl_10")]
    await storage.commit([Put(a_template(each, version)) for each in ids for version in (1, 2)])
    await storage.commit([Remove(StoredTemplate, ids[0]), Remove(StoredTemplate, TemplateId("nobody"))])
    assert [await storage.templates.get(ids[0], version) for version in (None, 1, 2)] == [None] * 3
    assert [template.id for template in await storage.templates.all()] == ids[1:]
    again = a_template(ids[0], 1)
    await storage.commit([Put(again)])
    assert await storage.templates.get(ids[0]) == again


async def test_a_run_keeps_all_its_fields(storage: Storage) -> None:
    run = a_run(
        kind=RunKind.CHAT,
        status=RunStatus.ERROR,
        template_id=TemplateId("tpl_1"),
        template_version=3,
        started_at=at(1),
        finished_at=at(2),
        output_json='{"a":1}',
        error=ERROR,
        active_ms=1234,
        parent=R2,
        root=RunId("run_root"),
        depth=2,
        awaited=True,
        unclean_ends=1,
        results_then=7,
    )
    values = {"mode": ValidationMode.MANUAL, "allow": ("/a", "/b"), "base": "/c", "agent": "offline"}
    model = ModelChoice(
        base_url="http://127.0.0.1:1/v1", model="m", needs_key=True, price_in=0.5, reasoning=Reasoning.LOW
    )
    snapshot = a_snapshot(script=({"say": "x"}, {"repeat": 2}), model=model, **values)
    await storage.commit([CreateRun(run, snapshot)])
    assert await storage.runs.get(R) == run
    assert await storage.snapshots.of_run(R) == snapshot


async def test_a_listing_leaves_outputs_out_and_keeps_errors(storage: Storage) -> None:
    await storage.commit([created(), ended(status=RunStatus.ERROR, output_json="[1]", error=ERROR, active_ms=5)])
    whole = a_run(status=RunStatus.ERROR, finished_at=at(9), output_json="[1]", error=ERROR, active_ms=5)
    assert await storage.runs.get(R) == whole
    assert await storage.runs.page() == [replace(whole, output_json=None)]


async def test_events_come_back_whole_and_in_order(storage: Storage) -> None:
    facts = [
        creation_fact(),
        RunStarted(),
        StepStarted(step="a", total=3),
        finished("a", [1], index=0, attempt=2),
        finished("a", status=StepStatus.ERROR, error={"code": "x"}),
        UsageReported(input_tokens=1, output_tokens=2, cost=0.5),
        UnknownFact(name="of_a_later_version", data={"x": None}),
        RunFinished(status=RunStatus.SUCCESS, active_ms=5),
    ]
    events = numbered_events(*facts)
    for start in (4, 0):  # rows that were written in another order
        await storage.commit([appended(events[start : start + 4])])
    assert await storage.events.of_run(R) == events


async def test_a_text_is_filled_in_from_its_message(storage: Storage) -> None:
    asked = a_message("m1", text="what?")
    cut = a_message("m2", role=Role.ASSISTANT, text="half", state=MessageState.INTERRUPTED)
    answer = a_message("m3", role=Role.ASSISTANT, text="whole")
    events = numbered_events(said(asked), said(cut, step="a", interrupted=True), said(answer, step="a"))
    await storage.commit([appended(events), PutMessage(asked), PutMessage(cut), PutMessage(answer)])
    assert await storage.events.of_run(R) == events


async def test_a_text_stays_with_its_event_where_the_message_may_go_on(storage: Storage) -> None:
    begun = a_message("m", role=Role.ASSISTANT, text="so far", state=MessageState.OPEN)
    whole = replace(begun, text="so far and on", state=MessageState.FINAL)
    events = numbered_events(said(begun, step="a"), said(whole, step="a"))
    alone = numbered_events(said(a_message("none", text="alone"), step="b"), first=3)
    await storage.commit([PutMessage(begun), appended(events[:1])])
    await storage.commit([PutMessage(whole), appended(events[1:])])
    await storage.commit([appended(alone)])
    assert await storage.events.of_run(R) == [*events, *alone]


async def test_what_an_event_points_to_may_be_gone(storage: Storage) -> None:
    message = a_message("m", text="gone soon")
    await storage.commit([PutWorkflow(a_workflow()), PutMessage(message), appended(numbered_events(said(message)))])
    await storage.delete_workflow(W)
    assert await storage.events.of_run(R) == numbered_events(said(replace(message, text="")))


async def test_text_is_stored_in_chunks_by_stream_and_offset(storage: Storage) -> None:
    pieces = [a_chunk(0, "a"), a_chunk(9, "b"), a_chunk(10, "c"), a_chunk(0, "d", index=2), a_chunk(0, "e", index=11)]
    await storage.commit([AppendChunk(piece) for piece in reversed(pieces)])
    assert await storage.chunks.of_run(R) == pieces
    await storage.commit([DropChunks(R, "a", 2), DropChunks(R, "b", None)])
    assert await storage.chunks.of_run(R) == [*pieces[:3], pieces[4]]


async def test_a_drop_removes_what_came_before_it_in_the_same_commit(storage: Storage) -> None:
    before, after, other = a_chunk(0, "before"), a_chunk(6, "after"), a_chunk(0, "other", "b")
    await storage.commit([AppendChunk(a_chunk(3, "stored"))])
    writes: list[Write] = [AppendChunk(before), AppendChunk(other), DropChunks(R, "a", None), AppendChunk(after)]
    await storage.commit(writes)
    assert await storage.chunks.of_run(R) == [after, other]


async def test_settings_are_replaced_and_unreadable_settings_left_out(storage: Storage) -> None:
    await storage.commit([PutSetting("a", "1"), PutSetting("b", "{"), PutSetting("a", '[2, "x"]')])
    assert await storage.settings.all() == {"a": [2, "x"]}


async def test_deleting_a_workflow_takes_all_that_is_its_and_nothing_else(storage: Storage) -> None:
    other = a_run(R2, 1, workflow_id=W2)
    await storage.commit(
        [PutWorkflow(a_workflow()), PutWorkflow(a_workflow(W2)), created(), CreateRun(other, a_snapshot())]
    )
    for run_id, workflow_id in ((R, W), (R2, W2)):
        message = a_message(f"m_{run_id}", workflow_id=workflow_id)
        events: list[Event] = numbered_events(RunStarted(), run_id=run_id)
        await storage.commit([PutMessage(message), AppendChunk(a_chunk(0, "x", run_id=run_id))])
        await storage.commit([appended(events, run_id)])
        for number in range(2, 222):
            long = numbered_events(finished("b", "x" * 5000), first=number, run_id=run_id)
            await storage.commit([appended(long, run_id)])
    await storage.delete_workflow(W)
    await storage.delete_workflow(W)
    assert await storage.workflows.all() == [a_workflow(W2)]
    assert await storage.runs.page() == [other]
    assert await storage.messages.of_workflow(W) == []
    for repository in (storage.events, storage.chunks):
        assert await repository.of_run(R) == []
        assert await repository.of_run(R2) != []
    assert len(await storage.messages.of_workflow(W2)) == 1
    assert await storage.snapshots.of_run(R2) == a_snapshot()
    assert await storage.commit([created()]) == frozenset()
    again = numbered_events(finished("b", "y" * 5000))
    assert await storage.commit([appended(again)]) == frozenset()
    assert await storage.events.of_run(R) == again
