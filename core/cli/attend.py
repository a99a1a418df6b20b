"""Staying with a run until it has ended, it only waits, or it cannot go on here."""

import asyncio
from typing import Any

from core.cli import exits
from core.cli.exits import unwrap
from core.cli.follow import PauseWatch
from core.domain.ids import RunId
from core.domain.run import RunStatus
from core.services.outcome import Failed
from core.wiring import Core


async def attend(core: Core, run_id: RunId) -> dict[str, Any]:
    """Wait for the run and give its last line. Cancelled (Ctrl+C, SIGTERM), it cancels the run first.

    If the store can no longer be written the run is given as `paused`; it stays for `resume`.
    """
    pause = PauseWatch(core.bus)
    try:
        await pause.unless(core.engine.wait(run_id))
    except asyncio.CancelledError:
        await pause.unless(core.engine.cancel(run_id))
    line = unwrap(await core.runs.describe(run_id))
    if pause.reason is not None:
        failure = Failed(pause.reason, "the store cannot be written; the run stays for `resume`")
        line |= {"status": RunStatus.PAUSED, "error": failure.as_dict()}
    return line


def exit_code(line: dict[str, Any]) -> int:
    return exits.of_run(line)
