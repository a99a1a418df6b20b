"""What the tool of a step gave, before its `transformCode` makes the output of it (ENGINE §2).

It is on disk before the transform begins. From then on the call is never made again, whatever becomes of the transform:
retries, and the next life of the run, begin with what was kept.
"""

from dataclasses import dataclass
from typing import Any

from core.domain.events import ToolEnded
from core.domain.step import StepKey
from core.engine.checkpoints import Checkpoints
from core.threads.long_json import output_text


@dataclass(slots=True)
class RawResult:
    """The raw result of one call. `text` is its JSON; None: the call has not ended well yet."""

    key: StepKey
    checkpoints: Checkpoints
    text: str | None = None

    @property
    def is_kept(self) -> bool:
        return self.text is not None

    async def keep(self, value: Any, ended: ToolEnded, attempt: int) -> str:
        """Write the result together with the end of its call; its JSON, once that is on disk.

        Raises StepFailed `not_json` or `output_too_large`: the sizes are those of an output.
        """
        text = await output_text(value)
        await self.checkpoints.raw_kept(self.key, value, text, ended, attempt)
        self.text = text
        return text
