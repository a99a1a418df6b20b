"""How a run failed: a description, and what can be done."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from core.domain.text.hidden import reveal
from desktop.chat.layout.blocks import FailureBlock
from desktop.chat.turn_parts import Failure
from desktop.chat.views.chat_strings import failure_advice, failure_title
from desktop.chat.views.view_context import BlockContext, ViewContext
from desktop.theme import Icon
from desktop.widgets import Button, IconLabel, Label, Paragraph

_MAX_LINES = 6


class FailureView(QWidget):
    """An error card, with *Try again* and *Edit message* where the block offers them."""

    def __init__(self, context: ViewContext, parent: QWidget) -> None:
        super().__init__(parent)
        theme = self._theme = context.theme
        self._intents = context.intents
        self._icon = IconLabel(theme, Icon.CIRCLE_X, "sign_error", parent=self)
        self._title = Label("", "row", "error", self)
        self._message = Paragraph("", "label", "text", _MAX_LINES, self)
        self._advice = Paragraph("", "label", "text", parent=self)
        self._place = Label("", "secondary", "muted", self)
        self._retry = Button(theme, "", "secondary", Icon.ROTATE_CCW, is_small=True, parent=self)
        self._edit = Button(theme, "", "secondary", Icon.PENCIL, is_small=True, parent=self)
        self._copy = Button(theme, "", "secondary", Icon.COPY, is_small=True, parent=self)
        self._retry.clicked.connect(self._on_retry)
        self._edit.clicked.connect(self._on_edit)
        self._copy.clicked.connect(self._on_copy)
        self._title.setWordWrap(True)
        self._column, self._header, self._buttons = QVBoxLayout(self), QHBoxLayout(), QHBoxLayout()
        self._build()

    def show_block(self, block: FailureBlock, context: BlockContext) -> None:
        failure = block.failure
        for layout in (self._column, self._header, self._buttons):
            layout.setSpacing(self._theme.sizes.space_s)
        self._title.setText(failure_title(failure))
        self._message.setText("" if failure.is_at_step else reveal(failure.message))
        self._message.setVisible(bool(self._message.text()))
        self._advice.setText(failure_advice(failure))
        self._advice.setVisible(bool(self._advice.text()))
        self._place.setText(self._where(failure))
        self._place.setVisible(bool(self._place.text()))
        self._retry.setText(self.tr("Try again"))
        self._retry.setVisible(context.can_retry)
        self._edit.setText(self.tr("Edit message"))
        self._edit.setVisible(context.can_edit)
        self._copy.setText(self.tr("Copy details"))
        texts = (self._title.text(), self._message.text(), self._advice.text())
        self.setAccessibleName(". ".join(text.rstrip(".") for text in texts if text))

    def fit(self, width: int) -> int:
        self._column.activate()
        return max(self._column.heightForWidth(width), self._column.minimumSize().height())

    def _build(self) -> None:
        self._header.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        self._header.addWidget(self._title, 1)
        for button in (self._retry, self._edit, self._copy):
            self._buttons.addWidget(button)
        self._buttons.addStretch()
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addLayout(self._header)
        for text in (self._message, self._advice, self._place):
            self._column.addWidget(text)
        self._column.addLayout(self._buttons)

    def _where(self, failure: Failure) -> str:
        if failure.step and failure.tool:
            return self.tr("Step {step}, tool {tool}").format(step=failure.step, tool=failure.tool)
        return self.tr("Step {step}").format(step=failure.step) if failure.step else ""

    def _on_retry(self) -> None:
        self._intents.retry.emit(self)

    def _on_edit(self) -> None:
        self._intents.edit.emit(self)

    def _on_copy(self) -> None:
        self._intents.copy_failure.emit(self)
