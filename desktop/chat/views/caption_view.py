"""The header of a code frame or a table, and the labels within unfolded details."""

from PySide6.QtCore import QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from core.domain.text.hidden import reveal
from desktop.chat.layout.blocks import CaptionBlock, CaptionKind
from desktop.chat.views.view_context import ViewContext
from desktop.theme import Icon
from desktop.widgets import ElidedLabel, IconButton, Label

_HEADER_KINDS = frozenset({CaptionKind.CODE, CaptionKind.TABLE})
_COPIED_MS = 1500


class CaptionView(QWidget):
    """A label at the left, and a copy button at the right if there is something to copy."""

    def __init__(self, context: ViewContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = context.theme
        self._intents = context.intents
        self._block: CaptionBlock | None = None
        self._title = Label("", "secondary", "text", self)
        self._text = ElidedLabel("", "secondary", "muted", parent=self)
        self._copy = IconButton(context.theme, Icon.COPY, parent=self)
        self._copy.clicked.connect(self._on_copy)
        self._restore = QTimer(self, singleShot=True, interval=_COPIED_MS)
        self._restore.timeout.connect(self._offer_copy)

    def show_block(self, block: CaptionBlock) -> None:
        # the check mark must not stay when the view is reused for another frame
        if self._block is None or self._block.group != block.group or self._block.key != block.key:
            self._restore.stop()
        self._block = block
        title = reveal(block.label.title) if block.label is not None else ""
        self._title.setText(title)
        self._title.setVisible(bool(title))
        self._text.setText(self._text_of(block))
        self._text.set_tone("error" if block.kind is CaptionKind.FAILED else "muted")
        self._copy.setVisible(block.group is not None)
        if not self._restore.isActive():
            self._offer_copy()
        self._place()

    def fit(self, width: int) -> int:
        sizes = self._theme.sizes
        if self._block is not None and self._block.group is not None:
            return sizes.control
        return self._text.sizeHint().height() + sizes.space_s

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def _place(self) -> None:
        """Place the children directly: a layout would do it an event later, and a frame would be painted in between."""
        sizes = self._theme.sizes
        is_head = self._block is not None and self._block.kind in _HEADER_KINDS
        left = sizes.space_m + 2 if is_head else 0
        right = self.width() - sizes.space_xs
        if not self._copy.isHidden():
            right -= self._copy.width()
            self._copy.move(right, (self.height() - self._copy.height()) // 2)
        if not self._title.isHidden():
            width = min(self._title.sizeHint().width(), (right - left) * 2 // 3)
            self._title.setGeometry(left, 0, width, self.height())
            left += width + sizes.space_s
        self._text.setGeometry(left, 0, max(0, right - left), self.height())

    def _text_of(self, block: CaptionBlock) -> str:
        text = reveal(block.text)
        match block.kind:
            case CaptionKind.CODE:
                return reveal(block.label.language) if block.label is not None else ""
            case CaptionKind.TABLE:
                return self.tr("Table, %n rows", None, block.count)
            case CaptionKind.ARGUMENTS:
                return self.tr("Arguments")
            case CaptionKind.RESULT:
                return self.tr("Result: {result}").format(result=text)
            case CaptionKind.OUTPUT:
                return self.tr("Output")
            case CaptionKind.TASK:
                return self.tr("Task")
            case CaptionKind.ANSWER:
                return self.tr("Answer")
            case CaptionKind.SKIPPED:
                return self.tr("Skipped: the condition found {value}").format(value=text)
            case CaptionKind.FAILED:
                return text
            case CaptionKind.EARLIER_CALLS:
                return self.tr("%n earlier calls", None, block.count)
            case CaptionKind.MORE_ROWS:
                return self.tr("%n more rows; copying includes them", None, block.count)
            case CaptionKind.NOT_RUN:
                return self.tr("%n steps were not run", None, block.count)
            case CaptionKind.NOTHING:
                return self.tr("Nothing to show yet")

    def _offer_copy(self) -> None:
        is_code = self._block is not None and self._block.kind is CaptionKind.CODE
        self._copy.set_icon(Icon.COPY)
        self._copy.describe(self.tr("Copy code") if is_code else self.tr("Copy"))

    def _on_copy(self) -> None:
        if self._block is not None and self._block.group is not None:
            self._intents.copy.emit(self, self._block.group)
            self._copy.set_icon(Icon.CHECK, "ok")
            self._copy.describe(self.tr("Copied"))
            self._restore.start()
