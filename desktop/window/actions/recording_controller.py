"""Recording of the viewed workflow: the banner, and the review that saves a template (UI §9)."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from core.app import Core
from core.domain.ids import RunId, WorkflowId
from core.domain.toast import ToastType
from core.services.outcome import Failed, Ok
from core.services.recording import ExportOptions
from core.stores.recordings import ListedRecording
from desktop.aio import Tasks
from desktop.bind import Frames
from desktop.recording.banner import RecordingBanner
from desktop.recording.review_dialog import ReviewDialog
from desktop.theme.theme import Theme
from desktop.translation.failure_strings import failure_words
from desktop.window.base.context import ErrorPresenter


class RecordingController(QObject):
    """Connects `banner` and the review dialog to the service. At most one review is open."""

    def __init__(
        self, core: Core, tasks: Tasks, presenter: ErrorPresenter, theme: Theme, frames: Frames, window: QWidget
    ) -> None:
        super().__init__(window)
        self._core = core
        self._tasks = tasks
        self._presenter = presenter
        self._theme = theme
        self._window = window
        self.banner = RecordingBanner(theme)
        self.banner.review_requested.connect(self.review)
        self.dialog: ReviewDialog | None = None
        stores = core.stores
        frames.bind(self, (stores.recordings.changed, stores.view.changed), self.show_now)

    def by_command(self) -> dict[str, Callable[[], object]]:
        """What its command does."""
        return {"recording.toggle": self.toggle}

    def show_now(self) -> None:
        """Render the banner of the viewed workflow."""
        found = self._viewed()
        self.banner.show_steps(found.steps if found is not None else None)

    def toggle(self) -> None:
        """Start recording the viewed workflow, or review its recording."""
        workflow_id = self._core.stores.background.viewed_workflow_id
        if self._viewed() is not None:
            self.review()
        elif workflow_id is not None:
            self._tasks.spawn(self._start(workflow_id), "record")
        else:
            self._core.stores.toasts.add(ToastType.INFO, "nothing_to_record")

    def review(self) -> None:
        """Open the review of the viewed workflow's recording."""
        found = self._viewed()
        if found is not None:
            self._tasks.spawn(self._review(found), "review a recording")

    async def _start(self, workflow_id: WorkflowId) -> None:
        started = await self._core.recording.start(workflow_id)
        if isinstance(started, Failed):
            self._presenter.fail(started)

    async def _review(self, found: ListedRecording) -> None:
        review = await self._core.recording.review(found.run_id)
        if isinstance(review, Failed):
            self._presenter.fail(review)
            return
        if self.dialog is not None:
            self.dialog.close()
        listed = self._core.stores.workflows.get(found.workflow_id)
        title = listed.workflow.title if listed is not None else ""
        dialog = self.dialog = ReviewDialog(self._theme, title, review.data.as_dict(), self._window)
        dialog.save_requested.connect(partial(self._save, dialog, found.run_id))
        dialog.end_requested.connect(partial(self._end, dialog, found.run_id))
        dialog.finished.connect(dialog.deleteLater)
        dialog.finished.connect(self._forget)
        dialog.show()
        dialog.title.setFocus()

    def _save(self, dialog: ReviewDialog, run_id: RunId, title: str, accepted: list[str]) -> None:
        self._tasks.spawn(self._seal(dialog, run_id, ExportOptions(accepted, title)), "seal a recording")

    async def _seal(self, dialog: ReviewDialog, run_id: RunId, wishes: ExportOptions) -> None:
        sealed = await self._core.recording.seal(run_id, wishes)
        if isinstance(sealed, Ok):
            dialog.accept()
            toasts = self._core.stores.toasts
            toasts.add(ToastType.SUCCESS, "template_saved", title=sealed.data.title)
        elif self.dialog is dialog:
            dialog.fail(failure_words(sealed.code, sealed.message))

    def _end(self, dialog: ReviewDialog, run_id: RunId) -> None:
        self._tasks.spawn(self._end_recording(dialog, run_id), "end a recording")

    async def _end_recording(self, dialog: ReviewDialog, run_id: RunId) -> None:
        ended = await self._core.recording.end(run_id)
        if isinstance(ended, Failed):
            self._presenter.fail(ended)
        elif self.dialog is dialog:
            dialog.accept()

    def _forget(self) -> None:
        self.dialog = None

    def _viewed(self) -> ListedRecording | None:
        return self._core.stores.recordings.get(self._core.stores.view.workflow_id)
