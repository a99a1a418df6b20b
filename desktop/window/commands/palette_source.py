"""What the palette lists: workflows, commands, templates, agents, the inbox, and the help on keys (UI §4, §7)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime

from PySide6.QtCore import QCoreApplication

from core.domain.ids import WorkflowId
from core.domain.slash_commands import SlashTarget
from core.domain.toast import Toast, ToastType
from core.stores.questions import Question
from core.stores.workflows import ListedWorkflow
from desktop.palette.entries import Entry, Heading, Kind, Query, rank_entries, starts_words
from desktop.shortcuts.command import LOCAL_SCOPES, ActiveKeys, Command, KeyScope
from desktop.shortcuts.key_strings import key_names, scope_title
from desktop.shortcuts.keymap import Keymap
from desktop.theme import Icon
from desktop.toasts.card_parts import TOAST_SIGNS
from desktop.toasts.toast_strings import toast_text
from desktop.translation import agent_display_name, ago, request_sentence, request_state_text, template_description
from desktop.window.base.context import WindowContext
from desktop.window.base.focus import FocusRestorer
from desktop.window.base.options import Option
from desktop.window.base.workflow_strings import state_indicator, state_label
from desktop.window.commands.key_context import KeyContext
from desktop.window.commands.menus import Menus
from desktop.window.input.header_choices import AnsweringChoice
from desktop.window.navigation.workflow_switcher import WorkflowSwitcher

translate = QCoreApplication.translate  # lupdate finds texts by this name

_PALETTE_COMMANDS = frozenset({"go.anything", "go.commands"})  # they open the palette, which is open
_MOST_COMMANDS = 5
"""Commands listed below matching workflows."""


def command_entry(keymap: Keymap, command: Command, kind: Kind = Kind.COMMAND, label: str = "") -> Entry:
    """Return the entry of a command with its keys, under another label than its own if given. In the help, a local
    command cannot be chosen.
    """
    key = command.id if kind is Kind.COMMAND or command.is_everywhere else ""
    icon = Icon.KEYBOARD if kind is Kind.HELP else Icon.CHEVRON_RIGHT
    return Entry(kind, key, label or command.label, key_names(keymap.shown(command.id)), icon, has_keys=True)


def help_entries(
    keymap: Keymap, scopes: Sequence[KeyScope], words: str, active: ActiveKeys | None = None
) -> Iterator[Heading | Entry]:
    """Yield the commands that have keys: the `active` ones first, or else those of `scopes`, innermost first; then
    global ones, then the rest.
    """
    listed: set[str] = set()
    title = ""
    if active is not None:
        commands = [command for command in map(keymap.command, active.labels) if {*command.scopes} & {*scopes}]
        listed.update(command.id for command in commands)
        labelled = [(command, active.labels[command.id]) for command in commands if keymap.chords(command.id)]
        matching = rank_entries(words, [command_entry(keymap, at, Kind.HELP, label) for at, label in labelled])
        if matching:
            yield Heading(active.title)
            yield from matching
        scopes = ()
    for scope in dict.fromkeys([*scopes, KeyScope.EVERYWHERE, *LOCAL_SCOPES]):
        commands = [command for command in keymap.commands if scope in command.scopes and command.id not in listed]
        listed.update(command.id for command in commands)
        entries = [command_entry(keymap, command, Kind.HELP) for command in commands if keymap.chords(command.id)]
        matching = rank_entries(words, entries)
        if matching and title != scope_title(scope):  # two scopes of the card have the same title
            title = scope_title(scope)
            yield Heading(title)
        yield from matching


class PaletteSource:
    """A `desktop.palette.palette.Search` over workflows, commands, templates, agents, the inbox and keys (UI §4, §7).

    `focus` holds the widget that was focused before the palette opened: the help lists its keys first.
    """

    def __init__(
        self,
        context: WindowContext,
        switcher: WorkflowSwitcher,
        menus: Menus,
        answering: AnsweringChoice,
        templates: Callable[[], Sequence[SlashTarget]],
        scopes: KeyContext,
        focus: FocusRestorer,
    ) -> None:
        stores = context.stores
        self._workflows = stores.workflows
        self._background = stores.background
        self._questions = stores.questions
        self._inbox = stores.inbox
        self._clock = context.core.clock
        self._keymap = context.keymap
        self._switcher = switcher
        self._menus = menus
        self._answering = answering
        self._templates = templates
        self._scopes = scopes
        self._focus = focus

    def __call__(self, query: Query) -> Sequence[Heading | Entry]:
        match query.kind:
            case Kind.WORKFLOW:
                return self._anything(query.words)
            case Kind.COMMAND:
                return rank_entries(query.words, self._commands())
            case Kind.TEMPLATE:
                return rank_entries(query.words, map(_template_entry, self._templates()))
            case Kind.AGENT:
                return rank_entries(query.words, map(_agent_entry, self._answering.options()))
            case Kind.INBOX:
                return self._notices(query.words)
            case Kind.HELP:
                focus = self._focus.widget
                active = self._scopes.active_keys(focus)
                return list(help_entries(self._keymap, self._scopes.of(focus), query.words, active))

    def _anything(self, words: str) -> list[Heading | Entry]:
        """Return workflows that need the user, then active ones, then by last view and change; and commands."""
        asking = set(self._questions.workflows)
        archived = self._workflows.archived if words else []
        workflows = [
            _archived_entry(row)
            if row.workflow.archived_at
            else _workflow_entry(row, is_asking=row.workflow.id in asking)
            for row in rank_entries(words, [*self._in_order(), *archived])
        ]
        if not words:
            return [*self._grouped(workflows)]
        commands = rank_entries(words, self._commands(), _MOST_COMMANDS)
        if not workflows or not commands:
            return [*workflows, *commands]
        # Enter runs the first entry: a command that begins so comes before titles with its letters somewhere.
        if starts_words(words, commands[0].title) and not starts_words(words, workflows[0].title):
            return [*commands, Heading(translate("Palette", "Workflows")), *workflows]
        return [*workflows, Heading(translate("Palette", "Commands")), *commands]

    def _in_order(self) -> list[ListedWorkflow]:
        listed = {row.workflow.id: row for row in self._workflows.rows}
        running = [execution.workflow_id for execution in self._background.running_workflows]
        asking = dict.fromkeys(self._questions.workflows)
        order = dict.fromkeys([*asking, *running, *self._switcher.viewed_before, *listed])
        return [listed[key] for key in order if key in listed]

    def _grouped(self, workflows: Sequence[Entry]) -> Iterator[Heading | Entry]:
        asking = set(self._questions.workflows)
        is_asking = False
        for index, entry in enumerate(workflows):
            needs_you = entry.key in asking
            if needs_you and not is_asking:
                yield Heading(translate("Palette", "Needs you"))
            elif not needs_you and (is_asking or index == 0):
                yield Heading(translate("Palette", "Workflows"))
            is_asking = needs_you
            yield entry

    def _commands(self) -> list[Entry]:
        commands = (command for command in self._keymap.commands if command.menu)
        runnable = (command for command in commands if self._menus.is_enabled(command.id))
        return [command_entry(self._keymap, command) for command in runnable if command.id not in _PALETTE_COMMANDS]

    def _notices(self, words: str) -> list[Heading | Entry]:
        """Return pending requests, oldest first, then notices, newest first."""
        known = (*self._workflows.rows, *self._workflows.archived)
        names = {row.workflow.id: row.workflow.title for row in known}
        questions = [
            _question_entry(question, names.get(workflow_id, ""))
            for workflow_id in self._questions.workflows
            for question in self._questions.get_questions_for_workflow(workflow_id)
        ]
        now = self._clock.now()
        notices = [_notice_entry(notice, names, now) for notice in self._inbox.notices]
        entries: list[Heading | Entry] = []
        for title, group in (
            (translate("Palette", "Needs you"), questions),
            (translate("Palette", "Recently"), notices),
        ):
            matching = rank_entries(words, group)
            entries += [Heading(title), *matching] if matching else []
        return entries


def _workflow_entry(row: ListedWorkflow, *, is_asking: bool) -> Entry:
    return Entry(
        Kind.WORKFLOW,
        row.workflow.id,
        row.workflow.title,
        state_label(row.status, is_asking=is_asking),
        Icon.MESSAGE_CIRCLE,
        sign=state_indicator(row.status, is_asking=is_asking),
        is_unread=row.is_unread,
    )


def _archived_entry(row: ListedWorkflow) -> Entry:
    """Return the entry of an archived workflow, which is listed only when searched for."""
    note = translate("Palette", "archived")
    return Entry(Kind.WORKFLOW, row.workflow.id, row.workflow.title, note, Icon.ARCHIVE)


def _agent_entry(option: Option) -> Entry:
    return Entry(Kind.AGENT, option.title, option.title, option.note, Icon.CHECK if option.is_current else Icon.BOT)


def _template_entry(template: SlashTarget) -> Entry:
    return Entry(Kind.TEMPLATE, template.id, template.title, template_description(template.description), Icon.WORKFLOW)


def _question_entry(question: Question, workflow: str) -> Entry:
    sentence = request_sentence(question.kind, agent_display_name(question.asker), options=question.asked.options)
    asked = question.asked.prompt or sentence
    title = translate("Palette", "{workflow}: {asked}").format(workflow=workflow, asked=" ".join(asked.split()))
    icon, color = TOAST_SIGNS[ToastType.USER_QUESTION]
    return Entry(Kind.INBOX, question.workflow_id, title, request_state_text(question.kind), icon, color)


def _notice_entry(notice: Toast, names: Mapping[WorkflowId, str], now: datetime) -> Entry:
    words = toast_text(notice)
    name = names.get(notice.workflow_id, words.title) if notice.workflow_id is not None else words.title
    title = translate("Palette", "{workflow}: {what}").format(workflow=name, what=" ".join(words.message.split()))
    where = notice.workflow_id if notice.workflow_id in names else ""
    when = ago((now - notice.created_at).total_seconds())
    return Entry(Kind.INBOX, where or "", title, when, *TOAST_SIGNS[notice.type])
