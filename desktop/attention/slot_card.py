"""A card in the composer's place that sizes itself to its content and handles its own keys (UI §6)."""

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QPoint, QSize, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QFrame, QScrollArea, QSizePolicy, QVBoxLayout, QWidget
from shiboken6 import isValid

from desktop.shortcuts.chords import ENTER_KEYS, chord_of
from desktop.theme import Theme
from desktop.widgets import Adaptive, Button, Paragraph, Surface, column_of
from desktop.widgets.forms.form import FormField


class SlotCard(Adaptive, Surface):
    """Subclasses fill `_column`, with `_scroller` in it, and override `_cancel` and `_submit`. `_actions` are the keys
    that the focused card handles, before the window's shortcuts can take them.
    """

    _column: QVBoxLayout

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("composer", parent=parent)
        self._theme = theme
        self._max_height = 0
        self._actions: dict[str, Callable[[], object]] = {"Esc": self._cancel, "Ctrl+Return": self._submit}
        self._scroller = RequestScrollArea()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    @property
    def has_focus(self) -> bool:
        """Whether the focus is within the card."""
        focus = QApplication.focusWidget()
        return focus is not None and self.isAncestorOf(focus)

    def set_max_height(self, height: int) -> None:
        """Set the maximum height."""
        if height != self._max_height:
            self._max_height = height
            self._fit()

    def event(self, event: QEvent) -> bool:
        is_override = event.type() == QEvent.Type.ShortcutOverride
        if is_override and isinstance(event, QKeyEvent) and chord_of(event) in self._actions:
            event.accept()
            return True
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Handle the keys of the card, and Enter on a button."""
        focus, action = QApplication.focusWidget(), self._actions.get(chord_of(event))
        if action is not None:
            if not event.isAutoRepeat():  # a key that is still held was meant for something else
                action()
        elif event.key() in ENTER_KEYS and isinstance(focus, QAbstractButton) and not event.isAutoRepeat():
            focus.click()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._column.setContentsMargins(sizes.space_l, sizes.space_m, sizes.space_m, sizes.space_m)
        self.setMaximumWidth(sizes.composer)
        self._fit()

    def _cancel(self) -> None:
        raise NotImplementedError

    def _submit(self) -> None:
        raise NotImplementedError

    def _focus_field(self, field: FormField) -> None:
        field.setFocus(Qt.FocusReason.OtherFocusReason)  # unlike with Tab, its text is not selected
        self._scroller.scroll_to(field)

    def _fit(self) -> None:
        """Size the card to its content; beyond the maximum height the page scrolls."""
        around = self._column.contentsMargins()
        inner = self.width() - around.left() - around.right() - 2 * self.frameWidth()
        page_height = self._scroller.content_height(inner)
        column, width = self._column, self.width() - 2 * self.frameWidth()
        # sizeHint ignores wrapping; a wrapped label is taller.
        wraps = column.hasHeightForWidth()  # what is wrapped is taller than its hint
        total = column.totalHeightForWidth(width) if wraps else column.sizeHint().height()
        other = total - self._scroller.sizeHint().height()
        available = max(self._theme.sizes.row, self._max_height - other) if self._max_height else page_height
        self._scroller.set_height(min(page_height, available))


_REVEALED_LINES = 6
_PAGES = (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class RequestScrollArea(QScrollArea):
    """Leaves the page keys to the card, where they switch requests."""

    def __init__(self) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.viewport().setAutoFillBackground(False)
        self._height = 0
        self._revealed: FormField | None = None
        # Zero: after the layouts, which follow an error that is shown now.
        self._later = QTimer(self, singleShot=True, interval=0)
        self._later.timeout.connect(self._reveal)
        self.verticalScrollBar().actionTriggered.connect(self._forget_revealed)

    def show_page(self, page: QWidget | None) -> None:
        """Show this page; the caller owns the previous page again."""
        previous = self.takeWidget()
        if previous is not None and previous is not page:
            # takeWidget leaves the page without a parent: a top-level window if it were shown.
            previous.setParent(self)
            previous.hide()  # by name, or it would come back with this, once that was folded
        if page is not None:
            self.setWidget(page)
            page.setAutoFillBackground(False)
            page.show()
        self._forget_revealed()
        self.verticalScrollBar().setValue(0)

    def content_height(self, width: int) -> int:
        """Return the page's height at this width."""
        page = self.widget()
        layout = page.layout() if page is not None else None
        if page is None or layout is None:
            return 0
        return layout.totalHeightForWidth(width) if layout.hasHeightForWidth() else layout.totalSizeHint().height()

    def set_height(self, height: int) -> None:
        if height != self._height:
            self._height = height
            self.setFixedHeight(height)

    def scroll_to(self, field: FormField) -> None:
        """Keep the focused field in view, from its label and error to the first lines of its editor, until the user
        scrolls or leaves it.
        """
        self._revealed = field
        self._reveal()
        self._later.start()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._later.start()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.widget() and event.type() == QEvent.Type.Resize:
            self._later.start()
        elif watched is self.widget() and event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()  # the card grows with an error, as far as it may
        return super().eventFilter(watched, event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        self._forget_revealed()
        super().wheelEvent(event)

    def _forget_revealed(self) -> None:
        self._revealed = None

    def _reveal(self) -> None:
        page, bar, field, focus = self.widget(), self.verticalScrollBar(), self._revealed, QApplication.focusWidget()
        if page is None or field is None or not isValid(field) or focus is None or not field.isAncestorOf(focus):
            self._revealed = None
            return
        top = field.mapTo(page, QPoint(0, 0)).y()
        editor = field.editor.geometry()
        begun = top + editor.top() + min(editor.height(), _REVEALED_LINES * self.fontMetrics().lineSpacing())
        # Where not all of it fits, the editor and the error beside it matter more than the label.
        bar.setValue(max(min(bar.value(), top), begun - self.viewport().height()))

    def sizeHint(self) -> QSize:
        return QSize(super().sizeHint().width(), self._height)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _PAGES:
            event.ignore()
        else:
            super().keyPressEvent(event)


class ClosedNote(Adaptive, QWidget):
    """Why a request is closed, with a Close button."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._note = Paragraph("", "label")
        self.close_button = Button(theme, "", "secondary")
        self._column = column_of(self, self._note)
        self._column.addWidget(self.close_button, 0, Qt.AlignmentFlag.AlignRight)
        self.adapt_to(theme)

    @property
    def text(self) -> str:
        return self._note.text()

    def set_text(self, text: str) -> None:
        self._note.setText(text)

    def retranslate(self) -> None:
        self.close_button.setText(self.tr("Close"))

    def apply_theme(self) -> None:
        self._column.setSpacing(self._theme.sizes.space_m)
