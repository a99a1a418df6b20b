"""What all controllers of a window share: the session, the core, and the presenter of errors."""

import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMainWindow, QWidget

from core.app import Core, Folders, Stores
from core.domain.ids import WorkflowId
from core.domain.toast import ToastType
from core.services.outcome import Failed
from core.stores.toasts import Toasts
from desktop.aio import Tasks
from desktop.bind import Frames
from desktop.operations import Operations
from desktop.shortcuts.keymap import Keymap
from desktop.theme import Theme
from desktop.translation import Translation
from desktop.window_state import WindowState

log = logging.getLogger(__name__)


class ErrorPresenter:
    """Logs errors and shows a sentence in a toast. Before the toasts exist it only logs."""

    def __init__(self) -> None:
        self._toasts: Toasts | None = None

    def use(self, toasts: Toasts | None) -> None:
        """Show errors in these toasts from now on."""
        self._toasts = toasts

    def report(self, error: BaseException) -> None:
        """Report an unexpected exception, without a traceback on the screen."""
        log.error("unexpected", exc_info=error)
        if self._toasts is not None:
            self._toasts.add(ToastType.ERROR, "unexpected", message=type(error).__name__)

    def fail(self, failed: Failed) -> None:
        """Report the failure that a service returned."""
        log.info("refused: %s: %s", failed.code, failed.message)
        if self._toasts is not None:
            self._toasts.add(ToastType.ERROR, failed.code, message=failed.message, parameters=failed.details.items())


class WindowSession(Protocol):
    """The session of the window, as its content uses it."""

    theme: Theme
    translation: Translation
    presenter: ErrorPresenter
    folders: Folders

    @property
    def state(self) -> WindowState:
        """The current state of the window."""

    def save(self, state: WindowState) -> None:
        """Save the state of the window. Raises OSError."""

    def end(self) -> None:
        """Quit as soon as active work is saved."""

    def restore(self, backup: Path) -> None:
        """End, put the backup in this file in the place of the data, and begin again with it."""


@dataclass(frozen=True, slots=True)
class WindowContext:
    """What the parts of a window share. `owner` is the parent of controllers: they end with the content."""

    session: WindowSession
    core: Core
    frames: Frames
    tasks: Tasks
    operations: Operations
    keymap: Keymap
    window: QMainWindow
    owner: QWidget

    @property
    def theme(self) -> Theme:
        return self.session.theme

    @property
    def stores(self) -> Stores:
        return self.core.stores

    @property
    def drafts_folder(self) -> Path:
        return self.session.folders.store.with_name("drafts")

    @property
    def viewed(self) -> WorkflowId | None:
        """The workflow on the screen."""
        return self.core.stores.background.viewed_workflow_id


class Controller(QObject):
    """A part of the window that is no widget."""

    def __init__(self, context: WindowContext, parent: QObject | None = None) -> None:
        super().__init__(context.owner if parent is None else parent)
        self._context = context
        self._core = context.core
        self._stores = context.stores
        self._operations = context.operations

    @property
    def _viewed(self) -> WorkflowId | None:
        return self._context.viewed
