"""The settings of the core: changed through its service, one after the other, and followed on the bus."""

from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from PySide6.QtCore import QObject

from core.bus import Bus, SettingsChanged, Subscription
from core.domain.settings import Settings
from core.services.outcome import Failed
from core.services.settings import SettingsService
from desktop.settings.values import Change, Refusal, Setting, Source, Value

Spawn = Callable[[Coroutine[Any, Any, None], str], object]
"""Starts a task that somebody owns, by its name."""


class CoreSettings(Source):
    """While one change is written, later ones wait; of several values for a setting the newest is written."""

    def __init__(self, service: SettingsService, bus: Bus, spawn: Spawn, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._service = service
        self._spawn = spawn
        self._wanted: dict[Setting, Value] = {}
        self._is_writing = False
        subscription = bus.subscribe(SettingsChanged, self._on_change)
        self.destroyed.connect(partial(Subscription.close, subscription))

    def has(self, setting: Setting) -> bool:
        return setting in Settings.model_fields

    def value(self, setting: Setting) -> Value:
        return self._wanted.get(setting, self.kept(setting))

    def kept(self, setting: Setting) -> Value:
        value: Value = getattr(self._service.current, setting)
        return value

    def set(self, setting: Setting, value: Value) -> None:
        self._wanted[setting] = value
        if not self._is_writing:
            self._is_writing = True
            self._spawn(self._write(), "change settings")

    async def _write(self) -> None:
        try:
            while self._wanted:
                setting = next(iter(self._wanted))
                await self._write_one(setting, self._wanted[setting])
        except Exception:  # the owner of the task reports it; the controls go back
            self._wanted.clear()
            self.changed.emit()
            raise
        finally:
            self._is_writing = False

    async def _write_one(self, setting: Setting, value: Value) -> None:
        former = self.kept(setting)
        outcome = await self._service.change(**{setting: value})
        if self._wanted.get(setting) == value:
            del self._wanted[setting]
        if isinstance(outcome, Failed):
            self.refused.emit(Refusal(setting, value, outcome.code, outcome.retryable))
        elif former != value:
            self.applied.emit(Change(setting, former, value))
        self.changed.emit()

    def _on_change(self, _message: SettingsChanged) -> None:
        if not self._is_writing:  # else it may be our own, and is told when it is written
            self.changed.emit()
