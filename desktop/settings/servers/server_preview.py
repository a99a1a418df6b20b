"""Shows the servers of a configuration before they are added: what would run, what is known about it, and the values
that are needed.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QComboBox, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from core.services.mcp_drafts import Choice, ConfigPreview, ServerPreview
from core.services.outcome import Failed
from desktop.settings.servers.configuration_strings import problem_location, problem_text
from desktop.settings.servers.server_strings import launch_summary, launch_warning, printable, server_refusal_text
from desktop.theme import Icon, Theme
from desktop.widgets import Adaptive, IconLabel, Paragraph, column_of, show_when
from desktop.widgets.forms.form import FormField

_MOST_LINES = 200


class ServerPreviewList(Adaptive, QWidget):
    """The servers of a preview, each with a box to choose it, or the problems of a configuration. Emits `changed` when
    the user chooses others.
    """

    changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._preview: ConfigPreview | None = None
        self._rows: dict[str, ServerPreviewRow] = {}
        self._inputs: dict[str, tuple[QLineEdit, FormField]] = {}
        self._column = column_of(self)
        self.adapt_to(theme)
        show_when(self, False)

    @property
    def chosen(self) -> Sequence[str]:
        """The places of the chosen servers."""
        return [place for place, row in self._rows.items() if row.choice is not Choice.SKIP]

    @property
    def understood_text(self) -> str:
        """How many servers were understood."""
        return self.tr("%n server(s) were understood.", "", len(self._rows))

    @property
    def add_text(self) -> str:
        """The label of the button that adds the chosen servers."""
        return self.tr("Add %n server(s)", "", len(self.chosen))

    @property
    def choices(self) -> Mapping[str, Choice]:
        return {place: row.choice for place, row in self._rows.items()}

    @property
    def values(self) -> Mapping[str, str]:
        """The values that were entered, by the id of their input; an optional value may stay empty."""
        return {name: field.text() for name, (field, _) in self._inputs.items() if field.text()}

    @property
    def first_field(self) -> QLineEdit | None:
        return next((field for field, _ in self._inputs.values()), None)

    def clear(self) -> None:
        """Remove all, which may contain secrets."""
        self._preview, self._rows, self._inputs = None, {}, {}
        while (item := self._column.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        show_when(self, False)

    def show_preview(self, preview: ConfigPreview) -> None:
        self.clear()
        self._preview = preview
        for server in preview.servers:
            row = self._rows[server.place] = ServerPreviewRow(self._theme, server)
            row.changed.connect(self.changed)
            self._add(row)
        for problem in preview.pasted.left_out[:_MOST_LINES]:
            self._add(ProblemRow(self._theme, problem_location(problem.place), problem_text(problem.as_dict())))
        for variable in preview.pasted.inputs:
            field = QLineEdit(variable.default or "")
            if variable.is_secret:
                field.setEchoMode(QLineEdit.EchoMode.Password)
                field.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
            entry = FormField.around(self._theme, field)
            about = [
                self.tr("Kept as a secret.") if variable.is_secret else "",
                self.tr("Not set here. It may stay empty if it is set when the server starts.")
                if variable.is_optional
                else "",
            ]
            entry.describe(printable(variable.description or variable.id), " ".join(filter(None, about)))
            self._inputs[variable.id] = (field, entry)
            self._add(entry)
        show_when(self, True)

    def show_problems(self, problems: Sequence[Mapping[str, Any]]) -> None:
        self.clear()
        for problem in problems[:_MOST_LINES]:
            self._add(ProblemRow(self._theme, problem_location(str(problem["place"])), problem_text(problem)))
        show_when(self, True)

    def require_values(self) -> bool:
        """Return whether each value is there that the chosen servers need; else show at its field which is not."""
        assert self._preview is not None
        needed = {each.id for each in self._preview.pasted.only(self.chosen).inputs if not each.is_optional}
        empty = [name for name, (field, _) in self._inputs.items() if name in needed and not field.text()]
        for name, (_, row) in self._inputs.items():
            row.show_error(self.tr("A value is needed.") if name in empty else "")
        if empty:
            self._inputs[empty[0]][0].setFocus()
        return not empty

    def apply_theme(self) -> None:
        self._column.setSpacing(self._theme.sizes.space_s)

    def _add(self, widget: QWidget) -> None:
        self._column.addWidget(widget)
        widget.show()


class ServerPreviewRow(Adaptive, QWidget):
    """A server that was understood, with a box to choose it; if its name is taken, with what to do about that."""

    changed = Signal()

    def __init__(self, theme: Theme, server: ServerPreview) -> None:
        super().__init__()
        self._theme = theme
        self._name = printable(str(server.runs.get("name") or server.place))
        self._is_usable = server.problem is None or server.is_name_taken
        self._box, self._conflict = QCheckBox(self._name), QComboBox()
        self._box.setAccessibleName(self._name)
        self._box.setChecked(server.problem is None)
        self._box.setEnabled(self._is_usable)
        self._row, self._words, self._column = QHBoxLayout(), QVBoxLayout(), QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addWidget(self._box)
        self._column.addLayout(self._row)
        self._row.addLayout(self._words, 1)
        problem = server_refusal_text(Failed.of(server.problem)) if server.problem is not None else ""
        self._words.addWidget(Paragraph(launch_summary(server.runs), "code_small", "muted", 30))
        for note in server.notes:
            self._words.addWidget(Paragraph(problem_text(note.as_dict()), "label", "muted", 6))
        if warning := launch_warning(server.runs):
            self._words.addWidget(Paragraph(warning, "label", "warn", 6))
        if problem:
            self._words.addWidget(Paragraph(problem, "label", "error", 6))
        self._words.addWidget(self._conflict, 0, Qt.AlignmentFlag.AlignLeft)
        show_when(self._conflict, server.is_name_taken)
        self._conflict.addItem("", Choice.REPLACE)
        self._conflict.addItem("", Choice.RENAME)
        self._box.toggled.connect(self._on_toggled)
        self._conflict.currentIndexChanged.connect(self.changed)
        self._conflict.setEnabled(False)
        self._has_conflict = server.is_name_taken
        self.adapt_to(theme)

    @property
    def choice(self) -> Choice:
        if not self._box.isChecked():
            return Choice.SKIP
        return Choice(self._conflict.currentData()) if self._has_conflict else Choice.ADD

    def retranslate(self) -> None:
        self._conflict.setItemText(0, self.tr("Replace the other"))
        self._conflict.setItemText(1, self.tr("Add it with a number"))
        self._conflict.setAccessibleName(self.tr("The name {name} is taken").format(name=self._name))

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._column.setSpacing(0)
        self._row.setContentsMargins(sizes.space_xl, 0, 0, 0)  # under the text of the box
        self._words.setSpacing(sizes.space_xs)
        self._box.setFont(self._theme.font("strong"))

    def _on_toggled(self, is_chosen: bool) -> None:
        self._conflict.setEnabled(is_chosen)
        self.changed.emit()


class ProblemRow(Adaptive, QWidget):
    """A problem with its place, marked by an icon."""

    def __init__(self, theme: Theme, title: str, problem: str) -> None:
        super().__init__()
        self._theme = theme
        # as wide as a box with its space, so that all texts are in line
        self._icon = IconLabel(theme, Icon.TRIANGLE_ALERT, "sign_warn")
        self._row, self._words = QHBoxLayout(self), QVBoxLayout()
        self._row.setContentsMargins(0, 0, 0, 0)
        self._words.addWidget(Paragraph(title, "strong", most_lines=3))
        self._words.addWidget(Paragraph(problem, "label", "muted", 6))
        self._row.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        self._row.addLayout(self._words, 1)
        self.adapt_to(theme)

    def apply_theme(self) -> None:
        self._row.setSpacing(self._theme.sizes.space_xl - self._icon.sizeHint().width())
        self._words.setSpacing(0)
