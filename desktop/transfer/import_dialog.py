"""The preview of an import: what comes in, what is here already, and what has to be done afterwards (UI §8)."""

from collections.abc import Iterator

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import (
    QButtonGroup,
    QCheckBox,
    QDialog,
    QFrame,
    QHBoxLayout,
    QProgressBar,
    QRadioButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from core.services.import_export.exporting import Kind
from core.services.import_export.library import CONSENT_SETTINGS, ImportItem, OnConflict
from core.services.import_export.service import ImportPreview
from desktop.theme import Theme
from desktop.transfer.transfer_strings import counts_text, kind_name
from desktop.widgets import Adaptive, Banner, Button, Paragraph, show_when

MAX_LISTED = 100


class ImportDialog(Adaptive, QDialog):
    """Not modal. `changed` is emitted when the user chooses otherwise, and `confirmed` to import; `show_preview` then
    shows what the choice means. Closing it while it imports cancels the import.
    """

    changed = Signal()
    confirmed = Signal()
    cancelled = Signal()

    def __init__(self, theme: Theme, preview: ImportPreview, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._preview = preview
        self._is_importing = False
        self.setObjectName("import_preview")
        self.setModal(False)
        self._intro = Paragraph("", "label", "muted")
        self.kinds = {kind: QCheckBox() for kind in Kind if kind in preview.contents.kinds}
        self._conflicts_title = Paragraph("", "strong")
        self._conflicts = Paragraph("", "secondary", "muted")
        self._group = QButtonGroup(self)
        self.choices = {choice: QRadioButton() for choice in OnConflict}
        self._consent = Banner(theme, "warning")
        self._notes = Paragraph("", "label")
        self._failed = Paragraph("", "label", "error")
        self._progress = QProgressBar()
        self.cancel = Button(theme)
        self.confirm = Button(theme, kind="primary")
        self._column, self._footer, self._body_column = QVBoxLayout(self), QHBoxLayout(), QVBoxLayout()
        self._build()
        self.adapt_to(theme)
        self._set_size()

    @property
    def on_conflict(self) -> OnConflict:
        """What is chosen for what is here already, and different."""
        return next(choice for choice, button in self.choices.items() if button.isChecked())

    @property
    def chosen_kinds(self) -> frozenset[Kind]:
        return frozenset(kind for kind, box in self.kinds.items() if box.isChecked())

    @property
    def failure(self) -> str:
        """Why the import failed."""
        return self._failed.text()

    def show_preview(self, preview: ImportPreview) -> None:
        """Show what the present choice means."""
        self._preview = preview
        self.retranslate()

    def show_progress(self, done: int, total: int) -> None:
        """Show that it imports: `done` of `total` workflows are written."""
        self._is_importing = True
        self._progress.setRange(0, total)
        self._progress.setValue(done)
        self._enable(False)
        show_when(self._progress, True)

    def fail(self, problem: str) -> None:
        """Show why the import failed: nothing was changed."""
        self._is_importing = False
        self._failed.setText(problem)
        self._enable(True)
        show_when(self._progress, False)
        show_when(self._failed, bool(problem))
        self.confirm.setFocus()

    def reject(self) -> None:
        if self._is_importing:
            self.cancelled.emit()
        super().reject()

    def retranslate(self) -> None:
        preview = self._preview
        self.setWindowTitle(self.tr("Import"))
        self._intro.setText(
            self.tr("From “{file}”. All of it comes in, or nothing; nothing of it is started.").format(
                file=preview.path.name
            )
        )
        for kind, box in self.kinds.items():
            counts = counts_text(preview.counts.get(kind, {})) or self.tr("left out")
            box.setText(f"{kind_name(kind)} · {counts}")
        self._conflicts_title.setText(self.tr("%n items are here already, and different:", "", preview.conflicts))
        self._conflicts.setText(self._listed_conflicts())
        self.choices[OnConflict.SKIP].setText(self.tr("Keep what is here"))
        self.choices[OnConflict.OVERWRITE].setText(self.tr("Replace what is here"))
        self.choices[OnConflict.RENAME].setText(self.tr("Keep both, under another name"))
        self._consent.set_text(
            self.tr("Some of these settings decide what runs without asking: {names}").format(
                names=", ".join(self._loosened())
            )
        )
        self._notes.setText("\n".join(self._note_lines()))
        self._progress.setAccessibleName(self.tr("Importing"))
        self.cancel.setText(self.tr("Cancel"))
        self.confirm.setText(self.tr("Import"))
        has_conflicts = preview.conflicts > 0
        for part in (self._conflicts_title, self._conflicts, *self.choices.values()):
            show_when(part, has_conflicts)
        show_when(self._consent, bool(self._loosened()) and self.on_conflict is OnConflict.OVERWRITE)
        show_when(self._notes, bool(self._notes.text()))
        self.confirm.setEnabled(bool(self.chosen_kinds) and not self._is_importing)

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._column.setContentsMargins(sizes.space_xl, sizes.space_l, sizes.space_xl, sizes.space_l)
        for layout in (self._column, self._body_column, self._footer):
            layout.setSpacing(sizes.space_s)

    def _build(self) -> None:
        body = QWidget()
        body.setLayout(self._body_column)
        self._body_column.setContentsMargins(0, 0, 0, 0)
        for kind, box in self.kinds.items():
            box.setObjectName(f"import_{kind}")
            box.setChecked(True)
            box.toggled.connect(self.changed)
            self._body_column.addWidget(box)
        for part in (self._conflicts_title, self._conflicts):
            self._body_column.addWidget(part)
        for choice, button in self.choices.items():
            button.setObjectName(f"import_{choice}")
            self._group.addButton(button)
            self._body_column.addWidget(button)
        self.choices[OnConflict.SKIP].setChecked(True)
        self._group.buttonClicked.connect(self.changed)
        for last in (self._consent, self._notes):
            self._body_column.addWidget(last)
        self._body_column.addStretch(1)
        scroll = QScrollArea(self)
        scroll.setWidget(body)
        for ground in (scroll.viewport(), body):  # so that the dialog's own shows through
            ground.setAutoFillBackground(False)
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._footer.addStretch(1)
        self._footer.addWidget(self.cancel)
        self._footer.addWidget(self.confirm)
        self._column.addWidget(self._intro)
        self._column.addWidget(scroll, 1)
        for below in (self._failed, self._progress):
            self._column.addWidget(below)
            show_when(below, False)
        self._column.addLayout(self._footer)
        self.confirm.setDefault(True)
        self.cancel.clicked.connect(self.reject)
        self.confirm.clicked.connect(self._confirm)

    def _confirm(self) -> None:
        show_when(self._failed, False)
        self.show_progress(0, 0)
        self.confirmed.emit()

    def _enable(self, is_enabled: bool) -> None:  # as of Qt
        for part in (*self.kinds.values(), *self.choices.values(), self.confirm):
            part.setEnabled(is_enabled)

    def _listed_conflicts(self) -> str:
        conflicts = [item for item in self._preview.items if item.is_conflict]
        lines = [f"{kind_name(item.kind)} · {_title(item)}" for item in conflicts[:MAX_LISTED]]
        if len(conflicts) > MAX_LISTED:
            lines.append(self.tr("and %n more", "", len(conflicts) - MAX_LISTED))
        return "\n".join(lines)

    def _loosened(self) -> list[str]:
        return [
            _title(item)
            for item in self._preview.items
            if item.is_conflict and item.kind is Kind.SETTINGS and item.title in CONSENT_SETTINGS
        ]

    def _note_lines(self) -> Iterator[str]:
        preview = self._preview
        if preview.unfinished:
            yield self.tr("%n runs had not ended. They come in as cancelled.", "", preview.unfinished)
        for server, places in preview.missing.items():
            names = ", ".join(places)
            yield self.tr("Enter again for the server {server}: {names}").format(server=server, names=names)
        if preview.key_origins:
            yield self.tr("Enter the keys again for: {addresses}").format(addresses=", ".join(preview.key_origins))

    def _set_size(self) -> None:
        size = QSize(self._theme.sizes.chat_column, self._theme.sizes.chat_column * 3 // 4)
        parent = self.parentWidget()
        self.resize(size if parent is None else size.boundedTo(parent.window().size()))


def _title(item: ImportItem) -> str:
    return item.title.replace("_", " ") if item.kind is Kind.SETTINGS else item.title
