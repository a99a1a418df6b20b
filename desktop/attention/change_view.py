"""What a call does to a file, as its card shows it: the diff, or in words why there is none (UI §6)."""

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from core.domain.file_diff import FileChange
from desktop.theme import Theme
from desktop.translation import diff_rows
from desktop.widgets import Adaptive, DiffSection, Paragraph, column_of, language_of, show_when

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says


class ChangeView(Adaptive, QWidget):
    """Shows the change that a call makes to a file."""

    def __init__(self, theme: Theme, change: FileChange) -> None:
        super().__init__()
        self._theme = theme
        self._change = change
        self._are_secrets_shown = False
        self._words = Paragraph("", "secondary", "warn")
        self._note = Paragraph("", "secondary", "muted")
        self.section = DiffSection(theme, self)
        self._column = column_of(self, self._words, self._note, self.section)
        show_when(self.section, change.diff is not None and bool(change.diff.lines))
        self._fill()
        self.adapt_to(theme)

    @property
    def secrets(self) -> int:
        """The number of secrets in the diff."""
        return sum(len(line.secrets) for line in self._change.diff.lines) if self._change.diff is not None else 0

    def show_secrets(self, *, is_shown: bool) -> None:
        self._are_secrets_shown = is_shown
        self._fill()

    def retranslate(self) -> None:
        change = self._change
        words = change_problem(change) if change.problem is not None else ""
        self._words.setText(words)
        note = ""
        if change.diff is not None and not change.diff.lines:
            note = self.tr("The file stays as it is.")
        elif change.diff is not None and not change.is_certain:
            note = self.tr("Compared with the file of this name on this computer; the server may do something else.")
        self._note.setText(note)
        show_when(self._words, bool(words))
        show_when(self._note, bool(note))
        if change.diff is not None:
            title = self.tr("New file") if change.is_new else self.tr("Changes")
            self.section.describe(title, added=change.diff.added, removed=change.diff.removed)

    def apply_theme(self) -> None:
        self._column.setSpacing(self._theme.sizes.space_xs)

    def _fill(self) -> None:
        if self._change.diff is not None:
            rows = diff_rows(self._change.diff, are_secrets_shown=self._are_secrets_shown)
            self.section.view.show_rows(rows, language_of(self._change.path))


def change_problem(change: FileChange) -> str:
    """Return why a change cannot be shown, or why it will be refused as things are."""
    match change.problem:
        case "changed_since_read":
            return translate("Attention", "The file has changed since the agent read it: the call will be refused.")
        case "not_found":
            return translate("Attention", "There is no such file: the call will be refused.")
        case "no_match" | "several_matches" | "invalid_arguments":
            return translate("Attention", "The edits do not fit the file as it is now: the call will be refused.")
        case "not_text":
            return translate("Attention", "The file is not text, so what changes in it cannot be shown.")
        case "output_too_large":
            return translate("Attention", "The file is too large for its changes to be shown line by line.")
        case _:
            return translate("Attention", "The file cannot be read, so what changes in it cannot be shown.")
