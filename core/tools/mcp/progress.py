"""How far a call has come, as a run tells it (ENGINE §13)."""

import math
from typing import TYPE_CHECKING

from core.domain.events import ToolProgressed
from core.ports.clock import Clock
from core.ports.tools import CallContext
from core.tools.mcp.launch import Words

if TYPE_CHECKING:
    from mcp.shared.dispatcher import ProgressFnT

PAUSE_S = 0.25
SHARE = 50
"""No more than so many facts while a call takes as long again: a run keeps them all."""

TEXT_CHARACTERS = 1000


def progress_of(context: CallContext, clock: Clock, words: Words) -> "ProgressFnT":
    """Tells of it four times a second at first, and seldom in a long call; of its end always."""
    begun, last = clock.monotonic(), -math.inf

    async def told(progress: float, total: float | None, message: str | None) -> None:
        nonlocal last
        now = clock.monotonic()
        is_whole = total is not None and progress >= total
        is_early = now - last < max(PAUSE_S, (now - begun) / SHARE)
        if not math.isfinite(progress) or (is_early and not is_whole):
            return
        last = now
        text = words.shown(message)[:TEXT_CHARACTERS] if message else None
        known = total if total is not None and math.isfinite(total) else None
        context.tell(ToolProgressed(call_id=context.call_id, progress=progress, total=known, text=text))

    return told
