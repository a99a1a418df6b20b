"""The choice of what is exported: workflows by title, and everything else by kind (UI §8)."""

from collections.abc import Collection, Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QCheckBox, QDialog, QHBoxLayout, QListWidget, QListWidgetItem, QVBoxLayout, QWidget

from core.domain.ids import WorkflowId
from core.domain.workflow import Workflow
from core.services.import_export.exporting import Kind
from desktop.theme import Theme
from desktop.transfer.transfer_strings import kind_name
from desktop.widgets import Adaptive, Button, Paragraph


class ExportDialog(Adaptive, QDialog):
    """Not modal. `confirmed` is emitted when the user goes on to name the file."""

    confirmed = Signal()

    def __init__(
        self, theme: Theme, workflows: Sequence[Workflow], chosen: Collection[WorkflowId], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setObjectName("export_choice")
        self.setModal(False)
        self._intro = Paragraph("", "label", "muted")
        self._list_title = Paragraph("", "strong")
        self._toggle = Button(theme, kind="link", is_small=True)
        self.list = QListWidget()
        self.kinds = {kind: QCheckBox() for kind in Kind if kind is not Kind.WORKFLOWS}
        self.cancel = Button(theme)
        self.confirm = Button(theme, kind="primary")
        self._column, self._header, self._footer = QVBoxLayout(self), QHBoxLayout(), QHBoxLayout()
        for workflow in workflows:
            item = QListWidgetItem(workflow.title, self.list)
            item.setData(Qt.ItemDataRole.UserRole, workflow.id)
            is_chosen = not chosen or workflow.id in chosen
            item.setCheckState(Qt.CheckState.Checked if is_chosen else Qt.CheckState.Unchecked)
        self._build(is_all=not chosen)
        self.adapt_to(theme)
        size = QSize(theme.sizes.chat_column, theme.sizes.chat_column * 3 // 4)
        self.resize(size if parent is None else size.boundedTo(parent.window().size()))

    @property
    def chosen(self) -> list[WorkflowId]:
        """The workflows that are checked."""
        items = (self.list.item(row) for row in range(self.list.count()))
        checked = [item for item in items if item.checkState() is Qt.CheckState.Checked]
        return [WorkflowId(item.data(Qt.ItemDataRole.UserRole)) for item in checked]

    @property
    def chosen_kinds(self) -> frozenset[Kind]:
        return frozenset(kind for kind, box in self.kinds.items() if box.isChecked())

    def retranslate(self) -> None:
        self.setWindowTitle(self.tr("Export"))
        self._intro.setText(
            self.tr("Keys, and values of the environment and the headers of servers, are never exported.")
        )
        chosen = len(self.chosen)
        self._list_title.setText(self.tr("%n workflows", "", chosen))
        self.list.setAccessibleName(self.tr("Workflows"))
        self._toggle.setText(self.tr("None") if chosen else self.tr("All"))
        for kind, box in self.kinds.items():
            box.setText(kind_name(kind))
        self.cancel.setText(self.tr("Cancel"))
        self.confirm.setText(self.tr("Export…"))
        self.confirm.setEnabled(bool(chosen or self.chosen_kinds))

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._column.setContentsMargins(sizes.space_xl, sizes.space_l, sizes.space_xl, sizes.space_l)
        for layout in (self._column, self._header, self._footer):
            layout.setSpacing(sizes.space_s)

    def _build(self, *, is_all: bool) -> None:
        self._header.addWidget(self._list_title, 1)
        self._header.addWidget(self._toggle)
        self._footer.addStretch(1)
        self._footer.addWidget(self.cancel)
        self._footer.addWidget(self.confirm)
        self._column.addWidget(self._intro)
        self._column.addLayout(self._header)
        self._column.addWidget(self.list, 1)
        for kind, box in self.kinds.items():
            box.setObjectName(f"export_{kind}")
            box.setChecked(is_all)
            box.toggled.connect(self.retranslate)
            self._column.addWidget(box)
        self._column.addLayout(self._footer)
        self.confirm.setDefault(True)
        self.list.itemChanged.connect(self.retranslate)
        self._toggle.clicked.connect(self._toggle_all)
        self.cancel.clicked.connect(self.reject)
        self.confirm.clicked.connect(self.confirmed)

    def _toggle_all(self) -> None:
        state = Qt.CheckState.Unchecked if self.chosen else Qt.CheckState.Checked
        for row in range(self.list.count()):
            self.list.item(row).setCheckState(state)
