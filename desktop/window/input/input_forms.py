"""The forms for missing input of templates and prompts, kept with what was filled in until they are done (UI §3).

    forms.json    what was filled in by workflow, for the next start after a crash

A form belongs to the workflow that was viewed when it was opened. It is there again after a switch, and after Esc once
the same template or prompt is chosen again.
"""

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from core.domain.ids import PromptId, WorkflowId
from core.domain.input_schema import with_folder
from core.domain.slash_commands import PromptInput, SlashCommand, SlashKind, SlashTarget
from desktop.window.actions.workflow_actions import WorkflowActions
from desktop.window.base.context import Controller, WindowContext
from desktop.window.base.outgoing import TemplateStart
from desktop.window.conversation.chat_pane import ChatPane
from desktop.window.conversation.drafts import WriteBehind, read_saved, write_saved
from desktop.window.input.folder_choice import FolderChoice

_MOST_DRAFTS = 200


@dataclass(frozen=True, slots=True)
class FormRequest:
    """A form of a template, which becomes `start`, or of a prompt, whose text is `prompt` with its values.

    `text` is the message that named it; None if it was chosen in the palette.
    """

    origin: WorkflowId | None
    command: SlashCommand
    text: str | None
    schema: Mapping[str, Any]
    start: TemplateStart | None = None
    prompt: PromptInput | None = None


@dataclass(frozen=True, slots=True)
class FormDraft:
    """What was filled in; None for a field that is as it was at first. `is_open`: it takes the composer's place."""

    workflow: str | None
    kind: str
    target: str
    title: str
    rest: str
    text: str | None
    fields: tuple[Any, ...]
    is_open: bool

    @property
    def key(self) -> tuple[str | None, str]:
        return self.workflow, self.target

    @property
    def command(self) -> SlashCommand:
        # the kind says which of the ids it is
        return SlashCommand(SlashTarget(SlashKind(self.kind), PromptId(self.target), self.title), self.rest)


Reopen = Callable[[FormDraft], Coroutine[Any, Any, None]]
"""Prepares and asks for a form of a previous process."""


class InputForms(Controller):
    """Shows one form at a time, and keeps the others."""

    def __init__(
        self, context: WindowContext, actions: WorkflowActions, chat: ChatPane, folders: FolderChoice, reopen: Reopen
    ) -> None:
        super().__init__(context)
        self._actions = actions
        self._footer = chat.footer
        self._folders = folders
        self._reopen = reopen
        self._request: FormRequest | None = None
        self._parked: dict[WorkflowId | None, FormRequest] = {}
        self.drafts = FormDrafts(context, self._draft, self)
        chat.inputs.edited.connect(self.drafts.touch)

    @property
    def request(self) -> FormRequest | None:
        """The request whose form is open."""
        return self._request

    def ask(self, request: FormRequest, *, takes_focus: bool = True) -> bool:
        """Show the form, with what was filled in before. Return False if another workflow is viewed by now."""
        if request.origin != self._viewed:
            return False
        if self._request is not None:
            self.cancel()
        self._request = request
        title, runs = request.command.target.title, request.start is not None
        draft = self.drafts.get(request.origin, request.command)
        schema = with_folder(request.schema, self._folders.main)
        self._footer.ask_input(title, schema, runs=runs, takes_focus=takes_focus)
        if draft is not None and (form := self._footer.inputs.form) is not None:
            form.restore(draft.fields)
        self.drafts.touch()
        return True

    def cancel(self) -> None:
        """Close the form; what was filled in is there again once the same is chosen."""
        self._put_away(is_open=False)

    def finish(self, request: FormRequest) -> None:
        """Close the form of a request that is done, and drop what was filled in."""
        self._parked = {place: parked for place, parked in self._parked.items() if parked is not request}
        if self._request is request:
            self._end()
        self.drafts.drop(request)

    def of_start(self, start: TemplateStart) -> FormRequest | None:
        """Return the request that became this start, whether its form is open or belongs to another workflow."""
        requests = (self._request, *self._parked.values())
        return next((known for known in requests if known and known.start and known.start.is_same(start)), None)

    def on_viewed(self) -> None:
        """Put the form of the previous workflow away, and show that of the viewed one."""
        if self._request is not None:
            self._parked[self._request.origin] = self._request
            self._put_away(is_open=True)
        takes_focus = self._footer.composer.text_box.hasFocus()
        if (request := self._parked.pop(self._viewed, None)) is not None:
            self.ask(request, takes_focus=takes_focus)
        elif (draft := self.drafts.open_in(self._viewed)) is not None and self._stands_for(draft):
            self._operations.run(self._reopen(draft), "open a form again", failure=lambda _: self.drafts.fold(draft))

    def _stands_for(self, draft: FormDraft) -> bool:
        """Return whether the composer still has the message that named it; attached files are read when it is sent."""
        message = self._footer.composer.draft()
        return draft.text is None or (draft.text == message.text and not message.files)

    def _put_away(self, *, is_open: bool) -> None:
        if (draft := self._draft()) is not None:
            self.drafts.put(replace(draft, is_open=is_open))
        self._end()

    def _draft(self) -> FormDraft | None:
        """Return what is filled in by now; None if no form is open."""
        request, form = self._request, self._footer.inputs.form
        if request is None or form is None:
            return None
        target, rest = request.command.target, request.command.rest
        return FormDraft(
            request.origin, target.kind, target.id, target.title, rest, request.text, form.edited_values(), True
        )

    def _end(self) -> None:
        request, self._request = self._request, None
        if request is not None and request.text is not None:
            self._actions.release_composer(request.origin)
        had_focus = self._footer.inputs.has_focus
        self._footer.end_input()
        if had_focus:
            self._footer.focus_composer()


