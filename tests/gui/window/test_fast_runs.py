"""The result of a run that ends within moments is shown, whenever its workflow is opened meanwhile.

METIER_FAST_RUNS=200 tries as many.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

from PySide6.QtWidgets import QApplication

from core.persistence.surreal import SurrealStorage
from desktop.chat.transcript.clipboard import last_answer
from tests.gui.window.rig import App, an_app

Until = Callable[..., Awaitable[None]]
RUNS = int(os.environ.get("METIER_FAST_RUNS", "10"))


def shown(app: App) -> str:
    """The last answer of the conversation on screen."""
    return last_answer(app.content.chat.transcript.column) or ""


async def test_the_output_of_each_fast_run_is_shown(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    storage = await SurrealStorage.open(tmp_path / "data" / "store")
    missing = []
    async with an_app(tmp_path, qapp, storage) as app:
        for number in range(RUNS):
            output = f"result {number} of {RUNS}"
            run = await app.start("Report", {"name": "end", "action": {"return": True}, "input": {"text": output}})
            for _ in range(number % 10 * 3):  # opened at another moment of its end each time
                await asyncio.sleep(0)
            app.content.opener.open(run.workflow_id)
            await app.core.engine.wait(run.id)
            await until(lambda: app.core.stores.view.is_loaded)
            await app.drawn()
            if output not in shown(app):
                missing.append(number)
    await storage.close()
    assert missing == []
