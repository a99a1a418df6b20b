"""Editor for named values, some of them secret: environment variables or HTTP headers."""

from collections.abc import Collection, Mapping
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLineEdit, QWidget

from core.domain.text.secret_names import is_secret_name
from desktop.theme import Icon, Theme
from desktop.widgets import Adaptive, Button, IconButton, column_of
from desktop.widgets.forms.tab_order import chain_tab_stops, previous_tab_stop

NAME_CHARACTERS = 1000
VALUE_CHARACTERS = 20_000
ROWS = 200


class NameValueRow(Adaptive, QWidget):
    """A name with its value. A saved secret (`is_kept`) is never displayed; an empty value leaves it unchanged."""

    removed = Signal()

    def __init__(self, theme: Theme, name: str, value: str, *, is_kept: bool, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme
        self._original = value
        self._name_label = ""
        self._is_discarded = False
        self._secret_name = name if is_kept else None
        self.name, self.value = QLineEdit(name), QLineEdit("" if is_kept else value)
        self.name.setMaxLength(NAME_CHARACTERS)
        self.value.setMaxLength(VALUE_CHARACTERS)
        self.secret = QCheckBox()
        self.remove = IconButton(theme, Icon.X)
        self._is_decided = is_kept
        self.secret.setChecked(is_kept)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        for column, (widget, share) in enumerate(((self.name, 2), (self.value, 3), (self.secret, 0), (self.remove, 0))):
            self._grid.addWidget(widget, 0, column)
            self._grid.setColumnStretch(column, share)
        self.name.textEdited.connect(self._guess_secret)
        self.name.textEdited.connect(self.retranslate)
        self.secret.clicked.connect(self._on_decided)
        self.secret.toggled.connect(self._hide_value)
        self.remove.clicked.connect(self.removed)
        self._hide_value(is_kept)
        self.adapt_to(theme)

    @property
    def entered_value(self) -> str:
        """The value; for an unchanged secret, its placeholder."""
        if self._secret_name is not None and not self.value.text() and self._secret_name == self.name.text().strip():
            return self._original
        return self.value.text() if self.value.isModified() or self._secret_name is not None else self._original

    @property
    def is_new_secret(self) -> bool:
        return self.secret.isChecked() and bool(self.value.text())

    def set_name_label(self, kind: str) -> None:
        """Set the accessible name of the name field."""
        self._name_label = kind
        self.name.setAccessibleName(kind)

    def discard_secret(self) -> None:
        if self.is_new_secret:
            self.value.setText("")  # unlike clear(), it leaves nothing to be undone
            self.value.setModified(True)
            self._is_discarded = True
            self.retranslate()

    def retranslate(self) -> None:
        name = self.name.text().strip()
        self.name.setAccessibleName(self._name_label)
        self.name.setPlaceholderText(self.tr("Name"))
        self.value.setAccessibleName(self.tr("Value of {name}").format(name=name) if name else self.tr("Value"))
        is_kept = self._secret_name is not None and self._secret_name == name
        text = self.tr("kept, not shown") if is_kept else self.tr("Value")
        self.value.setPlaceholderText(self.tr("forgotten: type it again") if self._is_discarded else text)
        self.secret.setText(self.tr("Secret"))
        self.secret.setAccessibleName(self.tr("{name} is a secret").format(name=name) if name else self.tr("Secret"))
        self.remove.describe(self.tr("Remove {name}").format(name=name) if name else self.tr("Remove"))

    def apply_theme(self) -> None:
        self._grid.setHorizontalSpacing(self._theme.sizes.space_s)

    def _guess_secret(self, name: str) -> None:
        """Mark names that look like secrets as secret, until the user decides."""
        # Once the user has decided, the name no longer matters.
        if not self._is_decided:
            self.secret.setChecked(is_secret_name(name.strip()))

    def _on_decided(self) -> None:
        self._is_decided = True

    def _hide_value(self, is_secret: bool) -> None:
        self.value.setEchoMode(QLineEdit.EchoMode.Password if is_secret else QLineEdit.EchoMode.Normal)
        policy = Qt.ContextMenuPolicy
        self.value.setContextMenuPolicy(policy.NoContextMenu if is_secret else policy.DefaultContextMenu)


class NameValueEditor(Adaptive, QWidget):
    """The rows in their order, and a button that adds a row."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.rows: list[NameValueRow] = []
        self._name_label = ""
        self._add = Button(theme, kind="link", icon=Icon.PLUS, is_small=True)
        self._column = column_of(self)
        self._column.addWidget(self._add, 0, Qt.AlignmentFlag.AlignLeft)
        self._add.clicked.connect(self._on_add)
        self.setFocusProxy(self._add)
        self.adapt_to(theme)

    def set_labels(self, kind: str, add: str) -> None:
        """Set the accessible name of the names and the label of the add button."""
        self._name_label = kind
        self._add.setText(add)
        for row in self.rows:
            row.set_name_label(kind)

    def show_values(self, values: Mapping[str, str], secrets: Collection[str]) -> None:
        """Replace the rows; the values of `secrets` are saved and not displayed."""
        for row in tuple(self.rows):
            self._take_away(row)
        for name, value in values.items():
            self._insert(NameValueRow(self._theme, name, value, is_kept=name in secrets, parent=self))

    def values(self) -> dict[str, str]:
        """Return the values by name, without empty rows."""
        return {
            row.name.text().strip(): row.entered_value
            for row in self.rows
            if row.name.text().strip() or row.entered_value
        }

    def duplicate_name(self) -> str | None:
        """Return a name that occurs twice, or None."""
        names = [row.name.text().strip() for row in self.rows if row.name.text().strip()]
        return next((name for name in names if names.count(name) > 1), None)

    def new_secret_names(self) -> set[str]:
        """Return the names whose values were entered as secrets."""
        return {row.name.text().strip() for row in self.rows if row.is_new_secret}

    def discard_secrets(self) -> None:
        for row in self.rows:
            row.discard_secret()

    def apply_theme(self) -> None:
        self._column.setSpacing(self._theme.sizes.space_xs)

    def _on_add(self) -> None:
        row = NameValueRow(self._theme, "", "", is_kept=False, parent=self)
        self._insert(row)
        row.name.setFocus(Qt.FocusReason.OtherFocusReason)

    def _insert(self, row: NameValueRow) -> None:
        previous = previous_tab_stop(self._add)
        self._column.insertWidget(len(self.rows), row)
        row.show()  # now, not when the layout comes to it: focus may go there
        self.rows.append(row)
        row.set_name_label(self._name_label)
        row.removed.connect(partial(self._on_remove, row))
        chain_tab_stops([previous, row.name, row.value, row.secret, row.remove, self._add])
        self._add.setEnabled(len(self.rows) < ROWS)

    def _on_remove(self, row: NameValueRow) -> None:
        at = self.rows.index(row)
        self._take_away(row)
        neighbour: QWidget = self.rows[min(at, len(self.rows) - 1)].remove if self.rows else self._add
        neighbour.setFocus(Qt.FocusReason.OtherFocusReason)

    def _take_away(self, row: NameValueRow) -> None:
        self.rows.remove(row)
        self._column.removeWidget(row)
        row.hide()
        row.deleteLater()
        self._add.setEnabled(True)
