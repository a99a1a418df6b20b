"""The demo: three workflows of the offline agent, on the same engine and storage as everything else (UI §10).

The ids of its workflows are stored as a setting, so that the demo can be removed without a trace.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.domain.ids import WorkflowId
from core.domain.run import Run
from core.domain.template import ValidationMode
from core.domain.text.json_text import encode
from core.ports import PutSetting, Storage
from core.services.chat import ChatService
from core.services.outcome import Failed, Ok, Outcome, returns_outcome
from core.services.runs import RunService
from core.services.templates import TemplateService
from core.services.workflows import WorkflowService

SETTING_NAME = "demo_workflows"
TEMPLATE = Path(__file__).parents[2] / "resources" / "demo" / "steps.json"
LONG_ANSWER = "say 300 words"


@dataclass(frozen=True, slots=True)
class DemoTexts:
    """The visible texts of the demo: titles, the question and its options.

    The titles begin with different letters, which is all that a narrow list shows. The options hold neither commas nor
    brackets, which the offline agent parses.
    """

    long_answer: str = "Long answer"
    steps: str = "Template of seven steps"
    question: str = "Question to you"
    asked: str = "What shall I go on with?"
    options: tuple[str, ...] = ("a summary", "a list", "nothing at all")


ENGLISH = DemoTexts()


class DemoService:
    """Starts and removes the demo."""

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

    async def start(self, texts: DemoTexts = ENGLISH) -> Sequence[Outcome[Run]]:
        """Start a long answer, a template with a skipped step, and a question, as the user would in the window.

        Runs without a free slot wait. Each run may be refused on its own; the started workflows belong to the demo.
        """
        started = [
            await self._send(LONG_ANSWER, texts.long_answer),
            await self._start_template(str(TEMPLATE), texts.steps),
            await self._send(f"ask {texts.asked} [{', '.join(texts.options)}]\nsay 60 words", texts.question),
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
        """Cancel and delete all workflows of the demo. After a failure the remaining workflows still belong to it."""
        for workflow_id in await self.workflows():
            await self._workflows.remove(workflow_id)
        await self._save_workflows([])

    async def _send(self, text: str, title: str) -> Outcome[Run]:
        return await self._rename(await self._chat.send(text, mode=ValidationMode.AUTO, gated=True, queued=True), title)

    async def _start_template(self, name: str, title: str) -> Outcome[Run]:
        template = await self._templates.find(name)
        if isinstance(template, Failed):
            return template
        outcome = await self._runs.start(template.data, {}, mode=ValidationMode.AUTO, gated=True, queued=True)
        return await self._rename(outcome, title)

    async def _rename(self, outcome: Outcome[Run], title: str) -> Outcome[Run]:
        """Rename the workflow of a started run. A refused title leaves the default title."""
        if isinstance(outcome, Ok):
            await self._workflows.rename(outcome.data.workflow_id, title)
        return outcome

    async def _save_workflows(self, workflow_ids: Sequence[WorkflowId]) -> None:
        await self._storage.commit([PutSetting(SETTING_NAME, encode(list(workflow_ids)))])
