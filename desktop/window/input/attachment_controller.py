"""Files attached to a message: chosen, dropped or pasted, previewed, and read when the message is sent.

The content at the time of sending is sent. A file that is missing, unreadable or changed since it was attached stops
the message with an error; the user sends again or removes the file.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QWidget

from core.app import Core
from core.domain.ids import MessageId, WorkflowId
from core.domain.messages import FILE_BYTES, MESSAGE_BYTES, MESSAGE_FILES, AttachedText, Message, attached_text
from core.services.outcome import Failed, Ok
from desktop.aio import Tasks
from desktop.chat.composer.attachments import AttachmentPreview
from desktop.chat.composer.draft import Draft, DraftFile
from desktop.theme.theme import Theme
from desktop.translation.failure_strings import failure_words
from desktop.translation.formats import byte_size
from desktop.window.conversation.chat_pane import ChatPane
from desktop.window.navigation.workflow_switcher import WorkflowOpener


class AttachmentController(QObject):
    def __init__(
        self,
        core: Core,
        tasks: Tasks,
        theme: Theme,
        chat: ChatPane,
        opening: WorkflowOpener,
        window: QWidget,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._core = core
        self._tasks = tasks
        self._theme = theme
        self._chat = chat
        self._opening = opening
        self._window = window
        self._dialog: QFileDialog | None = None
        chat.composer.attach_requested.connect(self.attach)
        chat.composer.file_opened.connect(self._open)
        chat.files_dropped.connect(self.attach)
        chat.transcript.attachment_requested.connect(self._show_attached)
        chat.conversation.take_up_requested.connect(self._take_up)

    def by_command(self) -> dict[str, Callable[[], object]]:
        """What its command does."""
        return {"composer.attach": self._choose_from_anywhere}

    def choose(self) -> None:
        """Open the file dialog without blocking."""
        if self._dialog is not None:
            self._dialog.raise_()
            return
        dialog = self._dialog = QFileDialog(self._window, self.tr("Attach files"))
        dialog.setObjectName("attach_files")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
        dialog.setNameFilter(self.tr("All files") + " (*)")
        dialog.filesSelected.connect(self.attach)
        dialog.finished.connect(self._on_chosen)
        dialog.open()

    def attach(self, paths: Sequence[str]) -> None:
        """Attach these files to the draft; an empty list opens the file dialog."""
        if paths:
            self._tasks.spawn(self._attach(list(paths), self._viewed), "attach files")
        else:
            self.choose()

    async def read(self, draft: Draft, origin: WorkflowId | None) -> list[AttachedText] | str:
        """Return the current content of the attached files, or the reason why the message cannot be sent, as text."""
        attached: list[AttachedText] = []
        seen: list[DraftFile] = []
        told: list[str] = []
        for file in draft.files:
            if file.path is None:
                attached.append(attached_text(file.name, file.text or "", file.size))
                seen.append(file)
                continue
            answer = await self._core.attachments.read(file.path)
            if isinstance(answer, Failed):
                told.append(self._refusal(answer))
                seen.append(replace(file, problem=told[-1]))
                continue
            about = answer.data.about
            attached.append(answer.data)
            seen.append(replace(file, size=about.size, hash=about.hash, problem=""))
            if about.hash != file.hash and not file.problem:
                words = self.tr("“{name}” has changed since it was attached: send again to send what it holds now")
                told.append(words.format(name=file.name))
        if tuple(seen) != draft.files:
            if origin == self._viewed:
                self._chat.composer.show_files(seen)
            else:
                self._chat.drafts.put(origin, replace(self._chat.drafts.get(origin), files=tuple(seen)))
        return told[0] if told else attached

    # Doing

    async def _attach(self, paths: Sequence[str], origin: WorkflowId | None) -> None:
        found: list[DraftFile] = []
        told: list[str] = []
        for path in paths[: MESSAGE_FILES + 1]:
            answer = await self._core.attachments.read(path)
            if isinstance(answer, Ok):
                about = answer.data.about
                found.append(DraftFile(about.name, about.size, about.hash, path))
            else:
                told.append(self._refusal(answer))
        if origin != self._viewed:  # it belongs to where it was wanted
            draft = self._chat.drafts.get(origin)
            self._chat.drafts.put(origin, replace(draft, files=(*draft.files, *found)))
            return
        composer = self._chat.composer
        room = _remaining_bytes(composer.files)
        kept: list[DraftFile] = []
        for file in found:
            is_known = any(one.is_same(file) for one in composer.files)
            if is_known or (len(composer.files) + len(kept) < MESSAGE_FILES and file.size <= room):
                room -= 0 if is_known else file.size
                kept.append(file)
            else:
                told.append(self._refusal(Failed("too_many_files" if file.size <= room else "files_too_large", "")))
        composer.show_files([*composer.files, *kept])
        if told:
            composer.show_error(told[0])

    def _refusal(self, failed: Failed) -> str:
        name = str(failed.details.get("name", ""))
        words = {
            "file_gone": self.tr("“{name}” is not there any more"),
            "file_unreadable": self.tr("“{name}” cannot be read"),
            "not_a_file": self.tr("“{name}” is a folder or no file: attach files"),
            "file_is_picture": self.tr("“{name}” is a picture: pictures cannot be sent to a model yet"),
            "file_is_not_text": self.tr("“{name}” is no text: only text files can go along"),
            "file_too_large": self.tr("“{name}” is too large: a file has at most {size}"),
            "too_many_files": self.tr("A message takes at most {count} files"),
            "files_too_large": self.tr("The files of a message have at most {total} together"),
        }.get(failed.code)
        if words is None:
            return failure_words(failed.code, failed.message)
        sizes = {"size": byte_size(FILE_BYTES), "total": byte_size(MESSAGE_BYTES), "count": MESSAGE_FILES}
        return words.format(name=name, **sizes)

    def _choose_from_anywhere(self) -> None:
        self._opening.open_chat()
        self.choose()

    def _on_chosen(self, _result: int) -> None:
        dialog, self._dialog = self._dialog, None
        if dialog is not None:
            dialog.deleteLater()
        self._chat.focus_composer()

    # Looking

    def _open(self, file: DraftFile) -> None:
        self._tasks.spawn(self._preview(file), "look at a file")

    async def _preview(self, file: DraftFile) -> None:
        text = file.text
        if text is None:
            answer = await self._core.attachments.read(file.path or "")
            if isinstance(answer, Failed):
                self._chat.composer.show_error(self._refusal(answer))
                return
            text = answer.data.text
        preview = AttachmentPreview(self._theme, file.name, file.size, text, self._window)
        preview.finished.connect(preview.deleteLater)
        preview.finished.connect(self._chat.focus_composer)
        preview.show()

    def _show_attached(self, message_id: str) -> None:
        viewed = self._viewed
        if viewed is not None:
            self._tasks.spawn(self._load(viewed, MessageId(message_id)), "look at an attached text")

    async def _load(self, workflow_id: WorkflowId, message_id: MessageId) -> None:
        answer = await self._core.attachments.texts(workflow_id, message_id)
        if workflow_id == self._viewed and isinstance(answer, Ok):
            self._chat.conversation.show_attached(message_id, answer.data)

    # Writing anew

    def _take_up(self, message: Message) -> None:
        if message.attachments:
            self._tasks.spawn(self._take_up_with_files(message), "edit a message")
        else:
            self._chat.foot.take_up(message.text, ())

    async def _take_up_with_files(self, message: Message) -> None:
        attached = await self.of_message(message)
        if message.workflow_id == self._viewed:
            self._chat.foot.take_up(message.text, draft_files(attached))

    async def of_message(self, message: Message) -> list[AttachedText]:
        """Return the attached texts of a message; none where they cannot be read."""
        if not message.attachments:
            return []
        answer = await self._core.attachments.texts(message.workflow_id, message.id)
        texts = answer.data if isinstance(answer, Ok) else []
        return [AttachedText(*one) for one in zip(message.attachments, texts, strict=False)]

    @property
    def _viewed(self) -> WorkflowId | None:
        return self._core.stores.background.viewed_workflow_id


def draft_files(attached: Sequence[AttachedText]) -> list[DraftFile]:
    """Return attached texts as files of a draft."""
    return [DraftFile(one.about.name, one.about.size, one.about.hash, text=one.text) for one in attached]


def _remaining_bytes(files: Sequence[DraftFile]) -> int:
    return MESSAGE_BYTES - sum(one.size for one in files)
