"""Memory: what agents remember, newest first; found, read whole, changed and deleted here (AGENTS_AND_TOOLS §5)."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial

from PySide6.QtCore import QTimer
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from core.bus import MemoriesChanged, WorkflowDeleted
from core.domain.events import Event, ToolEnded
from core.domain.ids import MemoryId
from core.domain.memory import Memory, MemoryType
from core.ports.memories import MemoryUsage
from core.services.memories import SEARCH_LIMIT, MemoryListing
from core.services.outcome import Ok
from desktop.settings.memory.memory_deletion import MemoryDeletion
from desktop.settings.memory.memory_form import MemoryForm
from desktop.settings.memory.memory_strings import (
    display_name,
    excerpt,
    memory_refusal_text,
    memory_summary,
    type_labels,
)
from desktop.settings.parts.item_row import ItemRow
from desktop.settings.parts.layout import ResponsiveRow
from desktop.settings.parts.list_page import ListPage
from desktop.settings.parts.page import PageId
from desktop.settings.sources.context import MemoryContext
from desktop.settings.sources.setting_sources import UndoableAction
from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.translation.formats import byte_size, number
from desktop.widgets.buttons import Button
from desktop.widgets.combo_box import ComboBox
from desktop.widgets.paragraph import Paragraph
from desktop.widgets.visibility import show_when

_TYPING_MS = 200
"""Who types goes on sooner."""
_AT_ONCE_MS = 20


class MemoryPage(ListPage[ItemRow]):
    """A page of the list at a time, or what a search finds. It follows what agents do while it is shown."""

    def __init__(
        self, theme: Theme, recall: MemoryContext, told: Callable[[UndoableAction], None], parent: QWidget | None = None
    ) -> None:
        spawn = recall.spawn
        super().__init__(theme, PageId.MEMORY, spawn, told, memory_refusal_text, parent)
        self._recall = recall
        self._listed = MemoryListing((), {}, has_more=False)
        self._room = MemoryUsage(0, 0)
        self._before: list[MemoryId] = []
        """The last ones of the pages before the one that is shown."""
        self._asked = 0
        self._search, self._type = QLineEdit(), ComboBox()
        self._search.setClearButtonEnabled(True)
        self._head = ResponsiveRow(theme, [self._search, self._type])
        self._size = Paragraph("", "secondary", "muted")
        self._newer, self._older = Button(theme, icon=Icon.CHEVRON_LEFT), Button(theme, icon=Icon.CHEVRON_RIGHT)
        self._clearing = MemoryDeletion(theme, recall, self)
        self._form = MemoryForm(theme, recall)
        self.add(self._head, self.searched_list, above=self.list_)
        self.add(self._size, self.searched_list, above=self.list_)
        self._paging = ResponsiveRow(theme, [self._newer, self._older], compact=True)
        self.list_column.addWidget(self._paging)
        self.list_column.addWidget(self._clearing)
        self.next_stop = self._newer
        self.add_form(self._form, self._form.searched, self._search)
        self._later = QTimer(self)
        self._later.setSingleShot(True)
        self._connect()
        self.follow(recall.bus, MemoriesChanged, WorkflowDeleted, Event)
        self.adapt_to(theme)

    def searched_list(self) -> str:
        return " ".join([self._clearing.searched(), *type_labels().values(), super().searched_list()])

    def retranslate(self) -> None:
        self._search.setPlaceholderText(self.tr("Search memories"))
        self._search.setAccessibleName(self.tr("Search memories"))
        at = max(0, self._type.currentIndex())
        self._type.blockSignals(True)
        self._type.clear()
        self._type.addItems([self.tr("All types"), *type_labels().values()])
        self._type.setCurrentIndex(at)
        self._type.blockSignals(False)
        self._type.setAccessibleName(self.tr("Type of memory"))
        self._newer.setText(self.tr("Newer"))
        self._older.setText(self.tr("Older"))
        self.about.setText(
            self.tr(
                "Agents keep here what is to be known beyond one answer, with the tool “memory”. You can read, change "
                "and delete all of it."
            )
        )
        super().retranslate()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._later.stop()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._later.start(_AT_ONCE_MS)

    def _connect(self) -> None:
        self._later.timeout.connect(self._load)
        self._search.textChanged.connect(self._begin_anew)
        self._type.currentIndexChanged.connect(self._begin_anew)
        self._newer.clicked.connect(self._to_newer)
        self._older.clicked.connect(self._to_older)
        self._form.kept.connect(self._on_kept)
        self._form.left.connect(self.close_form)
        self._clearing.cleared.connect(self._on_cleared)
        self._clearing.refused.connect(self.is_done)

    # The list

    def _on_change(self, message: object) -> None:
        if self.isVisible() and not (isinstance(message, Event) and not isinstance(message.fact, ToolEnded)):
            self._later.start(_TYPING_MS)

    def _begin_anew(self) -> None:
        self._before.clear()
        self._later.start(_TYPING_MS)

    def _to_newer(self) -> None:
        if self._before:
            self._before.pop()
            self._load()

    def _to_older(self) -> None:
        last = self._listed.memories[-1].id if self._listed.memories else None
        if last is not None and self._before[-1:] != [last]:  # pressed twice before the page was there
            self._before.append(last)
            self._load()

    def _load(self) -> None:
        if self.isVisible():
            self._asked += 1
            self._spawn_task(self._read(self._asked), "read memories")

    async def _read(self, asked: int) -> None:
        """Read what is wanted now; what was asked later wins."""
        words, kinds = self._search.text(), [None, *MemoryType]
        kind = kinds[max(0, self._type.currentIndex())]
        memories = self._recall.memories
        if words.strip():
            found = await memories.search(words, kind)
        else:
            found = await memories.page(kind, self._before[-1] if self._before else None)
        room = await memories.usage()
        if asked != self._asked or not (self.is_done(found) and self.is_done(room)):
            return
        assert isinstance(found, Ok)
        assert isinstance(room, Ok)
        if not found.data.memories and self._before and not words.strip():  # all of this page were deleted meanwhile
            self._to_newer()
            return
        self._listed, self._room = found.data, room.data
        self.show_list()

    def show_list(self) -> None:
        now = datetime.now(UTC).astimezone()
        rows: dict[str, ItemRow] = {}
        for one in self._listed.memories:
            title = None if one.workflow_id is None else self._listed.titles.get(one.workflow_id)
            words = memory_summary(one, title, now)
            rows[one.id] = self.row_for(one.id, (one, words), partial(self._row, one, words))
        self.show_rows(rows)
        self._say()

    def _say(self) -> None:
        is_search = bool(self._search.text().strip())
        is_full = is_search and len(self._listed.memories) == SEARCH_LIMIT
        most = self.tr("The first {count} are shown.").format(count=number(SEARCH_LIMIT)) if is_full else ""
        count, size = self._room.count, byte_size(self._room.size)
        room = self.tr("{count} memories, about {size}", "", count) if count else ""
        room = room.format(count=number(count), size=size)
        self._size.setText(" ".join(part for part in (room, most) if part))
        show_when(self._size, bool(self._size.text()))
        is_filtered = is_search or self._type.currentIndex() > 0
        self.empty.setText(
            self.tr("No memory is like this.") if is_filtered else self.tr("Agents remember nothing yet.")
        )
        self._newer.setEnabled(bool(self._before) and not is_search)
        self._older.setEnabled(self._listed.has_more and not is_search)
        show_when(self._paging, self._newer.isEnabled() or self._older.isEnabled())
        self._clearing.offer(self._room.count)

    def _row(self, memory: Memory, words: str) -> ItemRow:
        row = ItemRow(self._theme, display_name(memory), is_default=None, words=excerpt(memory))
        row.say(words)
        row.edited.connect(partial(self._spawn_opening, memory.id))
        row.removed.connect(partial(self._spawn_removal, memory.id))
        return row

    # Reading and changing

    def _spawn_opening(self, memory_id: MemoryId) -> None:
        self._spawn_task(self._open(memory_id), "open a memory")

    async def _open(self, memory_id: MemoryId) -> None:
        answer = await self._recall.memories.get(memory_id)
        if isinstance(answer, Ok):
            self._form.show_memory(answer.data)
            self.open_form(self._form, memory_id, self._form.focus_first)
        else:
            self.is_done(answer)
            self._load()

    def _on_kept(self, memory: Memory) -> None:
        self.close_form(memory.id)
        self.tell(self.tr("The memory is saved."))

    # Deleting

    def _spawn_removal(self, memory_id: MemoryId) -> None:
        self._spawn_task(self._remove(memory_id), "delete a memory")

    async def _remove(self, memory_id: MemoryId) -> None:
        answer = await self._recall.memories.remove(memory_id)
        if not isinstance(answer, Ok):
            self.is_done(answer)
            self._load()
            return
        if self.is_editing(memory_id):
            self.close_form()
        memory = answer.data
        words = partial(self._removed_words, display_name(memory))
        self.tell_change(words, partial(self._put_back, memory), partial(self._remove_again, memory_id))

    def _removed_words(self, name: str, is_undone: bool) -> str:
        words = self.tr("“{memory}” is back.") if is_undone else self.tr("“{memory}” is deleted.")
        return words.format(memory=name)

    async def _put_back(self, memory: Memory) -> None:
        self.is_done(await self._recall.memories.restore(memory))

    async def _remove_again(self, memory_id: MemoryId) -> None:
        self.is_done(await self._recall.memories.remove(memory_id))

    def _on_cleared(self, count: int) -> None:
        self.close_form()
        self._search.setFocus()
        self.tell(self.tr("{count} memories are deleted.", "", count).format(count=number(count)))
