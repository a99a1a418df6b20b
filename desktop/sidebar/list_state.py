"""The state of the list: search, folded sections, archive, and how many rows are loaded."""

from collections.abc import Iterable

from core.domain.ids import WorkflowId
from core.stores.background_workflows import BackgroundWorkflows
from core.stores.workflows import Workflows
from desktop.sidebar.rows import IdleRowCache, Item, ModeOf, Row, Section, archived_items, first_page, sidebar_items

PAGE_ROWS = 200


class SidebarListState:
    """Derives the items from the stores. Of thousands of rows the first 200 are shown, and more on demand: a view needs
    time for each.
    """

    def __init__(self, background: BackgroundWorkflows, workflows: Workflows, mode_of: ModeOf | None) -> None:
        self._background = background
        self._workflows = workflows
        self._mode_of = mode_of
        self._listed_rows, self._archived_rows = IdleRowCache(), IdleRowCache()
        self._folded: set[Section] = set()
        self._limit = PAGE_ROWS
        self._count = 0
        self._is_archive = False
        self.query = ""

    @property
    def is_archive_shown(self) -> bool:
        return self._is_archive

    def show_archive(self, is_archive: bool) -> None:
        self._is_archive, self._limit = is_archive, PAGE_ROWS

    @property
    def folded(self) -> tuple[str, ...]:
        """The names of the folded sections, to be saved."""
        return tuple(section.name.lower() for section in Section if section in self._folded)

    def restore_folded(self, names: Iterable[str]) -> None:
        """Restore the saved folded sections. Unknown names are ignored."""
        folded = set(names)
        self._folded = {section for section in Section if section.name.lower() in folded}

    def fold(self, section: Section, is_folded: bool) -> bool:
        """Fold or unfold a section. Return whether that changed anything: nothing folds during a search or in the
        archive.
        """
        if self.query.strip() or self._is_archive or (section in self._folded) is is_folded:
            return False
        (self._folded.add if is_folded else self._folded.discard)(section)
        return True

    def reveal(self, workflow_id: WorkflowId) -> None:
        """Unfold the section of a workflow, and load as many rows as needed to include it."""
        rows = self._own_rows()
        row = next((row for row in rows if row.id == workflow_id), None)
        if row is not None:
            self._folded.discard(row.section)
            # headers count as items
            self._limit = max(self._limit, len(rows) + len(Section))

    def load_more(self, *, to_the_end: bool) -> bool:
        """Load a further page, or all rows. Return whether there is more."""
        has_more = self._limit < self._count
        self._limit = max(self._count, PAGE_ROWS) if to_the_end else self._limit + (PAGE_ROWS if has_more else 0)
        return has_more

    def items(self, viewed: WorkflowId | None, *, is_collapsed: bool) -> list[Item]:
        """Return the items from the top down. Nothing is folded in the collapsed sidebar: it has no section titles."""
        if self._is_archive:
            items = archived_items(self._workflows, self.query, rows_of=self._archived_rows)
        else:
            items = self._listed(() if is_collapsed else self._folded)
        self._count = len(items)
        return first_page(items, self._limit, viewed)

    def order(self) -> list[WorkflowId]:
        """Return the workflows that are not archived, from the top down, in the order of their own rows; folded ones
        included.
        """
        return [row.id for row in self._own_rows()]

    def _own_rows(self) -> list[Row]:
        return [item for item in self._listed(()) if isinstance(item, Row) and not item.is_repeated]

    def _listed(self, folded: Iterable[Section]) -> list[Item]:
        return sidebar_items(
            self._background,
            self._workflows,
            self.query,
            self._mode_of,
            folded=set(folded),
            rows_of=self._listed_rows,
        )
