"""What exists already, and is different: it stays, it makes room, or both stay."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.app import Core
from core.domain.agent import AgentSelection
from core.domain.ids import WorkflowId
from core.domain.run import RunStatus
from core.services.import_export.exporting import Kind
from core.services.import_export.library import OnConflict, Outcome
from core.services.import_export.service import ALL_KINDS, ImportPreview
from tests.services.import_export.filled import a_core, an_empty_store, chat, export, fill, imported, ok

pytestmark = pytest.mark.usefixtures("bare")


async def titles(core: Core) -> list[str]:
    return sorted(workflow.title for workflow in await core.storage.workflows.all())


def outcomes(preview: ImportPreview, kind: Kind) -> dict[str, Outcome]:
    return {item.title: item.outcome for item in preview.items if item.kind is kind}


async def continued(core: Core, path: Path) -> WorkflowId:
    """Export a conversation, and go on with it."""
    talk = await chat(core, "say 2 words")
    ok(await core.workflows.rename(talk, "Talk"))
    ok(await core.import_export.export(path, [talk]))
    await chat(core, "say 3 words", talk)
    return talk


async def test_a_workflow_that_went_on_stays_where_it_is_to_be_skipped(tmp_path: Path) -> None:
    async with a_core(an_empty_store(), tmp_path) as core:
        talk = await continued(core, tmp_path / "a.json")
        before = await export(core, tmp_path / "before.json")
        done = await imported(core, tmp_path / "a.json")
        assert outcomes(done, Kind.WORKFLOWS) == {"Talk": Outcome.SKIPPED}
        assert done.conflicts == 1
        assert await export(core, tmp_path / "after.json") == before
        assert len(await core.storage.messages.of_workflow(talk)) == 4


async def test_a_renamed_copy_stands_beside_it_once(tmp_path: Path) -> None:
    async with a_core(an_empty_store(), tmp_path) as core:
        talk = await continued(core, tmp_path / "a.json")
        await imported(core, tmp_path / "a.json", OnConflict.RENAME)
        assert await titles(core) == ["Talk", "Talk (2)"]
        (copy,) = [each for each in await core.storage.workflows.all() if each.title == "Talk (2)"]
        messages = await core.storage.messages.of_workflow(copy.id)
        assert len(messages) == 2
        assert messages[1].run_id is not None
        assert ok(await core.runs.describe(messages[1].run_id))["workflow_id"] == copy.id
        assert len(await core.storage.messages.of_workflow(talk)) == 4
        again = await imported(core, tmp_path / "a.json", OnConflict.RENAME)
        assert outcomes(again, Kind.WORKFLOWS) == {"Talk": Outcome.SAME}
        assert len(await titles(core)) == 2


async def test_an_overwritten_workflow_makes_room_and_a_newer_export_finds_its_successor(tmp_path: Path) -> None:
    async with a_core(an_empty_store(), tmp_path) as core:
        talk = await continued(core, tmp_path / "a.json")
        ok(await core.import_export.export(tmp_path / "newer.json", [talk]))
        done = await imported(core, tmp_path / "a.json", OnConflict.OVERWRITE)
        assert outcomes(done, Kind.WORKFLOWS) == {"Talk": Outcome.REPLACED}
        (copy,) = await core.storage.workflows.all()
        assert (copy.title, copy.origin) == ("Talk", talk)
        assert len(await core.storage.messages.of_workflow(copy.id)) == 2
        assert await core.storage.messages.of_workflow(talk) == []
        assert await core.storage.workflows.discarded() == []
        again = await imported(core, tmp_path / "a.json", OnConflict.OVERWRITE)
        assert outcomes(again, Kind.WORKFLOWS) == {"Talk": Outcome.SAME}
        newer = await imported(core, tmp_path / "newer.json", OnConflict.OVERWRITE)
        assert outcomes(newer, Kind.WORKFLOWS) == {"Talk": Outcome.REPLACED}
        (copy,) = await core.storage.workflows.all()
        assert (copy.origin, len(await core.storage.messages.of_workflow(copy.id))) == (talk, 4)


async def test_a_workflow_at_work_is_not_overwritten(tmp_path: Path) -> None:
    async with a_core(an_empty_store(), tmp_path) as core:
        talk = await continued(core, tmp_path / "a.json")
        run = ok(await core.chat.send("say 100000 words", talk))
        done = await imported(core, tmp_path / "a.json", OnConflict.OVERWRITE)
        assert outcomes(done, Kind.WORKFLOWS) == {"Talk": Outcome.BUSY}
        found = await core.storage.runs.get(run.id)
        assert found is not None
        assert found.status is RunStatus.RUNNING
        await core.engine.cancel(run.id)


async def test_a_workflow_that_is_being_deleted_does_not_come_back_half(tmp_path: Path) -> None:
    async with a_core(an_empty_store(), tmp_path) as core:
        talk = await continued(core, tmp_path / "a.json")
        ok(await core.trash.discard(talk))
        await imported(core, tmp_path / "a.json")
        (copy,) = await core.storage.workflows.all()
        assert copy.id != talk
        await core.trash.delete(talk)
        assert len(await core.storage.messages.of_workflow(copy.id)) == 2


async def test_ids_of_another_workflow_are_not_taken_from_it(tmp_path: Path) -> None:
    async with a_core(an_empty_store(), tmp_path) as core:
        talk = await continued(core, tmp_path / "a.json")
        before = await core.storage.messages.of_workflow(talk)
        text = (tmp_path / "a.json").read_text().replace(talk, "wf_00000000000000000000000001")
        (tmp_path / "b.json").write_text(text.replace("say 2 words", "forged"))
        await imported(core, tmp_path / "b.json")
        assert await core.storage.messages.of_workflow(talk) == before
        assert len(await titles(core)) == 2


async def changed_everything(core: Core) -> None:
    """Change each thing that `fill` has made, in place."""
    agent = core.agents.named("Writer")
    ok(await core.agents.save(agent.id, **{**agent.model_dump(exclude={"id"}), "system_prompt": "Write well."}))
    (prompt,) = core.prompts.current
    ok(await core.prompts.save(prompt.id, name="Summary", content="Other"))
    ok(await core.servers.save(core.servers.named("Local").server.id, args=["other.py"]))
    ok(await core.settings.change(audit_days=7))


@pytest.mark.parametrize("on_conflict", list(OnConflict))
async def test_documents_that_differ_are_treated_alike(tmp_path: Path, on_conflict: OnConflict) -> None:
    async with a_core(an_empty_store(), tmp_path) as core:
        await fill(core, tmp_path)
        first = await export(core, tmp_path / "all.zip")
        await changed_everything(core)
        done = await imported(core, tmp_path / "all.zip", on_conflict, ALL_KINDS - {Kind.WORKFLOWS})
        changed = {"Writer", "Summary", "Local", "audit_days"}
        assert {item.title for item in done.items if item.is_conflict} == changed
        assert {item.outcome for item in done.items if not item.is_conflict} == {Outcome.SAME}
        prompts = {prompt.name: prompt.content for prompt in core.prompts.current}
        match on_conflict:
            case OnConflict.SKIP:
                assert prompts == {"Summary": "Other"}
                assert core.settings.current.audit_days == 7
            case OnConflict.OVERWRITE:
                assert prompts == {"Summary": "Sum up {{text}}"}
                assert core.settings.current.audit_days == 60
                assert (await export(core, tmp_path / "again.zip"))["library.json"] == first["library.json"]
                assert core.servers.named("Local").state == "unconfirmed"
            case OnConflict.RENAME:
                assert prompts == {"Summary": "Other", "Summary (2)": "Sum up {{text}}"}
                assert core.settings.current.audit_days == 7
                copy, server = core.agents.named("Writer (2)"), core.servers.named("Local (2)").server
                assert copy.mcp_servers == (server.id,)
                assert copy.tools == ("calculator", f"mcp__{server.id}__x")
        stored = {agent.name for agent in await core.storage.agents.all()}
        assert stored == {agent.name for agent in core.agents.current if agent.name != "Assistant"}
        again = await imported(core, tmp_path / "all.zip", on_conflict, ALL_KINDS - {Kind.WORKFLOWS, Kind.SETTINGS})
        expected = {Outcome.SAME, Outcome.SKIPPED} if on_conflict is OnConflict.SKIP else {Outcome.SAME}
        assert {item.outcome for item in again.items} == expected


async def test_what_has_the_name_of_another_is_the_same_thing(tmp_path: Path) -> None:
    async with a_core(an_empty_store(), tmp_path) as core:
        await fill(core, tmp_path)
        talk = await chat(core, "say 1 word")
        writer = core.agents.named("Writer")
        ok(await core.workflows.select_agent(talk, AgentSelection(agent=writer.id, is_offline=True)))
        ok(await core.import_export.export(tmp_path / "a.json", [talk], [Kind.AGENTS]))
    async with a_core(an_empty_store(), tmp_path) as core:
        other = ok(await core.agents.save(name="wRITER"))
        done = await imported(core, tmp_path / "a.json")
        assert outcomes(done, Kind.AGENTS) == {"Writer": Outcome.SKIPPED}
        workflow = await core.storage.workflows.get(talk)
        assert workflow is not None
        assert workflow.answering is not None
        assert workflow.answering.agent == other.id


async def test_settings_of_consent_are_not_loosened_unasked(tmp_path: Path) -> None:
    loose: dict[str, Any] = {"validation_mode": "auto", "ask_for_mcp": False, "consent_on_timeout": "approve"}
    document = {"format": "metier.export/1", "settings": {**loose, "audit_days": 90}}
    (tmp_path / "a.json").write_text(json.dumps(document))
    async with a_core(an_empty_store(), tmp_path) as core:
        done = await imported(core, tmp_path / "a.json")
        assert {item.title for item in done.items if item.is_conflict} == set(loose)
        current = core.settings.current
        assert (current.validation_mode, current.ask_for_mcp, current.audit_days) == ("selective", True, 90)
        await imported(core, tmp_path / "a.json", OnConflict.OVERWRITE)
        assert core.settings.current.validation_mode == "auto"


async def test_what_a_run_may_reach_here_is_not_for_a_file_to_say(tmp_path: Path) -> None:
    async with a_core(an_empty_store(), tmp_path) as core:
        talk = await chat(core, "say 1 word", allow=[str(tmp_path)])
        documents = await export(core, tmp_path / "a.json")
        assert str(tmp_path) not in json.dumps(documents)
        given = json.loads((tmp_path / "a.json").read_text())
        snapshot = given["workflows"][0]["runs"][0]["snapshot"]
        snapshot |= {"allow": ["/"], "base": "/", "model": {"base_url": "https://x.example", "key_env": "PATH"}}
        (tmp_path / "b.json").write_text(json.dumps(given))
    async with a_core(an_empty_store(), tmp_path) as core:
        await imported(core, tmp_path / "b.json")
        (run,) = await core.storage.runs.page(workflow_id=talk)
        found = await core.storage.snapshots.of_run(run.id)
        assert (found.allow, found.base) == ((), None)
        assert found.model is not None
        assert found.model.key_env is None
