"""Recording of the viewed workflow: the banner, and the review that saves a template (UI §9)."""

from functools import partial

from core.domain.ids import RunId
from core.domain.toast import ToastType
from core.services.outcome import Failed
from core.services.recording import ExportOptions
from core.stores.indicators import ListedRecording
from desktop.operations import unwrap
from desktop.recording.banner import RecordingBanner
from desktop.recording.review_dialog import ReviewDialog
from desktop.shortcuts.command import command
from desktop.translation import failure_text
from desktop.window.base.context import Controller, WindowContext


class RecordingController(Controller):
    """Connects `banner` and the review dialog to the service. At most one review is open."""

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self.banner = RecordingBanner(context.theme)
        self.banner.review_requested.connect(self.review)
        self.dialog: ReviewDialog | None = None
        stores = context.stores
        context.frames.bind(self, (stores.recordings.changed, stores.view.changed), self.show_now)

    def show_now(self) -> None:
        """Render the banner of the viewed workflow."""
        recording = self._viewed_recording
        self.banner.show_steps(recording.steps if recording is not None else None)

    @command("recording.toggle")
    def toggle(self) -> None:
        """Start recording the viewed workflow, or review its recording."""
        if self._viewed_recording is not None:
            self.review()
        elif self._viewed is not None:
            self._operations.run(self._core.recording.start(self._viewed), "record")
        else:
            self._stores.toasts.add(ToastType.INFO, "nothing_to_record")

    def review(self) -> None:
        """Open the review of the viewed workflow's recording."""
        recording = self._viewed_recording
        if recording is not None:
            self._operations.run(self._review(recording), "review a recording")

    async def _review(self, recording: ListedRecording) -> None:
        review = unwrap(await self._core.recording.review(recording.run_id))
        if self.dialog is not None:
            self.dialog.close()
        listed = self._stores.workflows.get(recording.workflow_id)
        title = listed.workflow.title if listed is not None else ""
        dialog = self.dialog = ReviewDialog(self._context.theme, title, review.as_dict(), self._context.owner)
        dialog.save_requested.connect(partial(self._save, dialog, recording.run_id))
        dialog.end_requested.connect(partial(self._end, dialog, recording.run_id))
        dialog.finished.connect(dialog.deleteLater)
        dialog.finished.connect(self._forget)
        dialog.show()
        dialog.title.setFocus()

    def _save(self, dialog: ReviewDialog, run_id: RunId, title: str, accepted: list[str]) -> None:
        def show_failure(failed: Failed) -> None:
            if self.dialog is dialog:
                dialog.fail(failure_text(failed.code, failed.message))

        export = self._export(dialog, run_id, ExportOptions(accepted, title))
        self._operations.run(export, "save a recording", failure=show_failure)

    async def _export(self, dialog: ReviewDialog, run_id: RunId, options: ExportOptions) -> None:
        template = unwrap(await self._core.recording.export(run_id, options))
        dialog.accept()
        self._stores.toasts.add(ToastType.SUCCESS, "template_saved", title=template.title)

    def _end(self, dialog: ReviewDialog, run_id: RunId) -> None:
        self._operations.run(self._end_recording(dialog, run_id), "end a recording")

    async def _end_recording(self, dialog: ReviewDialog, run_id: RunId) -> None:
        unwrap(await self._core.recording.end(run_id))
        if self.dialog is dialog:  # another review may be open by now, and this dialog deleted
            dialog.accept()

    def _forget(self) -> None:
        self.dialog = None

    @property
    def _viewed_recording(self) -> ListedRecording | None:
        return self._stores.recordings.get(self._stores.view.workflow_id)
