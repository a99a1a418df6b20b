"""One life of the window: look, core, content; until somebody wants it to end."""

import asyncio
import json
import logging
import signal
import sys
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QApplication

from core.domain.ids import WorkflowId
from core.errors import StorageFailed
from core.services.logs import log_to
from core.services.outcome import Failed, Ok
from core.stores.inbox import MOST as NOTICES
from core.wiring import Core, Folders, open_core, spare_heap
from desktop import window_state
from desktop.aio import Tasks, report_uncaught
from desktop.arguments import Arguments
from desktop.bind import Frames
from desktop.single_instance import Instance, show_other
from desktop.theme.icons import app_icon
from desktop.theme.palette import Scheme
from desktop.theme.system import SystemLook
from desktop.theme.theme import Appearance, Theme
from desktop.translation.languages import Language, Translation
from desktop.window.content import Content
from desktop.window.failure_page import FailurePage
from desktop.window.file_dialog import FileDialogs
from desktop.window.frame import MainWindow
from desktop.window.presenter import Presenter
from desktop.window_state import WindowState

log = logging.getLogger(__name__)

SMOKE_S = 25.0
OTHER_TRIES, OTHER_S = 20, 0.5


class Session:
    """What lives as long as the window does. `first_paint_ms` was measured before this was loaded."""

    def __init__(
        self,
        app: QApplication,
        window: MainWindow,
        given: Arguments,
        folders: Folders,
        state_file: Path,
        state: WindowState,
        first_paint_ms: float,
    ) -> None:
        self._app = app
        self._window = window
        self._content: Content | None = None
        self._given = given
        self.folders = folders
        self._state_file = state_file
        self._state = state
        self._first_paint_ms = first_paint_ms
        scheme = Scheme(given.theme or state.scheme)
        self.translation = Translation(app, Language(given.language or state.language))
        app.setWindowIcon(app_icon())
        self.theme = Theme(app, SystemLook(app), Appearance(scheme, state.zoom, state.reduced_motion))
        self.presenter = Presenter()
        self._exit_code = 0

    async def run(self) -> int:
        """Until the window is to close; the exit code. What is at work then is checkpointed."""
        log_to(self.folders.logs, "desktop", stderr_level=logging.ERROR)
        self._end = asyncio.Event()
        self._window.closing.connect(self._close)
        self._app.commitDataRequest.connect(self.end)  # the person logs out: asked nothing
        loop = asyncio.get_running_loop()
        undo = report_uncaught(loop, self.presenter.report)
        with suppress(NotImplementedError):
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.add_signal_handler(number, self.end)
        try:
            async with AsyncExitStack() as stack:
                try:
                    core = await stack.enter_async_context(open_core(self.folders, FileDialogs(self._window)))
                except StorageFailed as error:
                    await self._stay_closed(error)
                else:
                    await self._live(core)
        finally:
            undo()
        return self._exit_code

    def end(self) -> None:
        """Leave, as soon as what is at work is written down."""
        self._end.set()

    def _close(self) -> None:
        """A person closes the window."""
        if self._content is None:
            self.end()
        else:
            self._content.leaving.ask()

    @property
    def state(self) -> WindowState:
        """How the window is kept now."""
        return self._state

    def save(self, state: WindowState) -> None:
        """Keep how the window is. Raises OSError where the disk refuses; then nothing has changed."""
        window_state.write(self._state_file, state)
        self._state = state

    async def _stay_closed(self, error: StorageFailed) -> None:
        """The data cannot be opened: say so, and wait for the person to leave."""
        page = FailurePage(self.theme, Failed.of(error))
        page.quit_requested.connect(self.end)
        self._window.setCentralWidget(page)
        self._exit_code = 4
        if self._given.smoke_test or self._given.screenshot:
            return
        async with asyncio.TaskGroup() as tasks:
            looking = tasks.create_task(self._look_for_other()) if error.code == "in_use" else None
            await self._end.wait()
            if looking is not None:
                looking.cancel()

    async def _look_for_other(self) -> None:
        """A window that was still opening when this one asked may answer now."""
        for _ in range(OTHER_TRIES):
            if await asyncio.to_thread(show_other, self._state_file.parent):
                self._exit_code = 0
                self.end()
                return
            await asyncio.sleep(OTHER_S)

    async def _live(self, core: Core) -> None:
        tasks = Tasks(self.presenter.report)
        self.presenter.use(core.stores.toasts)
        content = self._content = Content(self, core, Frames(self.presenter.report), tasks, self._window)
        self._window.setCentralWidget(content)
        content.begin()
        instance = Instance(self._state_file.parent, self._window)
        instance.asked.connect(content.leaving.come_back)
        instance.listen()
        spare_heap()
        try:
            await self._begin(core, content)
            await self._end.wait()
        finally:
            instance.close()
            self._content = None
            self._keep_state(core, content)
            self.presenter.use(None)
            await tasks.close()
            content.leave()

    async def _begin(self, core: Core, content: Content) -> None:
        listed = await core.workflows.listed()
        if isinstance(listed, Ok):
            core.stores.workflows.load(listed.data)
            core.stores.background.know(row.workflow for row in listed.data)
        else:
            self.presenter.fail(listed)
        core.stores.inbox.load([run async for run in core.runs.newest(NOTICES)])
        recorded = await core.recording.all_open()
        if isinstance(recorded, Ok):
            core.stores.recordings.load(recorded.data)
        else:
            self.presenter.fail(recorded)
        core.servers.start_with_app()
        recovered = await core.runs.recover()
        if isinstance(recovered, Failed):
            self.presenter.fail(recovered)
        core.search.begin()
        content.settle(WorkflowId(self._state.viewed_workflow) if self._state.viewed_workflow else None)
        if self._given.demo:
            content.deeds.start_demo()
        if self._given.smoke_test:
            await self._smoke_test(core)
        elif self._given.screenshot is not None:
            await asyncio.sleep(self._given.after_s)
            self._window.grab().save(str(self._given.screenshot))
            self.end()

    async def _smoke_test(self, core: Core) -> None:
        """Run a shipped template with a code step, say what came of it, and end."""
        from desktop.smoke_test import smoke_test

        try:
            async with asyncio.timeout(SMOKE_S):
                run: dict[str, Any] = await smoke_test(core)
        except TimeoutError:
            run = {"status": "error", "error": {"code": "timeout"}}
        self._exit_code = 0 if run["status"] == "success" else 1
        line = {"first_paint_ms": round(self._first_paint_ms, 1), "run": run}
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()
        self.end()

    def _keep_state(self, core: Core, content: Content) -> None:
        """How the window is comes back at the next start; a disk that refuses costs no more than that."""
        state = replace(
            content.layout_state(self._state),
            geometry=self._window.kept_geometry(),
            viewed_workflow=core.stores.background.viewed_workflow_id,
        )
        try:
            self.save(state)
        except OSError as error:
            log.warning("window.json cannot be written: %s", error)
