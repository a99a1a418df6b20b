"""Actions on the blocks on screen: fold, copy, retry, edit."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtWidgets import QMenu, QWidget

from core.domain.ids import MessageId
from desktop.chat.layout.blocks import (
    AttachmentBlock,
    CaptionBlock,
    ChangesBlock,
    CodeBlock,
    FailureBlock,
    FileActionsBlock,
    FileBlock,
    FoldableBlock,
)
from desktop.chat.transcript.clipboard import Copier, copy_text, failure_details, source_of_group
from desktop.chat.transcript.selection import Selection
from desktop.chat.transcript.stage import Stage
from desktop.chat.views.text_view import TextView
from desktop.chat.views.view_context import Intents
from desktop.widgets import has_focus_within


class BlockActions(QObject):
    """Folds and copies, and emits what it cannot do itself. `fill` adds the actions of a message to a menu."""

    folded = Signal()
    """A line was folded or unfolded, so that what is below it moves."""
    attachment_requested = Signal(str)
    """The attached texts of the message of this id are to be loaded."""
    changes_requested = Signal(str)
    """The differences of the files that the run of the message of this id has changed are to be loaded."""
    file_acted = Signal(str, object, str)
    """Something is to be done about a ShownChange of the message of this id (`Intents.file`)."""
    retried = Signal(str)
    edited = Signal(str)

    def __init__(
        self,
        stage: Stage,
        selection: Selection,
        intents: Intents,
        fill: Callable[[QMenu, MessageId], None],
        copier: Copier,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._copier = copier
        self._fill = fill
        self._stage = stage
        self._selection = selection
        intents.fold.connect(self._on_fold)
        intents.copy.connect(self._on_copy)
        intents.copy_failure.connect(self._on_copy_failure)
        intents.retry.connect(self._on_retry)
        intents.edit.connect(self._on_edit)
        intents.file.connect(self._on_file)
        intents.menu.connect(self._on_menu)

    def focused_code(self) -> str | None:
        """Return the code of the frame whose text or copy button has the focus."""
        for live in self._stage.live_blocks():
            group = live.block.group if isinstance(live.block, CodeBlock | CaptionBlock) else None
            if group is not None and has_focus_within(live.view):
                return source_of_group(self._stage.layout_of(live), group)
        return None

    def copy_selection(self) -> bool:
        """Copy the selection. Return False if nothing is selected."""
        if self._selection.ends is None:
            return False
        self._copier.copy(self._selection.pieces())
        return True

    def _on_fold(self, view: QWidget) -> None:
        live = self._stage.live_of(view)
        if live is not None and isinstance(live.block, FoldableBlock):
            self._stage.column.set_fold(live.block_index.turn, live.block.key, is_unfolded=not live.block.is_unfolded)
            self.folded.emit()
            if isinstance(live.block, AttachmentBlock) and not live.block.is_known:
                self.attachment_requested.emit(self._stage.turn_of(live).id)
            elif isinstance(live.block, ChangesBlock | FileBlock) and not live.block.is_unfolded:
                self.changes_requested.emit(self._stage.turn_of(live).id)

    def _on_copy(self, view: QWidget, group: str) -> None:
        live = self._stage.live_of(view)
        if live is not None:
            copy_text(source_of_group(self._stage.layout_of(live), group))

    def _on_copy_failure(self, view: QWidget) -> None:
        live = self._stage.live_of(view)
        if live is not None and isinstance(live.block, FailureBlock):
            copy_text(failure_details(live.block.failure))

    def _on_file(self, view: QWidget, action: str) -> None:
        live = self._stage.live_of(view)
        if live is not None and isinstance(live.block, FileActionsBlock):
            self.file_acted.emit(self._stage.turn_of(live).id, live.block.change, action)

    def _on_retry(self, view: QWidget) -> None:
        live = self._stage.live_of(view)
        if live is not None:
            self.retried.emit(self._stage.turn_of(live).id)

    def _on_edit(self, view: QWidget) -> None:
        live = self._stage.live_of(view)
        if live is not None:
            self.edited.emit(self._stage.turn_of(live).id)

    def _on_menu(self, view: QWidget, point: QPoint) -> None:
        live = self._stage.live_of(view)
        if live is None:
            return
        link = view.link_at(point) if isinstance(view, TextView) else ""
        menu = QMenu(view)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        copy = menu.addAction(self.tr("Copy"), self.copy_selection)
        copy.setEnabled(self._selection.ends is not None)
        if link:
            menu.addAction(self.tr("Copy link"), partial(copy_text, link))
        menu.addAction(self.tr("Select all"), self._selection.select_all)
        menu.addSeparator()
        self._fill(menu, self._stage.turn_of(live).id)
        menu.popup(point)
