"""The one presenter of errors that nobody expected: the log has all of it, the screen a sentence."""

import logging
from typing import Protocol

from core.app import Folders
from core.domain.toast import ToastType
from core.services.outcome import Failed
from core.stores.toasts import Toasts
from desktop.theme.theme import Theme
from desktop.translation.languages import Translation
from desktop.window_state import WindowState

log = logging.getLogger(__name__)


class ErrorPresenter:
    """`report` takes what was raised; `fail` takes what a service answered. Before there are toasts, only the log."""

    def __init__(self) -> None:
        self._toasts: Toasts | None = None

    def use(self, toasts: Toasts | None) -> None:
        """Show errors there from now on."""
        self._toasts = toasts

    def report(self, error: BaseException) -> None:
        """An error that is a fault of ours: never a traceback on the screen."""
        log.error("unexpected", exc_info=error)
        if self._toasts is not None:
            self._toasts.add(ToastType.ERROR, "unexpected", message=type(error).__name__)

    def fail(self, failed: Failed) -> None:
        """Something was asked for and is not possible."""
        log.info("refused: %s: %s", failed.code, failed.message)
        if self._toasts is not None:
            self._toasts.add(ToastType.ERROR, failed.code, message=failed.message, parameters=failed.details.items())


class WindowSession(Protocol):
    """One life of the window, as its content sees it."""

    theme: Theme
    translation: Translation
    presenter: ErrorPresenter
    folders: Folders

    @property
    def state(self) -> WindowState:
        """How the window is kept now."""
        ...

    def save(self, state: WindowState) -> None:
        """Keep how the window is. Raises OSError where the disk refuses."""
        ...

    def end(self) -> None:
        """Leave, as soon as what is at work is written down."""
        ...
