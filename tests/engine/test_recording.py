"""A conversation that is recorded: what its calls become, and what is told of them."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from core.domain.events import StepRecorded
from core.domain.ids import CallId, RunId, WorkflowId
from core.domain.recording import Recording
from core.domain.run import RunKind
from core.domain.template import ValidationMode
from core.ports import CallContext
from core.recording.template_builder import ExportOptions, build_template
from core.services.outcome import Failed, Ok
from tests.support.command_line import template
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.progress import stored_calls, stored_results
from tests.support.world import World, a_step, a_world

REFS = json.loads((Path(__file__).parents[1] / "vectors" / "refs.json").read_text("utf-8"))

Line = Mapping[str, Any]


def call(tool: str, **arguments: Any) -> Line:
    return {"call": tool, "arguments": arguments}


def say(text: str = "done") -> Line:
    return {"say": text}


class Conversation:
    """One that is recorded, turn by turn."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.workflow_id: WorkflowId | None = None
        self.turn: Any = None

    async def record(self, *lines: Line, text: str = "go", given: Mapping[str, Any] | None = None, **more: Any) -> Any:
        """Say something; the offline agent plays the lines, or does what it is told. Gives the turn."""
        core = self.world.core
        sent = await core.chat.send(
            text, self.workflow_id, script=lines, **{"record": True, "record_input": given, **more}
        )
        assert isinstance(sent, Ok), sent
        self.workflow_id = sent.data.workflow_id
        self.turn = await self.world.settled(sent.data.id)
        return self.turn

    @property
    def core(self) -> Any:
        return self.world.core

    async def id(self) -> RunId:
        found = await self.core.recording.open_of(self.workflow_id)
        assert isinstance(found, Ok)
        assert found.data is not None
        return RunId(found.data)

    async def told(self) -> Any:
        return await self.world.describe(await self.id())

    async def steps(self) -> Any:
        return (await self.told())["steps"]

    async def review(self, **wishes: Any) -> Any:
        found = await self.core.recording.review(await self.id(), ExportOptions(**wishes))
        assert isinstance(found, Ok), found
        return found.data

    async def offered(self) -> dict[str, str]:
        return {offer.path: offer.ref for offer in (await self.review()).offers}

    async def recorded(self, run_id: RunId) -> Recording:
        book = self.core.chat._recordings
        recording = await book.recording(await book.run(run_id))
        assert isinstance(recording, Recording)
        return recording

    async def seal(self, **wishes: Any) -> Any:
        sealed = await self.core.recording.export(await self.id(), ExportOptions(**wishes))
        assert isinstance(sealed, Ok), sealed
        return sealed.data

    async def run(self, template: str, given: Mapping[str, Any] | None = None) -> Any:
        found = await self.core.templates.find(template)
        assert isinstance(found, Ok)
        started = await self.core.runs.start(found.data, given or {})
        assert isinstance(started, Ok), started
        return await self.world.settled(started.data.id)


def results(turn: Any) -> list[Any]:
    return [(each["status"], each["error"]) for each in turn["tool_calls"]]


async def test_each_call_is_a_step_with_a_name_that_the_model_can_foresee() -> None:
    async with a_world() as world:
        talk = Conversation(world)
        await talk.record(
            call("echo", id="u-1001"),
            call("echo", id="@echo_1.id", note="for @echo_1.id"),
            call("note", text="@echo_2.note"),
            say(),
        )
        await talk.record(text='/tool echo {"again": "@note_1.text"}')
        steps = await talk.steps()
        assert list(steps) == ["echo_1", "echo_2", "note_1", "echo_3"]
        assert steps["echo_3"]["output"] == {"again": "for u-1001"}
        assert world.tools.notes == ["for u-1001"]
        recorded = [event.fact for event in world.events if isinstance(event.fact, StepRecorded)]
        assert recorded[1].input == {"id": "@echo_1.id", "note": "for @echo_1.id"}


