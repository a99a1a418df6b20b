"""Slash commands: completed while typed, run when sent.

A template starts a run. A prompt replaces the text, and the user sends it. Missing input is requested in a form in
place of the composer (AGENTS_AND_TOOLS §9).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import QObject

from core.app import Core
from core.domain.agent import AgentSelection
from core.domain.ids import PromptId, TemplateId, WorkflowId
from core.domain.slash_commands import (
    PromptInput,
    SlashCommand,
    SlashKind,
    SlashTarget,
    UnknownCommand,
    command_text,
    parse_slash,
    prompt_values_schema,
)
from core.services.outcome import Failed
from desktop.aio import Tasks
from desktop.chat.composer.completion import CompletionPopup, Suggestion
from desktop.palette.entries import Entry, Kind, rank_entries
from desktop.theme.icon_names import Icon
from desktop.translation.failure_strings import failure_words
from desktop.translation.template_strings import about_template
from desktop.widgets.list_search import folded, matches
from desktop.window.actions.workflow_actions import TemplateStart, WorkflowActions
from desktop.window.base.outgoing import OutgoingMessage
from desktop.window.conversation.footer import Foot
from desktop.window.navigation.workflow_switcher import WorkflowOpener

_ICONS = {SlashKind.TEMPLATE: Icon.WORKFLOW, SlashKind.PROMPT: Icon.FILE_TEXT}
_NAME_CHARACTERS = 40


@dataclass(frozen=True, slots=True)
class _PromptRequest:
    """A prompt whose missing values are requested, and the message that named it."""

    origin: WorkflowId | None
    text: str
    prompt_id: PromptId
    input: PromptInput


@dataclass(frozen=True, slots=True)
class _AcceptedCommand:
    """A completion that was accepted, valid while the text begins with `beginning`."""

    beginning: str
    target: SlashTarget


class SlashCommands(QObject):
    """Runs slash commands. A template chosen in the palette starts in a new workflow."""

    def __init__(
        self,
        core: Core,
        tasks: Tasks,
        deeds: WorkflowActions,
        foot: Foot,
        completion: CompletionPopup,
        opening: WorkflowOpener,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._core = core
        self._tasks = tasks
        self._deeds = deeds
        self._foot = foot
        self._completion = completion
        self._opening = opening
        self._titles: Sequence[SlashTarget] | None = None
        self._is_loading = False
        self._is_wanted = False
        self._accepted: _AcceptedCommand | None = None
        self._asked: _PromptRequest | TemplateStart | None = None
        foot.composer.edited.connect(self._on_edited)
        foot.composer.draft_replaced.connect(self._on_drafted)
        completion.accepted.connect(self._accept)
        completion.closed.connect(self._on_closed)
        foot.inputs.given.connect(self._on_given)
        foot.inputs.left.connect(self._on_left)
        deeds.template_settled.connect(self._on_settled)

    def send(self, said: OutgoingMessage, origin: WorkflowId | None, answering: AgentSelection | None) -> None:
        """Send a message, or run its slash command; `answering` is used by a new workflow."""
        if said.text.startswith("/"):
            self._tasks.spawn(self._send(said, origin, answering, self._accepted), "send")
        else:
            self._deeds.send(said, origin, answering)

    def start(self, template_id: TemplateId) -> None:
        """Start a template in a new workflow, after requesting its input."""
        self._tasks.spawn(self._start(template_id), "start a template")

    def viewed_another(self) -> None:
        """Close the input form, which belongs to the previous workflow. The text stays there."""
        if self._asked is not None:
            self._end()

    # Doing

    async def _send(
        self,
        said: OutgoingMessage,
        origin: WorkflowId | None,
        answering: AgentSelection | None,
        accepted: _AcceptedCommand | None,
    ) -> None:
        text = said.text
        read = await self._core.slash.read(text)
        if isinstance(read, Failed):
            self._refuse(origin, read)
            return
        command = _accepted_command(text, accepted) or read.data
        if not isinstance(command, SlashCommand):
            self._deeds.send(said, origin, answering)
        elif command.target.kind is SlashKind.TEMPLATE:
            await self._send_template(said, origin, answering, command)
        else:
            await self._send_prompt(text, origin, command)

    async def _send_template(
        self, said: OutgoingMessage, origin: WorkflowId | None, answering: AgentSelection | None, command: SlashCommand
    ) -> None:
        ready = await self._core.slash.template(TemplateId(command.target.id), command.rest)
        if isinstance(ready, Failed):
            self._refuse(origin, ready)
            return
        who = answering if origin is None else None
        given = ready.data.input.given
        start = TemplateStart(ready.data.found, given, origin, said.text, who, origin, said.attached)
        if ready.data.input.asked is None:
            self._deeds.start_template(start)
        elif not self._ask(start, command.target.title, ready.data.input.asked, runs=True):
            self._deeds.refused.emit(origin or "", "")

    async def _send_prompt(self, text: str, origin: WorkflowId | None, command: SlashCommand) -> None:
        prompt_id = PromptId(command.target.id)
        given = await self._core.slash.prompt(prompt_id, command.rest)
        if isinstance(given, Failed):
            self._refuse(origin, given)
            return
        asked = _PromptRequest(origin, text, prompt_id, given.data)
        if not given.data.missing:
            await self._put_in(asked, {})
        elif not self._ask(asked, command.target.title, prompt_values_schema(given.data.missing), runs=False):
            self._deeds.refused.emit(origin or "", "")

    async def _start(self, template_id: TemplateId) -> None:
        viewed = self._core.stores.background.viewed_workflow_id
        ready = await self._core.slash.template(template_id)
        if isinstance(ready, Failed):
            self._deeds.fail(ready)
            return
        start = TemplateStart(ready.data.found, ready.data.input.given, None, None, None, viewed)
        if ready.data.input.asked is None:
            self._deeds.start_template(start)
            return
        self._opening.open_new()
        title = ready.data.found.template.title
        self._ask(replace(start, viewed=None), title, ready.data.input.asked, runs=True)

    async def _put_in(self, asked: _PromptRequest, values: Mapping[str, str]) -> None:
        """Replace the message by the text of the prompt, if the message still stands in the composer."""
        made = await self._core.slash.text(asked.prompt_id, asked.input, values)
        is_asked = self._asked is asked
        if isinstance(made, Failed) and is_asked:
            self._foot.inputs.refuse(failure_words(made.code, made.message), [])
            return
        if is_asked:
            self._end()
        if isinstance(made, Failed):
            self._refuse(asked.origin, made)
            return
        if asked.origin == self._viewed:
            composer = self._foot.composer
            composer.replace(made.data) if composer.draft().text == asked.text else composer.prepend(made.data)
        self._deeds.refused.emit(asked.origin or "", "")  # it is put in, not sent

    # Asking

    def _ask(
        self, asked: "_PromptRequest | TemplateStart", title: str, schema: Mapping[str, Any], *, runs: bool
    ) -> bool:
        """Show the input form. Return False if another workflow is viewed by now."""
        origin = asked.origin if isinstance(asked, _PromptRequest) else asked.workflow_id
        if origin != self._viewed:
            return False
        self._asked = asked
        self._foot.ask_input(title, schema, runs=runs)
        return True

    def _on_given(self, values: Mapping[str, Any]) -> None:
        asked = self._asked
        if isinstance(asked, _PromptRequest):
            self._tasks.spawn(self._put_in(asked, values), "fill in a prompt")
        elif asked is not None:
            self._deeds.start_template(replace(asked, given={**asked.given, **values}))

    def _on_left(self) -> None:
        """Close the form and restore the composer."""
        self._end()
        self._foot.focus_composer()

    def _on_settled(self, start: TemplateStart, failed: Failed | None) -> None:
        """Close the form after a start, or show there why it failed."""
        asked = self._asked
        is_asked = isinstance(asked, TemplateStart) and asked.is_same(start)
        if failed is None and is_asked:
            self._end()
        if failed is None and start.prompt is None and self._viewed != start.viewed:
            self._foot.focus_composer()
        elif failed is not None and is_asked:
            problems = failed.details.get("problems", ()) if failed.code == "bad_input" else ()
            words = "" if failed.code == "limit_reached" else failure_words(failed.code, failed.message)
            self._foot.inputs.refuse(words, list(problems))

    def _end(self) -> None:
        asked, self._asked = self._asked, None
        if isinstance(asked, _PromptRequest):
            self._deeds.refused.emit(asked.origin or "", "")
        elif asked is not None and asked.prompt is not None:
            self._deeds.refused.emit(asked.workflow_id or "", "")
        had_focus = self._foot.inputs.has_focus
        self._foot.end_input()
        if had_focus:
            self._foot.focus_composer()

    def _refuse(self, origin: WorkflowId | None, failed: Failed) -> None:
        self._deeds.refused.emit(origin or "", failure_words(failed.code, failed.message))

    @property
    def _viewed(self) -> WorkflowId | None:
        return self._core.stores.background.viewed_workflow_id

    # While it is typed

    def _on_edited(self) -> None:
        box = self._foot.composer.text_box
        line = box.first_line()
        if not line.startswith("/"):
            self._titles, self._is_wanted, self._accepted = None, False, None
            self._show()
            return
        if line == "/" and not box.has_more_lines() and box.hasFocus():
            self._is_wanted, self._accepted = True, None
        self._load() if self._titles is None else self._show()

    def _on_drafted(self) -> None:
        """Close the completion list: the text of another workflow was loaded."""
        self._is_wanted, self._accepted = False, None
        self._show()

    def _on_closed(self) -> None:
        self._is_wanted = False
        self._show()

    def _accept(self, suggestion: Suggestion) -> None:
        target = suggestion.key
        assert isinstance(target, SlashTarget)
        self._is_wanted = False
        text = command_text(target.title)
        self._accepted = _AcceptedCommand(text.rstrip(), target)
        self._foot.composer.replace(text)

    def _load(self) -> None:
        if not self._is_loading:
            self._is_loading = True
            self._tasks.spawn(self._load_titles(), "list what a slash can name")

    async def _load_titles(self) -> None:
        try:
            titles = await self._core.slash.titles()
        finally:
            self._is_loading = False
        if isinstance(titles, Failed):
            self._deeds.fail(titles)
        elif self._foot.composer.text_box.first_line().startswith("/"):
            self._titles = titles.data
            self._show()

    def _show(self) -> None:
        """Show the completions and the effect of sending."""
        box = self._foot.composer.text_box
        line, titles = box.first_line(), self._titles
        if titles is None or not line.startswith("/"):
            self._completion.suggest(())
            self._foot.composer.show_note("")
            return
        command = _accepted_command(line, self._accepted) or parse_slash(line, titles)
        is_wanted = self._is_wanted and not box.has_more_lines() and not box.is_composing
        found = _matching_titles(line, titles, command) if is_wanted else ()
        self._completion.suggest([self._suggestion(one) for one in found])
        self._foot.composer.show_note("" if found else self._remark(command, is_alone=line == "/"))

    def _suggestion(self, one: SlashTarget) -> Suggestion:
        kind = self.tr("template") if one.kind is SlashKind.TEMPLATE else self.tr("prompt")
        return Suggestion(one, one.title, kind, about_template(one.description), _ICONS[one.kind])

    def _remark(self, command: SlashCommand | UnknownCommand | None, *, is_alone: bool) -> str:
        match command:
            case SlashCommand(target=target) if target.kind is SlashKind.TEMPLATE:
                return self.tr("Starts the template “{title}”").format(title=_shortened(target.title))
            case SlashCommand(target=target):
                return self.tr("Inserts the prompt “{title}”").format(title=_shortened(target.title))
            case UnknownCommand(name=name) if name:
                return self.tr("Nothing is called “{name}”: it is sent as text").format(name=_shortened(name))
            case UnknownCommand() if not is_alone:
                return self.tr("This names nothing: it is sent as text")
            case _:
                return ""


def _accepted_command(text: str, accepted: _AcceptedCommand | None) -> SlashCommand | None:
    """Return the accepted command if the text still names it."""
    if accepted is None or not text.startswith(accepted.beginning):
        return None
    command = parse_slash(text, [accepted.target])
    return command if isinstance(command, SlashCommand) else None


def _matching_titles(
    line: str, titles: Sequence[SlashTarget], command: SlashCommand | UnknownCommand | None
) -> Sequence[SlashTarget]:
    """Return the titles that match, best first. Behind a complete title, only longer titles with the same beginning
    match.
    """
    words = line[1:].removeprefix('"')
    if isinstance(command, SlashCommand) and (command.rest or words != words.rstrip()):
        begun = " ".join(folded(words).split()) + (" " if words != words.rstrip() else "")
        return [one for one in titles if folded(one.title).startswith(begun)]
    fitting = [one for one in titles if matches(words, one.title)]
    entries = [Entry(Kind.WORKFLOW, str(at), one.title, "", Icon.X) for at, one in enumerate(fitting)]
    return [fitting[int(one.key)] for one in rank_entries(words, entries)]


def _shortened(name: str) -> str:
    line = " ".join(name.split())
    return line if len(line) <= _NAME_CHARACTERS else f"{line[: _NAME_CHARACTERS - 1]}…"
