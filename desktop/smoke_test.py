"""The smoke test: a shipped template with a code step, on a folder of its own."""

import asyncio
import tempfile
from pathlib import Path
from typing import Any

from core.app import Core
from core.services.outcome import Failed


async def smoke_test(core: Core) -> dict[str, Any]:
    """Run *Folder report* on two files and return the run as the command line prints it."""
    with tempfile.TemporaryDirectory(prefix="metier-smoke-") as name:
        folder = Path(name)
        await asyncio.to_thread(_fill, folder)
        found = await core.templates.find("Folder report")
        if isinstance(found, Failed):
            return {"status": "error", "error": found.as_dict()}
        run = await core.runs.start(found.data, {"folder": name}, allow=[name])
        if isinstance(run, Failed):
            return {"status": "error", "error": run.as_dict()}
        await core.engine.wait(run.data.id)
        described = await core.runs.describe(run.data.id)
        return described.as_dict() if isinstance(described, Failed) else described.data


def _fill(folder: Path) -> None:
    (folder / "one.txt").write_text("one line\n", "utf-8")
    (folder / "two.txt").write_text("two\nlines\n", "utf-8")
