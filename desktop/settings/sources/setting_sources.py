"""The settings by name, and where they are stored: in the core's database or in the window's state."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from PySide6.QtCore import QObject, Signal

from core.domain.settings import Settings
from core.services.outcome import Failed
from core.services.settings import SettingsService
from desktop.aio import Spawn
from desktop.bind import follow
from desktop.theme import Appearance, Scheme, Theme
from desktop.translation import Language, Translation
from desktop.window_state import WindowState

SettingValue = str | int | float | bool | None


class Setting(StrEnum):
    """Field names of `core.domain.settings.Settings` and of `desktop.window_state.WindowState`."""

    VALIDATION_MODE = "validation_mode"
    MAX_RUNNING_RUNS = "max_running_runs"
    MAX_WORKFLOWS_AUTO = "max_workflows_auto"
    STREAM_WRITE_INTERVAL_S = "stream_write_interval_s"
    ASK_AT_ROUND_LIMIT = "ask_at_round_limit"
    RUN_SPENDING_LIMIT = "run_spending_limit"
    DAY_SPENDING_LIMIT = "day_spending_limit"
    ASK_FOR_TOOLS = "ask_for_tools"
    ASK_FOR_SUB_AGENTS = "ask_for_sub_agents"
    ASK_FOR_MCP = "ask_for_mcp"
    ASK_FOR_FILES = "ask_for_files"
    ASK_FOR_DATABASE = "ask_for_database"
    CONFIRM_HIGH_RISK = "confirm_high_risk"
    LOW_RISK_FREE_IN_SELECTIVE = "low_risk_free_in_selective"
    LOW_RISK_FREE_IN_MANUAL = "low_risk_free_in_manual"
    CONSENT_EXPIRES = "consent_expires"
    CONSENT_TIMEOUT_S = "consent_timeout_s"
    CONSENT_ON_TIMEOUT = "consent_on_timeout"
    AUDIT_DAYS = "audit_days"
    NOTIFY = "notify"
    REMIND_AFTER_MIN = "remind_after_min"
    SCHEME = "scheme"
    LANGUAGE = "language"
    ZOOM = "zoom"
    REDUCED_MOTION = "reduced_motion"
    ENTER_SENDS = "enter_sends"


@dataclass(frozen=True, slots=True)
class SettingChange:
    """A saved change of a setting from `former` to `value`."""

    setting: Setting
    former: SettingValue
    value: SettingValue


@dataclass(frozen=True, slots=True)
class SettingRefusal:
    """A rejected change: the setting did not become `value`. `code` is the reason."""

    setting: Setting
    value: SettingValue
    code: str
    is_retryable: bool


@dataclass(frozen=True, slots=True)
class UndoableAction:
    """An action that was done or failed. `text` returns its text, given whether it is undone; `undo` and `redo` start
    the reverse. Without `undo` it cannot be undone.
    """

    text: Callable[[bool], str]
    undo: Callable[[], object] | None = None
    redo: Callable[[], object] | None = None
    is_problem: bool = False


class SettingsSource(QObject):
    """A store of settings."""

    changed = Signal()
    """The values are to be read again, whoever changed them."""
    applied = Signal(SettingChange)
    """A `set` of this source has come true. `changed` follows."""
    refused = Signal(SettingRefusal)
    """A `set` of this source has not come true. `changed` follows."""

    def has(self, setting: Setting) -> bool:
        raise NotImplementedError

    def value(self, setting: Setting) -> SettingValue:
        """Return the value to display: the last requested value, else the saved value."""
        raise NotImplementedError

    def stored(self, setting: Setting) -> SettingValue:
        """Return the saved value."""
        raise NotImplementedError

    def set(self, setting: Setting, value: SettingValue) -> None:
        """Request a change; emits `applied` or `refused`, maybe later."""
        raise NotImplementedError


class CombinedSettings(SettingsSource):
    """Combines several sources."""

    def __init__(self, *sources: SettingsSource, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._sources = sources
        for source in sources:
            source.changed.connect(self.changed)
            source.applied.connect(self.applied)
            source.refused.connect(self.refused)

    def has(self, setting: Setting) -> bool:
        return any(source.has(setting) for source in self._sources)

    def value(self, setting: Setting) -> SettingValue:
        return self._source_of(setting).value(setting)

    def stored(self, setting: Setting) -> SettingValue:
        return self._source_of(setting).stored(setting)

    def set(self, setting: Setting, value: SettingValue) -> None:
        self._source_of(setting).set(setting, value)

    def _source_of(self, setting: Setting) -> SettingsSource:
        return next(source for source in self._sources if source.has(setting))


class CoreSettings(SettingsSource):
    """Writes one change at a time; of several waiting values for a setting only the newest is written."""

    def __init__(self, service: SettingsService, spawn: Spawn, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._service = service
        self._spawn = spawn
        self._requested: dict[Setting, SettingValue] = {}
        self._is_writing = False
        follow(self, service.changed, self._on_change)

    def has(self, setting: Setting) -> bool:
        return setting in Settings.model_fields

    def value(self, setting: Setting) -> SettingValue:
        return self._requested.get(setting, self.stored(setting))

    def stored(self, setting: Setting) -> SettingValue:
        value: SettingValue = getattr(self._service.current, setting)
        return value

    def set(self, setting: Setting, value: SettingValue) -> None:
        self._requested[setting] = value
        if not self._is_writing:
            self._is_writing = True
            self._spawn(self._write(), "change settings")

    async def _write(self) -> None:
        try:
            while self._requested:
                setting = next(iter(self._requested))
                await self._write_one(setting, self._requested[setting])
        except Exception:  # the owner of the task reports it; controls must show the saved values again
            self._requested.clear()
            self.changed.emit()
            raise
        finally:
            self._is_writing = False

    async def _write_one(self, setting: Setting, value: SettingValue) -> None:
        former = self.stored(setting)
        outcome = await self._service.change(**{setting: value})
        # A newer value may have been requested meanwhile; it is written next.
        if self._requested.get(setting) == value:
            del self._requested[setting]
        if isinstance(outcome, Failed):
            self.refused.emit(SettingRefusal(setting, value, outcome.code, outcome.retryable))
        elif former != value:
            # Nothing to undo if the value was the same.
            self.applied.emit(SettingChange(setting, former, value))
        self.changed.emit()

    def _on_change(self) -> None:
        if not self._is_writing:  # else it may be our own change, for which `_write_one` emits in its turn
            self.changed.emit()


_WINDOW_SETTINGS = frozenset(
    {Setting.SCHEME, Setting.LANGUAGE, Setting.ZOOM, Setting.REDUCED_MOTION, Setting.ENTER_SENDS}
)


class WindowSettings(SettingsSource):
    """`state` returns the current state, which the window changes too; `save` writes a state, or raises OSError without
    a change.
    """

    enter_sends_changed = Signal(bool)

    def __init__(
        self,
        theme: Theme,
        translation: Translation,
        state: Callable[[], WindowState],
        save: Callable[[WindowState], object],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self._translation = translation
        self._state = state
        self._save = save
        theme.changed.connect(self.changed)
        translation.changed.connect(self.changed)

    def has(self, setting: Setting) -> bool:
        return setting in _WINDOW_SETTINGS

    def value(self, setting: Setting) -> SettingValue:
        return self.stored(setting)

    def stored(self, setting: Setting) -> SettingValue:
        value: SettingValue = getattr(self._state(), setting)
        return value

    def set(self, setting: Setting, value: SettingValue) -> None:
        former = self.stored(setting)
        if value == former:
            return
        changes: dict[str, Any] = {setting: value}
        state = replace(self._state(), **changes)
        try:
            self._save(state)
        except OSError:
            self.refused.emit(SettingRefusal(setting, value, "window_state_not_kept", is_retryable=True))
        else:
            self._apply(setting, state)
            self.applied.emit(SettingChange(setting, former, value))
        self.changed.emit()

    def _apply(self, setting: Setting, state: WindowState) -> None:
        if setting is Setting.ENTER_SENDS:
            self.enter_sends_changed.emit(state.enter_sends)
        elif setting is Setting.LANGUAGE:
            self._translation.set_language(Language(state.language))
        else:
            self._theme.set_appearance(Appearance(Scheme(state.scheme), state.zoom, state.reduced_motion))
