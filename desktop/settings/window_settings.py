"""The settings of the window: they are kept in `window.json` and apply at once."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Signal

from desktop.settings.values import Change, Refusal, Setting, Source, Value
from desktop.theme.palette import Scheme
from desktop.theme.theme import Appearance, Theme
from desktop.translation.languages import Language, Translation
from desktop.window_state import WindowState

_OWN = frozenset({Setting.SCHEME, Setting.LANGUAGE, Setting.ZOOM, Setting.REDUCED_MOTION, Setting.ENTER_SENDS})


class WindowSettings(Source):
    """`state` gives the state of now, since the window changes parts of it too; `save` keeps the one it is given.

    `save` raises OSError where the disk refuses: then nothing has changed.
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
        return setting in _OWN

    def value(self, setting: Setting) -> Value:
        return self.kept(setting)

    def kept(self, setting: Setting) -> Value:
        value: Value = getattr(self._state(), setting)
        return value

    def set(self, setting: Setting, value: Value) -> None:
        former = self.kept(setting)
        if value == former:
            return
        changes: dict[str, Any] = {setting: value}
        state = replace(self._state(), **changes)
        try:
            self._save(state)
        except OSError:
            self.refused.emit(Refusal(setting, value, "window_state_not_kept", is_retryable=True))
        else:
            self._apply(setting, state)
            self.applied.emit(Change(setting, former, value))
        self.changed.emit()

    def _apply(self, setting: Setting, state: WindowState) -> None:
        if setting is Setting.ENTER_SENDS:
            self.enter_sends_changed.emit(state.enter_sends)
        elif setting is Setting.LANGUAGE:
            self._translation.set_language(Language(state.language))
        else:
            self._theme.set_appearance(Appearance(Scheme(state.scheme), state.zoom, state.reduced_motion))
