"""The viewed workflow: what the chat pane is bound to, derived from live runs and stored messages.

Nothing is copied on a switch and nothing is owned here, so that nothing can be stale (UI §2, §3).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from psygnal import Signal

from core.domain.ids import MessageId, RunId, WorkflowId
from core.domain.live_run import LiveRun
from core.domain.messages import Message, MessageState, Role
from core.domain.run import RunStatus
from core.stores.background_workflows import BackgroundWorkflows
from core.stores.base import Store, emit
from core.stores.execution import Execution
from core.stores.watched_runs import Batch, Viewer

MAX_WATCHED_CHILDREN = 500
"""So many of the runs below those that are shown are watched, the newest: a template may begin thousands."""


@dataclass(frozen=True, slots=True, eq=False)
class Load:
    """A load of stored messages: its workflow, and by identity which load it is."""

    workflow_id: WorkflowId


class ViewCache(Store):
    """The viewed workflow. `changed` is emitted when it, its messages or its runs change; `batch` carries events of a
    visible run; `below_changed` and `below_batch` are the same for child runs.
    """

    changed = Signal()
    batch = Signal(Batch)
    below_changed = Signal()
    below_batch = Signal(Batch)

    def __init__(self, background: BackgroundWorkflows) -> None:
        super().__init__()
        self._background = background
        self._viewers: dict[RunId, Viewer] = {}
        self._below: dict[RunId, Viewer] = {}
        self._stored: Sequence[Message] = ()
        self._stored_runs: dict[MessageId, LiveRun] = {}
        self._stored_below: dict[RunId, LiveRun] = {}
        self._load: Load | None = None
        self.is_loaded = False
        self._resources.callback(self._close_viewers)
        self._connect(background.viewed_changed, self._on_viewed)
        self._connect(background.changed, self._on_changed)
        self._watch()
        self._watch_below()

    # What a service hands in

    def begin_load(self) -> Load | None:
        """Begin to load the messages of the viewed workflow. Results of earlier loads are dropped from now on."""
        workflow_id = self.workflow_id
        self._load = Load(workflow_id) if workflow_id is not None else None
        return self._load

    def show(
        self,
        workflow_id: WorkflowId,
        messages: Sequence[Message],
        runs: Iterable[LiveRun] = (),
        below: Iterable[LiveRun] = (),
        *,
        load: Load | None = None,
    ) -> bool:
        """Show loaded messages, oldest first, with the states of their runs and of the runs `below` these, replayed
        from the store.

        Returns False and shows nothing if the view has moved on, or if `load` is not the newest. A live run is newer
        than what was loaded, and wins.
        """
        if workflow_id != self.workflow_id or (load is not None and load is not self._load):
            return False
        self._stored_runs = {run.message_id: run for run in runs}
        self._stored = tuple(map(self._settled, messages))
        self._stored_below = {run.run_id: run for run in below}
        self.is_loaded = True
        # the load has brought the whole run: nothing more will come
        for run_id, viewer in tuple(self._viewers.items()):
            if self._is_stored(viewer.run):
                self._viewers.pop(run_id).close()
        self._watch_below()
        emit(self.changed)
        return True

    def is_current(self, load: Load) -> bool:
        """Return whether the results of this load would still be shown."""
        return load is self._load

    # What is shown

    @property
    def workflow_id(self) -> WorkflowId | None:
        """The id of the viewed workflow."""
        return self._background.viewed_workflow_id

    @property
    def execution(self) -> Execution | None:
        """The row of the viewed workflow, if it is active or recently finished."""
        return self._background.viewed_execution

    @property
    def run(self) -> LiveRun | None:
        """The newest run that is watched live."""
        return next((viewer.run for viewer in reversed(self._viewers.values())), None)

    @property
    def content(self) -> str:
        """The text of that run so far."""
        return self.run.content if self.run else ""

    @property
    def messages(self) -> list[Message]:
        """The conversation, oldest first: stored messages and later live messages, each once."""
        # live messages replace stored ones of the same id, at their place
        live = {message.id: message for viewer in self._viewers.values() for message in _messages_of(viewer.run)}
        shown = [live.pop(message.id, message) for message in self._stored]
        return [*shown, *live.values()]

    def _settled(self, message: Message) -> Message:
        """Return the loaded message, or the answer of its run, which was read a little later, if it had ended by then.

        The text of an answer that was cut off may only be known to the live run.
        """
        run = self._stored_runs.get(message.id)
        if message.state is not MessageState.OPEN or run is None or not run.status.is_final:
            return message
        *_, answer = _messages_of(run)
        return answer if answer.text else message

    def run_of(self, message_id: MessageId) -> LiveRun | None:
        """Return the run of a message, with its steps and calls, if it is known."""
        watched = (viewer.run for viewer in self._viewers.values() if viewer.run.message_id == message_id)
        return next(watched, self._stored_runs.get(message_id))

    @property
    def below(self) -> list[LiveRun]:
        """The newest child runs of the visible runs, oldest first."""
        runs = {**self._stored_below, **{run_id: viewer.run for run_id, viewer in self._below.items()}}
        return sorted(runs.values(), key=lambda run: (run.created_at, run.run_id))[-MAX_WATCHED_CHILDREN:]

    # Following

    def _on_viewed(self) -> None:
        self._close_viewers()
        self._watch()
        self._watch_below()
        emit(self.changed)

    def _on_changed(self, workflow_id: WorkflowId) -> None:
        if workflow_id != self.workflow_id:
            return
        is_new, is_new_below = self._watch(), self._watch_below()
        if is_new:
            emit(self.changed)
        elif is_new_below:
            emit(self.below_changed)

    def _watch(self) -> bool:
        """Watch the run of the viewed workflow. Earlier runs stay until a load brings them. Return whether the run is
        new.
        """
        run = self.execution.run if self.execution else None
        if run is None or run.run_id in self._viewers or run.is_released or self._is_stored(run):
            return False
        viewer = self._background.attach(run.run_id)
        viewer.batch.connect(self._on_batch)
        self._viewers[run.run_id] = viewer
        return True

    def _watch_below(self) -> bool:
        """Watch the newest child runs, and close viewers of older runs and of runs that were loaded whole. Return
        whether any is new.
        """
        workflow_id = self.workflow_id
        held = self._background.runs_below(workflow_id)[-MAX_WATCHED_CHILDREN:] if workflow_id is not None else []
        to_watch = {run.run_id for run in held if not self._is_stored_below(run)}
        # a template may start thousands of children; only the newest are watched
        for run_id in [run_id for run_id in self._below if run_id not in to_watch]:
            self._below.pop(run_id).close()
        new = [run_id for run_id in to_watch if run_id not in self._below]
        for run_id in new:
            viewer = self._below[run_id] = self._background.attach(run_id)
            viewer.batch.connect(self._on_below_batch)
        return bool(new)

    def _is_stored_below(self, run: LiveRun) -> bool:
        stored = self._stored_below.get(run.run_id)
        return run.status.is_final and stored is not None and stored.status.is_final

    def _is_stored(self, run: LiveRun) -> bool:
        """Return whether the load has brought the whole run.

        A message that is still open is older than the end of its run, and the live run has the rest.
        """
        stored = self._stored_runs.get(run.message_id)
        is_final = run.status.is_final and stored is not None and stored.status.is_final
        return is_final and not any(
            message.id == run.message_id and message.state is MessageState.OPEN for message in reversed(self._stored)
        )

    def _on_batch(self, batch: Batch) -> None:
        emit(self.batch, batch)

    def _on_below_batch(self, batch: Batch) -> None:
        emit(self.below_batch, batch)

    def _close_viewers(self) -> None:
        for viewer in (*self._viewers.values(), *self._below.values()):
            viewer.close()
        self._viewers.clear()
        self._below.clear()
        self._stored, self._stored_runs, self._stored_below, self._load = (), {}, {}, None
        self.is_loaded = False


def _messages_of(run: LiveRun) -> Iterable[Message]:
    """Yield the messages of a run: the prompt, and its answer as it is now."""
    if run.prompt_id is not None:
        yield Message(
            run.prompt_id,
            run.workflow_id,
            Role.USER,
            run.prompt or "",
            run.created_at,
            run_id=run.run_id,
            attachments=run.prompt_attachments,
        )
    state = MessageState.FINAL if run.status.is_final else MessageState.OPEN
    if run.status is RunStatus.CANCELLED:
        state = MessageState.INTERRUPTED
    yield Message(run.message_id, run.workflow_id, Role.ASSISTANT, run.content, run.created_at, state, run.run_id)
