"""The lifetime of the window: theme, core, content, until it is closed."""

import asyncio
import json
import logging
import signal
import sys
from collections.abc import Coroutine
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QApplication, QWidget

from core.app import Core, Folders, OpenCore, RepairStore, RestoreStore, tune_gc
from core.domain.doubt import Repair
from core.domain.ids import WorkflowId
from core.errors import MetierError, StorageFailed
from core.services.logs import log_to
from core.services.outcome import Failed, Ok
from core.stores.inbox import MAX_NOTICES as NOTICES
from desktop import window_state
from desktop.aio import Tasks, report_uncaught
from desktop.arguments import Arguments
from desktop.bind import Frames
from desktop.single_instance import Instance, show_other
from desktop.theme import Appearance, Scheme, SystemLook, Theme, app_icon
from desktop.translation import Language, Translation
from desktop.window.base.context import ErrorPresenter
from desktop.window.content import Content
from desktop.window.conversation.drafts import WriteBehind
from desktop.window.frame.doubt_page import DoubtPage
from desktop.window.frame.failure_page import FailurePage
from desktop.window.frame.file_dialog import FileDialogs
from desktop.window.frame.main_window import MainWindow
from desktop.window.frame.restore_page import RestorePage
from desktop.window_state import WindowState

log = logging.getLogger(__name__)

SMOKE_S = 25.0
OTHER_TRIES, OTHER_S = 20, 0.5


