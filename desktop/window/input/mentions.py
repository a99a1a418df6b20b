"""Mentions: `@` names an agent, a model or a file in a message.

A completion list opens while a mention is typed at the beginning of a word. An agent or model answers from the next
turn on, a file is attached, and a folder continues with its entries. A chosen mention is removed from the text;
anything else stays text.
"""

import re
from collections.abc import Sequence

from PySide6.QtCore import QObject

from core.app import Core
from core.services.attachments import PathCompletion
from desktop.aio import Tasks
from desktop.chat.composer.completion import Suggestion
from desktop.palette.entries import Entry, Kind, rank_entries
from desktop.theme.icon_names import Icon
from desktop.widgets.list_search import matches
from desktop.window.base.options import Option
from desktop.window.conversation.chat_pane import ChatPane
from desktop.window.input.answering_choice import AnsweringChoice
from desktop.window.input.attachment_controller import AttachmentController

_MENTION = re.compile(r"(?:^|(?<=[\s(\[{«“\"']))@((?:[~./][^@\n]*)|[^\s@]*)$")
_PATH_STARTS = ("/", "~", ".")
_MOST_MENTION_CHARACTERS = 300
_MOST_FILES = 50
_CHOOSE_FILES = "choose"


class Mentions(QObject):
    def __init__(
        self,
        core: Core,
        tasks: Tasks,
        chat: ChatPane,
        answering: AnsweringChoice,
        attaching: AttachmentController,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._core = core
        self._tasks = tasks
        self._chat = chat
        self._answering = answering
        self._attaching = attaching
        self._named: str | None = None
        self._declined: str | None = None
        composer = chat.composer
        composer.edited.connect(self._on_edited)
        composer.draft_replaced.connect(self._leave)
        composer.text_box.cursorPositionChanged.connect(self._on_moved)
        answering.refused.connect(composer.show_error)
        chat.mentions.accepted.connect(self._accept)
        chat.mentions.closed.connect(self._on_closed)

    # While it is typed

    def _on_edited(self) -> None:
        """Update the completion list for the mention before the cursor."""
        box = self._chat.composer.text_box
        named = None if box.is_composing or not box.hasFocus() else _mention_before(box.before_cursor())
        if named is None:
            self._leave()
            return
        if self._declined is not None and named.startswith(self._declined):
            return
        self._named, self._declined = named, None
        self._show(())
        if named:
            self._tasks.spawn(self._look_for_files(named), "list files to attach")

    def _on_moved(self) -> None:
        """Close the list when the cursor leaves the mention. Typing moves the cursor too and is handled by
        `_on_edited`.
        """
        if self._named is not None and _mention_before(self._chat.composer.text_box.before_cursor()) is None:
            self._leave()

    def _on_closed(self) -> None:
        """Keep the list closed for this mention."""
        self._declined, self._named = self._named, None

    def _leave(self) -> None:
        self._named = self._declined = None
        self._chat.mentions.suggest(())

    async def _look_for_files(self, named: str) -> None:
        found = await self._core.attachments.beside(named)
        if self._named == named:
            self._show(found[:_MOST_FILES])

    def _show(self, files: Sequence[PathCompletion]) -> None:
        named = self._named or ""
        suggestions = [] if named.startswith(_PATH_STARTS) else [self._offer(one) for one in self._offers(named)]
        suggestions += [self._file(one) for one in files]
        if not named:
            suggestions.append(Suggestion(_CHOOSE_FILES, self.tr("Attach files…"), self.tr("file"), "", Icon.PAPERCLIP))
        self._chat.mentions.suggest([] if self._chat.completion.isVisible() else suggestions)

    def _offers(self, named: str) -> list[Option]:
        """Return the agents and models that match, best first."""
        fitting = [one for one in self._answering.offers() if one.answering is not None and matches(named, one.title)]
        entries = [Entry(Kind.WORKFLOW, str(at), one.title, "", Icon.X) for at, one in enumerate(fitting)]
        return [fitting[int(one.key)] for one in rank_entries(named, entries)]

    def _offer(self, offer: Option) -> Suggestion:
        kind = self.tr("answers now") if offer.is_current else self.tr("answers next")
        return Suggestion(offer, offer.title, kind, offer.note, Icon.BOT)

    def _file(self, file: PathCompletion) -> Suggestion:
        kind = self.tr("folder") if file.is_folder else self.tr("file")
        return Suggestion(file, file.name, kind, "", Icon.FOLDER if file.is_folder else Icon.FILE_TEXT)

    # Choosing

    def _accept(self, suggestion: Suggestion) -> None:
        named, chosen = self._named, suggestion.key
        box = self._chat.composer.text_box
        if named is None or _mention_before(box.before_cursor()) != named:
            return
        units = len(named.encode("utf-16-le", "surrogatepass")) // 2
        if isinstance(chosen, PathCompletion) and chosen.is_folder:
            box.replace_before(units, f"{chosen.path}/")
            return
        self._named = None
        box.replace_before(units + 1, "")
        if isinstance(chosen, Option):
            self._answering.choose(chosen)
        elif isinstance(chosen, PathCompletion):
            self._attaching.attach([chosen.path])
        else:
            self._attaching.choose()


def _mention_before(before: str) -> str | None:
    """Return the text between `@` at the beginning of a word and the cursor; None without such a mention."""
    found = _MENTION.search(before[-_MOST_MENTION_CHARACTERS:])
    return None if found is None else found[1]
