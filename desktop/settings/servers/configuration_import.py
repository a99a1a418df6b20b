"""Servers from the configuration of another app: what was understood is shown first, and added whole."""

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QMimeData, Qt, Signal
from PySide6.QtGui import QTextCursor
from PySide6.QtWidgets import QHBoxLayout, QLineEdit, QPlainTextEdit, QVBoxLayout, QWidget

from core.services.mcp_drafts import ConfigPreview, ServerPreview
from core.services.outcome import Failed
from desktop.settings.parts.form import FormRow
from desktop.settings.servers.server_strings import (
    launch_summary,
    printable,
    problem_location,
    problem_text,
    server_refusal_text,
)
from desktop.settings.sources.context import ServersContext
from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.widgets.accessibility import announce
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.buttons import Button
from desktop.widgets.labels import IconLabel, Label
from desktop.widgets.paragraph import Paragraph
from desktop.widgets.surfaces import Card
from desktop.widgets.visibility import show_when

PASTE_CHARACTERS = 1_000_000
_MOST_LINES = 200


class ConfigurationImport(Adaptive, Card):
    """`added` tells how those are that were added, `looked` that something was said of the text,
    `left` that a person is done without."""

    added = Signal(list)
    looked = Signal()
    left = Signal()

    def __init__(self, theme: Theme, servers: ServersContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._servers = servers
        self._looked: ConfigPreview | None = None
        self._asked = 0
        self._is_adding = False
        self._title = Label("", "title")
        self._text = ConfigurationEditor()
        self._text.setTabChangesFocus(True)
        self._text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self._row = FormRow(theme, self._text)
        self._look, self._add, self._leave = (Button(theme), Button(theme, kind="primary"), Button(theme))
        self._sentence = Paragraph("", "label")
        self._found = QWidget(self)
        self._found_column = QVBoxLayout(self._found)
        self._found_column.setContentsMargins(0, 0, 0, 0)
        self._inputs: dict[str, tuple[QLineEdit, FormRow]] = {}
        self._column, self._buttons = QVBoxLayout(self), QHBoxLayout()
        for widget in (self._title, self._row, self._sentence, self._found):
            self._column.addWidget(widget)
        for button in (self._look, self._add, self._leave):
            self._buttons.addWidget(button)
        self._buttons.addStretch()
        self._column.addLayout(self._buttons)
        self._text.textChanged.connect(self._on_edit)
        self._text.refused.connect(self._on_refused)
        self._look.clicked.connect(self._on_look)
        self._add.clicked.connect(self._on_add)
        self._leave.clicked.connect(self.left)
        self.adapt_to(theme)
        self.clear()

    def clear(self) -> None:
        """Forget what was pasted: there may be secrets in it."""
        self._text.setPlainText("")
        self._forget()

    @property
    def sentence(self) -> QWidget:
        """Where it is said what was understood."""
        return self._sentence

    def focus_text(self) -> None:
        self._text.setFocus(Qt.FocusReason.OtherFocusReason)

    def searched(self) -> str:
        return f"{self._title.text()} mcpServers JSON YAML"

    def retranslate(self) -> None:
        self._title.setText(self.tr("Paste a configuration"))
        self._row.describe(
            self.tr("Configuration"),
            self.tr(
                "JSON or YAML of another app: mcpServers, servers with inputs, context_servers, extensions. It is read "
                "and shown; nothing runs by it."
            ),
        )
        self._look.setText(self.tr("Read it"))
        self._leave.setText(self.tr("Cancel"))
        self._name_add()

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._column.setContentsMargins(sizes.space_l, sizes.space_m, sizes.space_l, sizes.space_l)
        self._column.setSpacing(sizes.space_m)
        self._buttons.setSpacing(sizes.space_m)
        self._found_column.setSpacing(sizes.space_s)
        self._text.setFixedHeight(3 * sizes.row)
        self._text.setFont(self._theme.font("code"))

    # Reading

    def _on_edit(self) -> None:
        if self._looked is not None or self._sentence.text():
            self._forget()
        self._look.setEnabled(bool(self._text.toPlainText().strip()))

    def _on_refused(self) -> None:
        self._say(self.tr("This is too long to be a configuration: it was not pasted."), is_bad=True)

    def _forget(self) -> None:
        """What was understood is of another text."""
        self._asked += 1
        self._looked = None
        self._inputs = {}
        while (item := self._found_column.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        show_when(self._found, False)
        show_when(self._add, False)
        self._say("")
        self._look.setEnabled(bool(self._text.toPlainText().strip()))

    def _on_look(self) -> None:
        self._forget()
        self._servers.spawn(self._read(self._asked, self._text.toPlainText()), "read a configuration")

    async def _read(self, number: int, text: str) -> None:
        answer = await self._servers.service.preview(text)
        if number != self._asked:  # it was changed meanwhile
            return
        if isinstance(answer, Failed):
            self._show_refusal(answer)
            return
        self._looked = answer.data
        self._show_looked(answer.data)

    def _show_looked(self, looked: ConfigPreview) -> None:
        for one in looked.servers:
            self._list(_name(one), launch_summary(one.runs), _problem(one))
        for skipped in looked.pasted.skipped:
            self._list(self.tr("Left out"), printable(skipped), "")
        for wanted in looked.pasted.inputs:
            field = QLineEdit(wanted.default or "")
            if wanted.is_secret:
                field.setEchoMode(QLineEdit.EchoMode.Password)
                field.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
            row = FormRow(self._theme, field)
            about = self.tr("Kept as a secret.") if wanted.is_secret else ""
            row.describe(printable(wanted.description or wanted.id), about)
            self._inputs[wanted.id] = (field, row)
            self._put(row)
        show_when(self._found, True)
        is_bad = any(one.problem is not None for one in looked.servers)
        count = self.tr("%n server(s) were understood.", "", len(looked.servers))
        if is_bad:
            self._say(self.tr("Nothing can be added yet: mend what is said below, and read it again."), is_bad=True)
        elif looked.pasted.inputs:
            self._say(f"{count} " + self.tr("Values are needed from you, below."))
        else:
            self._say(f"{count} " + self.tr("Nothing runs before you allow it."))
        self._name_add()
        show_when(self._add, not is_bad)
        if not is_bad:
            self._text.show_beginning()
            first: QWidget = next(iter(self._inputs.values()))[0] if self._inputs else self._add
            first.setFocus(Qt.FocusReason.OtherFocusReason)
        self.looked.emit()

    def _show_refusal(self, failed: Failed) -> None:
        """Each problem with its place."""
        problems: Sequence[dict[str, Any]] = failed.details.get("problems") or ()
        if not problems:
            self._say(server_refusal_text(failed), is_bad=True)
            return
        self._say(self.tr("It cannot be used as it is. Nothing was added."), is_bad=True)
        for one in problems[:_MOST_LINES]:
            self._list(problem_location(str(one["place"])), "", problem_text(one))
        show_when(self._found, True)
        self.looked.emit()

    def _list(self, title: str, words: str, problem: str) -> None:
        self._put(PreviewRow(self._theme, title, words, problem))

    def _put(self, widget: QWidget) -> None:
        self._found_column.addWidget(widget)
        widget.show()

    def _say(self, words: str, *, is_bad: bool = False) -> None:
        self._sentence.setText(words)
        self._sentence.set_tone("error" if is_bad else "text")
        show_when(self._sentence, bool(words))
        if words:
            announce(self, words, is_urgent=is_bad)

    # Adding

    def _name_add(self) -> None:
        self._add.setText(self.tr("Add %n server(s)", "", len(self._looked.servers) if self._looked is not None else 0))

    def _on_add(self) -> None:
        if self._looked is None or self._is_adding:
            return
        empty = [row for field, row in self._inputs.values() if not field.text()]
        for _, row in self._inputs.values():
            row.complain(self.tr("A value is needed.") if row in empty else "")
        if empty:
            next(field for field, row in self._inputs.values() if row is empty[0]).setFocus()
            return
        values = {name: field.text() for name, (field, _) in self._inputs.items()}
        self._is_adding = True
        self._servers.spawn(self._keep(self._looked, values), "add MCP servers")

    async def _keep(self, looked: ConfigPreview, values: dict[str, str]) -> None:
        try:
            answer = await self._servers.service.add(looked.pasted, values)
        finally:
            self._is_adding = False
        if isinstance(answer, Failed):
            self._text.setFocus(Qt.FocusReason.OtherFocusReason)
            self._forget()
            self._show_refusal(answer)
            return
        self.clear()
        self.added.emit(answer.data)


class ConfigurationEditor(QPlainTextEdit):
    """`refused` tells of a paste that is too long to be laid out while somebody waits. What is pasted into nothing is
    shown from its beginning."""

    refused = Signal()

    def insertFromMimeData(self, source: QMimeData) -> None:
        if len(source.text()) > PASTE_CHARACTERS:
            self.refused.emit()
            return
        was_empty = self.document().isEmpty()
        super().insertFromMimeData(source)
        if was_empty:
            self.show_beginning()

    def show_beginning(self) -> None:
        self.moveCursor(QTextCursor.MoveOperation.Start)


class PreviewRow(Adaptive, QWidget):
    """A server that was understood, or a problem: said in words and by an icon."""

    def __init__(self, theme: Theme, title: str, words: str, problem: str) -> None:
        super().__init__()
        self._theme = theme
        is_bad = bool(problem)
        self._icon = IconLabel(theme, *((Icon.TRIANGLE_ALERT, "sign_error") if is_bad else (Icon.CHECK, "sign_ok")))
        self._row, self._words = QHBoxLayout(self), QVBoxLayout()
        self._row.setContentsMargins(0, 0, 0, 0)
        self._words.addWidget(Paragraph(title, "strong", most_lines=3))
        if words:
            self._words.addWidget(Paragraph(words, "code_small", "muted", 30))
        if problem:
            self._words.addWidget(Paragraph(problem, "label", "error", 6))
        self._row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        self._row.addLayout(self._words, 1)
        self.adapt_to(theme)

    def apply_theme(self) -> None:
        self._row.setSpacing(self._theme.sizes.space_s)
        self._words.setSpacing(0)


def _name(one: ServerPreview) -> str:
    return printable(str(one.runs.get("name") or one.place))


def _problem(one: ServerPreview) -> str:
    return server_refusal_text(Failed.of(one.problem)) if one.problem is not None else ""
