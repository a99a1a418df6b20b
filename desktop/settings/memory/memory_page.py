"""The Memory page: find, read, edit and delete the agents' memories (AGENTS_AND_TOOLS §5)."""

from datetime import UTC, datetime
from functools import partial

from PySide6.QtCore import QTimer
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import QLineEdit

from core.domain.ids import MemoryId
from core.domain.memory import Memory, MemoryType
from core.ports import MemoryUsage
from core.services.memories import SEARCH_LIMIT, MemoryListing
from core.services.outcome import Failed
from desktop.operations import unwrap
from desktop.settings.memory.memory_form import (
    MemoryDeletion,
    MemoryForm,
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
from desktop.settings.sources.context import SettingsContext
from desktop.theme import Icon
from desktop.translation import byte_size, number
from desktop.widgets import Button, ComboBox, Paragraph, show_when

# While the user types, and while agents make many changes, a single request is enough.
_DEBOUNCE_MS = 200
_SHOW_DELAY_MS = 20


class MemoryPage(ListPage[ItemRow]):
    """Shows a page of the list, newest first, or the results of a search. Follows changes while it is visible."""

    page_id = PageId.MEMORY

    def __init__(self, context: SettingsContext) -> None:
        super().__init__(context)
        theme = context.theme
        self._memories = context.memories
        self._listed = MemoryListing((), {}, has_more=False)
        self._usage = MemoryUsage(0, 0)
        self._before: list[MemoryId] = []
        """The last memory of each previous page."""
        self._asked = 0
        self._search, self._type = QLineEdit(), ComboBox()
        self._search.setClearButtonEnabled(True)
        self._filters = ResponsiveRow(theme, [self._search, self._type])
        self._size = Paragraph("", "secondary", "muted")
        self._newer, self._older = Button(theme, icon=Icon.CHEVRON_LEFT), Button(theme, icon=Icon.CHEVRON_RIGHT)
        self._deletion = MemoryDeletion(context, self)
        self._form = MemoryForm(context)
        self.add(self._filters, self.list_search_text, above=self.list_)
        self.add(self._size, self.list_search_text, above=self.list_)
        self._paging = ResponsiveRow(theme, [self._newer, self._older], compact=True)
        self.list_column.addWidget(self._paging)
        self.list_column.addWidget(self._deletion)
        self.next_stop = self._newer
        self.add_form(self._form, self._search)
        self._later = QTimer(self, singleShot=True)
        self._connect()
        self.follow(context.memories.changed)
        self.adapt_to(theme)

    def list_search_text(self) -> str:
        return " ".join([self._deletion.search_text(), *type_labels().values(), super().list_search_text()])

    def retranslate(self) -> None:
        self._search.setPlaceholderText(self.tr("Search memories"))
        self._search.setAccessibleName(self.tr("Search memories"))
        at = max(0, self._type.currentIndex())
        # Refilling the box would start a new request for each item.
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
        self._later.start(_SHOW_DELAY_MS)

    def _connect(self) -> None:
        self._later.timeout.connect(self._load)
        self._search.textChanged.connect(self._restart)
        self._type.currentIndexChanged.connect(self._restart)
        self._newer.clicked.connect(self._show_newer)
        self._older.clicked.connect(self._show_older)
        self._form.saved.connect(self._on_saved)
        self._deletion.cleared.connect(self._on_cleared)
        self._deletion.refused.connect(self.report_failure)

    # The list

    def _on_change(self) -> None:
        if self.isVisible():
            self._later.start(_DEBOUNCE_MS)

    def failure_text(self, failed: Failed) -> str:
        return memory_refusal_text(failed)

    def _restart(self) -> None:
        self._before.clear()
        self._later.start(_DEBOUNCE_MS)

    def _show_newer(self) -> None:
        if self._before:
            self._before.pop()
            self._load()

    def _show_older(self) -> None:
        last = self._listed.memories[-1].id if self._listed.memories else None
        if last is not None and self._before[-1:] != [last]:  # pressed twice before the page was there
            self._before.append(last)
            self._load()

    def _load(self) -> None:
        if self.isVisible():
            self._asked += 1
            self._context.operations.run(self._read(self._asked), "read memories", failure=self.report_failure)

    async def _read(self, request: int) -> None:
        """Read the requested list; a later request supersedes this one."""
        text, types = self._search.text(), [None, *MemoryType]
        type_ = types[max(0, self._type.currentIndex())]
        memories = self._memories
        if text.strip():
            listed = await memories.search(text, type_)
        else:
            listed = await memories.page(type_, self._before[-1] if self._before else None)
        usage = await memories.usage()
        # The user has typed on or paged meanwhile.
        if request != self._asked:
            return
        listing = unwrap(listed)
        if not listing.memories and self._before and not text.strip():  # this page was deleted meanwhile
            self._show_newer()
            return
        self._listed, self._usage = listing, unwrap(usage)
        self.show_list()

    def show_list(self) -> None:
        now = datetime.now(UTC).astimezone()
        rows: dict[str, ItemRow] = {}
        for memory in self._listed.memories:
            title = None if memory.workflow_id is None else self._listed.titles.get(memory.workflow_id)
            summary = memory_summary(memory, title, now)
            rows[memory.id] = self.row_for(memory.id, (memory, summary), partial(self._row, memory, summary))
        self.show_rows(rows)
        self._update_texts()

    def _update_texts(self) -> None:
        is_search = bool(self._search.text().strip())
        is_full = is_search and len(self._listed.memories) == SEARCH_LIMIT
        limited = self.tr("The first {count} are shown.").format(count=number(SEARCH_LIMIT)) if is_full else ""
        count, size = self._usage.count, byte_size(self._usage.size)
        total = self.tr("{count} memories, about {size}", "", count) if count else ""
        total = total.format(count=number(count), size=size)
        self._size.setText(" ".join(part for part in (total, limited) if part))
        show_when(self._size, bool(self._size.text()))
        is_filtered = is_search or self._type.currentIndex() > 0
        self.empty.setText(
            self.tr("No memory is like this.") if is_filtered else self.tr("Agents remember nothing yet.")
        )
        self._newer.setEnabled(bool(self._before) and not is_search)
        self._older.setEnabled(self._listed.has_more and not is_search)
        show_when(self._paging, self._newer.isEnabled() or self._older.isEnabled())
        self._deletion.set_count(self._usage.count)

    def _row(self, memory: Memory, summary: str) -> ItemRow:
        row = ItemRow(self._theme, display_name(memory), is_default=None, title=excerpt(memory))
        row.set_summary(summary)
        row.edit_requested.connect(partial(self._open, memory.id))
        row.remove_requested.connect(partial(self._remove, memory.id))
        return row

    # Reading and changing

    def _open(self, memory_id: MemoryId) -> None:
        self.run(self._memories.get(memory_id), "open a memory", self._edit)

    def _edit(self, memory: Memory) -> None:
        self._form.show_memory(memory)
        self.open_form(self._form, memory.id)

    def _on_saved(self, memory: Memory) -> None:
        self.close_form(memory.id)
        self.report(self.tr("The memory is saved."))

    def _remove(self, memory_id: MemoryId) -> None:
        self.remove(memory_id, partial(self._memories.remove, memory_id), self._memories.restore, self._removed_text)

    def _removed_text(self, memory: Memory, is_undone: bool) -> str:
        text = self.tr("“{memory}” is back.") if is_undone else self.tr("“{memory}” is deleted.")
        return text.format(memory=display_name(memory))

    def report_failure(self, failed: Failed) -> None:
        super().report_failure(failed)
        if failed.code == "not_found":  # it has expired, or an agent has deleted it
            self._load()

    def _on_cleared(self, count: int) -> None:
        self.close_form()
        self._search.setFocus()
        self.report(self.tr("{count} memories are deleted.", "", count).format(count=number(count)))
