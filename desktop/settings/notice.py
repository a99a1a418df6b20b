"""The line at the bottom: what has changed, with its undo, or why a change was refused."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QWidget

from desktop.settings.column import center
from desktop.settings.history import History
from desktop.settings.tab_order import chain, stops_in
from desktop.settings.values import Change, Deed, Refusal
from desktop.settings.words import refusal_words, setting_name, value_words
from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.theme.tokens import ColorName
from desktop.widgets.accessible import announce
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.buttons import Button
from desktop.widgets.icon_label import IconLabel
from desktop.widgets.paragraph import Paragraph
from desktop.widgets.surfaces import Surface


class Notice(Adaptive, Surface):
    """Its place is always taken, so that nothing moves. A screen reader is told of each change and refusal."""

    def __init__(self, theme: Theme, history: History, parent: QWidget | None = None) -> None:
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
        stops = stops_in(page)
        if stops:
            chain([stops[-1], self._button])

    def retranslate(self) -> None:
        last = self._history.last
        self._text.setText(self._sentence(last))
        self._text.set_tone("muted" if last is None else "error" if _is_problem(last) else "text")
        self._icon.set_icon(*_sign(last))
        self._button.setText(self._action(last))
        self._button.setVisible(self._history.can_act)
        self._button.setAccessibleDescription(self._text.text())

    def dress(self) -> None:
        sizes = self._theme.sizes
        self._row.setContentsMargins(0, 0, 0, 0)
        self._outer.setContentsMargins(sizes.space_xl, sizes.space_s, sizes.space_xl, sizes.space_s)
        self._column.setMaximumWidth(sizes.chat_column)
        self._row.setSpacing(sizes.space_s)

    def _lay_out(self) -> None:
        self._row.addWidget(self._icon)
        self._row.addWidget(self._text, 1, Qt.AlignmentFlag.AlignVCenter)
        self._row.addWidget(self._button)
        self._outer = center(self._column, self)
        keeps_room = self._button.sizePolicy()
        keeps_room.setRetainSizeWhenHidden(True)
        self._button.setSizePolicy(keeps_room)

    def _follow(self) -> None:
        self.retranslate()
        if self._history.last is not None:
            announce(self, self._text.text())

    def _sentence(self, last: Change | Refusal | Deed | None) -> str:
        if last is None:
            return self.tr("Changes apply at once.")
        if isinstance(last, Refusal):
            return refusal_words(last.code)
        if isinstance(last, Deed):
            return last.words(self._history.is_undone)
        value = last.former if self._history.is_undone else last.value
        words = self.tr("Undone. {setting}: {value}") if self._history.is_undone else self.tr("{setting}: {value}")
        return words.format(setting=setting_name(last.setting), value=value_words(last.setting, value))

    def _action(self, last: Change | Refusal | Deed | None) -> str:
        if isinstance(last, Refusal):
            return self.tr("Try again")
        return self.tr("Redo") if self._history.is_undone else self.tr("Undo")


def _is_problem(last: Change | Refusal | Deed | None) -> bool:
    return isinstance(last, Refusal) or (isinstance(last, Deed) and last.is_problem)


def _sign(last: Change | Refusal | Deed | None) -> tuple[Icon, ColorName]:
    if last is None:
        return Icon.INFO, "muted"
    return (Icon.TRIANGLE_ALERT, "sign_error") if _is_problem(last) else (Icon.CHECK, "sign_ok")