class FormDrafts(WriteBehind):
    """What was filled in by workflow and by template or prompt. `current` returns the draft of the open form."""

    def __init__(self, context: WindowContext, current: Callable[[], FormDraft | None], parent: Controller) -> None:
        super().__init__("forms", context.tasks, parent)
        self._path = context.drafts_folder.with_name("forms.json")
        self._workflows = context.stores.workflows
        self._current = current
        self._drafts: dict[tuple[str | None, str], FormDraft] = {}
        self._saved: tuple[FormDraft, ...] = ()

    async def load(self) -> None:
        """Read what was filled in when the previous process ended."""
        self._saved = await asyncio.to_thread(read_saved, self._path, _drafts_of, (), "the forms that were filled in")
        self._drafts = {draft.key: draft for draft in self._saved} | self._drafts

    def get(self, place: WorkflowId | None, command: SlashCommand) -> FormDraft | None:
        return self._drafts.get((place, command.target.id))

    def open_in(self, place: WorkflowId | None) -> FormDraft | None:
        """Return the draft whose form stands in place of the composer of a workflow."""
        return next((draft for draft in self._drafts.values() if draft.workflow == place and draft.is_open), None)

    def put(self, draft: FormDraft) -> None:
        """Keep a draft; one that is neither open nor filled in is dropped."""
        self._drafts.pop(draft.key, None)
        if draft.is_open or any(value is not None for value in draft.fields):
            self._drafts[draft.key] = draft
        self.touch()

    def fold(self, draft: FormDraft) -> None:
        """Keep the draft, but not its form in place of the composer."""
        self.put(replace(draft, is_open=False))

    def drop(self, request: FormRequest) -> None:
        """Drop what was filled in for a request that is done."""
        self._drafts.pop((request.origin, request.command.target.id), None)
        self.write_soon()

    async def _save_changes(self) -> bool:
        if (current := self._current()) is not None:
            self.put(current)
        if self._workflows.rows:  # else the list may have failed to load, and every draft would be an orphan
            known = {None, *self._workflows.all_ids}
            self._drafts = {key: draft for key, draft in self._drafts.items() if key[0] in known}
        drafts = tuple([*self._drafts.values()][-_MOST_DRAFTS:])
        if is_changed := drafts != self._saved:
            await asyncio.to_thread(write_saved, self._path, [asdict(draft) for draft in drafts])
            self._saved = drafts
        return is_changed


def _drafts_of(saved: Any) -> tuple[FormDraft, ...]:
    return tuple(map(_read_draft, saved))


def _read_draft(fields: Mapping[str, Any]) -> FormDraft:
    draft = FormDraft(**{**fields, "fields": tuple(fields["fields"])})
    texts = (draft.kind, draft.target, draft.title, draft.rest)
    if not all(isinstance(text, str) for text in texts):
        raise TypeError("not a form")
    SlashKind(draft.kind)
    return draft
