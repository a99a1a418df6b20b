"""The bar below the pages: the last change with its undo button, or why a change was rejected."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QWidget

from desktop.settings.parts.layout import center_column
from desktop.settings.parts.setting_strings import setting_label, setting_refusal_text, value_text
from desktop.settings.sources.setting_sources import SettingRefusal, UndoableAction
from desktop.settings.sources.undo_history import LastChange, UndoHistory
from desktop.theme import Icon, Theme
from desktop.tokens import ColorName
from desktop.widgets import Adaptive, Button, IconLabel, Paragraph, Surface, announce
from desktop.widgets.forms.tab_order import chain_tab_stops, tab_stops


class UndoBar(Adaptive, Surface):
    """Always takes its space, so that the layout stays still. Each change is announced to screen readers."""

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
        history.changed.connect(self._on_changed)
        self.adapt_to(theme)

    @property
    def text(self) -> str:
        return self._text.text()

    def follow_page(self, page: QWidget) -> None:
        """Continue the tab order of a page, which was created later than this bar."""
        stops = tab_stops(page)
        if stops:
            chain_tab_stops([stops[-1], self._button])

    def retranslate(self) -> None:
        last = self._history.last
        self._text.setText(self._text_of(last))
        self._text.set_tone("muted" if last is None else "error" if _is_problem(last) else "text")
        self._icon.set_icon(*_icon_of(last))
        self._button.setText(self._action_label(last))
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
        # The bar must not change its height when the button appears.
        keeps_room = self._button.sizePolicy()
        keeps_room.setRetainSizeWhenHidden(True)
        self._button.setSizePolicy(keeps_room)

    def _on_changed(self) -> None:
        self.retranslate()
        if self._history.last is not None:
            announce(self, self._text.text())

    def _text_of(self, last: LastChange) -> str:
        if last is None:
            return self.tr("Changes apply at once.")
        if isinstance(last, SettingRefusal):
            return setting_refusal_text(last.code)
        if isinstance(last, UndoableAction):
            return last.text(self._history.is_undone)
        value = last.former if self._history.is_undone else last.value
        text = self.tr("Undone. {setting}: {value}") if self._history.is_undone else self.tr("{setting}: {value}")
        return text.format(setting=setting_label(last.setting), value=value_text(last.setting, value))

    def _action_label(self, last: LastChange) -> str:
        if isinstance(last, SettingRefusal):
            return self.tr("Try again")
        return self.tr("Redo") if self._history.is_undone else self.tr("Undo")


def _is_problem(last: LastChange) -> bool:
    return isinstance(last, SettingRefusal) or (isinstance(last, UndoableAction) and last.is_problem)


def _icon_of(last: LastChange) -> tuple[Icon, ColorName]:
    if last is None:
        return Icon.INFO, "muted"
    return (Icon.TRIANGLE_ALERT, "sign_error") if _is_problem(last) else (Icon.CHECK, "sign_ok")
