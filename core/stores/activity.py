"""The activity of the viewed workflow, newest first (UI §1)."""

from collections.abc import Callable, Iterable, Iterator

from psygnal import Signal

from core.domain.ids import RunId
from core.domain.live_run import LiveRun
from core.stores.activity_details import ActivityDetail
from core.stores.activity_items import ActivityItem, ActivityKind, activity_of, detail_of, parts_of, start_time
from core.stores.base import Store, emit
from core.stores.task_plan import TaskPlan, plan_of
from core.stores.view_cache import ViewCache
from core.stores.watched_runs import Batch


class Activity(Store):
    """The activity items of the viewed workflow: of the runs in its chat, and of their children. `changed` is emitted
    when items may have changed.
    """

    changed = Signal()

    def __init__(self, view: ViewCache) -> None:
        super().__init__()
        self._view = view
        self._runs: dict[RunId, LiveRun] = {}
        self._items: dict[RunId, list[ActivityItem]] = {}
        self._stale: set[RunId] = set()
        self._connect(view.changed, self._on_changed)
        self._connect(view.below_changed, self._on_changed)
        self._connect(view.batch, self._on_batch)
        self._connect(view.below_batch, self._on_batch)
        self._update_runs()

    @property
    def items(self) -> list[ActivityItem]:
        """The items, newest first. An unchanged item is the same object as before."""
        for run_id in self._stale:
            known = {item.id: item for item in self._items.get(run_id, ())}
            updated = activity_of(self._runs[run_id], known)
            self._items[run_id] = [old if (old := known.get(item.id)) == item else item for item in updated]
        self._stale.clear()
        items = [item for run_id in reversed(self._runs) for item in self._items[run_id]]
        # items of several runs interleave
        items.sort(key=start_time, reverse=True)
        return list(_deduplicated(items))

    @property
    def plan(self) -> TaskPlan | None:
        """The plan of the agents; None without tasks."""
        return plan_of(run for run in self._runs.values() if run.tasks)

    def detail(self, item: ActivityItem) -> ActivityDetail | None:
        """Return the detail of an item; None if it is no longer shown."""
        run = self._runs.get(item.run_id)
        return None if run is None else detail_of(run, item.id)

    def details(self, items: Iterable[ActivityItem]) -> Iterator[tuple[ActivityItem, ActivityDetail]]:
        """Yield items with their details, in time linear in their number."""
        makers: dict[RunId, dict[str, Callable[[], ActivityDetail]]] = {}
        for item in items:
            run = self._runs.get(item.run_id)
            if run is not None and item.run_id not in makers:
                makers[item.run_id] = {part.id: part.make_detail for part in parts_of(run)}
            if (make := makers.get(item.run_id, {}).get(item.id)) is not None:
                yield item, make()

    def _on_changed(self) -> None:
        self._update_runs()
        emit(self.changed)

    def _on_batch(self, batch: Batch) -> None:
        if batch.run_id in self._runs:
            self._stale.add(batch.run_id)
            emit(self.changed)

    def _update_runs(self) -> None:
        runs = (self._view.run_of(message.id) for message in self._view.messages)
        before = self._runs
        self._runs = {run.run_id: run for run in (*runs, *self._view.below) if run is not None}
        self._items = {run_id: items for run_id, items in self._items.items() if run_id in self._runs}
        self._stale &= set(self._runs)
        # a run that was replaced by its stored state is another object, and may have more
        self._stale |= {
            run_id
            for run_id, run in self._runs.items()
            if run_id not in self._items or run is not before.get(run_id) or not run.status.is_final
        }


def _deduplicated(items: Iterable[ActivityItem]) -> Iterator[ActivityItem]:
    """Yield the items; of a task only the newest, since several runs may report it."""
    seen: set[str] = set()
    for item in items:
        if item.kind is ActivityKind.TASK:
            if item.id in seen:
                continue
            seen.add(item.id)
        yield item