async def test_a_recording_is_no_active_run_of_its_workflow() -> None:
    async with a_world() as world:
        talk = Conversation(world)
        await talk.record(call("echo", id="u-1001"), say())
        listed = await world.core.workflows.all()
        assert isinstance(listed, Ok)
        assert [row.status for row in listed.data.workflows] == ["success"]
        assert world.core.stores.background.running_count == 0
        assert not world.core.engine.is_at_work
        assert await world.core.engine.recover() == []
        told = await talk.told()
        assert (told["kind"], told["status"], told["metrics"]["active_ms"]) == ("recording", "running", 0)


async def test_refs_of_every_form_are_resolved_before_the_call() -> None:
    cases = [case for case in REFS["cases"] if "item" not in case]
    context = REFS["context"]
    async with a_world() as world:
        talk = Conversation(world)
        await talk.record(say(), given=context["input"])
        run_id = await talk.id()
        names = {name: value for name, value in context["steps"].items() if name != "plain"}
        for name, output in {**names, "plain": context["steps"]["plain"]}.items():
            assert isinstance(await talk.core.recording.preset(run_id, name, output), Ok)
        for case in cases:
            if "skippy" in json.dumps(case) or "run_id" in json.dumps(case):
                continue  # nothing is skipped here, and the run has an id of its own
            made = await talk.core.recording.call(run_id, "echo", {"value": case["value"]})
            assert isinstance(made, Ok)
            if "error" not in case:
                assert json.dumps(made.data.value) == json.dumps({"value": case["expected"]}), case
                continue
            error = made.data.error.as_dict()
            assert error["code"] == "invalid_arguments", case
            assert error["path"].startswith("/value")
            assert error["reason"] == case["error"].replace("unknown_ref", "unresolved_ref")


async def test_a_ref_without_a_value_is_a_result_that_the_model_can_mend() -> None:
    async with a_world() as world:
        talk = Conversation(world)
        turn = await talk.record(
            call("echo", user={"name": "Ada"}),
            call("note", text="@echo_1.user.address.street"),
            call("note", text="@echo_9"),
            call("fail"),
            call("note", text="@fail_1.x"),
            call("note", text="mail me@echo_1.org, @nobody and @@echo_1"),
            say(),
        )
        errors = [each["error"] for each in turn["tool_calls"]]
        assert errors[1]["code"] == "invalid_arguments"
        assert errors[1]["found"] == "@echo_1.user"
        assert errors[1]["violations"][0]["path"] == "/text"
        assert "echo_1" in errors[2]["message"]
        assert "failed" in errors[4]["message"]
        assert world.tools.notes == ["mail me@echo_1.org, @nobody and @echo_1"]
        sealed = await talk.seal(title="Mail")
        note = next(step for step in sealed.template["steps"] if step["name"] == "note_4")
        assert note["input"] == {"text": "mail me@echo_1.org, @@nobody and @@echo_1"}
        assert sealed.left_out == dict.fromkeys(["note_1", "note_2", "fail_1", "note_3"], "failed")
        await talk.run("Mail")
        assert world.tools.notes[1] == world.tools.notes[0]


async def test_what_was_recorded_becomes_a_template_that_gives_the_right_result_on_other_input() -> None:
    async with a_world() as world:
        talk = Conversation(world)
        await talk.record(
            call("echo", id="user-1001", plan="gold", seats=12),
            call("echo", owner="user-1001", seats="12"),  # looks like the number, and is a text
            call("echo", plan="@echo_1.plan", text="plan @echo_1.plan"),
            call("fail", why="no"),
            call("echo", id="user-1001", plan="gold", seats=12),
            call("note", text="user-1001 has gold"),
            call("note", text="@echo_3.text"),
            say(),
            text="What does user-1001 have?",
        )
        review = await talk.review()
        assert {offer.path: (offer.ref, offer.source, str(offer.confidence)) for offer in review.offers} == {
            "/echo_1/id": ("@input.id", "message", "high"),
            "/echo_2/owner": ("@echo_1.id", "@echo_1.id", "high"),
        }
        assert review.selection.left_out == {"fail_1": "failed", "echo_4": "repeated"}
        sealed = await talk.seal(accept="all", title="Plan of")
        assert sealed.template["inputSchema"]["required"] == ["id"]
        again = await talk.run("plan OF", {"id": "user-7"})
        assert again["status"] == "success"
        assert again["output"] == {"text": "plan gold"}
        assert again["steps"]["echo_2"]["output"]["owner"] == "user-7"
        assert (await world.describe(sealed.run.id))["status"] == "success"


