"""The settings dialog, open and active at its usual size."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from shiboken6 import isValid

from core.sandbox.pool import WorkerPool
from core.sandbox.schemas import JsonSchemas
from core.threads.system_clock import SystemClock
from core.tools.mcp.hub import Hub
from core.tools.mcp.sampling import Sampling
from core.tools.registry import Registry
from desktop.aio import Tasks
from desktop.settings.parts.page import PageId
from desktop.theme import Theme
from desktop.translation import Translation
from tests.gui.settings.rig import Rig


@pytest.fixture
async def rig(
    bare: None,
    theme: Theme,
    translation: Translation,
    tmp_path: Path,
    until: Callable[..., Awaitable[None]],
) -> AsyncIterator[Rig]:
    errors = list[BaseException]()
    tasks = Tasks(errors.append)
    rig = Rig(theme, translation, tasks.spawn, tmp_path / "window.json")
    schemas = JsonSchemas(WorkerPool(size=1))  # no worker is started before it is asked
    sampling = Sampling(None, rig.consent)  # type: ignore[arg-type]  # no server asks for an answer of a model here
    servers = rig.servers
    hub = Hub(
        Registry(schemas), schemas, SystemClock(), sampling, servers.launch_of, servers.save_state, servers.emit_changed
    )
    await servers.open(hub)
    rig.dialog.present(PageId.VALIDATION)
    await until(rig.dialog.isActiveWindow)
    async with hub:
        yield rig
    is_left = isValid(rig.dialog)
    if is_left:  # not left to qtbot, which closes when no loop runs: what was typed is set then
        rig.dialog.close()
    await tasks.close()
    if is_left:
        rig.dialog.deleteLater()
    await rig.clients.close()
    assert errors == rig.errors
