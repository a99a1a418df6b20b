"""Starting runs from within a run."""

from collections.abc import Mapping
from typing import Any, Protocol

from core.domain.ids import TemplateId
from core.domain.run import Run
from core.ports.tools import CallContext


class Executions(Protocol):
    """The engine, as the tools see it."""

    async def execute(
        self,
        context: CallContext,
        template_id: TemplateId,
        given: Mapping[str, Any],
        *,
        timeout_ms: int | None,
        wait: bool,
    ) -> Run:
        """Run a template below the run that makes the call; the same call gives the same run.

        Comes back when it has been written down, or with `wait` when it has ended; cancelled meanwhile, it is
        cancelled too. Raises StepFailed (`not_found`, `bad_input`, `invalid_template`, `too_deep`).
        """
        ...