async def test_without_acceptance_no_literal_is_replaced() -> None:
    async with a_world() as world:
        talk = Conversation(world)
        await talk.record(call("echo", id="user-1001"), call("echo", owner="user-1001"), say())
        sealed = await talk.seal()
        assert [step["input"] for step in sealed.template["steps"][:2]] == [{"id": "user-1001"}, {"owner": "user-1001"}]
        assert "inputSchema" not in sealed.template


async def test_a_recording_survives_its_process_and_goes_on_with_the_next_numbers() -> None:
    storage = InMemoryStorage()
    async with a_world(storage) as world:
        talk = Conversation(world)
        await talk.record(call("echo", id="@input.id"), say(), given={"id": "user-1"})
        workflow_id = talk.workflow_id
    async with a_world(storage) as world:
        talk = Conversation(world)
        talk.workflow_id = workflow_id
        await talk.record(text='/tool echo {"id": "@input.id", "before": "@echo_1.id"}', given={"id": "user-2"})
        steps = await talk.steps()
        assert steps["echo_2"]["output"] == {"id": "user-2", "before": "user-1"}
        numbers = [event.seq for event in await storage.events.of_run(await talk.id())]
        assert numbers == list(range(1, len(numbers) + 1))


async def test_secrets_are_kept_out_and_the_template_says_so() -> None:
    secret = "ghp_" + "a1" * 18
    async with a_world() as world:
        talk = Conversation(world)
        await talk.record(
            call("echo", password="hunter2hunter2", user="ada"),
            call("echo", token="@echo_1.password", header=f"Bearer {secret}"),
            say(),
        )
        assert world.tools.echoes[1]["token"] == "hunter2hunter2"
        review = await talk.review()
        assert review.masked == ["/echo_1/password", "/echo_2/header"]
        sealed = await talk.seal(title="Login")
        first, second = sealed.template["steps"][:2]
        assert "not stored" in first["description"]
        assert second["input"]["token"] == "@echo_1.password"
        assert sealed.masked == ["/echo_1/password", "/echo_2/header"]
        still = build_template(await talk.recorded(sealed.run.id), [], "T", ExportOptions(exclude=["echo_1"]))
        assert "hunter2" not in json.dumps(still.template)
        assert still.masked == ["/echo_2/token", "/echo_2/header"]
        events = await world.storage.events.of_run(sealed.run.id)
        kept = json.dumps(sealed.template) + str(events) + str(await stored_results(world.storage, sealed.run.id))
        assert "hunter2" not in kept
        assert secret not in kept


async def test_a_password_that_looks_like_a_ref_is_shown_nowhere() -> None:
    async with a_world() as world:
        talk = Conversation(world)
        turn = await talk.record(call("echo", password="@dmin.hunter2"), call("echo", password="@@dmin.hunter2"), say())
        assert turn["tool_calls"][0]["error"]["code"] == "invalid_arguments"
        assert world.tools.echoes == [{"password": "@dmin.hunter2"}]
        run_id = await talk.id()
        kept = str(await world.storage.events.of_run(run_id)) + str(await world.storage.events.of_run(turn["run_id"]))
        assert "hunter2" not in kept + str(await stored_calls(world.storage, turn["run_id"]))


