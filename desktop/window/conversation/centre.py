"""The centre of the window: the start page or the chat (UI §1, §10)."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from desktop.theme import Icon, Theme
from desktop.widgets import Adaptive, Button, Label, Paragraph, Surface
from desktop.window.base.context import WindowContext
from desktop.window.conversation.chat_pane import ChatPane


class StartPage(Adaptive, Surface):
    """Offers the demo (Enter), a language model, the templates, and a folder to work in."""

    demo_requested = Signal()
    model_requested = Signal()
    template_requested = Signal()
    folder_requested = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("canvas", parent=parent)
        self._theme = theme
        self._title = Label("", "heading", parent=self)
        self._text = Paragraph("", parent=self)
        self._note = Paragraph("", parent=self)
        self._demo = Button(theme, "", "primary", Icon.PLAY, parent=self)
        self._model = Button(theme, "", "secondary", Icon.SPARKLES, parent=self)
        self._template = Button(theme, "", "secondary", Icon.WORKFLOW, parent=self)
        self._folder = Button(theme, "", "secondary", Icon.FOLDER, parent=self)
        self._column = QVBoxLayout()
        self._buttons = QGridLayout()
        outer = QHBoxLayout(self)
        outer.addStretch(1)
        outer.addLayout(self._column, 2)
        outer.addStretch(1)
        self._build()
        self.setFocusProxy(self._demo)  # Enter starts the demo as soon as the page is shown
        self._demo.clicked.connect(self.demo_requested)
        self._model.clicked.connect(self.model_requested)
        self._template.clicked.connect(self.template_requested)
        self._folder.clicked.connect(self.folder_requested)
        self.adapt_to(theme)

    @property
    def parts(self) -> tuple[QWidget, ...]:
        """What is read and pressed on the page."""
        return (self._title, self._text, self._note, self._demo, self._model, self._template)

    def retranslate(self) -> None:
        self._title.setText(self.tr("Let several workflows work for you"))
        self._text.setText(
            self.tr(
                "Each runs in the background while you look at another. The demo starts three of them on the built-in "
                "offline agent: no account, no key, no network."
            )
        )
        self._note.setText(
            self.tr("It sets the validation mode to automatic, which you can undo, and can be removed without a trace.")
        )
        self._demo.setText(self.tr("Try the demo"))
        self._model.setText(self.tr("Connect a model"))
        self._template.setText(self.tr("New from template"))
        self._folder.setText(self.tr("Work in a folder…"))

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._column.setSpacing(sizes.space_l)
        self._buttons.setSpacing(sizes.space_m)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Click the focused button on Enter: outside dialogs, Qt handles Space only."""
        focused = self.focusWidget()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and isinstance(focused, Button):
            focused.click()
        else:
            super().keyPressEvent(event)

    def _build(self) -> None:
        self._column.addStretch(2)
        for widget in (self._title, self._text, self._note):
            self._column.addWidget(widget)
        for index, button in enumerate((self._demo, self._model, self._template, self._folder)):
            self._buttons.addWidget(button, index // 2, index % 2)
        self._buttons.setColumnStretch(2, 1)
        self._column.addLayout(self._buttons)
        self._column.addStretch(3)


class Centre(QStackedWidget):
    """The middle of the window: the start page while there are no workflows, else the chat (UI §1).

    Before `settle` it is unknown whether there are workflows, and the chat is shown.
    """

    def __init__(self, context: WindowContext, start: StartPage, chat: ChatPane) -> None:
        super().__init__(context.owner)
        self._start = start
        self._chat = chat
        self._stores = context.stores
        self._is_settled = False
        self._is_new_wanted = False
        self.addWidget(start)
        self.addWidget(chat)

    @property
    def is_chat(self) -> bool:
        return self.currentWidget() is self._chat

    def settle(self) -> None:
        """Allow the start page: the workflows are loaded."""
        self._is_settled = True
        self.show_now()

    def begin_new(self) -> None:
        """Show the chat for a new workflow even while there are none."""
        self._is_new_wanted = True

    def show_now(self) -> None:
        stores = self._stores
        viewed = stores.view.workflow_id
        if viewed is not None:
            self._is_new_wanted = False
        is_empty = viewed is None and not stores.workflows.rows and not stores.background.running_workflows
        is_start = is_empty and self._is_settled and not self._is_new_wanted
        self.setCurrentWidget(self._start if is_start else self._chat)

    def take_focus(self) -> bool:
        """Focus the composer or the start page. Return True, as a step of the Esc chain."""
        if self.is_chat:
            self._chat.focus_composer()
        else:
            self._start.setFocus(Qt.FocusReason.OtherFocusReason)
        return True
