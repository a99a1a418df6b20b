"""Switch between recently viewed workflows while a key is held (UI §4)."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QModelIndex, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QAbstractItemView, QApplication, QListView, QVBoxLayout, QWidget

from core.domain.ids import WorkflowId
from desktop.shortcuts.command import command
from desktop.theme import Theme
from desktop.widgets import Adaptive, Surface, announce
from desktop.window.base.context import Controller, WindowContext
from desktop.window.base.options import OPTION_ROLE, Option, OptionDelegate
from desktop.window.navigation.history import RecentWorkflows

POPUP_DELAY_MS = 150
"""A key released before this delay is a tap, which shows no list."""
_MOST_ROWS = 9


class RecentList(Adaptive, Surface):
    """The list over the window. It never takes the focus, so the key filter keeps working."""

    clicked = Signal(int)
    """The row."""

    def __init__(self, theme: Theme, window: QWidget) -> None:
        super().__init__("raised", parent=window)
        self.setObjectName("recent")
        self._theme = theme
        self._ground = window
        self._rows = QStandardItemModel(self)
        self._list = QListView(self)
        self._list.setModel(self._rows)
        self._list.setItemDelegate(OptionDelegate(theme, self._list))
        self._list.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self._list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._list.clicked.connect(self._on_clicked)
        self._column = QVBoxLayout(self)
        self._column.addWidget(self._list)
        self._delay = QTimer(self, singleShot=True, interval=POPUP_DELAY_MS)
        self._delay.timeout.connect(self._appear)
        self.hide()
        self.adapt_to(theme)

    def show_soon(self, options: Sequence[Option]) -> None:
        """Show these rows after a short delay."""
        self._rows.clear()
        for option in options:
            item = QStandardItem(option.title)
            item.setData(option, OPTION_ROLE)
            self._rows.appendRow(item)
        self._delay.start()

    def select(self, row: int) -> None:
        """Select this row."""
        self._list.setCurrentIndex(self._rows.index(row, 0))
        announce(self, str(self._rows.index(row, 0).data()))

    def appear_now(self) -> None:
        """Show the list without the rest of the delay."""
        if self._delay.isActive():
            self._delay.stop()
            self._appear()

    def dismiss(self) -> None:
        self._delay.stop()
        self.hide()

    def shown(self) -> list[str]:
        """Return the titles from top to bottom."""
        return [str(self._rows.index(row, 0).data()) for row in range(self._rows.rowCount())]

    def retranslate(self) -> None:
        self.setAccessibleName(self.tr("Viewed last"))
        self._list.setAccessibleName(self.tr("Viewed last"))

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._column.setContentsMargins(sizes.space_s, sizes.space_s, sizes.space_s, sizes.space_s)

    def _appear(self) -> None:
        sizes, ground = self._theme.sizes, self._ground
        margins = self._column.contentsMargins()
        height = sum(self._list.sizeHintForRow(row) for row in range(min(_MOST_ROWS, self._rows.rowCount())))
        height += margins.top() + margins.bottom() + 2 * (self.frameWidth() + self._list.frameWidth())
        width = min(sizes.user_bubble, ground.width() - 2 * sizes.space_l)
        top = max(sizes.space_l, ground.height() // 10)
        height = min(height, ground.height() - top - sizes.space_l)
        self.setGeometry((ground.width() - width) // 2, top, width, height)
        self.show()
        self.raise_()
        self._list.scrollTo(self._list.currentIndex())

    def _on_clicked(self, index: QModelIndex) -> None:
        self.clicked.emit(index.row())


_MODIFIER_KEYS = {
    Qt.Key.Key_Control: Qt.KeyboardModifier.ControlModifier,
    Qt.Key.Key_Meta: Qt.KeyboardModifier.MetaModifier,
    Qt.Key.Key_Alt: Qt.KeyboardModifier.AltModifier,
}
_HOLDABLE_MODIFIERS = (
    Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.MetaModifier | Qt.KeyboardModifier.AltModifier
)
_STEPS = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
_ENTER_KEYS = (Qt.Key.Key_Return, Qt.Key.Key_Enter)


class RecentSwitcher(Controller):
    """An event filter of the application for the keys of one window.

    idle ──(the key, held)──► walking ──(release, Enter, click)──► idle, at another workflow
                                │  ▲ └──(Esc, other key, deactivation)──► idle, unchanged
                                └──┘ the key again, arrows
    """

    def __init__(
        self,
        context: WindowContext,
        recent: RecentWorkflows,
        popup: RecentList,
        is_listed: Callable[[WorkflowId], bool],
        options: Callable[[Sequence[WorkflowId]], list[Option]],
        open_workflow: Callable[[WorkflowId], None],
    ) -> None:
        super().__init__(context)
        self._recent = recent
        self._popup = popup
        self._is_listed = is_listed
        self._options = options
        self._open = open_workflow
        self._modifiers = Qt.KeyboardModifier.NoModifier
        self._holding = Qt.KeyboardModifier.NoModifier
        popup.clicked.connect(self._on_clicked)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.applicationStateChanged.connect(self._forget_modifiers)

    @command("go.recent", 1)
    @command("go.recent_back", -1)
    def step(self, by: int) -> None:
        """Go further back (1) or forward (-1) in the order of last view."""
        recent, is_first = self._recent, not self._recent.is_walking
        if is_first:
            recent.retain(self._is_listed)
        if recent.step(by) is None:
            return
        if not self._modifiers & _HOLDABLE_MODIFIERS:
            # run by a menu, the palette or a custom key without modifier: no release would end the walk
            self._settle()
            return
        if is_first:
            self._holding = self._modifiers & _HOLDABLE_MODIFIERS
            self._popup.show_soon(self._options(recent.order))
        else:
            self._popup.appear_now()
        self._popup.select(recent.place)

    def cancel(self) -> None:
        """End the walk without switching."""
        self._recent.cancel()
        self._popup.dismiss()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if not isinstance(event, QKeyEvent):  # first, since all events of the app pass here
            if self._recent.is_walking and self._is_deactivation(watched, event):
                self.cancel()
            return False
        if event.type() == QEvent.Type.KeyRelease:
            self._on_release(event)
            return False
        # recorded for every key: `step` is called by a shortcut and gets no event
        self._modifiers = event.modifiers()
        return self._recent.is_walking and isinstance(watched, QWidget) and self._on_press(event)

    def _is_deactivation(self, watched: QObject, event: QEvent) -> bool:
        return event.type() == QEvent.Type.WindowDeactivate and watched is self._context.window

    def _forget_modifiers(self) -> None:
        """Forget held modifiers: they may have been released in another program."""
        self._modifiers = Qt.KeyboardModifier.NoModifier

    def _on_release(self, event: QKeyEvent) -> None:
        modifier = _MODIFIER_KEYS.get(Qt.Key(event.key()), Qt.KeyboardModifier.NoModifier)
        self._modifiers &= ~modifier
        # the release of the modifier that held the walk open ends it, as in window switchers of desktops
        if self._recent.is_walking and modifier & self._holding:
            self._settle()

    def _on_press(self, event: QKeyEvent) -> bool:
        """Return whether the key belongs to the list."""
        key = Qt.Key(event.key())
        is_own = key == Qt.Key.Key_Escape or key in _STEPS or key in _ENTER_KEYS
        if event.type() == QEvent.Type.ShortcutOverride:
            if is_own:
                event.accept()
            return is_own
        if key == Qt.Key.Key_Escape:
            self.cancel()
        elif key in _STEPS:
            self.step(_STEPS[key])
        elif key in _ENTER_KEYS:
            self._settle()
        elif key not in _MODIFIER_KEYS and key != Qt.Key.Key_Shift:  # Shift turns the direction of the next step
            self.cancel()
        return is_own

    def _settle(self) -> None:
        reached = self._recent.settle()
        self._popup.dismiss()
        if reached is not None and self._is_listed(reached):
            self._open(reached)

    def _on_clicked(self, row: int) -> None:
        if self._recent.is_walking:
            self._recent.step(row - self._recent.place)
            self._settle()
