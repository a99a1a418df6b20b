"""The last change: undone, done again, or tried again where it was refused."""

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from desktop.settings.values import Change, Deed, Refusal, Setting, Source, Value

_STEPPED = frozenset(
    {
        Setting.MAX_RUNNING_RUNS,
        Setting.MAX_WORKFLOWS_AUTO,
        Setting.STREAM_WRITE_INTERVAL_S,
        Setting.CONSENT_TIMEOUT_S,
        Setting.AUDIT_DAYS,
        Setting.ZOOM,
    }
)


class History(QObject):
    """`last` is forgotten when somebody else changes its setting. Steps of one number in a row are one change."""

    changed = Signal()

    def __init__(self, settings: Source, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.last: Change | Refusal | Deed | None = None
        self.is_undone = False
        self._settings = settings
        self._expected: tuple[Setting, Value] | None = None
        settings.applied.connect(self._on_applied)
        settings.refused.connect(self._on_refused)
        settings.changed.connect(self._on_changed)

    @property
    def can_act(self) -> bool:
        match self.last:
            case Change():
                return True
            case Refusal(is_retryable=is_retryable):
                return is_retryable
            case Deed(undo=undo, redo=redo):
                return (redo if self.is_undone else undo) is not None
            case _:
                return False

    def act(self) -> None:
        """Undo the last change, or redo it if it is undone, or try again what was refused."""
        last = self.last
        if last is None or not self.can_act:
            return
        if isinstance(last, Deed):
            self._do(last, last.redo if self.is_undone else last.undo)
            return
        value = last.former if isinstance(last, Change) and not self.is_undone else last.value
        self._expected = (last.setting, value) if isinstance(last, Change) else None
        self._settings.set(last.setting, value)

    def tell(self, deed: Deed) -> None:
        """This was done last."""
        self._become(deed)

    def forget(self) -> None:
        self._become(None)

    def _do(self, deed: Deed, what: Callable[[], object] | None) -> None:
        is_undone = not self.is_undone
        if what is not None:
            what()
        if self.last is deed:
            self._become(deed, is_undone=is_undone)

    def _on_applied(self, change: Change) -> None:
        last = self.last
        if isinstance(last, Change) and self._expected == (change.setting, change.value):
            self._become(last, is_undone=not self.is_undone)
        elif (
            isinstance(last, Change)
            and last.setting is change.setting
            and change.setting in _STEPPED
            and not self.is_undone
        ):
            self._become(Change(change.setting, last.former, change.value) if last.former != change.value else None)
        else:
            self._become(change)

    def _on_refused(self, refusal: Refusal) -> None:
        self._become(refusal)

    def _on_changed(self) -> None:
        last = self.last
        if isinstance(last, Change):
            shown = last.former if self.is_undone else last.value
            if self._settings.kept(last.setting) != shown:
                self.forget()

    def _become(self, last: Change | Refusal | Deed | None, *, is_undone: bool = False) -> None:
        self._expected = None
        self.last = last
        self.is_undone = is_undone
        self.changed.emit()