async def test_a_secret_of_the_input_is_no_example() -> None:
    async with a_world() as world:
        talk = Conversation(world)
        given = {"password": "hunter2hunter2", "name": "ada", "more": {"n": 2}}
        await talk.record(
            call("echo", a="@input.password", b="@input.name", c="@input.more.n", d="@input.x?"), say(), given=given
        )
        sealed = await talk.seal()
        assert sealed.template["inputSchema"] == {
            "type": "object",
            "properties": {
                "password": {"type": "string"},
                "name": {"type": "string", "examples": ["ada"]},
                "more": {
                    "type": "object",
                    "properties": {"n": {"type": "number", "examples": [2]}},
                    "required": ["n"],
                },
                "x": {},
            },
            "required": ["password", "name", "more"],
        }


async def test_a_secret_can_become_a_key_of_the_input() -> None:
    async with a_world() as world:
        talk = Conversation(world)
        await talk.record(call("echo", password="hunter2hunter2"), say())
        sealed = await talk.seal(accept=["/echo_1/password"])
        assert sealed.template["steps"][0]["input"] == {"password": "@input.password"}
        assert sealed.masked == []


async def test_a_preset_result_takes_the_place_of_a_call_and_names_data() -> None:
    async with a_world() as world:
        talk = Conversation(world)
        await talk.record(text="say 2 words")
        run_id = await talk.id()
        for name, output in {"note_1": {"text": "as given"}, "customer": {"id": "c-77"}}.items():
            assert isinstance(await talk.core.recording.preset(run_id, name, output), Ok)
        await talk.record(text='/tool note {"text": "@customer.id"}')
        await talk.record(text='/tool echo {"seen": "@note_1.text"}')
        assert world.tools.notes == []
        assert world.tools.echoes == [{"seen": "as given"}]
        sealed = await talk.seal(title="Given")
        assert [step["action"] for step in sealed.template["steps"]] == [
            {"set": True},
            {"toolName": "note"},
            {"toolName": "echo"},
        ]
        again = await talk.run("Given")
        assert again["output"] == {"seen": "c-77"}


async def test_data_under_a_name_is_offered_and_left_out_where_nothing_reads_it() -> None:
    async with a_world() as world:
        talk = Conversation(world)
        await talk.record(text="say 2 words")
        for name, output in {"customer": {"id": "c-77001"}, "other": 1, "note_2": {"text": "given"}}.items():
            assert isinstance(await talk.core.recording.preset(await talk.id(), name, output), Ok)
        lines = [call("note", text="c-77001"), call("note", text="two"), call("note", text="three"), say()]
        await talk.record(*lines, text="more")
        assert world.tools.notes == ["c-77001", "three"]
        assert list(await talk.steps()) == ["customer", "other", "note_2", "note_1", "note_3"]
        assert await talk.offered() == {"/note_1/text": "@customer.id"}
        sealed = await talk.seal(accept="all")
        assert sealed.left_out == {"other": "unused"}
        assert [step["name"] for step in sealed.template["steps"]] == ["customer", "note_1", "note_2", "note_3"]


async def test_refs_to_steps_that_are_left_out_are_replaced() -> None:
    async with a_world() as world:
        talk = Conversation(world)
        await talk.record(
            call("echo", id="u-1001", tags=["@@a", "b"]),
            call("echo", id="u-1001", tags=["@@a", "b"]),
            call("note", text="@echo_2.id of @echo_2.tags[0]"),
            call("echo", tags="@echo_1.tags"),
            say(),
        )
        sealed = await talk.seal(exclude=["echo_1"], title="Two")
        steps = {step["name"]: step.get("input") for step in sealed.template["steps"]}
        assert sealed.left_out == {"echo_1": "excluded"}
        assert steps["note_1"] == {"text": "@echo_2.id of @echo_2.tags[0]"}
        assert steps["echo_3"] == {"tags": ["@@a", "b"]}
        await talk.run("Two")
        assert world.tools.notes == ["u-1001 of @a", "u-1001 of @a"]


