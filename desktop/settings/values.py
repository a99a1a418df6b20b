"""What can be set, by name; and what becomes of a setting."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from PySide6.QtCore import QObject, Signal

Value = str | int | float | bool


class Setting(StrEnum):
    """The names of fields of `core.domain.settings.Settings` and of `desktop.window_state.WindowState`."""

    VALIDATION_MODE = "validation_mode"
    MAX_RUNNING_RUNS = "max_running_runs"
    MAX_WORKFLOWS_AUTO = "max_workflows_auto"
    STREAM_WRITE_INTERVAL_S = "stream_write_interval_s"
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
class Change:
    """A setting was `former` and is `value` now, on disk too."""

    setting: Setting
    former: Value
    value: Value


@dataclass(frozen=True, slots=True)
class Refusal:
    """A setting was to be `value`, and is what it was. `code`: why, for the words of the window."""

    setting: Setting
    value: Value
    code: str
    is_retryable: bool


@dataclass(frozen=True, slots=True)
class Deed:
    """Something else that was done, or could not be. `words` says what, in the language of now, and of the argument
    whether it is undone; `undo` and `redo` begin it. Without `undo` there is nothing to be done about it."""

    words: Callable[[bool], str]
    undo: Callable[[], object] | None = None
    redo: Callable[[], object] | None = None
    is_problem: bool = False


class Source(QObject):
    """Where some of the settings are kept."""

    changed = Signal()
    """The values are to be read again, whoever changed them."""
    applied = Signal(Change)
    """A `set` of this source has come true. `changed` follows."""
    refused = Signal(Refusal)
    """A `set` of this source has not come true. `changed` follows."""

    def has(self, setting: Setting) -> bool:
        raise NotImplementedError

    def value(self, setting: Setting) -> Value:
        """What a control shows: what was asked for last, or else what holds."""
        raise NotImplementedError

    def kept(self, setting: Setting) -> Value:
        """What holds now."""
        raise NotImplementedError

    def set(self, setting: Setting, value: Value) -> None:
        """Ask for a value; `applied` or `refused` answers, maybe later."""
        raise NotImplementedError


class AllSettings(Source):
    """Several sources as one."""

    def __init__(self, *sources: Source, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._sources = sources
        for source in sources:
            source.changed.connect(self.changed)
            source.applied.connect(self.applied)
            source.refused.connect(self.refused)

    def has(self, setting: Setting) -> bool:
        return any(source.has(setting) for source in self._sources)

    def value(self, setting: Setting) -> Value:
        return self._of(setting).value(setting)

    def kept(self, setting: Setting) -> Value:
        return self._of(setting).kept(setting)

    def set(self, setting: Setting, value: Value) -> None:
        self._of(setting).set(setting, value)

    def _of(self, setting: Setting) -> Source:
        return next(source for source in self._sources if source.has(setting))
