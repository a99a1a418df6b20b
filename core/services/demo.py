"""The demo: three workflows on the offline agent, the same engine and storage as everything else (UI §10).

Which workflows are of the demo is kept as a setting, so that they can be removed without a trace.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from core.domain.ids import WorkflowId
from core.domain.json_text import encode
from core.domain.run import Run
from core.domain.template import ValidationMode
from core.ports.storage import PutSetting, Storage
from core.services.chat import ChatService
from core.services.outcome import Failed, Ok, Outcome, answers
from core.services.runs import RunService
from core.services.templates import TemplateService
from core.services.workflows import WorkflowService

KEPT = "demo_workflows"
TEMPLATE = Path(__file__).parents[2] / "resources" / "demo" / "steps.json"
LONG_ANSWER = "say 300 words"
QUESTION = "ask What shall I go on with? [a summary, a list, nothing at all]\nsay 60 words"


class DemoService:
    def __init__(
        self,
        chat: ChatService,
        runs: RunService,
        templates: TemplateService,
        workflows: WorkflowService,
        storage: Storage,
    ) -> None:
        self._chat = chat
        self._runs = runs
        self._templates = templates
        self._workflows = workflows
        self._storage = storage

    async def start(self) -> Sequence[Outcome[Run]]:
        """Start a long answer, a template with a skipped step, and a question, as a person in the window would.

        What finds no place waits for one. Each may be refused by itself; those that began are the demo's.
        """
        started = [
            await self._chat.send(LONG_ANSWER, mode=ValidationMode.AUTO, gated=True, queued=True),
            await self._template(str(TEMPLATE), {}),
            await self._chat.send(QUESTION, mode=ValidationMode.AUTO, gated=True, queued=True),
        ]
        begun = [answer.data.workflow_id for answer in started if isinstance(answer, Ok)]
        await self._keep([*(await self.workflows()), *begun])
        return started

    async def workflows(self) -> list[WorkflowId]:
        """The workflows of the demo that are still there."""
        kept = (await self._storage.settings()).get(KEPT, [])
        there = {workflow.id for workflow in await self._storage.workflows()}
        return [WorkflowId(one) for one in kept if one in there] if isinstance(kept, list) else []

    @answers
    async def remove(self) -> None:
        """Cancel and delete everything that the demo made. After a failure, what is left is still the demo's."""
        for workflow_id in await self.workflows():
            await self._workflows.remove(workflow_id)
        await self._keep([])

    async def _template(self, name: str, given: dict[str, Any]) -> Outcome[Run]:
        found = await self._templates.find(name)
        if isinstance(found, Failed):
            return found
        return await self._runs.start(found.data, given, mode=ValidationMode.AUTO, gated=True, queued=True)

    async def _keep(self, workflow_ids: Sequence[WorkflowId]) -> None:
        await self._storage.commit([PutSetting(KEPT, encode(list(workflow_ids)))])