async def test_a_repeated_step_is_stood_for_by_the_first_and_can_be_chosen() -> None:
    async with a_world() as world:
        talk = Conversation(world)
        await talk.record(call("echo", id="u-1001"), call("echo", id="u-1001"), call("note", text="@echo_2.id"), say())
        chosen = await talk.review(include=["echo_2"])
        assert chosen.selection.left_out == {}
        sealed = await talk.seal()
        assert sealed.template["steps"][1]["input"] == {"text": "@echo_1.id"}


async def test_effects_keep_their_place_when_a_template_runs() -> None:
    async with a_world() as world:
        talk = Conversation(world)
        await talk.record(
            call("note", text="one"), call("echo", seconds=0.01), call("note", text="two"), call("echo", a=1), say()
        )
        sealed = await talk.seal(title="In order")
        waits = {step["name"]: step.get("dependsOn") for step in sealed.template["steps"]}
        assert waits == {"note_1": None, "echo_1": ["note_1"], "note_2": ["echo_1"], "echo_2": ["note_2"]}


@pytest.mark.parametrize(
    ("wishes", "code"),
    [
        ({"accept": ["/nowhere"]}, "bad_input"),
        ({"include": ["echo_9"]}, "bad_input"),
        ({"exclude": ["echo_1"]}, "empty_recording"),
        ({"title": " "}, "bad_input"),
        ({"title": "x" * 300}, "bad_input"),
        ({"title": "FOLDER REPORT"}, "title_taken"),
    ],
)
async def test_what_cannot_be_sealed_stays_open(wishes: Mapping[str, Any], code: str) -> None:
    async with a_world() as world:
        talk = Conversation(world)
        await talk.record(call("echo", id="u-1001"), say())
        failed = await talk.core.recording.export(await talk.id(), ExportOptions(**wishes))
        assert isinstance(failed, Failed)
        assert failed.code == code
        assert (await talk.told())["status"] == "running"


async def test_of_a_seal_and_a_save_at_once_one_has_the_title() -> None:
    async with a_world() as world:
        talk = Conversation(world)
        await talk.record(call("echo", id="u-1001"), say())
        run_id = await talk.id()
        saved = {"template": template(a_step("a"), title="one")}
        create = world.core.tools.call(
            "COLLECTION_WORKFLOW_CREATE",
            saved,
            CallContext.outside(CallId("c"), ValidationMode.AUTO),
            default_timeout_s=9,
            is_permitted=True,
        )
        sealed, made = await asyncio.gather(talk.core.recording.export(run_id, ExportOptions(title="One")), create)
        assert [isinstance(sealed, Ok), made.error is None].count(True) == 1
        assert len(await world.storage.templates.all()) == 1


async def test_a_recording_is_sealed_or_ended_once() -> None:
    async with a_world() as world:
        talk, other = Conversation(world), Conversation(world)
        await talk.record(call("echo", id="u-1001"), say())
        await other.record(say())
        sealed, ended, chat = await talk.seal(), await other.id(), other.turn["run_id"]
        assert isinstance(await talk.core.recording.end(ended), Ok)
        codes = {}
        for run_id in (sealed.run.id, ended, RunId(chat), RunId("run_none")):
            again = await talk.core.recording.export(run_id, ExportOptions())
            assert isinstance(again, Failed)
            codes[run_id] = again.code
        assert list(codes.values()) == ["already_sealed", "recording_ended", "not_a_recording", "not_found"]
        runs = [run for run in await world.storage.runs.page() if run.kind is RunKind.RECORDING]
        assert {run.status for run in runs} == {"success"}
        gone = Conversation(world)
        await gone.record(call("echo", id="u-1001"), say())
        run_id = await gone.id()
        assert isinstance(await gone.core.workflows.delete(gone.workflow_id), Ok)
        failed = await gone.core.recording.export(run_id, ExportOptions())
        assert isinstance(failed, Failed)
        assert failed.code == "not_found"


