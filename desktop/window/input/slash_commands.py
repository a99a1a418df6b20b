"""Slash commands: completed while typed, run when sent.

A template starts a run. A prompt replaces the text, and the user sends it. Missing input is requested in a form in
place of the composer (AGENTS_AND_TOOLS §9).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from core.domain.agent import AgentSelection
from core.domain.ids import PromptId, TemplateId, WorkflowId
from core.domain.mcp_offers import ServerOffer
from core.domain.slash_commands import (
    SlashCommand,
    SlashKind,
    SlashTarget,
    UnknownCommand,
    command_text,
    parse_slash,
    prompt_values_schema,
)
from core.services.outcome import Failed, Ok
from desktop.chat.composer.completion import Suggestion
from desktop.operations import unwrap
from desktop.theme import Icon
from desktop.translation import failure_text, template_description
from desktop.window.actions.gated_starts import is_limit
from desktop.window.actions.workflow_actions import WorkflowActions
from desktop.window.base.context import Controller, WindowContext
from desktop.window.base.outgoing import OutgoingMessage, StartSource, TemplateStart
from desktop.window.conversation.chat_pane import ChatPane
from desktop.window.input.folder_choice import FolderChoice
from desktop.window.input.header_choices import AnsweringChoice
from desktop.window.input.input_forms import FormDraft, FormRequest, InputForms
from desktop.window.input.server_offers import OFFER_KINDS, ServerOffers, template_command
from desktop.window.input.slash_titles import AcceptedCommand, accepted_command, matching_titles, shortened
from desktop.window.navigation.workflow_switcher import WorkflowOpener

_ICONS = {
    SlashKind.TEMPLATE: Icon.WORKFLOW,
    SlashKind.PROMPT: Icon.FILE_TEXT,
    SlashKind.SERVER_PROMPT: Icon.FILE_TEXT,
}


class SlashCommands(Controller):
    """Runs slash commands. A template chosen in the palette starts in a new workflow."""

    def __init__(
        self,
        context: WindowContext,
        actions: WorkflowActions,
        chat: ChatPane,
        opener: WorkflowOpener,
        answering: AnsweringChoice,
        folders: FolderChoice,
        offers: ServerOffers,
    ) -> None:
        super().__init__(context)
        self._actions = actions
        self._footer = footer = chat.footer
        self._completion = completion = chat.completion
        self._opener = opener
        self._titles: Sequence[SlashTarget] | None = None
        self._is_loading = False
        self._is_list_wanted = False
        self._accepted: AcceptedCommand | None = None
        self._answering = answering
        self._offers = offers
        self.forms = InputForms(context, actions, chat, folders, self._reopen)
        footer.composer.edited.connect(self._on_edited)
        footer.composer.draft_replaced.connect(self._on_drafted)
        completion.accepted.connect(self._accept)
        completion.closed.connect(self._on_closed)
        footer.inputs.submitted.connect(self._on_given)
        footer.inputs.cancelled.connect(self._on_cancelled)
        actions.template_settled.connect(self._on_settled)

    def send(self, message: OutgoingMessage, origin: WorkflowId | None, answering: AgentSelection | None) -> None:
        """Send a message, or run its slash command; `answering` is used by a new workflow."""
        if not message.text.startswith("/"):
            self._actions.send(message, origin, answering)
            return
        work = self._send(message, origin, answering, self._accepted)
        self._operations.run(work, "send", failure=partial(self._actions.refuse, origin))

    def start(self, template_id: TemplateId) -> None:
        """Start a template in a new workflow, after requesting its input."""
        self._operations.run(self._start(template_id), "start a template")

    async def _send(
        self,
        message: OutgoingMessage,
        origin: WorkflowId | None,
        answering: AgentSelection | None,
        accepted: AcceptedCommand | None,
    ) -> None:
        parsed = unwrap(await self._core.slash.read(message.text))
        command = accepted_command(message.text, accepted) or parsed
        if not isinstance(command, SlashCommand):
            self._actions.send(message, origin, answering)
        elif command.target.kind is SlashKind.TEMPLATE:
            await self._send_template(message, origin, answering, command)
        else:
            await self._send_prompt(message.text, origin, command)

    async def _send_template(
        self,
        message: OutgoingMessage,
        origin: WorkflowId | None,
        answering: AgentSelection | None,
        command: SlashCommand,
    ) -> None:
        prepared = unwrap(await self._core.slash.template(TemplateId(command.target.id), command.rest))
        selection = answering if origin is None else None
        given, asked = prepared.input.values, prepared.input.missing_schema
        start = TemplateStart(
            prepared.found, given, origin, message.text, selection, origin, message.attached, message.source
        )
        if asked is None:
            self._actions.start_template(replace(start, queued=message.queued))
        else:
            self._ask(_form_of_start(start, command, asked))

    async def _send_prompt(self, text: str, origin: WorkflowId | None, command: SlashCommand) -> None:
        await self._ask_or_insert(await self._prompt_request(command, origin, text))

    async def _prompt_request(self, command: SlashCommand, origin: WorkflowId | None, text: str | None) -> FormRequest:
        """Return the request of a prompt, of the library or of a server."""
        if command.target.kind in OFFER_KINDS:
            return await self._offers.request(command, origin, text)
        given = unwrap(await self._core.slash.prompt(PromptId(command.target.id), command.rest))
        return FormRequest(origin, command, text, prompt_values_schema(given.missing), prompt=given)

    async def _ask_or_insert(self, request: FormRequest) -> None:
        if request.prompt is not None and request.prompt.missing:
            self._ask(request)
        else:
            await self._insert(request, {})

    def ask_variables(self, offer: ServerOffer) -> None:
        """Ask for the variables of a template of resources, and attach the resource."""
        self._operations.run(self._ask_variables(offer), "attach a resource", failure=self._show_failure)

    async def _ask_variables(self, offer: ServerOffer) -> None:
        await self._ask_or_insert(await self._offers.request(template_command(offer), self._viewed, None))

    def _show_failure(self, failed: Failed) -> None:
        self._footer.composer.show_error(failure_text(failed.code, failed.message))

    async def _start(self, template_id: TemplateId) -> None:
        viewed = self._viewed
        prepared = unwrap(await self._core.slash.template(template_id))
        start = TemplateStart(
            prepared.found, prepared.input.values, None, None, None, viewed, source=StartSource.COMMAND
        )
        if prepared.input.missing_schema is None:
            self._actions.start_template(start)
            return
        self._opener.open_new()  # the form needs a composer to stand in for; the start page has none
        target = SlashTarget(SlashKind.TEMPLATE, template_id, prepared.found.template.title)
        start = replace(start, viewed=None)
        self._ask(_form_of_start(start, SlashCommand(target, ""), prepared.input.missing_schema))

    def _ask(self, request: FormRequest) -> None:
        """Show the form, unless another workflow is viewed by now."""
        if not self.forms.ask(request):
            self._actions.release_composer(request.origin)

    async def _reopen(self, draft: FormDraft) -> None:
        """Show the form that was open when the previous process ended, if it still has something to ask for."""
        place, command = WorkflowId(draft.workflow) if draft.workflow is not None else None, draft.command
        request: FormRequest | None = None
        if command.target.kind is SlashKind.TEMPLATE:
            prepared = unwrap(await self._core.slash.template(TemplateId(command.target.id), command.rest))
            values, asked = prepared.input.values, prepared.input.missing_schema
            selection = self._answering.for_new if place is None and draft.text is not None else None
            if asked is not None:
                start = TemplateStart(prepared.found, values, place, draft.text, selection, place)
                request = _form_of_start(start, command, asked)
        else:
            prompt = await self._prompt_request(command, place, draft.text)
            request = prompt if prompt.prompt is not None and prompt.prompt.missing else None
        if request is None:
            self.forms.drafts.fold(draft)
        elif self.forms.request is None:  # else the user was faster
            self.forms.ask(request, takes_focus=self._footer.composer.text_box.hasFocus())

    async def _insert(self, request: FormRequest, values: Mapping[str, str]) -> None:
        """Replace the message by the text of the prompt, if the message still stands in the composer."""
        assert request.prompt is not None
        outcome: Ok[str] | Failed
        if request.command.target.kind in OFFER_KINDS:
            outcome = await self._offers.fill(request, values)
        else:
            outcome = await self._core.slash.text(PromptId(request.command.target.id), request.prompt, values)
        # the user may have cancelled the form, or opened another
        if isinstance(outcome, Failed) and self.forms.request is request:
            self._footer.inputs.refuse(failure_text(outcome.code, outcome.message), [])
            return
        text = unwrap(outcome)
        self.forms.finish(request)
        if request.origin == self._viewed and text:
            composer = self._footer.composer
            composer.replace(text) if composer.draft().text == request.text else composer.prepend(text)
        self._actions.release_composer(request.origin)

    # The input form

    def _on_given(self, values: Mapping[str, Any], queued: bool) -> None:
        request = self.forms.request
        if request is None:
            return
        if request.start is None:
            failure = partial(self._actions.refuse, request.origin)
            self._operations.run(self._insert(request, values), "fill in a prompt", failure=failure)
        else:
            given = {**request.start.given, **values}
            self._actions.start_template(replace(request.start, given=given, queued=queued))

    def _on_cancelled(self) -> None:
        """Close the form and restore the composer."""
        self.forms.cancel()
        self._footer.focus_composer()

    def _on_settled(self, start: TemplateStart, failed: Failed | None) -> None:
        """Close the form after a start, or show there why it failed."""
        request = self.forms.of_start(start)
        if failed is None and request is not None:
            self.forms.finish(request)
        if failed is None and start.prompt is None and self._viewed != start.viewed:
            self._footer.focus_composer()
        elif failed is not None and request is not None and request is self.forms.request:
            problems = failed.details.get("problems", ()) if failed.code == "bad_input" else ()
            # a reached limit is shown below the form, with ways out
            words = "" if is_limit(failed) else failure_text(failed.code, failed.message)
            self._footer.inputs.refuse(words, list(problems))

    # The completion list

    def _on_edited(self) -> None:
        box = self._footer.composer.text_box
        line = box.first_line()
        if not line.startswith("/"):
            self._titles, self._is_list_wanted, self._accepted = None, False, None
            self._show()
            return
        if line == "/" and not box.has_more_lines() and box.hasFocus():
            # the list opens by typing the slash, not by pasting a text or switching to a draft that begins with it
            self._is_list_wanted, self._accepted = True, None
        # read once per message that begins with a slash: what can be named hardly changes while it is typed
        self._load() if self._titles is None else self._show()

    def _on_drafted(self) -> None:
        """Close the completion list: the text of another workflow was loaded."""
        self._is_list_wanted, self._accepted = False, None
        self._show()

    def _on_closed(self) -> None:
        self._is_list_wanted = False
        self._show()

    def _accept(self, suggestion: Suggestion) -> None:
        target = suggestion.key
        assert isinstance(target, SlashTarget)
        self._is_list_wanted = False
        text = command_text(target.title)
        # a template and a prompt may share a title: the accepted target is meant as long as the text names it
        self._accepted = AcceptedCommand(text.rstrip(), target)
        self._footer.composer.replace(text)

    def _load(self) -> None:
        if not self._is_loading:
            self._is_loading = True
            self._operations.run(self._load_titles(), "list slash commands")

    async def _load_titles(self) -> None:
        try:
            titles = unwrap(await self._core.slash.targets())
        finally:
            self._is_loading = False
        if self._footer.composer.text_box.first_line().startswith("/"):
            self._titles = titles
            self._show()

    def _show(self) -> None:
        """Show the completions and the effect of sending."""
        box = self._footer.composer.text_box
        line, titles = box.first_line(), self._titles
        if titles is None or not line.startswith("/"):
            self._completion.suggest(())
            self._footer.composer.show_note("")
            return
        command = accepted_command(line, self._accepted) or parse_slash(line, titles)
        is_wanted = self._is_list_wanted and not box.has_more_lines() and not box.is_composing
        matching = matching_titles(line, titles, command) if is_wanted else ()
        self._completion.suggest([self._suggestion(target) for target in matching])
        self._footer.composer.show_note("" if matching else self._remark(command, is_alone=line == "/"))

    def _suggestion(self, target: SlashTarget) -> Suggestion:
        kinds = {SlashKind.TEMPLATE: self.tr("template"), SlashKind.SERVER_PROMPT: self.tr("server prompt")}
        kind = kinds.get(target.kind, self.tr("prompt"))
        return Suggestion(target, target.title, kind, template_description(target.description), _ICONS[target.kind])

    def _remark(self, command: SlashCommand | UnknownCommand | None, *, is_alone: bool) -> str:
        match command:
            case SlashCommand(target=target) if target.kind is SlashKind.TEMPLATE:
                return self.tr("Starts the template “{title}”").format(title=shortened(target.title))
            case SlashCommand(target=target):
                return self.tr("Inserts the prompt “{title}”").format(title=shortened(target.title))
            case UnknownCommand(name=name) if name:
                return self.tr("No template or prompt is called “{name}”: sent as text").format(name=shortened(name))
            case UnknownCommand() if not is_alone:
                return self.tr("No template or prompt has this name: sent as text")
            case _:
                return ""


def _form_of_start(start: TemplateStart, command: SlashCommand, schema: Mapping[str, Any]) -> FormRequest:
    start = replace(start, source=StartSource.FORM)
    return FormRequest(start.workflow_id, command, start.prompt, schema, start=start)
