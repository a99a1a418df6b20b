"""The form of a prompt: its name, what it is for, its text, and what that asks for."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPlainTextEdit, QVBoxLayout, QWidget

from core.domain.ids import PromptId
from core.domain.prompt import (
    CATEGORY_CHARACTERS,
    CONTENT_CHARACTERS,
    DESCRIPTION_CHARACTERS,
    NAME_CHARACTERS,
    Prompt,
    variables_of,
)
from core.services.outcome import Failed
from desktop.settings.form_row import FormRow
from desktop.settings.library import Library
from desktop.settings.prompt_words import refused_prompt_words, variable_words
from desktop.settings.side_by_side import SideBySide
from desktop.theme.theme import Theme
from desktop.translation.formats import number
from desktop.widgets.accessible import announce
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.buttons import Button
from desktop.widgets.labels import Label
from desktop.widgets.paragraph import Paragraph
from desktop.widgets.surfaces import Card
from desktop.widgets.visibility import show_when

_BREAKS = str.maketrans({"\u2028": "\n", "\u2029": "\n"})
_LINES = 8


class PromptForm(Adaptive, Card):
    """`kept` tells of the prompt that was made or changed, `left` that a person is done without."""

    kept = Signal(object)
    left = Signal()

    def __init__(self, theme: Theme, library: Library, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._library = library
        self._prompt_id: PromptId | None = None
        self._title = Label("", "title")
        self._name, self._category, self._description = QLineEdit(), QLineEdit(), QLineEdit()
        for line, most in (
            (self._name, NAME_CHARACTERS),
            (self._category, CATEGORY_CHARACTERS),
            (self._description, DESCRIPTION_CHARACTERS),
        ):
            line.setMaxLength(most)
        self._content = QPlainTextEdit()
        self._content.setTabChangesFocus(True)
        self._variables = Paragraph("", "secondary", "muted", 3)
        self._problem = Paragraph("", "label", "error")
        self._save, self._leave = Button(theme, kind="primary"), Button(theme)
        controls = (self._name, self._category, self._description, self._content)
        self._rows = [FormRow(theme, control) for control in controls]
        self._beside = SideBySide(theme, self._rows[:2])
        self._lay_out()
        self._content.textChanged.connect(self._check)
        self._save.clicked.connect(self._on_save)
        self._leave.clicked.connect(self.left)
        self.adapt_to(theme)
        self.show_prompt(None)

    @property
    def prompt_id(self) -> PromptId | None:
        """Which one is changed; None: a new one."""
        return self._prompt_id

    def show_prompt(self, prompt: Prompt | None) -> None:
        """Show a prompt to be changed; None: a new one."""
        self._prompt_id = prompt.id if prompt is not None else None
        self._name.setText(prompt.name if prompt is not None else "")
        self._category.setText(prompt.category if prompt is not None else "")
        self._description.setText(prompt.description if prompt is not None else "")
        self._content.setPlainText(prompt.content if prompt is not None else "")
        for line in (self._name, self._category, self._description):
            line.setCursorPosition(0)
        self._say("")
        self._name_itself()
        self._check()
        self._save.setEnabled(True)

    def focus_name(self) -> None:
        self._name.setFocus(Qt.FocusReason.OtherFocusReason)
        self._name.selectAll()

    def searched(self) -> str:
        return " ".join([self._title.text(), *(row.name for row in self._rows)])

    def retranslate(self) -> None:
        name, category, description, _ = self._rows
        name.describe(self.tr("Name"))
        category.describe(self.tr("Category"))
        description.describe(self.tr("Description"))
        self._save.setText(self.tr("Save prompt"))
        self._leave.setText(self.tr("Cancel"))
        self._name_itself()
        self._check()

    def dress(self) -> None:
        sizes = self._theme.sizes
        self._column.setContentsMargins(sizes.space_l, sizes.space_m, sizes.space_l, sizes.space_l)
        self._column.setSpacing(sizes.space_m)
        self._buttons.setSpacing(sizes.space_m)
        lines = _LINES * self._content.fontMetrics().lineSpacing()
        self._content.setFixedHeight(lines + 2 * (sizes.space_s + sizes.focus_ring))

    def _lay_out(self) -> None:
        self._column = QVBoxLayout(self)
        self._buttons = QHBoxLayout()
        for widget in (self._title, self._beside, *self._rows[2:], self._variables, self._problem):
            self._column.addWidget(widget)
        self._buttons.addWidget(self._save)
        self._buttons.addWidget(self._leave)
        self._buttons.addStretch()
        self._column.addLayout(self._buttons)
        show_when(self._problem, False)

    def _name_itself(self) -> None:
        self._title.setText(self.tr("New prompt") if self._prompt_id is None else self.tr("Edit prompt"))

    def _text(self) -> str:
        """As it was written: Qt's plain text has no no-break spaces."""
        return self._content.document().toRawText().translate(_BREAKS)

    def _check(self) -> None:
        """Say what the text asks for, how much of its room is taken, and that it is too long."""
        text = self._text()
        length, row = len(text), self._rows[3]
        most = number(CONTENT_CHARACTERS)
        counted = self.tr("{count} of {most} characters").format(count=number(length), most=most)
        row.complain(counted if length > CONTENT_CHARACTERS else "")
        row.describe(self.tr("Text"), counted)
        self._variables.setText(variable_words(variables_of(text[:CONTENT_CHARACTERS])))

    def _say(self, problem: str) -> None:
        self._problem.setText(problem)
        show_when(self._problem, bool(problem))
        if problem:
            announce(self, problem, is_urgent=True)

    def _on_save(self) -> None:
        self._library.spawn(self._keep(), "keep a prompt")

    async def _keep(self) -> None:
        self._save.setEnabled(False)
        try:
            answer = await self._library.prompts.save(
                self._prompt_id,
                name=self._name.text(),
                category=self._category.text(),
                description=self._description.text(),
                content=self._text(),
            )
        finally:
            self._save.setEnabled(True)
        if isinstance(answer, Failed):
            self._say(refused_prompt_words(answer))
            return
        self._say("")
        self.kept.emit(answer.data)
