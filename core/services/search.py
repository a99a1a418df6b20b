"""Search in all workflows, archived ones too (UI §4): messages, tool results, step outputs, titles."""

from collections.abc import Awaitable, Callable
from typing import Self, TypeVar

from psygnal import SignalInstance

from core.bus import Bus
from core.domain.ids import WorkflowId
from core.domain.text.search import Term, parse_query
from core.errors import SearchFailed
from core.ports import Clock, Hit, HitPage, SearchIndex, Storage
from core.services.outcome import returns_outcome
from core.services.search_indexing import IndexProgress, SearchIndexer

T = TypeVar("T")


class SearchService:
    """An async context manager that closes the index."""

    def __init__(self, index: SearchIndex, storage: Storage, bus: Bus, clock: Clock) -> None:
        self._index = index
        self._indexing = SearchIndexer(index, storage, bus, clock)

    async def __aenter__(self) -> Self:
        await self._indexing.__aenter__()
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *exception: object) -> None:
        await self._indexing.__aexit__(kind, *exception)

    @property
    def changed(self) -> SignalInstance:
        """The signal that is emitted when `state` changes."""
        return self._indexing.changed

    @property
    def state(self) -> IndexProgress:
        """The progress of the index."""
        return self._indexing.state

    def start(self) -> None:
        """Start to index what is missing, and follow the store."""
        self._indexing.start()

    def stop_indexing(self) -> None:
        """Stop catching up with an old store."""
        self._indexing.stop()

    def resume_indexing(self) -> None:
        """Resume catching up, or retry after a failure."""
        self._indexing.resume()

    def catch_up(self) -> None:
        """Compare the index with the store again: much was written beside the engine."""
        self._indexing.sweep_again()

    def purge_soon(self) -> None:
        """Purge deleted words from the file, when nothing more urgent is left to do."""
        self._indexing.wake()

    @returns_outcome
    async def find(self, query: str, skip: int = 0) -> HitPage:
        """Return workflows in which every word of the query occurs in a single text, in pages: `skip` known results.

        Words match regardless of case and accents, the last word by its prefix; quoted text matches literally. An empty
        query is an error; a query without letters and digits finds nothing.
        """
        page = await self._query(lambda terms: self._index.find(terms, skip), parse_query(query))
        # a deletion may still be in the indexer's queue
        deleted = self._indexing.deleted_workflows
        return HitPage(
            tuple(group for group in page.groups if group.workflow_id not in deleted), page.has_more, page.is_cut
        )

    @returns_outcome
    async def find_in(self, workflow_id: WorkflowId, query: str, skip: int = 0) -> tuple[Hit, ...]:
        """Return all hits of `find` in one workflow, in pages."""
        return await self._query(lambda terms: self._index.find_in(workflow_id, terms, skip), parse_query(query))

    async def _query(self, ask: Callable[[tuple[Term, ...]], Awaitable[T]], terms: tuple[Term, ...]) -> T:
        """Query the index. A broken index is rebuilt; results appear as that proceeds."""
        await self._index.open()
        try:
            return await ask(terms)
        except SearchFailed as error:
            if error.code == "search_broken":
                self._indexing.rebuild()
            raise
