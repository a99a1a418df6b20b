"""The demo: three workflows of the offline agent, on the same engine and storage as everything else (UI §10).

    resources/demo/LANGUAGE/demo.json      what is said and asked
    resources/demo/LANGUAGE/orders.json    its template
    resources/demo/LANGUAGE/folder         the files that it works on, copied for each start

The ids of its workflows are stored as a setting, so that the demo can be removed without a trace, with its folder.
"""

import asyncio
import json
import shutil
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import count
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from core.domain.ids import WorkflowId
from core.domain.run import Run
from core.domain.template import ValidationMode
from core.domain.text.json_text import encode
from core.errors import StorageFailed
from core.ports import PutSetting, Storage
from core.services.chat import ChatService
from core.services.outcome import Failed, Ok, Outcome, returns_outcome
from core.services.runs import RunService
from core.services.templates import TemplateService
from core.services.workflows import WorkflowService

SETTING_NAME = "demo_workflows"
RESOURCES = Path(__file__).parents[2] / "resources" / "demo"


class DemoService:
    """Starts and removes the demo. It works in `folder`, by default in a temporary one."""

    def __init__(
        self,
        chat: ChatService,
        runs: RunService,
        templates: TemplateService,
        workflows: WorkflowService,
        storage: Storage,
        folder: Path | None = None,
    ) -> None:
        self._chat = chat
        self._runs = runs
        self._templates = templates
        self._workflows = workflows
        self._storage = storage
        self._folder = folder

    async def start(self, language: str = "en") -> Sequence[Outcome[Run]]:
        """Start an agent that changes files with approval, a template with a skipped step, and a question, as the user
        would in the window.

        Runs without a free slot wait. Each run may be refused on its own; the started workflows belong to the demo.
        """
        texts = json.loads(await asyncio.to_thread((RESOURCES / language / "demo.json").read_text, "utf-8"))
        try:
            place = str(await asyncio.to_thread(self._copy_files, language, texts["folder"]))
        except OSError as error:
            return [Failed.of(StorageFailed("storage_failed", f"the files of the demo cannot be written: {error}"))]
        # first the one that asks before it touches a file: in its mode nothing else may be at work when it begins
        started = [
            await self._send(texts["agent"], ValidationMode.SELECTIVE, place),
            await self._start_template(str(RESOURCES / language / "orders.json"), texts["template"], place),
            await self._send(texts["question"], ValidationMode.AUTO, place),
        ]
        workflows = [answer.data.workflow_id for answer in started if isinstance(answer, Ok)]
        # a demo may be started twice; both are removed together
        await self._save_workflows([*(await self.workflows()), *workflows])
        return started

    async def workflows(self) -> list[WorkflowId]:
        """Return the workflows of the demo that still exist."""
        stored = (await self._storage.settings.all()).get(SETTING_NAME, [])
        existing = {workflow.id for workflow in await self._storage.workflows.all()}
        return (
            [WorkflowId(workflow_id) for workflow_id in stored if workflow_id in existing]
            if isinstance(stored, list)
            else []
        )

    @returns_outcome
    async def remove(self) -> None:
        """Cancel and delete all workflows of the demo, and its files. After a failure the remaining workflows still
        belong to it.
        """
        for workflow_id in await self.workflows():
            await self._workflows.remove(workflow_id)
        await self._save_workflows([])
        if self._folder is not None:
            await asyncio.to_thread(shutil.rmtree, self._folder, ignore_errors=True)

    def _copy_files(self, language: str, name: str) -> Path:
        """Return a folder of this name for this start alone, with the files. Raises OSError."""
        if self._folder is None:
            self._folder = Path(mkdtemp(prefix="metier-demo-"))
        for number in count(1):
            with suppress(FileExistsError):
                folder = Path(shutil.copytree(RESOURCES / language / "folder", self._folder / str(number) / name))
                for program in folder.glob("*.py.txt"):  # it has another name where it is no program of ours
                    program.rename(program.with_suffix(""))
                return folder
        raise AssertionError

    async def _send(self, texts: Mapping[str, Any], mode: ValidationMode, folder: str) -> Outcome[Run]:
        script = texts["script"]
        sent = await self._chat.send(
            texts["message"], mode=mode, folders=[folder], script=script, gated=True, queued=True
        )
        return await self._rename(sent, texts["title"])

    async def _start_template(self, name: str, title: str, folder: str) -> Outcome[Run]:
        template = await self._templates.find(name)
        if isinstance(template, Failed):
            return template
        outcome = await self._runs.start(
            template.data, {}, mode=ValidationMode.AUTO, folders=[folder], gated=True, queued=True
        )
        return await self._rename(outcome, title)

    async def _rename(self, outcome: Outcome[Run], title: str) -> Outcome[Run]:
        """Rename the workflow of a started run. A refused title leaves the default title."""
        if isinstance(outcome, Ok):
            await self._workflows.rename(outcome.data.workflow_id, title)
        return outcome

    async def _save_workflows(self, workflow_ids: Sequence[WorkflowId]) -> None:
        await self._storage.commit([PutSetting(SETTING_NAME, encode(list(workflow_ids)))])
