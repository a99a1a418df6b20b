"""What a call lacks is asked for before the call fails, and what the user allows is a fact of the run (ENGINE §8)."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from core.domain.audit import Decider, Decision
from core.domain.events import AccessAllowed
from core.domain.ids import RunId
from core.domain.interruption import Action, Answer
from core.domain.settings import OnTimeout
from core.domain.template import ValidationMode
from core.errors import Refused
from core.ports import FileRequest, Storage
from core.services.outcome import Failed, Ok
from core.tools.own_places import OwnPlaces
from tests.engine.test_children import calls, store
from tests.support.asking import Json, agent, answer, decisions, waiting
from tests.support.clock import FakeClock
from tests.support.http_server import a_server, response
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.virtual_loop import run_virtual
from tests.support.world import World, a_world, tool_step

AUTO = ValidationMode.AUTO


async def _no_file(wanted: FileRequest) -> Path | None:
    return None


@asynccontextmanager
async def a_window(storage: Storage | None = None, **options: Any) -> AsyncIterator[World]:
    """A world with a window."""
    async with a_world(storage, picker=_no_file, **options) as world:
        yield world


@pytest.fixture
def place() -> Iterator[Path]:
    """A folder of the disk: those of pytest may lie in /dev, which is never offered."""
    with TemporaryDirectory() as folder:
        yield Path(folder).resolve()


@pytest.fixture
def docs(place: Path) -> Path:
    """A folder that no run starts with, with two files."""
    folder = place / "docs"
    folder.mkdir()
    (folder / "a.txt").write_text("alpha")
    (folder / "b.txt").write_text("beta")
    return folder


def reads(*paths: Path) -> str:
    return "\n".join(f"/tool read_file {json.dumps({'path': str(path)})}" for path in paths)


def allowed(world: World, run_id: RunId | None = None) -> list[tuple[str, str, str | None]]:
    """The facts about what was allowed."""
    facts = [event.fact for event in world.events if run_id in (None, event.run_id)]
    return [(fact.place, fact.access, fact.call_id) for fact in facts if isinstance(fact, AccessAllowed)]


def _replace(folder: Path, aside: Path, target: Path) -> None:
    """Put a link in the place of the very folder that was shown."""
    folder.rename(aside)
    folder.symlink_to(target)


def asked(told: Json) -> list[Json]:
    return [one for one in told["interruptions"] if one["status"].startswith("awaiting")]


def place_of(one: Json) -> tuple[str, str, str]:
    (only,) = one["options"]["places"]
    return only["place"], only["access"], only["kind"]


async def test_the_folder_of_a_file_is_asked_for_once_and_later_calls_have_it(docs: Path) -> None:
    async with a_window() as world:
        run, (one, other) = await waiting(world, agent("a", reads(docs / "a.txt", docs / "b.txt")), mode=AUTO)
        assert (one["kind"], one["tool"], place_of(one)) == ("access", "read_file", (str(docs), "read", "folder"))
        told = await answer(world, run, one, "approve", "run")
        assert [each["status"] for each in told["interruptions"]] == ["approved", "approved"], "both lacked the same"
        assert told["status"] == "success"
        assert [call["status"] for call in told["tool_calls"]] == ["completed", "completed"]
        assert allowed(world)[0] == (str(docs), "read", None)
        assert {entry[1:3] for entry in await decisions(world)} == {(Decision.APPROVED, Decider.PERSON)}
        assert other["tool"] == "read_file"


async def test_what_is_allowed_once_holds_for_that_call_alone_and_reading_is_not_writing(docs: Path) -> None:
    async with a_window() as world:
        step = tool_step("one", "read_file", path=str(docs / "a.txt"))
        again = tool_step("two", "read_file", "one", path=str(docs / "b.txt"))
        written = tool_step("three", "write_file", "two", path=str(docs / "made" / "new.txt"), content="new")
        run, (one,) = await waiting(world, step, again, written, mode=AUTO)
        told = await answer(world, run, one, "approve", "once")
        assert told["steps"]["one"]["status"] == "completed"
        (two,) = asked(told)
        assert two["step"] == "two"
        told = await answer(world, run, two, "approve", "run")
        (three,) = asked(told)
        assert place_of(three) == (str(docs / "made"), "write", "folder"), "the nearest, though it is not there yet"
        assert not (docs / "made").exists()
        told = await answer(world, run, three, "approve", "run")
        assert (told["status"], (docs / "made" / "new.txt").read_text()) == ("success", "new")
        assert [access for _, access, _ in allowed(world)] == ["read", "read", "write"]


async def test_without_a_window_nothing_is_asked_and_the_failure_says_what_to_do(docs: Path) -> None:
    async with a_world() as world:
        told = await world.run(tool_step("one", "read_file", path=str(docs / "a.txt")))
        assert (told["status"], told["error"]["code"]) == ("error", "not_allowed")
        assert "--allow" in told["error"]["message"]
        assert told["interruptions"] == []


async def test_a_place_that_is_refused_fails_the_call_and_is_not_asked_for_again_in_the_run(docs: Path) -> None:
    async with a_window() as world:
        run, (one,) = await waiting(world, tool_step("one", "read_file", path=str(docs / "a.txt")), mode=AUTO)
        told = await answer(world, run, one, "reject", reason="not those")
        assert (told["error"]["code"], told["error"]["failed_step"]) == ("not_allowed", "one")
        assert "not those" in told["error"]["message"]
        assert told["error"]["places"][0]["place"] == str(docs)
        script = f"{reads(docs / 'a.txt')}\n{reads(docs / 'b.txt')}"
        run, (one, other) = await waiting(world, agent("a", script), mode=AUTO)
        await answer(world, run, one, "reject")
        told = await answer(world, run, other, "reject")
        assert [call["error"]["code"] for call in told["tool_calls"]] == ["not_allowed", "not_allowed"]
        steps = [
            {**tool_step(name, "read_file", path=str(docs / "a.txt")), "config": {"onError": "continue"}}
            for name in ("one", "two")
        ]
        run, (one,) = await waiting(world, steps[0], {**steps[1], "dependsOn": ["one"]}, mode=AUTO)
        told = await answer(world, run, one, "reject")
        assert (told["status"], len(told["interruptions"])) == ("success", 1)
        assert allowed(world) == []


async def test_what_was_allowed_outlives_the_process_between_the_answer_and_the_call(docs: Path) -> None:
    storage = InMemoryStorage()
    step, again = (
        tool_step("one", "edit_file", path=str(docs / "a.txt"), edits=[{"old": "alpha", "new": "omega"}]),
        tool_step("two", "edit_file", "one", path=str(docs / "b.txt"), edits=[{"old": "beta", "new": "psi"}]),
    )
    async with a_window(storage) as world:
        run, (one,) = await waiting(world, step, again, mode=AUTO)
        assert (docs / "a.txt").read_text() == "alpha"
    async with a_window(storage) as world:
        await world.core.engine.recover()
        told = await world.settled(run.id)
        assert [each["id"] for each in asked(told)] == [one["id"]]
        await world.core.engine.answer(run.id, Answer(Action.APPROVE, "run"), interruption=one["id"])
        # the answer is on its way to the disk, and the call has not been made
    async with a_window(storage) as world:
        await world.core.engine.recover()
        told = await world.settled(run.id)
        assert (told["status"], len(told["interruptions"])) == ("success", 1), "asked once, and the outcome is known"
        assert [(docs / name).read_text() for name in ("a.txt", "b.txt")] == ["omega", "psi"]
        with pytest.raises(Refused):
            await world.core.engine.answer(run.id, Answer(Action.APPROVE), interruption=one["id"])


async def test_a_link_that_leads_elsewhere_when_it_is_answered_is_refused(docs: Path, place: Path) -> None:
    secret, link = place / "secret", place / "link"
    secret.mkdir()
    (secret / "a.txt").write_text("secret")
    link.symlink_to(docs)
    async with a_window() as world:
        run, (one,) = await waiting(world, tool_step("one", "read_file", path=str(link / "a.txt")), mode=AUTO)
        assert place_of(one)[0] == str(docs), "what is shown is where it leads"
        link.unlink()
        link.symlink_to(secret)
        told = await answer(world, run, one, "approve", "run")
        assert told["error"]["code"] == "not_allowed"
        link.unlink()
        link.symlink_to(docs)
        run, (one,) = await waiting(world, tool_step("one", "read_file", path=str(link / "a.txt")), mode=AUTO)
        _replace(docs, place / "moved", secret)
        told = await answer(world, run, one, "approve", "run")
        assert told["error"]["code"] == "not_allowed"
        assert "secret" not in json.dumps(told["output"])


async def test_children_see_what_a_run_was_allowed_and_so_does_a_fork(docs: Path) -> None:
    async with a_window() as world:
        await store(world, "Reads", tool_step("r", "read_file", path=str(docs / "b.txt")))
        first = tool_step("one", "read_file", path=str(docs / "a.txt"))
        run, (one,) = await waiting(world, first, {**calls("child", "Reads"), "dependsOn": ["one"]}, mode=AUTO)
        told = await answer(world, run, one, "approve", "run")
        assert told["status"] == "success", told["error"]
        (child,) = {event.run_id for event in world.events} - {run.id}
        assert allowed(world, child) == [(str(docs), "read", None)]
        fork = await world.core.engine.fork(run.id, "one")
        told = await world.settled(fork.id)
        assert (told["status"], told["interruptions"]) == ("success", [])
        assert allowed(world, fork.id) == [(str(docs), "read", None)]


async def test_an_answer_in_a_run_settles_what_a_child_asks_for_too(docs: Path) -> None:
    async with a_window() as world:
        await store(world, "Reads", tool_step("r", "read_file", path=str(docs / "b.txt")))
        run = await world.start(
            tool_step("one", "read_file", path=str(docs / "a.txt")), calls("child", "Reads"), mode=AUTO
        )
        told = await world.settled(run.id)
        (child,) = {event.run_id for event in world.events} - {run.id}
        assert [one["kind"] for one in asked(await world.describe(child))] == ["access"]
        (one,) = [one for one in asked(told) if one["step"] == "one"]
        told = await answer(world, run, one, "approve", "run")
        assert told["status"] == "success"


async def test_the_places_of_the_app_and_of_the_system_are_never_asked_for(place: Path, docs: Path) -> None:
    data = place / "data"
    data.mkdir()
    (data / "keys.json").write_text("{}")
    (place / "link").symlink_to(data)
    paths = [data / "keys.json", place / "link" / "keys.json", docs / ".." / "data" / "keys.json"]
    async with a_window(own=OwnPlaces([data])) as world:
        for path in [*map(str, paths), "/proc/self/environ", "relative.txt", ""]:
            told = await world.run(tool_step("one", "read_file", path=path))
            assert (told["status"], told["interruptions"]) == ("error", []), path
        told = await world.run(tool_step("one", "list_files", path=os.sep))
        assert (told["error"]["code"], told["interruptions"]) == ("not_allowed", [])
        run, (one,) = await waiting(world, tool_step("one", "list_files", path=str(place), recursive=True), mode=AUTO)
        told = await answer(world, run, one, "approve", "run")
        assert "keys.json" not in json.dumps(told["output"]["files"]), "allowed is what lies around it"


async def test_a_private_address_is_asked_for_and_sending_to_it_once_more() -> None:
    async with a_server() as server, a_window() as world:
        server.answers["/x"] = response(b"ok")
        get = tool_step("get", "http_fetch", url=f"{server.origin}/x")
        post = tool_step("post", "http_fetch", "get", url=f"{server.origin}/x", method="POST")
        run, (one,) = await waiting(world, get, post, mode=AUTO)
        assert place_of(one) == (server.origin, "read", "origin")
        told = await answer(world, run, one, "approve", "run")
        (two,) = asked(told)
        assert place_of(two) == (server.origin, "write", "origin")
        told = await answer(world, run, two, "reject")
        assert (told["error"]["code"], told["steps"]["get"]["status"]) == ("not_allowed", "completed")
        assert [one.method for one in server.asked] == ["GET"]


async def test_after_the_place_the_call_is_asked_about_as_ever(docs: Path) -> None:
    async with a_window() as world:
        step = tool_step("one", "write_file", path=str(docs / "new.txt"), content="new")
        run, (one,) = await waiting(world, step)
        assert one["kind"] == "access"
        (two,) = asked(await answer(world, run, one, "approve", "run"))
        assert (two["kind"], two["arguments"]["content"]) == ("tool-approval", "new")
        assert (await answer(world, run, two, "approve"))["status"] == "success"
        approved = {**step, "interrupt": {"kind": "approval"}, "name": "two"}
        run, (one,) = await waiting(world, approved)
        (two,) = asked(await answer(world, run, one, "approve"))
        assert two["kind"] == "access", "the user approved the step, not the place"
        assert (await answer(world, run, two, "approve"))["status"] == "success"


@pytest.mark.parametrize("way", OnTimeout)
def test_silence_allows_nothing_whatever_the_settings_say_of_calls(way: OnTimeout, docs: Path) -> None:
    async def story() -> None:
        async with a_window(clock=FakeClock(loop=asyncio.get_running_loop())) as world:
            changed = await world.core.settings.change(
                consent_expires=True, consent_timeout_s=30, consent_on_timeout=way
            )
            assert isinstance(changed, Ok)
            run, _ = await waiting(world, tool_step("one", "read_file", path=str(docs / "a.txt")), mode=AUTO)
            await asyncio.sleep(49)
            told = await world.settled(run.id)
            if way is OnTimeout.ASK_AGAIN:
                assert {each["status"] for each in told["interruptions"]} == {"expired", "awaiting-approval"}
                told = await answer(world, run, asked(told)[0], "approve", "run")
                assert told["status"] == "success"
            else:
                assert told["error"]["code"] == "not_allowed"
                assert allowed(world) == []

    run_virtual(story())


async def test_a_list_asks_for_each_iteration_until_one_answer_is_for_the_run(docs: Path) -> None:
    async with a_window() as world:
        each = {**tool_step("e", "read_file", path="@item"), "forEach": {"ref": "@input.paths", "concurrency": 2}}
        given = {"paths": [str(docs / "a.txt"), str(docs / "b.txt")]}
        run, requests = await waiting(world, each, given=given, mode=AUTO)
        assert {one["index"] for one in requests} == {0, 1}  # looked up in threads, so in any order
        told = await answer(world, run, requests[0], "approve", "run")
        assert (told["status"], [one["text"] for one in told["output"]]) == ("success", ["alpha", "beta"])


async def test_what_is_allowed_for_always_is_kept_by_the_workflow_and_an_address_is_not(docs: Path) -> None:
    async with a_window() as world:
        sent = await world.core.chat.send("go", mode=AUTO, script=[_call("read_file", path=str(docs / "a.txt"))])
        assert isinstance(sent, Ok)
        (one,) = asked(await world.settled(sent.data.id))
        granted = Answer(Action.APPROVE, "always")
        assert isinstance(await world.core.runs.answer(sent.data.id, granted, interruption=one["id"]), Ok)
        assert (await world.settled(sent.data.id))["status"] == "success"
        workflow = await world.storage.workflows.get(sent.data.workflow_id)
        assert workflow is not None
        assert workflow.folders == (f"ro:{docs}",)
        script = [_call("read_file", path=str(docs / "b.txt")), _call("http_fetch", url="http://127.0.0.1:9/")]
        sent = await world.core.chat.send("more", workflow.id, mode=AUTO, script=script)
        assert isinstance(sent, Ok)
        (one,) = asked(await world.settled(sent.data.id))
        assert one["tool"] == "http_fetch", "the folder is the workflow's own now"
        refused = await world.core.runs.answer(sent.data.id, granted, interruption=one["id"])
        assert isinstance(refused, Failed)
        assert refused.code == "bad_answer"


def _call(tool: str, **arguments: object) -> Json:
    return {"call": tool, "arguments": arguments}
