"""Files attached to a message: chosen, dropped or pasted, previewed, and read when the message is sent.

The content at the time of sending is sent. A file that is missing, unreadable or changed since it was attached stops
the message with an error; the user sends again or removes the file.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from itertools import count

from PySide6.QtCore import Signal
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QFileDialog

from core.domain.ids import MessageId, WorkflowId
from core.domain.mcp_offers import parse_resource_address
from core.domain.messages import MESSAGE_BYTES, MESSAGE_FILES, AttachedFile, AttachmentKind, Message
from core.domain.toast import ToastType
from core.services.outcome import Failed, Ok
from desktop.chat.composer.attachments import AttachmentPreview
from desktop.chat.composer.draft import Draft, DraftFile, kept_file
from desktop.chat.pictures.decoding import png_of, prepare_picture
from desktop.chat.turn_parts import Picture
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

    picture_opened = Signal(object, object)
    """An attached Picture is to be shown in full; the first argument has all of the draft."""

    def __init__(self, context: WindowContext, chat: ChatPane, opener: WorkflowOpener, folders: FolderChoice) -> None:
        super().__init__(context)
        self._folders = folders
        self._chat = chat
        self._opener = opener
        self._dialog: QFileDialog | None = None
        self._take_export: Callable[[Sequence[str]], Awaitable[bool]] | None = None
        context.core.attachments.use_preparer(prepare_picture)
        chat.composer.attach_requested.connect(self.attach)
        chat.composer.picture_pasted.connect(self._attach_pasted)
        chat.picture_dropped.connect(self._attach_pasted)
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

    def attach_contents(
        self, contents: Sequence[tuple[str, bytes]], paths: Sequence[str], problems: Sequence[str]
    ) -> None:
        """Attach contents that are in no file, by name, and what is at these paths; show the problems beside."""
        if contents or paths or problems:
            work = self._attach_contents(contents, paths, problems, self._viewed)
            self._operations.run(work, "attach what a prompt has")

    async def _attach_contents(
        self,
        contents: Sequence[tuple[str, bytes]],
        paths: Sequence[str],
        problems: Sequence[str],
        origin: WorkflowId | None,
    ) -> None:
        files: list[DraftFile] = []
        failures: list[str] = []
        for name, data in contents[: MESSAGE_FILES + 1]:
            outcome = await self._core.attachments.take(name, data)
            if isinstance(outcome, Ok):
                files.append(kept_file(outcome.data))
            else:
                failures.append(self._refusal(outcome))
        self._add(files, [*problems, *failures], origin)
        if paths:
            await self._attach(paths, origin)

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

    async def read(self, draft: Draft, origin: WorkflowId | None) -> list[AttachedFile] | str:
        """Return the current content of the attached files, or the reason why the message cannot be sent, as text."""
        attached: list[AttachedFile] = []
        current: list[DraftFile] = []
        problems: list[str] = []
        for file in draft.files:
            if file.path is None:
                attached.append(file.content or AttachedFile(file.about))
                current.append(file)
                continue
            outcome = await self._core.attachments.read(file.path)
            if isinstance(outcome, Failed):
                problems.append(self._refusal(outcome))
                current.append(replace(file, problem=problems[-1]))
                continue
            about = outcome.data.about
            attached.append(outcome.data)
            current.append(replace(file, about=about, problem=""))
            is_file = parse_resource_address(file.path) is None  # a resource may differ each time that it is read
            if is_file and about.hash != file.hash and not file.problem:
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
                files.append(DraftFile(outcome.data.about, path))
            else:
                problems.append(self._refusal(outcome))
        self._add(files, problems, origin)

    def _attach_pasted(self, image: QImage) -> None:
        self._operations.run(self._attach_picture(image, self._viewed), "attach a picture")

    async def _attach_picture(self, image: QImage, origin: WorkflowId | None) -> None:
        """Attach a picture that is in no file; the draft keeps it."""
        data = await asyncio.to_thread(png_of, image)
        taken = {file.name for file in self._chat.composer.files}
        title = self.tr("Picture")
        name = next(name for name in (f"{title} {number}.png" for number in count(1)) if name not in taken)
        outcome = await self._core.attachments.take(name, data)
        if isinstance(outcome, Ok):
            self._add([kept_file(outcome.data)], [], origin)
        else:
            self._add([], [self._refusal(outcome)], origin)

    def _add(self, files: Sequence[DraftFile], problems: list[str], origin: WorkflowId | None) -> None:
        """Add files to a draft, as far as a message takes them, and show why others were refused."""
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
            "picture_broken": self.tr("“{name}” is not a picture that can be read"),
            "picture_too_large": self.tr("“{name}” has too many pixels to be sent"),
            "file_too_large": self.tr("“{name}” is too large: the limit is {size} per file"),
            "file_is_own": self.tr("“{name}” belongs to Metier itself and cannot be attached"),
            "too_many_files": self.tr("A message takes at most {count} files"),
            "files_too_large": self.tr("The files of a message can have at most {total} in total"),
        }.get(failed.code)
        if words is None:
            return failure_text(failed.code, failed.message)
        limit = failed.details.get("limit")
        size = byte_size(limit) if isinstance(limit, int) else ""
        sizes = {"size": size, "total": byte_size(MESSAGE_BYTES), "count": MESSAGE_FILES}
        return words.format(name=name, **sizes)

    def _on_chosen(self, _result: int) -> None:
        dialog, self._dialog = self._dialog, None
        if dialog is not None:
            dialog.deleteLater()
        self._chat.focus_composer()

    # Previews

    def _open(self, file: DraftFile) -> None:
        if file.about.kind is AttachmentKind.PICTURE and not file.problem:
            others = [other.about for other in self._chat.composer.files if other.about.kind is AttachmentKind.PICTURE]
            pictures = [Picture.of(about) for about in others]
            self.picture_opened.emit(pictures, Picture.of(file.about))
            return
        self._operations.run(self._preview(file), "preview a file", failure=self._show_failure)

    def _show_failure(self, failed: Failed) -> None:
        self._chat.composer.show_error(self._refusal(failed))

    async def _preview(self, file: DraftFile) -> None:
        content = file.content or unwrap(await self._core.attachments.read(file.path or ""))
        preview = AttachmentPreview(self._context.theme, file.name, file.size, content.text, self._context.window)
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

    async def of_message(self, message: Message) -> list[AttachedFile]:
        """Return the attachments of a message; none where they cannot be read."""
        if not message.attachments:
            return []
        outcome = await self._core.attachments.of_message(message.workflow_id, message.id, message.attachments)
        return outcome.data if isinstance(outcome, Ok) else []


def draft_files(attached: Sequence[AttachedFile]) -> list[DraftFile]:
    """Return attachments as files of a draft."""
    return [kept_file(file) for file in attached]
