"""Files that a person picked for a run, beside the folders that it may enter (AGENTS_AND_TOOLS §4, `pick_file`)."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from core.domain.ids import RunId
from core.errors import ToolFailed
from core.ports.tools import CallContext

PickedFiles = Callable[[RunId], Awaitable[Sequence[str]]]
"""The files that were picked for a run: absolute, free of links."""


async def nothing_picked(run_id: RunId) -> Sequence[str]:
    return ()


async def with_picked(
    picked: PickedFiles, context: CallContext, work: Callable[[Sequence[str]], Awaitable[dict[str, Any]]]
) -> dict[str, Any]:
    """What the work gives. Only where it leads out of the folders is it asked what was picked: most calls do not."""
    try:
        return await work(())
    except ToolFailed as error:
        files = await picked(context.run_id) if error.code == "not_allowed" else ()
        if not files:
            raise
    return await work(files)
