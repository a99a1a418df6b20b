"""The last change of settings: undo, redo, or retry of a rejected change."""

from PySide6.QtCore import QObject, Signal

from core.services.outcome import Failed
from desktop.settings.sources.setting_sources import (
    Setting,
    SettingChange,
    SettingRefusal,
    SettingsSource,
    SettingValue,
    UndoableAction,
)
from desktop.translation import failure_text

# A spin box emits a change per step, of which a user undoes the sum.
_STEPPED = frozenset(
    {
        Setting.MAX_RUNNING_RUNS,
        Setting.MAX_WORKFLOWS_AUTO,
        Setting.RUN_SPENDING_LIMIT,
        Setting.DAY_SPENDING_LIMIT,
        Setting.STREAM_WRITE_INTERVAL_S,
        Setting.CONSENT_TIMEOUT_S,
        Setting.AUDIT_DAYS,
        Setting.ZOOM,
    }
)


LastChange = SettingChange | SettingRefusal | UndoableAction | None


class UndoHistory(QObject):
    """The last change, which is discarded when its setting is changed elsewhere.

    Consecutive steps of a number count as a single change.
    """

    changed = Signal()

    def __init__(self, settings: SettingsSource, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.last: LastChange = None
        self.is_undone = False
        self._settings = settings
        self._expected: tuple[Setting, SettingValue] | None = None
        settings.applied.connect(self._on_applied)
        settings.refused.connect(self._on_refused)
        settings.changed.connect(self._on_changed)

    @property
    def can_act(self) -> bool:
        match self.last:
            case SettingChange():
                return True
            case SettingRefusal(is_retryable=is_retryable):
                return is_retryable
            case UndoableAction(undo=undo, redo=redo):
                return (redo if self.is_undone else undo) is not None
            case _:
                return False

    def act(self) -> None:
        """Undo the last change, redo it, or retry what was rejected."""
        last = self.last
        if last is None or not self.can_act:
            return
        if isinstance(last, UndoableAction):
            self._reverse(last)
            return
        value = last.former if isinstance(last, SettingChange) and not self.is_undone else last.value
        self._expected = (last.setting, value) if isinstance(last, SettingChange) else None
        self._settings.set(last.setting, value)

    def report(self, text: str, *, is_problem: bool = False) -> None:
        """Show a text without an undo. It is not translated when the language changes."""
        self.record(UndoableAction(lambda _is_undone: text, is_problem=is_problem))

    def report_failure(self, failed: Failed) -> None:
        """Show why a request to a service failed."""
        self.report(failure_text(failed.code, failed.message), is_problem=True)

    def record(self, action: UndoableAction) -> None:
        """Make an action the last change."""
        self._become(action)

    def clear(self) -> None:
        self._become(None)

    def _reverse(self, action: UndoableAction) -> None:
        is_undone = not self.is_undone
        reverse = action.undo if is_undone else action.redo
        if reverse is not None:
            reverse()
        if self.last is action:  # else the reversal has failed at once, and that was reported
            self._become(action, is_undone=is_undone)

    def _on_applied(self, change: SettingChange) -> None:
        last = self.last
        if not isinstance(last, SettingChange) or last.setting is not change.setting:
            self._become(change)
        elif self._expected == (change.setting, change.value):  # our own undo or redo has come true
            self._become(last, is_undone=not self.is_undone)
        elif change.setting in _STEPPED and not self.is_undone:
            merged = SettingChange(change.setting, last.former, change.value)
            self._become(merged if merged.former != merged.value else None)  # stepped back: nothing to undo
        else:
            self._become(change)

    def _on_refused(self, refusal: SettingRefusal) -> None:
        self._become(refusal)

    def _on_changed(self) -> None:
        last = self.last
        if isinstance(last, SettingChange):
            shown = last.former if self.is_undone else last.value
            if self._settings.stored(last.setting) != shown:
                self.clear()

    def _become(self, last: LastChange, *, is_undone: bool = False) -> None:
        self._expected = None
        self.last = last
        self.is_undone = is_undone
        self.changed.emit()
