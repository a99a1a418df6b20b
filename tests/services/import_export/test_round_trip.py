"""What is exported comes back as it went out, and nothing secret goes out."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from core.app import Core
from core.domain.access import Access, Allowance, Place
from core.domain.ids import TemplateId, WorkflowId, new_id
from core.domain.progress import progress_of
from core.domain.run import RunKind, RunStatus
from core.domain.template import Template
from core.domain.text.json_text import encode
from core.domain.workflow import Workflow
from core.engine.runs.start_request import StartRequest
from core.persistence.surreal import SurrealStorage
from core.ports import Put, Storage, StoredTemplate
from core.services.import_export.exporting import Kind
from core.services.import_export.library import OnConflict, Outcome
from core.services.import_export.service import ALL_KINDS
from core.services.import_export.written_form import without_secrets
from tests.services.import_export.filled import (
    SECRETS,
    TITLE,
    a_core,
    an_empty_store,
    chat,
    export,
    fill,
    imported,
    ok,
    run_template,
)
from tests.support.command_line import template
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.pictures import pdf, picture
from tests.support.waiting import until
from tests.support.world import a_step, tool_step

pytestmark = pytest.mark.usefixtures("bare")


@pytest.fixture(params=["in_memory", "embedded"])
async def empty(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Storage]:
    """An empty store to import into."""
    if request.param == "in_memory":
        yield InMemoryStorage()
        return
    storage = await SurrealStorage.open(tmp_path / "second")
    yield storage
    await storage.close()


async def described(core: Core) -> dict[str, Any]:
    """Everything that the window and the command line show of every run."""
    return {
        run.id: without_secrets(ok(await core.runs.describe(run.id)))
        for run in await core.storage.runs.page(limit=200)
        if run.status.is_final
    }


async def test_export_wipe_import_export_gives_the_same_file(tmp_path: Path, empty: Storage) -> None:
    async with a_core(an_empty_store(), tmp_path) as core:
        await fill(core, tmp_path)
        first = await export(core, tmp_path / "first.zip")
        shown = await described(core)
    async with a_core(empty, tmp_path) as core:
        preview = await imported(core, tmp_path / "first.zip")
        assert {item.outcome for item in preview.items} == {Outcome.NEW, Outcome.SKIPPED}
        assert [item.title for item in preview.items if item.outcome is Outcome.SKIPPED] == ["validation_mode"]
        ok(await core.settings.change(validation_mode="manual"))
        second = await export(core, tmp_path / "second.zip")
        again = await described(core)
        talk = next(each for each in await core.storage.workflows.all() if each.title == TITLE)
        kept = [await core.storage.files.get(digest) for _, digest in await core.storage.files.of_workflow(talk.id)]
        assert sorted(filter(None, kept)) == sorted([*(picture(n, 2) for n in (3, 4, 5)), pdf()])
        assert {run_id: again[run_id] for run_id in shown} == shown
    assert _ended(second) == _ended(first)
    async with a_core(an_empty_store(), tmp_path) as core:
        await imported(core, tmp_path / "second.zip", OnConflict.OVERWRITE)
        assert await export(core, tmp_path / "third.zip") == second


def _ended(documents: dict[str, Any]) -> dict[str, Any]:
    """Leave out the workflow that waited for an answer, and comes in as cancelled."""
    return {
        name: document
        for name, document in documents.items()
        if not isinstance(document, dict) or document.get("workflows", [{"title": ""}])[0]["title"] != "waits · 1"
    }


async def test_a_second_import_adds_nothing(tmp_path: Path, empty: Storage) -> None:
    async with a_core(an_empty_store(), tmp_path) as core:
        await fill(core, tmp_path)
        ok(await core.import_export.export(tmp_path / "all.zip", kinds=ALL_KINDS))
    async with a_core(empty, tmp_path) as core:
        await imported(core, tmp_path / "all.zip", OnConflict.OVERWRITE)
        first = await export(core, tmp_path / "first.zip")
        for on_conflict in OnConflict:
            again = await imported(core, tmp_path / "all.zip", on_conflict)
            assert {item.outcome for item in again.items} == {Outcome.SAME}
            assert await export(core, tmp_path / "second.zip") == first


async def test_no_secret_is_in_the_file(tmp_path: Path) -> None:
    async with a_core(an_empty_store(), tmp_path) as core:
        await fill(core, tmp_path)
        documents = await export(core, tmp_path / "all.zip")
    text = repr(documents)
    assert [secret for secret in SECRETS if secret in text] == []
    assert "MY_KEY" not in text
    assert "@input.p" in text  # a ref under the name of a secret is none
    library = documents["library.json"]
    assert [server["env"] for server in library["servers"]] == [["MODE", "PASSWORD"], []]
    assert [server["headers"] for server in library["servers"]] == [[], ["Authorization", "X-Plain"]]
    assert all("confirmed" not in server for server in library["servers"])


async def test_what_has_to_be_entered_again_is_named(tmp_path: Path) -> None:
    async with a_core(an_empty_store(), tmp_path) as core:
        await fill(core, tmp_path)
        ok(await core.import_export.export(tmp_path / "all.zip", kinds=ALL_KINDS))
    async with a_core(an_empty_store(), tmp_path) as core:
        done = await imported(core, tmp_path / "all.zip")
        assert done.missing == {
            "Local": ["args/2", "env/MODE", "env/PASSWORD"],
            "Remote": ["headers/Authorization", "headers/X-Plain"],
        }
        assert done.key_origins == ["https://models.example.org"]
        assert done.unfinished == 1
        statuses = {status.server.name: status for status in core.servers.states}
        assert {status.state for status in statuses.values()} == {"unconfirmed"}
        tested = await core.servers.test(statuses["Local"].server.id)
        assert "confirm" in repr(tested)


async def test_nothing_that_is_imported_is_started(tmp_path: Path) -> None:
    async with a_core(an_empty_store(), tmp_path) as core:
        await fill(core, tmp_path)
        ok(await core.import_export.export(tmp_path / "all.zip", kinds=ALL_KINDS))
    storage = an_empty_store()
    async with a_core(storage, tmp_path) as core:
        ok(await core.queue.start())
        await imported(core, tmp_path / "all.zip")
        runs = await storage.runs.page(limit=200)
        assert all(run.status.is_final for run in runs)
        (talk,) = [each for each in await storage.workflows.all() if each.title == TITLE]
        queue = core.stores.queues.get(talk.id)
        assert [message.text for message in queue.messages] == ["sent later"]
        assert queue.held is not None
        assert queue.held.code == "imported"
    async with a_core(storage, tmp_path) as core:  # nor by the next start
        assert ok(await core.runs.recover()) == []
        ok(await core.queue.start())
        await until(lambda: core.stores.queues.get(talk.id).held is not None)
        queue = core.stores.queues.get(talk.id)
        assert (len(queue.messages), queue.held and queue.held.code) == (1, "imported")
        assert len(await storage.runs.page(limit=200)) == len(runs)
        ok(await core.queue.send_now(talk.id, queue.messages[0].id))
        assert core.stores.queues.get(talk.id).messages == ()


async def test_an_active_run_is_exported_as_far_as_it_is_and_comes_in_as_cancelled(tmp_path: Path) -> None:
    async with a_core(an_empty_store(), tmp_path) as core:
        run = ok(await core.chat.send("say 100000 words"))

        async def has_text() -> bool:
            return bool(await core.storage.chunks.of_run(run.id))

        await until(has_text)
        ok(await core.import_export.export(tmp_path / "all.json", [run.workflow_id]))
        await core.engine.cancel(run.id)
    async with a_core(an_empty_store(), tmp_path) as core:
        await imported(core, tmp_path / "all.json")
        opened = ok(await core.workflows.open(run.workflow_id))
        assert opened.messages[-1].state == "interrupted"
        assert len(opened.messages[-1].text) > 100
        assert opened.runs[0].status is RunStatus.CANCELLED
        shown = ok(await core.runs.describe(run.id))
        assert (shown["status"], shown["error"]["code"], shown["active"]) == ("cancelled", "not_finished", [])


async def test_children_come_with_their_parents(tmp_path: Path) -> None:
    async with a_core(an_empty_store(), tmp_path) as core:
        text = '{"format": "metier.template/1", "title": "Child", "steps": [{"name": "a", "action": {"set": true}}]}'
        (tmp_path / "child.json").write_text(text)
        await core.storage.commit(
            [Put(StoredTemplate(TemplateId("tpl_0000000009"), 1, "Child", text, core.clock.now()))]
        )
        step = {"name": "child", "action": {"workflow": {"title": "Child"}}}
        run = await run_template(core, tmp_path, step, tool_step("after", "echo", "child"))
        first = await export(core, tmp_path / "first.json")
        children = await core.storage.runs.children(run.id)
        assert len(children) == 1
    async with a_core(an_empty_store(), tmp_path) as core:
        await imported(core, tmp_path / "first.json")
        assert await core.storage.runs.children(run.id) == children
        assert await export(core, tmp_path / "second.json") == first


async def test_only_the_chosen_kinds_come_in(tmp_path: Path) -> None:
    async with a_core(an_empty_store(), tmp_path) as core:
        await fill(core, tmp_path)
        ok(await core.import_export.export(tmp_path / "all.zip", kinds=ALL_KINDS))
    async with a_core(an_empty_store(), tmp_path) as core:
        await imported(core, tmp_path / "all.zip", OnConflict.SKIP, {Kind.PROMPTS})
        assert await core.storage.workflows.all() == []
        assert [prompt.name for prompt in core.prompts.current] == ["Summary"]
        assert await core.storage.templates.all() == []


async def test_what_was_imported_is_found(tmp_path: Path) -> None:
    async with a_core(an_empty_store(), tmp_path) as core:
        await chat(core, "say something about xylophones")
        ok(await core.import_export.export(tmp_path / "all.json", kinds=ALL_KINDS))
    async with a_core(an_empty_store(), tmp_path) as core:
        core.search.start()
        await imported(core, tmp_path / "all.json")

        async def is_found() -> bool:
            return bool(ok(await core.search.find("xylophones")).groups)

        await until(is_found)


async def test_a_conversation_as_markdown(tmp_path: Path) -> None:
    async with a_core(an_empty_store(), tmp_path) as core:
        await fill(core, tmp_path)
        (talk,) = [each for each in await core.storage.workflows.all() if each.title == TITLE]
        text = ok(await core.import_export.markdown(talk.id))
        ok(await core.import_export.export_markdown(talk.id, tmp_path / "talk.md"))
    assert text.startswith(f"# {TITLE}\n\n## User\n")
    assert '- `calculator` `{"expression":"6 * 7"}` — completed: 6 * 7 = 42' in text
    assert "> Attached: notes.txt" in text
    assert SECRETS[0] not in text
    assert (tmp_path / "talk.md").read_text() == text


async def test_an_imported_run_can_be_forked(tmp_path: Path) -> None:
    async with a_core(an_empty_store(), tmp_path) as core:
        run = await run_template(
            core, tmp_path, tool_step("a", "echo", text="@input.n"), tool_step("b", "echo", "a", of="@a")
        )
        await export(core, tmp_path / "a.json")
    async with a_core(an_empty_store(), tmp_path) as core:
        await imported(core, tmp_path / "a.json")
        fork = ok(await core.runs.fork(run.id, "b"))
        assert (await core.engine.wait(fork.id)).status is RunStatus.SUCCESS
        assert ok(await core.runs.describe(fork.id))["output"] == {"of": {"text": 1}}


async def test_runs_that_cannot_be_read_are_left_out_and_named(tmp_path: Path) -> None:
    storage = an_empty_store()
    async with a_core(storage, tmp_path) as core:
        talk = await chat(core, "say 1 word")
        await chat(core, "say 2 words", talk)
        (newest, *_) = await storage.runs.page(workflow_id=talk)
        storage.spoil("events", newest.id)
        done = ok(await core.import_export.export(tmp_path / "a.json", [talk]))
        assert (dict(done.counts), [reason for _, reason in done.left_out]) == ({"workflows": 1}, ["unreadable_runs"])
    async with a_core(an_empty_store(), tmp_path) as core:
        await imported(core, tmp_path / "a.json")
        messages = await core.storage.messages.of_workflow(talk)
        assert [message.run_id is None for message in messages] == [False, False, True, True]


async def test_what_the_user_allowed_in_a_run_goes_to_nobody_else(tmp_path: Path) -> None:
    allowed = Allowance(Place("/srv/papers", Access.WRITE))
    async with a_core(an_empty_store(), tmp_path) as core:
        now = core.clock.now()
        workflow = Workflow(WorkflowId(new_id("wf")), "W", "offline", now, now)
        started = Template.model_validate(template(a_step("a")))
        request = StartRequest(workflow, started, {}, RunKind.WORKFLOW, allowances=(allowed,))
        run = await core.engine.start(request)
        await core.engine.wait(run.id)
        assert [event.fact.type for event in await core.storage.events.of_run(run.id)][1] == "access_allowed"
        assert "/srv/papers" not in encode(await export(core, tmp_path / "all.zip"))
    async with a_core(InMemoryStorage(), tmp_path) as core:
        await imported(core, tmp_path / "all.zip")
        events = await core.storage.events.of_run(run.id)
        assert [event.seq for event in events] == list(range(1, len(events) + 1))
        assert progress_of(run.id, events).allowances == []