class Session:
    """Everything that lives as long as the window. `first_paint_ms` was measured before this module was loaded."""

    def __init__(
        self,
        app: QApplication,
        window: MainWindow,
        given: Arguments,
        folders: Folders,
        open_core: OpenCore,
        state_file: Path,
        state: WindowState,
        first_paint_ms: float,
        repair: RepairStore | None = None,
        restore_store: RestoreStore | None = None,
    ) -> None:
        self._app = app
        self._window = window
        self._content: Content | None = None
        self._given = given
        self.folders = folders
        self._open_core = open_core
        self._repair = repair
        self._restore_store = restore_store
        self._wanted_backup: Path | None = None
        self._refusal: Failed | None = None  # why a backup was not restored, until the window can show it
        self._state_file = state_file
        self._state = state
        self._first_paint_ms = first_paint_ms
        scheme = Scheme(given.theme or state.scheme)
        self.translation = Translation(app, Language(given.language or state.language))
        app.setWindowIcon(app_icon())
        self.theme = Theme(app, SystemLook(app), Appearance(scheme, state.zoom, state.reduced_motion))
        self.presenter = ErrorPresenter()
        self._exit_code = 0

    async def run(self) -> int:
        """Run until the window closes, and return the exit code. Active runs are checkpointed at the end."""
        self.folders.create()
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
            while await self._live_once():
                self._exit_code = 0
        finally:
            undo()
        return self._exit_code

    async def _live_once(self) -> bool:
        """Open the core and run.

        Return whether to do so again: after it could not be opened, and after a backup was restored.
        """
        async with AsyncExitStack() as stack:
            try:
                core = await stack.enter_async_context(self._open_core(self.folders, FileDialogs(self._window)))
            except StorageFailed as error:
                return await self._stay_closed(error)
            await self._live(core)
        return self._wanted_backup is not None and await self._restore(self._wanted_backup)

    def restore(self, backup: Path) -> None:
        """End, put the backup in this file in the place of the data, and begin again with it."""
        self._wanted_backup = backup
        self.end()

    async def _restore(self, backup: Path) -> bool:
        """Restore the backup; return whether to go on, which is not so if the user quits meanwhile."""
        assert self._restore_store is not None
        self._wanted_backup = None
        self._end.clear()
        page = RestorePage(self.theme)
        self._show_page(page)
        try:
            await self._until_end(self._restore_store(self.folders, backup, page.show_progress), "restore")
        except MetierError as error:
            self._refusal = Failed.of(error)
        return not self._end.is_set()

    def _show_page(self, page: QWidget) -> None:
        """Show a page in place of the content. Keys pressed before it was there were not meant for it."""
        self._window.early_keys.take()
        self._window.setCentralWidget(page)

    async def _until_end(self, work: Coroutine[Any, Any, None], name: str) -> None:
        """Do the work, unless the session ends first: then cancel it. Raises what the work raises."""
        working = asyncio.create_task(work, name=name)
        ending = asyncio.create_task(self._end.wait(), name="end of the session")
        await asyncio.wait((working, ending), return_when=asyncio.FIRST_COMPLETED)
        for task in (working, ending):
            task.cancel()
        await asyncio.wait((working, ending))
        if not working.cancelled():
            working.result()

    def end(self) -> None:
        """Leave as soon as active runs are written."""
        self._end.set()

    def _close(self) -> None:
        """Handle the user closing the window."""
        if self._content is None:
            self.end()
        else:
            self._content.quit_guard.ask()

    @property
    def state(self) -> WindowState:
        """The saved state of the window."""
        return self._state

    def save(self, state: WindowState) -> None:
        """Save the state of the window. Raises OSError if the disk refuses; then nothing has changed."""
        window_state.write(self._state_file, state)
        self._state = state

    async def save_behind(self, state: WindowState) -> None:
        """Save the state in a thread. Raises OSError if the disk refuses."""
        self._state = state
        await asyncio.to_thread(window_state.write, self._state_file, state)
        if self._state is not state:  # saved meanwhile: the thread may have written the older one last
            await asyncio.to_thread(window_state.write, self._state_file, self._state)

    async def _stay_closed(self, error: StorageFailed) -> bool:
        """Show that the data cannot be opened, and wait until the user quits or tries again."""
        tune_gc()
        if error.code == "store_doubtful" and self._repair is not None and error.parameters.get("choices"):
            return await self._repair_store(error, self._repair)
        again = asyncio.Event()
        page = FailurePage(self.theme, Failed.of(error), self.folders.store.parent)
        page.quit_requested.connect(self.end)
        page.retry_requested.connect(again.set)
        self._show_page(page)
        self._exit_code = 4
        if self._given.smoke_test or self._given.screenshot:
            return False
        async with asyncio.TaskGroup() as tasks:
            looking = tasks.create_task(self._look_for_other()) if error.code == "in_use" else None
            ways = [tasks.create_task(event.wait()) for event in (self._end, again)]
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
            for task in (*ways, *([looking] if looking is not None else ())):
                task.cancel()
        return again.is_set() and not self._end.is_set()

    async def _repair_store(self, error: StorageFailed, repair: RepairStore) -> bool:
        """Let the user choose what happens to a store in doubt; return whether it can be opened now."""
        page = DoubtPage(self.theme, Failed.of(error))
        choices: asyncio.Queue[str] = asyncio.Queue()
        page.chosen.connect(choices.put_nowait)
        page.quit_requested.connect(self.end)
        self._show_page(page)
        self._exit_code = 4
        if self._given.smoke_test or self._given.screenshot:
            return False
        await self._until_end(self._repair_as_chosen(page, choices, repair), "repair of the store")
        return not self._end.is_set()

    async def _repair_as_chosen(self, page: DoubtPage, choices: "asyncio.Queue[str]", repair: RepairStore) -> None:
        while choice := await choices.get():
            page.show_progress({})
            try:
                done = await repair(self.folders, Repair(choice), page.show_progress)
            except MetierError as error:
                page.show_failure(Failed.of(error))
                continue
            if done.aside is None and not done.missing:
                return
            page.show_result(done)

    async def _look_for_other(self) -> None:
        """Ask once more for another window, which may still have been opening the first time."""
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
        instance.asked.connect(content.quit_guard.come_back)
        instance.listen()
        tune_gc()
        writer = StateWriter(self, core, content, tasks)
        try:
            await self._begin_unless_ended(core, content)
            await self._end.wait()
        finally:
            instance.close()
            self._content = None
            await writer.close()
            self._keep_state(core, content)
            self.presenter.use(None)
            content.preferences.hide_dialog()
            await content.close_drafts()
            await tasks.close()
            content.dispose()

    async def _begin_unless_ended(self, core: Core, content: Content) -> None:
        """Start the content, unless the session is ended meanwhile: then do not wait for it, since everything on disk
        is safe.
        """
        ending = asyncio.create_task(self._end.wait(), name="end of the session")
        beginning = asyncio.create_task(self._begin(core, content), name="begin of the session")
        try:
            await asyncio.wait((ending, beginning), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (ending, beginning):
                task.cancel()
            await asyncio.wait((ending, beginning))
        if not beginning.cancelled():
            beginning.result()

    async def _begin(self, core: Core, content: Content) -> None:
        await content.chat.answer_drafts.load()
        if self._refusal is not None:
            self.presenter.fail(self._refusal)
            self._refusal = None
        listed = await core.workflows.all()
        if isinstance(listed, Ok):
            core.stores.workflows.load(listed.data.workflows)
            core.stores.background.set_titles(row.workflow for row in listed.data.workflows)
        else:
            self.presenter.fail(listed)
        runs = listed.data.newest_runs[:NOTICES] if isinstance(listed, Ok) else ()
        core.stores.inbox.load(runs, await core.notices.load())
        recorded = await core.recording.all_open()
        if isinstance(recorded, Ok):
            core.stores.recordings.load(recorded.data)
        else:
            self.presenter.fail(recorded)
        core.servers.start_with_app()
        recovered = await core.runs.recover()
        if isinstance(recovered, Failed):
            self.presenter.fail(recovered)
        attended = await core.queue.start()
        if isinstance(attended, Failed):
            self.presenter.fail(attended)
        await content.chat.draft_controller.load()
        await content.input.forms.drafts.load()
        core.search.start()
        core.upkeep.start()
        core.backups.start()
        content.settle(WorkflowId(self._state.viewed_workflow) if self._state.viewed_workflow else None)
        content.replay(self._window.early_keys.take())
        if self._given.demo:
            content.demo.start()
        if self._given.smoke_test:
            await self._smoke_test(core)
        elif self._given.screenshot is not None:
            await asyncio.sleep(self._given.after_s)
            self._window.grab().save(str(self._given.screenshot))
            self.end()

    async def _smoke_test(self, core: Core) -> None:
        """Run a shipped template with a code step, print its result, and end."""
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

    def state_now(self, content: Content) -> WindowState:
        """Return the state of the window as it is now."""
        return replace(
            content.layout_state(self._state),
            geometry=self._window.saved_geometry(),
            viewed_workflow=content.preview.opened_workflow,
        )

    def _keep_state(self, core: Core, content: Content) -> None:
        """Save the state of the window for the next start; a disk that refuses costs no more than that."""
        try:
            self.save(self.state_now(content))
        except OSError as error:
            log.warning("window.json cannot be written: %s", error)


class StateWriter(WriteBehind):
    """Saves the state of the window after each change of the viewed workflow, so that a crash loses little of it."""

    def __init__(self, session: Session, core: Core, content: Content, tasks: Tasks) -> None:
        super().__init__("window.json", tasks, content)
        self._session = session
        self._content = content
        core.stores.background.viewed_changed.connect(self.touch)

    async def _save_changes(self) -> bool:
        state = self._session.state_now(self._content)
        if is_changed := state != self._session.state:
            await self._session.save_behind(state)
        return is_changed
