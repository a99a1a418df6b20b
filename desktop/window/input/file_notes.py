"""Notes about what the model of the next turn gets of the attached files, before they are sent."""

from collections.abc import Iterable, Sequence

from core.domain.messages import AttachmentKind, AttachmentNote, goes_as_file
from core.domain.model import FilesTaken
from desktop.chat.composer.draft import DraftFile
from desktop.window.base.context import Controller, WindowContext
from desktop.window.base.options import model_label
from desktop.window.conversation.chat_pane import ChatPane
from desktop.window.input.header_choices import AnsweringChoice


class FileNotes(Controller):
    """Shows a note in the composer, again with each change of the files or of the model."""

    def __init__(self, context: WindowContext, chat: ChatPane, answering: AnsweringChoice) -> None:
        super().__init__(context)
        self._composer = chat.composer
        self._answering = answering
        self._composer.edited.connect(self.show)
        self._composer.draft_replaced.connect(self.show)
        self._composer.file_note.model_requested.connect(answering.open)
        answering.shown.connect(self.show)

    def show(self) -> None:
        """Show what becomes of the files."""
        files = self._composer.files
        if not files:
            self._composer.file_note.show_text("")
            return
        model = self._answering.next_model()
        taken = self._core.providers.files_taken(model)
        about_pictures = self._about_pictures(files, model_label(model), taken)
        notes = [about_pictures, *self._about_others(files, taken)]
        self._composer.file_note.show_text(" ".join(filter(None, notes)), offers_model=bool(about_pictures))

    def _about_pictures(self, files: Sequence[DraftFile], model: str, taken: FilesTaken) -> str:
        if taken.pictures is True or not any(file.about.kind is AttachmentKind.PICTURE for file in files):
            return ""
        if taken.pictures is False:
            return self.tr("{model} takes no pictures: it gets only their names.").format(model=model)
        return self.tr("It is not known whether {model} takes pictures: they are sent.").format(model=model)

    def _about_others(self, files: Sequence[DraftFile], taken: FilesTaken) -> Iterable[str]:
        for file in files:
            if (text := self._about_file(file, taken)) is not None:
                yield text.format(name=file.name)

    def _about_file(self, file: DraftFile, taken: FilesTaken) -> str | None:
        note, is_whole = file.about.note, goes_as_file(file.about, taken)
        match file.about.kind:
            case AttachmentKind.OTHER:
                return self.tr("Of “{name}”, the model gets only the name.")
            case AttachmentKind.PICTURE if note is AttachmentNote.FIRST_FRAME and is_whole:
                return self.tr("Of “{name}”, only the first frame is sent.")
            case AttachmentKind.PICTURE if note is AttachmentNote.SCALED and is_whole:
                return self.tr("“{name}” is scaled down to be sent.")
            case AttachmentKind.PDF if not is_whole:
                return self._about_text(note)
        return None

    def _about_text(self, note: AttachmentNote | None) -> str:
        match note:
            case AttachmentNote.ENCRYPTED:
                return self.tr("“{name}” is protected by a password: the model gets only its name.")
            case AttachmentNote.NO_TEXT:
                return self.tr("“{name}” has no text, only pictures of pages: the model gets only its name.")
            case AttachmentNote.UNREADABLE:
                return self.tr("The text of “{name}” cannot be read: the model gets only its name.")
            case AttachmentNote.FIRST_PAGES:
                return self.tr("Of “{name}”, the model gets only the text of the first pages.")
            case _:
                return self.tr("Of “{name}”, the model gets only the text.")
