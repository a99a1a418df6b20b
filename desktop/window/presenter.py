"""The one presenter of errors that nobody expected: the log has all of it, the screen a sentence."""

import logging

from core.domain.toast import ToastType
from core.services.outcome import Failed
from core.stores.toasts import Toasts

log = logging.getLogger(__name__)


class Presenter:
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
