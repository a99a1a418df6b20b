"""The templates that can be started, as they were when they were last looked for."""

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal

from core.domain.slash import SlashKind, Titled
from core.services.outcome import Failed
from core.services.slash import SlashService
from desktop.aio import Tasks
from desktop.window.presenter import Presenter


class TemplateList(QObject):
    """Gives what it knows at once, and looks again if it was told that this may be old."""

    changed = Signal()

    def __init__(self, slash: SlashService, tasks: Tasks, presenter: Presenter, parent: QObject) -> None:
        super().__init__(parent)
        self._slash = slash
        self._tasks = tasks
        self._presenter = presenter
        self._known: Sequence[Titled] = ()
        self._is_old = True

    def __call__(self) -> Sequence[Titled]:
        """By title."""
        if self._is_old:
            self._is_old = False
            self._tasks.spawn(self._look(), "list the templates")
        return self._known

    def grow_old(self) -> None:
        """Anybody may have changed them since."""
        self._is_old = True

    async def _look(self) -> None:
        found = await self._slash.titles()
        if isinstance(found, Failed):
            self._is_old = True
            self._presenter.fail(found)
            return
        known = [one for one in found.data if one.kind is SlashKind.TEMPLATE]
        if known != self._known:
            self._known = known
            self.changed.emit()
