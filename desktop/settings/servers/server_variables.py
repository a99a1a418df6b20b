"""Asks for the values that a server lacks at its start."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from core.domain.mcp_server import ServerState, ServerStatus
from core.domain.text.secret_names import is_secret_name
from desktop.settings.servers.server_strings import printable
from desktop.theme import Icon, Theme
from desktop.widgets import Adaptive, Button, column_of, show_when
from desktop.widgets.forms.form import FormField

VALUE_CHARACTERS = 20_000


class ServerVariablesPanel(Adaptive, QWidget):
    """A field for each variable that is not set, behind a button. Emits `filled` with the values by name. Hidden if
    the server lacks none.
    """

    filled = Signal(dict)

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._name = ""
        self._fields: dict[str, tuple[QLineEdit, FormField]] = {}
        self._open = Button(theme, kind="primary", icon=Icon.PENCIL, is_small=True)
        self._save = Button(theme, kind="primary", is_small=True)
        self._box = QWidget(self)
        self._box_column = column_of(self._box)
        self._column = column_of(self)
        self._column.addWidget(self._open, 0, Qt.AlignmentFlag.AlignLeft)
        self._column.addWidget(self._box)
        self._column.addWidget(self._save, 0, Qt.AlignmentFlag.AlignLeft)
        self._open.clicked.connect(self._on_open)
        self._save.clicked.connect(self._on_save)
        self.adapt_to(theme)
        self._show_fields(False)
        show_when(self, False)

    def show_status(self, status: ServerStatus) -> None:
        self._name = status.server.name
        error = status.error if status.state is ServerState.FAILED else None
        names = error.parameters.get("variables") if error is not None else None
        names = [str(name) for name in names] if isinstance(names, list | tuple) else []
        # what the user types must not vanish when the list is shown again
        if names != list(self._fields):
            self._make_fields(names)
        show_when(self, bool(names))
        self.retranslate()

    def retranslate(self) -> None:
        self._open.setText(self.tr("Fill in…"))
        self._open.setAccessibleName(self.tr("Fill in what {name} needs").format(name=self._name))
        self._save.setText(self.tr("Use these values"))
        for name, (_, field) in self._fields.items():
            field.describe(printable(name), self.tr("It is kept with the server, as a secret if this system can."))

    def apply_theme(self) -> None:
        self._column.setSpacing(self._theme.sizes.space_s)
        self._box_column.setSpacing(self._theme.sizes.space_s)

    def _make_fields(self, names: Sequence[str]) -> None:
        while (item := self._box_column.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        self._fields = {}
        for name in names:
            editor = QLineEdit()
            editor.setMaxLength(VALUE_CHARACTERS)
            if is_secret_name(name):
                editor.setEchoMode(QLineEdit.EchoMode.Password)
                editor.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
            editor.returnPressed.connect(self._on_save)
            field = FormField.around(self._theme, editor)
            self._fields[name] = (editor, field)
            self._box_column.addWidget(field)
            field.show()
        self._show_fields(False)

    def _show_fields(self, is_open: bool) -> None:
        show_when(self._box, is_open)
        show_when(self._save, is_open)
        show_when(self._open, not is_open)

    def _on_open(self) -> None:
        self._show_fields(True)
        first = next(iter(self._fields.values()), None)
        if first is not None:
            first[0].setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_save(self) -> None:
        for editor, field in self._fields.values():
            field.show_error("" if editor.text() else self.tr("A value is needed."))
        empty = next((editor for editor, _ in self._fields.values() if not editor.text()), None)
        if empty is not None:
            empty.setFocus(Qt.FocusReason.OtherFocusReason)
            return
        self.filled.emit({name: editor.text() for name, (editor, _) in self._fields.items()})
