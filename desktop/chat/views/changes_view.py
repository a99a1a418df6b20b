"""The files that a run has changed: a line for all, a line for each, and what can be done about one."""

from functools import partial
from pathlib import PurePath

from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from core.domain.changed_files import ChangedFile, FileState, ShownChange, Takeback
from core.domain.text.hidden import reveal
from desktop.chat.layout.blocks import ChangesBlock, FileActionsBlock, FileBlock
from desktop.chat.turn_parts import FileLine
from desktop.chat.views.line_button import Line, LineButton
from desktop.chat.views.view_context import ViewContext
from desktop.theme import Icon
from desktop.translation import line_counts, tool_done
from desktop.widgets import Button, Paragraph

_SIGNS = {FileState.DELETED: Icon.TRASH_2}
_TOOLS = {FileState.WRITTEN: "edit_file", FileState.MOVED: "move_file", FileState.DELETED: "delete_file"}

# To open such a file is to run it, whatever an agent has put into it.
_PROGRAMS = frozenset(
    {
        *(".app", ".appimage", ".bat", ".cmd", ".com", ".command", ".desktop", ".exe", ".hta", ".jar", ".js", ".jse"),
        *(".lnk", ".msi", ".pif", ".ps1", ".reg", ".run", ".scr", ".sh", ".url", ".vbe", ".vbs", ".workflow", ".wsf"),
    }
)


class ChangesView(LineButton):
    def show_block(self, block: ChangesBlock) -> None:
        files = [current(line) for line in block.lines]
        line = Line(
            Icon.FILE_PEN_LINE,
            "muted",
            self.tr("%n files changed", None, len(files)),
            reveal(", ".join(dict.fromkeys(PurePath(file.path).name for file in files))),
            line_counts(sum(file.added for file in files), sum(file.removed for file in files)),
            "ok",
        )
        self.set_line(line, is_unfolded=block.is_unfolded)


class FileView(LineButton):
    def show_block(self, block: FileBlock) -> None:
        file, shown = current(block.line), block.line.shown
        is_undone = shown is not None and shown.takeback is Takeback.REDO
        line = Line(
            _SIGNS.get(file.state, Icon.FILE_PEN_LINE),
            "muted",
            tool_done(_TOOLS[file.state]) if file.state in _TOOLS else self.tr("Created"),
            reveal(_place(file)),
            self.tr("Undone") if is_undone else line_counts(file.added, file.removed),
            "muted" if is_undone else "ok",
        )
        self.set_line(line, is_unfolded=block.is_unfolded)


class FileActionsView(QWidget):
    """Opens the file or its folder, and undoes the change; says why where that is not possible."""

    def __init__(self, context: ViewContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme, self._intents = context.theme, context.intents
        self._undo = self._button(Icon.UNDO_2, "undo")
        self._redo = self._button(Icon.REDO_2, "redo")
        self._open = self._button(Icon.FILE_TEXT, "open")
        self._folder = self._button(Icon.FOLDER, "folder")
        self._note = Paragraph("", "secondary", "muted", parent=self)
        self._buttons, self._column = QHBoxLayout(), QVBoxLayout(self)
        for button in (self._undo, self._redo, self._open, self._folder):
            self._buttons.addWidget(button)
        self._buttons.addStretch()
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.addWidget(self._note)
        self._column.addLayout(self._buttons)

    def show_block(self, block: FileActionsBlock) -> None:
        file, takeback = block.change.file, block.change.takeback
        self._column.setSpacing(self._theme.sizes.space_s)
        self._buttons.setSpacing(self._theme.sizes.space_s)
        is_there = file.state not in (FileState.CREATED, FileState.DELETED) or (
            (file.state is FileState.DELETED) is (takeback is Takeback.REDO)
        )
        self._undo.setText(self.tr("Undo this change"))
        self._undo.setVisible(takeback is Takeback.UNDO)
        self._redo.setText(self.tr("Do it again"))
        self._redo.setVisible(takeback is Takeback.REDO)
        self._open.setText(self.tr("Open file"))
        self._open.setVisible(is_there and PurePath(file.path).suffix.lower() not in _PROGRAMS)
        self._folder.setText(self.tr("Open folder"))
        notes = [self._no_diff(file) if not block.has_diff else "", self._no_takeback(block.change)]
        self._note.setText(" ".join(filter(None, notes)))
        self._note.setVisible(bool(self._note.text()))
        self.setAccessibleName(self._note.text())

    def fit(self, width: int) -> int:
        self._column.activate()
        return max(self._column.heightForWidth(width), self._column.minimumSize().height())

    def _no_diff(self, file: ChangedFile) -> str:
        if file.before is not None and file.before == file.after:
            return ""
        return self.tr("Nothing to compare: the file is empty, is not text, or is too large.")

    def _no_takeback(self, change: ShownChange) -> str:
        match change.takeback:
            case Takeback.CHANGED if change.changed_by is not None:
                text = self.tr("“{title}” has changed the file since, so this change cannot be undone.")
                return text.format(title=reveal(change.changed_by))
            case Takeback.CHANGED:
                return self.tr("The file has changed since, so this change cannot be undone.")
            case Takeback.GONE:
                return self.tr("No copy of the file is kept, so this change cannot be undone.")
            case Takeback.UNDO | Takeback.REDO:
                return ""

    def _button(self, icon: Icon, action: str) -> Button:
        button = Button(self._theme, "", "secondary", icon, is_small=True, parent=self)
        button.clicked.connect(partial(self._intents.file.emit, self, action))
        return button


def current(line: FileLine) -> ChangedFile:
    """Return the file with its lines counted as one change, once they are."""
    return line.file if line.shown is None else line.shown.file


def _place(file: ChangedFile) -> str:
    """Return the name of the file with that of its folder; of a moved file, both places."""
    place = "/".join(PurePath(file.path).parts[-2:])
    return place if file.was_at is None else f"{PurePath(file.was_at).name} → {place}"
