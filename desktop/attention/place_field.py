"""The field of a schema form for the path of a folder or a file, with a button that opens a file dialog."""

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QWidget

from desktop.attention.field import FieldResult
from desktop.attention.fields import TextField
from desktop.attention.schema import FieldKind, FieldSpec
from desktop.theme import Icon, Theme
from desktop.widgets import Button


class PlaceField(TextField):
    """A path that is typed or chosen. `~` at its beginning is read as the home folder."""

    def __init__(self, theme: Theme, field: FieldSpec) -> None:
        self._is_folder = field.kind is FieldKind.FOLDER
        self._dialog: QFileDialog | None = None
        self._button = Button(theme, "", "secondary", Icon.FOLDER if self._is_folder else Icon.FILE_TEXT)
        super().__init__(theme, field)
        self._button.clicked.connect(self.choose)

    @property
    def button(self) -> Button:
        """The button that opens the file dialog."""
        return self._button

    def read(self) -> FieldResult:
        result = super().read()
        if not isinstance(result.value, str) or not result.value.strip().startswith("~"):
            return result
        try:
            return FieldResult(has_value=True, value=str(Path(result.value.strip()).expanduser()))
        except RuntimeError:  # there is no such user
            return result

    def choose(self) -> None:
        """Open the file dialog without blocking."""
        if self._dialog is not None:
            self._dialog.raise_()
            return
        title = self.tr("Choose a folder") if self._is_folder else self.tr("Choose a file")
        dialog = self._dialog = QFileDialog(self.window(), title, self._line.text())
        dialog.setObjectName("choose_place")
        # A file may not exist yet: it may be the one that is written.
        dialog.setFileMode(QFileDialog.FileMode.Directory if self._is_folder else QFileDialog.FileMode.AnyFile)
        dialog.setOption(QFileDialog.Option.ShowDirsOnly, self._is_folder)
        dialog.fileSelected.connect(self.set_raw_value)
        dialog.finished.connect(self._on_closed)
        self.destroyed.connect(dialog.deleteLater)
        dialog.open()

    def retranslate(self) -> None:
        super().retranslate()
        self._button.setText(self.tr("Choose…"))

    def _set_editor(self, editor: QWidget) -> None:
        super()._set_editor(editor)
        row = QHBoxLayout()
        place = self._column.indexOf(editor)
        self._column.removeWidget(editor)
        row.addWidget(editor, 1)
        row.addWidget(self._button)
        self._column.insertLayout(place, row)

    def _on_closed(self, _result: int) -> None:
        dialog, self._dialog = self._dialog, None
        if dialog is not None:
            dialog.deleteLater()
        self._line.setFocus()