async def test_an_agent_begins_fills_and_seals_a_recording() -> None:
    prefix = "COLLECTION_WORKFLOW_EXECUTION_"
    async with a_world() as world:
        talk = Conversation(world)
        turn = await talk.record(
            call(f"{prefix}RECORD", input={"id": "user-1"}),
            call("echo", id="@input.id"),
            call(f"{prefix}SET_STEP_RESULT", step="note_1", output={"text": "known"}),
            call("note", text="@echo_1.id"),
            call("echo", text="@note_1.text"),
            call(f"{prefix}RECORD", action="review"),
            call(f"{prefix}SAVE_AS_TEMPLATE", title="By the agent", accept="all"),
            call("echo", after="the end"),
            say(),
            record=False,
        )
        assert [each["status"] for each in turn["tool_calls"]] == ["completed"] * 8
        again = await talk.run("By the agent", {"id": "user-2"})
        assert again["output"] == {"text": "user-2"}
        assert sorted(again["steps"]) == ["echo_1", "echo_2", "note_1"]


async def test_refs_hold_to_the_end_of_a_turn_whose_recording_was_sealed_meanwhile() -> None:
    storage = InMemoryStorage()
    async with a_world(storage) as world:
        talk = Conversation(world)
        lines = [
            call("echo", id="u-1001"),
            say("one"),
            call("hold"),
            call("note", text="for @echo_1.id @nobody"),
            say(),
        ]
        sent = await world.core.chat.send("go", script=lines, record=True)
        assert isinstance(sent, Ok)
        talk.workflow_id = sent.data.workflow_id
        while not world.tools.in_flight:  # noqa: ASYNC110  # of another task
            await asyncio.sleep(0)
        sealed = await talk.seal()
        assert sealed.left_out == {"hold_1": "unfinished"}
        assert (await world.describe(sealed.run.id))["steps"]["hold_1"]["status"] == "cancelled"
    async with a_world(storage) as world:
        world.tools.release.set()
        await world.core.engine.recover()
        told = await world.settled(sent.data.id)
        assert told["status"] == "success"
        assert world.tools.notes == ["for u-1001 @nobody"]


async def test_the_refusals_of_the_tools_are_results() -> None:
    prefix = "COLLECTION_WORKFLOW_EXECUTION_"
    async with a_world() as world:
        talk, other = Conversation(world), Conversation(world)
        await other.record(call("echo", id="u-1001"), say())
        turn = await talk.record(
            call(f"{prefix}SAVE_AS_TEMPLATE"),
            call(f"{prefix}SAVE_AS_TEMPLATE", run_id=await other.id()),
            call(f"{prefix}SET_STEP_RESULT", step="x y", output=1, run_id="run_none"),
            call(f"{prefix}RECORD", action="end"),
            say(),
            record=False,
        )
        codes = [each["error"]["code"] for each in turn["tool_calls"]]
        assert codes == ["not_recording", "not_allowed", "not_found", "not_recording"]


async def test_a_call_that_begins_sub_agents_is_one_step_and_theirs_are_none() -> None:
    async with a_world() as world:
        talk = Conversation(world)
        task = '/tool echo {"id": "@echo_1.id"}'
        turn = await talk.record(
            call("echo", id="u-1001"), call("spawn_agent", prompt=f"@input.ask\n{task}"), say(), given={"ask": "help"}
        )
        assert [each["name"] for each in turn["tool_calls"]] == ["echo", "spawn_agent", "echo"]
        assert world.tools.echoes == [{"id": "u-1001"}, {"id": "u-1001"}]
        steps = await talk.steps()
        assert list(steps) == ["echo_1", "spawn_agent_1"]
        assert steps["spawn_agent_1"]["output"]["status"] == "completed"
        sealed = await talk.seal(title="Helped")
        assert sealed.template["steps"][1]["action"]["toolName"] == "spawn_agent"
        ran = await talk.run("Helped", {"ask": "say 2 words"})
        assert (ran["status"], len(ran["sub_agents"])) == ("success", 1)
        assert world.tools.echoes[3:] == [{"id": "u-1001"}]
