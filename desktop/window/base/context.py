"""What the content receives from its session, and the presenter of errors."""

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
        ...

    def save(self, state: WindowState) -> None:
        """Save the state of the window. Raises OSError."""
        ...

    def end(self) -> None:
        """Quit as soon as active work is saved."""
        ...
