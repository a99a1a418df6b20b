"""The real window on a store in memory, driven by keys and looked into by tests."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QPushButton, QWidget

from core.app import Core, Folders
from core.domain.ids import WorkflowId, new_id
from core.domain.run import Run, RunKind
from core.domain.template import Template, ValidationMode
from core.domain.workflow import Workflow
from core.engine.runs.start_request import StartRequest
from core.ports import Clock, FilePicker, Storage
from core.services.outcome import Ok
from core.tools.file_copies import FileCopies
from core.tools.registry import Tool
from core.wiring import open_core, run_core
from desktop.aio import Tasks
from desktop.arguments import Arguments
from desktop.bind import Frames
from desktop.session import Session
from desktop.sidebar.list_view import SidebarList
from desktop.sidebar.model import SidebarModel
from desktop.sidebar.rows import Row
from desktop.window.content import Content
from desktop.window.frame.main_window import MainWindow
from desktop.window_state import WindowState
from tests.support.command_line import template
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.waiting import until

ENGLISH = Arguments(language="en", theme="light")


class App:
    """A running window. `key` and `type` send keys to the focused widget."""

    def __init__(self, core: Core, window: MainWindow, content: Content, session: Session, frames: Frames) -> None:
        self.core = core
        self.window = window
        self.content = content
        self.session = session
        self._frames = frames

    async def drawn(self) -> None:
        """Come back when the window has drawn what the stores say, and has laid it out."""
        for _ in range(3):  # a render may change what another shows
            await until(lambda: not self._frames._dirty)
            await asyncio.sleep(0.005)  # Qt lays out what changed before it comes to its timers

    def key(self, key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        QTest.keyClick(self.focused(), key, modifiers)

    def control(self, key: Qt.Key) -> None:
        self.key(key, Qt.KeyboardModifier.ControlModifier)

    def write(self, text: str) -> None:
        self.content.chat.composer.focus_text()
        QTest.keyClicks(self.focused(), text)

    def focused(self) -> QWidget:
        return QApplication.focusWidget() or self.window

    @property
    def viewed(self) -> WorkflowId | None:
        return self.core.stores.background.viewed_workflow_id

    def turn_texts(self) -> list[str]:
        """The texts of the conversation that is shown."""
        return [message.text for message in self.core.stores.view.messages]

    def header_texts(self) -> list[str]:
        """Return the visible texts of the header."""
        header = self.content.header
        shown: list[QLabel | QPushButton] = [*header.findChildren(QLabel), *header.findChildren(QPushButton)]
        return [each.text() for each in shown if each.isVisible()]

    def row(self, workflow_id: WorkflowId) -> Row | None:
        """How the sidebar shows a workflow."""
        (view,) = self.content.sidebar.findChildren(SidebarList)
        model = view.model()
        assert isinstance(model, SidebarModel)
        return next((item for item in model.items if isinstance(item, Row) and item.id == workflow_id), None)

    async def say(self, text: str, *, script: tuple[dict[str, object], ...] = ()) -> Run:
        """Start a chat without the window's help, in automatic mode."""
        sent = await self.core.chat.send(text, mode=ValidationMode.AUTO, script=script)
        assert isinstance(sent, Ok), sent
        return sent.data

    async def start(self, title: str, *steps: dict[str, Any], given: dict[str, Any] | None = None) -> Run:
        """Start a template of these steps without the window's help, in a workflow of its own."""
        now = self.core.clock.now()
        workflow = Workflow(WorkflowId(new_id("wf")), title, "offline", now, now)
        return await self.start_in(workflow, *steps, given=given)

    def delete(self, workflow_id: WorkflowId) -> None:
        """What becomes of a yes to the question."""
        listed = self.core.stores.workflows.get(workflow_id)
        assert listed is not None
        self.content.archive._run(partial(self.content.archive._delete, listed))

    async def start_in(self, workflow: Workflow, *steps: dict[str, Any], given: dict[str, Any] | None = None) -> Run:
        """The same in a workflow that is there."""
        started = Template.model_validate(template(*steps, title=workflow.title))
        return await self.core.engine.start(StartRequest(workflow, started, given or {}, RunKind.WORKFLOW))


@asynccontextmanager
async def an_app(
    tmp_path: Path,
    qapp: QApplication,
    storage: Storage | None = None,
    *,
    mode: ValidationMode = ValidationMode.AUTO,
    size: tuple[int, int] = (1440, 900),
    arguments: Arguments | None = None,
    clock: Clock | None = None,
    more_tools: Iterable[Tool] = (),
    picker: FilePicker | None = None,
    early_keys: Iterable[tuple[Qt.Key, Qt.KeyboardModifier]] = (),
) -> AsyncIterator[App]:
    """The window, shown, with focus where the app puts it. With a `picker` places are asked for, as in the app."""
    window = MainWindow("#FFFFFF", None)
    window.resize(*size)
    window.show()
    window.activateWindow()
    for key, modifiers in early_keys:
        window.early_keys.begin()
        QTest.keyClick(window, key, modifiers)
    folders = Folders.choose(str(tmp_path))
    state_file = tmp_path / "window.json"
    session = Session(qapp, window, arguments or ENGLISH, folders, open_core, state_file, WindowState(), 0.0)
    try:
        copies = FileCopies(folders.copies)
        async with run_core(
            storage or InMemoryStorage(), clock, more_tools, folders.keys, picker=picker, copies=copies
        ) as core:
            await core.settings.change(validation_mode=mode)
            tasks = Tasks(session.presenter.report)
            session.presenter.use(core.stores.toasts)
            frames = Frames(session.presenter.report)
            content = Content(session, core, frames, tasks, window)
            window.setCentralWidget(content)
            session._content = content
            window.closing.connect(session._close)
            content.begin()
            await _until_active(window)
            await session._begin(core, content)
            try:
                yield App(core, window, content, session, frames)
            finally:
                content.preferences.hide_dialog()
                await content.close_drafts()
                await tasks.close()
                session.presenter.use(None)
                content.dispose()
                session.translation.retire()
    finally:  # else its keys would be heard in the next test
        window.hide()
        window.deleteLater()
        await asyncio.sleep(0)


async def _until_active(window: MainWindow) -> None:
    """Keys reach an active window alone."""

    def is_active() -> bool:
        window.activateWindow()
        return window.isActiveWindow() and QApplication.activeWindow() is window

    await until(is_active)
    await asyncio.sleep(0.05)
