"""Files attached to a message: chosen, dropped or pasted, previewed, and read when the message is sent.

The content at the time of sending is sent. A file that is missing, unreadable or changed since it was attached stops
the message with an error; the user sends again or removes the file.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace

from PySide6.QtWidgets import QFileDialog

from core.domain.ids import MessageId, WorkflowId
from core.domain.messages import FILE_BYTES, MESSAGE_BYTES, MESSAGE_FILES, AttachedText, Message, attached_text
from core.domain.toast import ToastType
from core.services.outcome import Failed, Ok
from desktop.chat.composer.attachments import AttachmentPreview
from desktop.chat.composer.draft import Draft, DraftFile
from desktop.operations import unwrap
from desktop.shortcuts.command import command
from desktop.translation import byte_size, failure_text
from desktop.window.base.context import Controller, WindowContext
from desktop.window.conversation.chat_pane import ChatPane
from desktop.window.input.folder_choice import FolderChoice
from desktop.window.navigation.workflow_switcher import WorkflowOpener

_MOST_REASONS = 4


class AttachmentController(Controller):
    """Attaches files to drafts, and reads the attachments of drafts and messages."""

    def __init__(self, context: WindowContext, chat: ChatPane, opener: WorkflowOpener, folders: FolderChoice) -> None:
        super().__init__(context)
        self._folders = folders
        self._chat = chat
        self._opener = opener
        self._dialog: QFileDialog | None = None
        self._take_export: Callable[[Sequence[str]], Awaitable[bool]] | None = None
        chat.composer.attach_requested.connect(self.attach)
        chat.composer.file_opened.connect(self._open)
        chat.files_dropped.connect(self.drop)
        chat.transcript.attachment_requested.connect(self._show_attached)
        chat.conversation.edit_requested.connect(self._edit)

    @command("composer.attach")
    def open_chat_and_choose(self) -> None:
        """Open the file dialog, with the chat below it if the start page is shown."""
        self._opener.open_chat()
        self.choose()

    def choose(self) -> None:
        """Open the file dialog without blocking."""
        if self._dialog is not None:
            self._dialog.raise_()
            return
        dialog = self._dialog = QFileDialog(self._context.window, self.tr("Attach files"))
        dialog.setObjectName("attach_files")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.setNameFilter(self.tr("All files") + " (*)")
        dialog.filesSelected.connect(self.attach)
        dialog.finished.connect(self._on_chosen)
        dialog.open()

    def attach(self, paths: Sequence[str]) -> None:
        """Attach these files to the draft; an empty list opens the file dialog."""
        if paths:
            self._operations.run(self._attach(list(paths), self._viewed), "attach files")
        else:
            self.choose()

    def set_importer(self, take: Callable[[Sequence[str]], Awaitable[bool]]) -> None:
        """Offer dropped files to `take` first, which returns whether they are its own: an export is imported."""
        self._take_export = take

    def drop(self, paths: Sequence[str]) -> None:
        """Import a dropped export; add dropped folders to those of the workflow; attach any other files."""
        self._operations.run(self._drop(list(paths), self._viewed), "take dropped files")

    def drop_beside(self, paths: Sequence[str]) -> None:
        """Do the same with what was dropped beside the chat, but attach nothing."""
        self._operations.run(self._drop(list(paths), self._viewed, attaches=False), "take dropped files")

    async def _drop(self, paths: Sequence[str], origin: WorkflowId | None, *, attaches: bool = True) -> None:
        if self._take_export is not None and await self._take_export(paths):
            return
        files = await self._folders.take_dropped(paths, origin)
        if files and attaches:
            await self._attach(files, origin)

    async def read(self, draft: Draft, origin: WorkflowId | None) -> list[AttachedText] | str:
        """Return the current content of the attached files, or the reason why the message cannot be sent, as text."""
        attached: list[AttachedText] = []
        current: list[DraftFile] = []
        problems: list[str] = []
        for file in draft.files:
            if file.path is None:
                attached.append(attached_text(file.name, file.text or "", file.size))
                current.append(file)
                continue
            outcome = await self._core.attachments.read(file.path)
            if isinstance(outcome, Failed):
                problems.append(self._refusal(outcome))
                current.append(replace(file, problem=problems[-1]))
                continue
            about = outcome.data.about
            attached.append(outcome.data)
            current.append(replace(file, size=about.size, hash=about.hash, problem=""))
            if about.hash != file.hash and not file.problem:
                text = self.tr("“{name}” has changed since it was attached: send again to use its current content")
                problems.append(text.format(name=file.name))
        if tuple(current) != draft.files:
            if origin == self._viewed:
                self._chat.composer.show_files(current)
            else:
                self._chat.drafts.put(origin, replace(self._chat.drafts.get(origin), files=tuple(current)))
        return problems[0] if problems else attached

    async def _attach(self, paths: Sequence[str], origin: WorkflowId | None) -> None:
        files: list[DraftFile] = []
        problems: list[str] = []
        for path in paths[: MESSAGE_FILES + 1]:
            outcome = await self._core.attachments.read(path)
            if isinstance(outcome, Ok):
                about = outcome.data.about
                files.append(DraftFile(about.name, about.size, about.hash, path))
            else:
                problems.append(self._refusal(outcome))
        if origin != self._viewed:  # another workflow is viewed by now: the files belong to the draft of the first
            draft = self._chat.drafts.get(origin)
            self._chat.drafts.put(origin, replace(draft, files=(*draft.files, *files)))
            return
        composer = self._chat.composer
        remaining = MESSAGE_BYTES - sum(file.size for file in composer.files)
        accepted: list[DraftFile] = []
        for file in files:
            is_known = any(known.is_same(file) for known in composer.files)
            if is_known or (len(composer.files) + len(accepted) < MESSAGE_FILES and file.size <= remaining):
                remaining -= 0 if is_known else file.size
                accepted.append(file)
            else:
                code = "too_many_files" if file.size <= remaining else "files_too_large"
                problems.append(self._refusal(Failed(code, "")))
        composer.show_files([*composer.files, *accepted])
        self._tell(problems)

    def _tell(self, problems: Sequence[str]) -> None:
        """Show why files were refused: one reason at the composer, several in a toast, as the line there is short."""
        reasons = list(dict.fromkeys(problems))
        if len(reasons) == 1:
            self._chat.composer.show_error(reasons[0])
        elif reasons:
            left = len(reasons) - _MOST_REASONS
            more = [self.tr("and %n more", None, left)] if left > 0 else []
            text = "\n".join([*reasons[:_MOST_REASONS], *more])
            self._stores.toasts.add(ToastType.ERROR, "files_refused", message=text)

    def _refusal(self, failed: Failed) -> str:
        name = str(failed.details.get("name", ""))
        words = {
            "file_gone": self.tr("“{name}” no longer exists"),
            "file_unreadable": self.tr("“{name}” cannot be read"),
            "not_a_file": self.tr("“{name}” is not a file"),
            "file_is_picture": self.tr("“{name}” is a picture: pictures cannot be attached yet"),
            "file_is_not_text": self.tr("“{name}” is not a text file: only text files can be attached"),
            "file_too_large": self.tr("“{name}” is too large: the limit is {size} per file"),
            "file_is_own": self.tr("“{name}” belongs to Metier itself and cannot be attached"),
            "too_many_files": self.tr("A message takes at most {count} files"),
            "files_too_large": self.tr("The files of a message can have at most {total} in total"),
        }.get(failed.code)
        if words is None:
            return failure_text(failed.code, failed.message)
        sizes = {"size": byte_size(FILE_BYTES), "total": byte_size(MESSAGE_BYTES), "count": MESSAGE_FILES}
        return words.format(name=name, **sizes)

    def _on_chosen(self, _result: int) -> None:
        dialog, self._dialog = self._dialog, None
        if dialog is not None:
            dialog.deleteLater()
        self._chat.focus_composer()

    # Previews

    def _open(self, file: DraftFile) -> None:
        self._operations.run(self._preview(file), "preview a file", failure=self._show_failure)

    def _show_failure(self, failed: Failed) -> None:
        self._chat.composer.show_error(self._refusal(failed))

    async def _preview(self, file: DraftFile) -> None:
        text = file.text
        if text is None:
            text = unwrap(await self._core.attachments.read(file.path or "")).text
        preview = AttachmentPreview(self._context.theme, file.name, file.size, text, self._context.window)
        preview.finished.connect(preview.deleteLater)
        preview.finished.connect(self._chat.focus_composer)
        preview.show()

    def _show_attached(self, message_id: str) -> None:
        viewed = self._viewed
        if viewed is not None:
            self._operations.run(self._load(viewed, MessageId(message_id)), "preview an attached text")

    async def _load(self, workflow_id: WorkflowId, message_id: MessageId) -> None:
        outcome = await self._core.attachments.texts(workflow_id, message_id)
        if workflow_id == self._viewed and isinstance(outcome, Ok):
            self._chat.conversation.show_attached(message_id, outcome.data)

    # Editing a message

    def _edit(self, message: Message) -> None:
        if message.attachments:
            self._operations.run(self._edit_with_files(message), "edit a message")
        else:
            self._chat.footer.prepend(message.text, ())

    async def _edit_with_files(self, message: Message) -> None:
        attached = await self.of_message(message)
        if message.workflow_id == self._viewed:
            self._chat.footer.prepend(message.text, draft_files(attached))

    async def of_message(self, message: Message) -> list[AttachedText]:
        """Return the attached texts of a message; none where they cannot be read."""
        if not message.attachments:
            return []
        outcome = await self._core.attachments.texts(message.workflow_id, message.id)
        texts = outcome.data if isinstance(outcome, Ok) else []
        return [AttachedText(about, text) for about, text in zip(message.attachments, texts, strict=False)]


def draft_files(attached: Sequence[AttachedText]) -> list[DraftFile]:
    """Return attached texts as files of a draft."""
    return [DraftFile(file.about.name, file.about.size, file.about.hash, text=file.text) for file in attached]
