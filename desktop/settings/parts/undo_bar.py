"""The last change: undone, done again, or tried again where it was refused."""

from collections.abc import Callable

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from desktop.settings.parts.layout import center_column, chain_tab_stops, tab_stops
from desktop.settings.parts.setting_strings import setting_label, setting_refusal_text, value_text
from desktop.settings.sources.setting_sources import (
    Setting,
    SettingChange,
    SettingRefusal,
    SettingsSource,
    SettingValue,
    UndoableAction,
)
from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.theme.tokens import ColorName
from desktop.widgets.accessibility import announce
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.buttons import Button
from desktop.widgets.labels import IconLabel
from desktop.widgets.paragraph import Paragraph
from desktop.widgets.surfaces import Surface

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


class UndoHistory(QObject):
    """`last` is forgotten when somebody else changes its setting. Steps of one number in a row are one change."""

    changed = Signal()

    def __init__(self, settings: SettingsSource, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.last: SettingChange | SettingRefusal | UndoableAction | None = None
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
        """Undo the last change, or redo it if it is undone, or try again what was refused."""
        last = self.last
        if last is None or not self.can_act:
            return
        if isinstance(last, UndoableAction):
            self._do(last, last.redo if self.is_undone else last.undo)
            return
        value = last.former if isinstance(last, SettingChange) and not self.is_undone else last.value
        self._expected = (last.setting, value) if isinstance(last, SettingChange) else None
        self._settings.set(last.setting, value)

    def tell(self, deed: UndoableAction) -> None:
        """This was done last."""
        self._become(deed)

    def forget(self) -> None:
        self._become(None)

    def _do(self, deed: UndoableAction, what: Callable[[], object] | None) -> None:
        is_undone = not self.is_undone
        if what is not None:
            what()
        if self.last is deed:
            self._become(deed, is_undone=is_undone)

    def _on_applied(self, change: SettingChange) -> None:
        last = self.last
        if isinstance(last, SettingChange) and self._expected == (change.setting, change.value):
            self._become(last, is_undone=not self.is_undone)
        elif (
            isinstance(last, SettingChange)
            and last.setting is change.setting
            and change.setting in _STEPPED
            and not self.is_undone
        ):
            self._become(
                SettingChange(change.setting, last.former, change.value) if last.former != change.value else None
            )
        else:
            self._become(change)

    def _on_refused(self, refusal: SettingRefusal) -> None:
        self._become(refusal)

    def _on_changed(self) -> None:
        last = self.last
        if isinstance(last, SettingChange):
            shown = last.former if self.is_undone else last.value
            if self._settings.kept(last.setting) != shown:
                self.forget()

    def _become(self, last: SettingChange | SettingRefusal | UndoableAction | None, *, is_undone: bool = False) -> None:
        self._expected = None
        self.last = last
        self.is_undone = is_undone
        self.changed.emit()


class UndoBar(Adaptive, Surface):
    """Its place is always taken, so that nothing moves. A screen reader is told of each change and refusal."""

    def __init__(self, theme: Theme, history: UndoHistory, parent: QWidget | None = None) -> None:
        super().__init__("canvas", "top", parent)
        self._theme = theme
        self._history = history
        self._icon = IconLabel(theme, Icon.INFO, parent=self)
        self._text = Paragraph("", "label", parent=self)
        self._button = Button(theme, kind="link", parent=self)
        self._button.clicked.connect(history.act)
        self._column = QWidget(self)
        self._row = QHBoxLayout(self._column)
        self._lay_out()
        history.changed.connect(self._follow)
        self.adapt_to(theme)

    @property
    def text(self) -> str:
        return self._text.text()

    def come_after(self, page: QWidget) -> None:
        """Tab comes here from the last control of the page, which was made later."""
        stops = tab_stops(page)
        if stops:
            chain_tab_stops([stops[-1], self._button])

    def retranslate(self) -> None:
        last = self._history.last
        self._text.setText(self._sentence(last))
        self._text.set_tone("muted" if last is None else "error" if _is_problem(last) else "text")
        self._icon.set_icon(*_icon_of(last))
        self._button.setText(self._action(last))
        self._button.setVisible(self._history.can_act)
        self._button.setAccessibleDescription(self._text.text())

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._row.setContentsMargins(0, 0, 0, 0)
        self._outer.setContentsMargins(sizes.space_xl, sizes.space_s, sizes.space_xl, sizes.space_s)
        self._column.setMaximumWidth(sizes.chat_column)
        self._row.setSpacing(sizes.space_s)

    def _lay_out(self) -> None:
        self._row.addWidget(self._icon)
        self._row.addWidget(self._text, 1, Qt.AlignmentFlag.AlignVCenter)
        self._row.addWidget(self._button)
        self._outer = center_column(self._column, self)
        keeps_room = self._button.sizePolicy()
        keeps_room.setRetainSizeWhenHidden(True)
        self._button.setSizePolicy(keeps_room)

    def _follow(self) -> None:
        self.retranslate()
        if self._history.last is not None:
            announce(self, self._text.text())

    def _sentence(self, last: SettingChange | SettingRefusal | UndoableAction | None) -> str:
        if last is None:
            return self.tr("Changes apply at once.")
        if isinstance(last, SettingRefusal):
            return setting_refusal_text(last.code)
        if isinstance(last, UndoableAction):
            return last.words(self._history.is_undone)
        value = last.former if self._history.is_undone else last.value
        words = self.tr("Undone. {setting}: {value}") if self._history.is_undone else self.tr("{setting}: {value}")
        return words.format(setting=setting_label(last.setting), value=value_text(last.setting, value))

    def _action(self, last: SettingChange | SettingRefusal | UndoableAction | None) -> str:
        if isinstance(last, SettingRefusal):
            return self.tr("Try again")
        return self.tr("Redo") if self._history.is_undone else self.tr("Undo")


def _is_problem(last: SettingChange | SettingRefusal | UndoableAction | None) -> bool:
    return isinstance(last, SettingRefusal) or (isinstance(last, UndoableAction) and last.is_problem)


def _icon_of(last: SettingChange | SettingRefusal | UndoableAction | None) -> tuple[Icon, ColorName]:
    if last is None:
        return Icon.INFO, "muted"
    return (Icon.TRIANGLE_ALERT, "sign_error") if _is_problem(last) else (Icon.CHECK, "sign_ok")
