"""Search in all workflows, archived ones too (UI §4): what was said, what tools gave, what steps put out, titles."""

from collections.abc import Awaitable, Callable
from typing import Self, TypeVar

from core.bus import Bus
from core.domain.ids import WorkflowId
from core.domain.text.search import Term, parse_query
from core.errors import SearchFailed
from core.ports.clock import Clock
from core.ports.search import Hit, HitPage, SearchIndex
from core.ports.storage import Storage
from core.services.outcome import returns_outcome
from core.services.search_indexing import IndexProgress, SearchIndexer

T = TypeVar("T")


class SearchService:
    """A context manager: at its end the index is closed."""

    def __init__(self, index: SearchIndex, storage: Storage, bus: Bus, clock: Clock) -> None:
        self._index = index
        self._indexing = SearchIndexer(index, storage, bus, clock)

    async def __aenter__(self) -> Self:
        await self._indexing.__aenter__()
        return self

    async def __aexit__(self, kind: type[BaseException] | None, *exception: object) -> None:
        await self._indexing.__aexit__(kind, *exception)

    @property
    def state(self) -> IndexProgress:
        """How far the index is; SearchIndexChanged tells that this is another."""
        return self._indexing.state

    def begin(self) -> None:
        """Index what is not indexed yet, and follow the store from now on."""
        self._indexing.begin()

    def stop_indexing(self) -> None:
        """A person does not want the rest of an old store indexed now."""
        self._indexing.stop()

    def go_on_indexing(self) -> None:
        """They do after all, or try again after a failure."""
        self._indexing.go_on()

    @returns_outcome
    async def find(self, query: str, skip: int = 0) -> HitPage:
        """Workflows in which every word of the query is found in one text, in pages: `skip` those that are known.

        Words are found without regard to case and accents, the last one by its beginning; what stands in quotes is
        found as it stands there. No query is an error; one without letters and digits finds nothing.
        """
        page = await self._asked(lambda terms: self._index.find(terms, skip), parse_query(query))
        gone = self._indexing.is_deleted
        return HitPage(tuple(one for one in page.groups if one.workflow_id not in gone), page.has_more, page.is_cut)

    @returns_outcome
    async def find_in(self, workflow_id: WorkflowId, query: str, skip: int = 0) -> tuple[Hit, ...]:
        """All that `find` finds in one workflow, in pages."""
        return await self._asked(lambda terms: self._index.find_in(workflow_id, terms, skip), parse_query(query))

    async def _asked(self, ask: Callable[[tuple[Term, ...]], Awaitable[T]], terms: tuple[Term, ...]) -> T:
        """Where the index turns out to be broken, it is made anew; there will be answers as that goes on."""
        await self._index.open()
        try:
            return await ask(terms)
        except SearchFailed as error:
            if error.code == "search_broken":
                self._indexing.mend()
            raise
