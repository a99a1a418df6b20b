"""A card in the composer's place that sizes itself to its content and handles its own keys (UI §6)."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, QObject, QPoint, QRect, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QLayout,
    QScrollArea,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from desktop.shortcuts.chords import chord_of, click_by_enter
from desktop.theme import Theme
from desktop.widgets import Adaptive, Button, GrowingText, Paragraph, Surface, column_of
from desktop.widgets.forms.form import FormField


class SlotCard(Adaptive, Surface):
    """Subclasses fill `_column`, with `_scroller` in it, and override `_cancel` and `_submit`. `_actions` are the keys
    that the focused card handles, before the window's shortcuts can take them.
    """

    room_changed = Signal()
    """What the card shows has other limits for its height."""

    _column: QVBoxLayout

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("composer", parent=parent)
        self._theme = theme
        self._max_height = self._usual_height = 0
        self._actions: dict[str, Callable[[], object]] = {"Esc": self._cancel, "Ctrl+Return": self._submit}
        self._is_whole = False
        self._scroller = RequestScrollArea()
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    @property
    def has_focus(self) -> bool:
        """Whether the focus is within the card."""
        focus = QApplication.focusWidget()
        return focus is not None and self.isAncestorOf(focus)

    def set_max_height(self, height: int, usual: int | None = None) -> None:
        """Set the maximum height. Beyond the `usual` height it grows only to show some lines of a long text."""
        heights = (height, height if usual is None else min(usual, height))
        if heights != (self._max_height, self._usual_height):
            self._max_height, self._usual_height = heights
            self._fit()

    def show_whole(self, *, is_whole: bool) -> None:
        """Take the whole pane, or the usual part of it."""
        if is_whole != self._is_whole:
            self._is_whole = is_whole
            self.room_changed.emit()

    @property
    def is_whole(self) -> bool:
        return self._is_whole

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
        action = self._actions.get(chord_of(event))
        if action is not None:
            if not event.isAutoRepeat():  # a key that is still held was meant for something else
                action()
        elif not click_by_enter(event):
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
        total = _height(self._column, self.width() - 2 * self.frameWidth())
        other, least = total - self._scroller.sizeHint().height(), self._theme.sizes.row
        if self._max_height:
            self._scroller.fit(inner, max(least, self._usual_height - other), max(least, self._max_height - other))
        else:
            self._scroller.set_height(self._scroller.content_height(inner))


_REVEALED_LINES = 6
_LEAST_LINES = 6  # of a long text, before the page scrolls
_MOST_TEXTS = 20  # that share the room; more keep their usual height
_PAGES = (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


def _height(layout: QLayout, width: int) -> int:
    """Return the height of a layout at this width; what is wrapped is taller than its hint."""
    return layout.totalHeightForWidth(width) if layout.hasHeightForWidth() else layout.totalSizeHint().height()


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
        self._fitted: tuple[int, int] | None = None
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
        return 0 if layout is None else _height(layout, width)

    def fit(self, width: int, usual: int, most: int) -> None:
        """Be as high as the page at this width, within the `usual` height; up to `most` for some lines of its long
        texts, which share what room there is.
        """
        page = self.widget()
        texts = [text for text in page.findChildren(GrowingText) if text.isVisibleTo(page)] if page is not None else []
        texts = texts[:_MOST_TEXTS]
        self._measure_again(texts)
        # A page that is not laid out yet knows nothing of its texts.
        fixed = max(0, self.content_height(width) - sum(text.sizeHint().height() for text in texts))
        lines_of = {text: text.lines_shown(most // text.fontMetrics().lineSpacing() + 1) for text in texts}
        wishes = {text: text.height_of(lines) for text, lines in lines_of.items()}
        least = {text: min(wish, text.height_of(_LEAST_LINES)) for text, wish in wishes.items()}
        height = min(most, max(usual, fixed + sum(least.values())))
        room, total = height - fixed, fixed
        for number, text in enumerate(sorted(texts, key=lambda text: wishes[text])):
            share = min(wishes[text], max(least[text], room // (len(texts) - number)))
            lines = max(1, (share - text.height_of(0)) // text.fontMetrics().lineSpacing())
            text.set_most_lines(lines)
            room -= text.height_of(lines)
            total += min(wishes[text], text.height_of(lines))
        self._measure_again(texts)
        self._fitted = width, self.content_height(width)
        self.set_height(max(0, min(total, height)))
        if total <= height and self.verticalScrollBar().isVisible():
            # In the width beside the bar the page is higher, so that Qt would keep a bar which is not needed.
            self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
            self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)

    def _measure_again(self, texts: Sequence[QWidget]) -> None:
        """Make the layouts around these texts forget their sizes; by itself Qt does so level by level, and later."""
        for text in texts:
            widget = text.parentWidget()
            while widget is not None and widget is not self.viewport():
                if (layout := widget.layout()) is not None:
                    layout.invalidate()
                widget = widget.parentWidget()

    def shows(self, part: QWidget, lines: int) -> bool:
        """Return whether this many lines of a part of the page are in view, below its title, or all of it."""
        page = self.widget()
        if page is None or not part.isVisible():
            return page is not None and part.isHidden()
        place = QRect(part.mapTo(page, QPoint(0, 0)), part.size())
        seen = place.intersected(QRect(0, self.verticalScrollBar().value(), page.width(), self.viewport().height()))
        return seen.height() >= min(place.height(), (lines + 2) * self.fontMetrics().lineSpacing())

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
        elif watched is self.widget() and event.type() == QEvent.Type.LayoutRequest and not self._is_fitted:
            self.updateGeometry()  # the card grows with an error, as far as it may
        return super().eventFilter(watched, event)

    @property
    def _is_fitted(self) -> bool:
        """Whether the page is as high as when it was fitted: that requests a layout, which must not fit it again."""
        return self._fitted is not None and self.content_height(self._fitted[0]) == self._fitted[1]

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
