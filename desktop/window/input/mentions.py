"""Mentions: `@` names an agent, a model, a file or a resource of a running MCP server in a message.

A completion list opens while a mention is typed at the beginning of a word. An agent or model answers from the next
turn on, a file or a resource is attached, and a folder continues with its entries. A chosen mention is removed from the
text; anything else stays text.
"""

import re
from collections.abc import Sequence

from core.domain.mcp_offers import OfferKind, ServerOffer, resource_address
from core.services.attachments import PathCompletion
from core.services.outcome import Ok
from desktop.chat.composer.completion import Suggestion
from desktop.palette.entries import rank_entries
from desktop.theme import Icon
from desktop.widgets import matches
from desktop.window.base.context import Controller, WindowContext
from desktop.window.base.options import Option
from desktop.window.conversation.chat_pane import ChatPane
from desktop.window.input.attachment_controller import AttachmentController
from desktop.window.input.folder_choice import FolderChoice
from desktop.window.input.header_choices import AnsweringChoice
from desktop.window.input.slash_commands import SlashCommands

_MENTION = re.compile(r"(?:^|(?<=[\s(\[{«“\"']))@((?:[~./][^@\n]*)|[^\s@]*)$")
_PATH_STARTS = ("/", "~", ".")
_MOST_MENTION_CHARACTERS = 300
_MOST_FILES = 50
_MOST_RESOURCES = 30
_CHOOSE_FILES = "choose"


class Mentions(Controller):
    """Completes mentions in the composer.

    `_mention` is the text behind `@` that is being completed. After the user closes the list, that text becomes
    `_declined`: the list stays closed while more is typed behind it.
    """

    def __init__(
        self,
        context: WindowContext,
        chat: ChatPane,
        answering: AnsweringChoice,
        folders: FolderChoice,
        attachments: AttachmentController,
        slash_commands: SlashCommands,
    ) -> None:
        super().__init__(context)
        self._chat = chat
        self._answering = answering
        self._folders = folders
        self._attachments = attachments
        self._slash_commands = slash_commands
        self._files: Sequence[PathCompletion] = ()
        self._resources: Sequence[ServerOffer] = ()
        self._mention: str | None = None
        self._declined: str | None = None
        composer = chat.composer
        composer.edited.connect(self._on_edited)
        composer.draft_replaced.connect(self._reset)
        composer.text_box.cursorPositionChanged.connect(self._on_moved)
        answering.refused.connect(composer.show_error)
        chat.mentions.accepted.connect(self._accept)
        chat.mentions.closed.connect(self._on_closed)

    def _on_edited(self) -> None:
        """Update the completion list for the mention before the cursor."""
        box = self._chat.composer.text_box
        mention = None if box.is_composing or not box.hasFocus() else _mention_before(box.before_cursor())
        if mention is None:
            self._reset()
            return
        if self._declined is not None and mention.startswith(self._declined):
            return
        self._mention, self._declined = mention, None
        self._files, self._resources = (), self._still_matching(mention)
        self._show()
        if mention:
            self._operations.run(self._list_files(mention), "list files to attach")
        if not mention.startswith(_PATH_STARTS):
            self._operations.run(self._list_resources(mention), "list resources to attach")

    def _on_moved(self) -> None:
        """Close the list when the cursor leaves the mention. Typing moves the cursor too and is handled by
        `_on_edited`.
        """
        if self._mention is not None and _mention_before(self._chat.composer.text_box.before_cursor()) is None:
            self._reset()

    def _on_closed(self) -> None:
        """Keep the list closed for this mention."""
        self._declined, self._mention = self._mention, None

    def _reset(self) -> None:
        self._mention = self._declined = None
        self._files, self._resources = (), ()
        self._chat.mentions.suggest(())

    async def _list_files(self, mention: str) -> None:
        files = await self._core.attachments.complete_path(mention, self._folders.main)
        if self._mention == mention:  # else more was typed meanwhile, and its own list is under way
            self._files = files[:_MOST_FILES]
            self._show()

    async def _list_resources(self, mention: str) -> None:
        outcome = await self._core.offers.resources(mention, _MOST_RESOURCES)
        if self._mention == mention and isinstance(outcome, Ok):
            self._resources = outcome.data
            self._show()

    def _still_matching(self, mention: str) -> Sequence[ServerOffer]:
        """Return the resources in the list that match what is typed by now, so that they do not flicker."""
        return [
            offer for offer in self._resources if matches(mention, f"{offer.title} {offer.server_name} {offer.key}")
        ]

    def _show(self) -> None:
        mention = self._mention or ""
        options = [] if mention.startswith(_PATH_STARTS) else self._matching_options(mention)
        suggestions = [*map(self._option_suggestion, options), *map(self._file_suggestion, self._files)]
        suggestions += map(self._resource_suggestion, self._resources)
        if not mention:
            suggestions.append(Suggestion(_CHOOSE_FILES, self.tr("Attach files…"), self.tr("file"), "", Icon.PAPERCLIP))
        self._chat.mentions.suggest([] if self._chat.completion.isVisible() else suggestions)

    def _matching_options(self, mention: str) -> list[Option]:
        """Return the agents and models that match, best first."""
        options = (option for option in self._answering.options() if option.answering is not None)
        return rank_entries(mention, (option for option in options if matches(mention, option.title)))

    def _option_suggestion(self, option: Option) -> Suggestion:
        kind = self.tr("answers now") if option.is_current else self.tr("answers next")
        return Suggestion(option, option.title, kind, option.note, Icon.BOT)

    def _file_suggestion(self, file: PathCompletion) -> Suggestion:
        kind = self.tr("folder") if file.is_folder else self.tr("file")
        return Suggestion(file, file.name, kind, "", Icon.FOLDER if file.is_folder else Icon.FILE_TEXT)

    def _resource_suggestion(self, offer: ServerOffer) -> Suggestion:
        about = " · ".join(part for part in (offer.server_name, offer.description or offer.key) if part)
        return Suggestion(offer, offer.title, self.tr("resource"), about, Icon.DATABASE)

    def _accept(self, suggestion: Suggestion) -> None:
        mention, chosen = self._mention, suggestion.key
        box = self._chat.composer.text_box
        if mention is None or _mention_before(box.before_cursor()) != mention:
            return
        units = len(mention.encode("utf-16-le", "surrogatepass")) // 2  # Qt counts positions in UTF-16 units
        if isinstance(chosen, PathCompletion) and chosen.is_folder:
            box.replace_before(units, f"{chosen.path}/")
            return
        self._mention = None
        box.replace_before(units + 1, "")
        if isinstance(chosen, Option):
            self._answering.choose(chosen)
        elif isinstance(chosen, PathCompletion):
            self._attachments.attach([chosen.path])
        elif isinstance(chosen, ServerOffer) and chosen.kind is OfferKind.TEMPLATE:
            self._slash_commands.ask_variables(chosen)
        elif isinstance(chosen, ServerOffer):
            self._attachments.attach([resource_address(chosen.server, chosen.key)])
        else:
            self._attachments.choose()


def _mention_before(before: str) -> str | None:
    """Return the text between `@` at the beginning of a word and the cursor; None without such a mention."""
    match = _MENTION.search(before[-_MOST_MENTION_CHARACTERS:])
    return None if match is None else match[1]
