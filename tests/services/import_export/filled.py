"""Stores to export: with one of everything, and with what must not leave them."""

import asyncio
import json
import zipfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from core.app import Core
from core.domain.ids import MemoryId, TaskId, TemplateId, WorkflowId, new_id
from core.domain.memory import Memory, MemoryType
from core.domain.messages import AttachmentKind, attached_data, attached_text
from core.domain.task import Task, TaskStatus
from core.domain.template import ValidationMode
from core.ports import ChangeTasks, Put, Storage, StoredTemplate
from core.services.import_export.service import ALL_KINDS, ImportPreview
from core.services.outcome import Failed, Ok
from core.wiring import run_core
from tests.support.command_line import template
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.pictures import PDF_TEXT, pdf, picture
from tests.support.world import Tools, a_step, tool_step

SECRETS = ("sk-proj-0123456789abcdef0123", "hunter2-hunter2", "plain-value-of-env", "Bearer abcdef0123456789")
TITLE = "报告 été 🙂"


def ok(answer: Any) -> Any:
    assert isinstance(answer, Ok), answer
    return answer.data


def failed(answer: Any) -> Failed:
    assert isinstance(answer, Failed), answer
    return answer


@asynccontextmanager
async def a_core(storage: Storage, tmp_path: Path) -> AsyncIterator[Core]:
    async with run_core(storage, key_file=tmp_path / "keys.json", more_tools=Tools().all()) as core:
        yield core


async def chat(core: Core, text: str, workflow_id: WorkflowId | None = None, **options: Any) -> WorkflowId:
    run = ok(await core.chat.send(text, workflow_id, mode=ValidationMode.AUTO, **options))
    await core.engine.wait(run.id)
    return WorkflowId(run.workflow_id)


async def run_template(core: Core, folder: Path, *steps: dict[str, Any], **fields: Any) -> Any:
    """Run a template, and return its run once it has ended or waits."""
    file = folder / f"{new_id('file')}.json"
    file.write_text(json.dumps(template(*steps, **fields)))
    run = ok(await core.runs.start(ok(await core.templates.find(str(file))), {"n": 1}))
    await core.engine.wait(run.id)
    return run


async def fill(core: Core, folder: Path) -> None:
    """Put one of everything into the store."""
    talk = await chat(core, '/tool calculator {"expression": "6 * 7"}')
    ok(await core.workflows.rename(talk, TITLE))
    notes = attached_text("notes.txt", "a text that goes along\n\ud800" * 3)
    pictures = [attached_data(f"{n}.png", picture(n, 2), AttachmentKind.PICTURE, "image/png") for n in (3, 4, 5)]
    bill = attached_data("bill.pdf", pdf(), AttachmentKind.PDF, "application/pdf", text=f"{PDF_TEXT}\n{SECRETS[0]}")
    await chat(core, "say 3 words", talk, attached=[notes, *pictures, bill])
    await chat(core, f"say this: {SECRETS[0]}", talk)
    await run_template(
        core,
        folder,
        tool_step("first", "echo", text="@input.n"),
        a_step("list", "first", forEach={"ref": "@first.items?"}, when={"ref": "@first.text", "gt": 5}),
        tool_step("broken", "fail", "first", config={"onError": "continue"}),
        a_step("end", "list", "broken"),
        title="steps",
    )
    asks = {"kind": "approval", "prompt": "Go on?"}
    await run_template(core, folder, tool_step("write", "note", text="x") | {"interrupt": asks}, title="waits")
    archived = await chat(core, "say 1 word")
    ok(await core.workflows.archive(archived))
    await _add_rows(core, talk)
    await _add_library(core)


async def _add_rows(core: Core, talk: WorkflowId) -> None:
    now = core.clock.now()
    ids = [TaskId(new_id("task")) for _ in range(2)]
    tasks = (
        Task(ids[0], talk, "one", now, now, status=TaskStatus.COMPLETED, completed_at=now),
        Task(ids[1], talk, "two", now, now, dependencies=(ids[0],)),
    )
    await core.storage.commit([ChangeTasks(talk, 0, "test", tasks)])
    ok(await core.queue.add(talk, "sent later", [attached_text("later.md", "# later")]))
    for owner in (talk, None):
        content = "The user prefers tea, " * 100
        memory_id = MemoryId(new_id("mem")[:20])
        memory = Memory(memory_id, MemoryType.DECISION, owner, content, len(content), now)
        await core.storage.memories.add(memory)


async def _add_library(core: Core) -> None:
    now = core.clock.now()
    texts = [json.dumps(template(a_step(name), title="Report")) for name in ("a", "b")]
    for version, text in enumerate(texts, 1):
        saved = StoredTemplate(TemplateId("tpl_0000000001"), version, "Report", text, now)
        await core.storage.commit([Put(saved)])
    secret = template(tool_step("a", "http_fetch", headers={"Authorization": SECRETS[3]}, password="@input.p"))
    await core.storage.commit([Put(StoredTemplate(TemplateId("tpl_0000000002"), 1, "Draft", json.dumps(secret), now))])
    config = {
        "command": "python3",
        "args": ["server.py", "--token", SECRETS[0]],
        "env": {"PASSWORD": SECRETS[1], "MODE": SECRETS[2]},
    }
    remote = {"url": "https://example.org/mcp", "headers": {"Authorization": SECRETS[3], "X-Plain": SECRETS[2]}}
    servers = json.dumps({"mcpServers": {"Local": config, "Remote": remote}})
    added = ok(await core.servers.add(ok(await core.servers.read(servers)), confirmed=True))
    model = {"base_url": "https://models.example.org/v1", "model": "m", "needs_key": True, "key_env": "MY_KEY"}
    ok(
        await core.agents.save(
            name="Writer",
            system_prompt="Write.",
            model=model,
            mcp_servers=[added[0].server.id],
            tools=["calculator", f"mcp__{added[0].server.id}__x"],
        )
    )
    ok(await core.prompts.save(name="Summary", content="Sum up {{text}}", category="work"))
    ok(await core.settings.change(validation_mode="manual", models=[model], model=model, audit_days=60))


async def export(core: Core, path: Path, **options: Any) -> dict[str, Any]:
    """Export everything, and return the documents of the file by name, without the time of the export."""
    await asyncio.sleep(0)
    ok(await core.import_export.export(path, kinds=ALL_KINDS, **options))
    return documents(path)


def documents(path: Path) -> dict[str, Any]:
    """Return the documents of a file by name, without the time of the export, and its attached texts."""
    if not zipfile.is_zipfile(path):
        return {"": {**json.loads(path.read_text()), "exported_at": None}}
    with zipfile.ZipFile(path) as file:
        found: dict[str, Any] = {}
        for name in file.namelist():
            data = file.read(name)
            found[name] = {**json.loads(data), "exported_at": None} if name.endswith(".json") else data
        return found


async def imported(core: Core, path: Path, *options: Any) -> ImportPreview:
    done: ImportPreview = ok(await core.import_export.import_file(path, *options))
    return done


def an_empty_store() -> InMemoryStorage:
    return InMemoryStorage()
