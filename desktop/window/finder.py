"""What the palette finds in this window: workflows, commands, templates, agents, the inbox, the keys (UI §4, §7)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime

from PySide6.QtCore import QCoreApplication

from core.domain.ids import WorkflowId
from core.domain.slash import Titled
from core.domain.toast import Toast, ToastType
from core.ports.clock import Clock
from core.stores.questions import Question
from core.stores.workflows import ListedWorkflow
from core.wiring import Stores
from desktop.palette.entries import Entry, Heading, Kind, Query
from desktop.palette.ranking import ranked
from desktop.shortcuts.keymap import Keymap
from desktop.theme.icon_names import Icon
from desktop.toasts.words import words_of
from desktop.translation.agents import agent_words
from desktop.translation.asking import asked_words, asking_sentence
from desktop.translation.formats import ago
from desktop.translation.templates import about_template
from desktop.window.focus_before import FocusBefore
from desktop.window.going import Going
from desktop.window.keys_help import command_entry, keys_help
from desktop.window.offers import Offer
from desktop.window.places import Places
from desktop.window.state_words import state_words

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says

_OWN = frozenset({"go.anything", "go.commands"})  # they open what is open already
_ICONS = {
    ToastType.SUCCESS: Icon.CIRCLE_CHECK,
    ToastType.ERROR: Icon.CIRCLE_X,
    ToastType.WARNING: Icon.TRIANGLE_ALERT,
    ToastType.INFO: Icon.INFO,
    ToastType.USER_QUESTION: Icon.MESSAGE_CIRCLE_QUESTION_MARK,
}
_COMMANDS_BESIDE = 5  # below workflows that were found


class Finder:
    """A `desktop.palette.palette.Search`.

    `can_do` says whether a command can be carried out now; `answering` is who can answer here, `templates` what can be
    started; `before` had the focus, for the keys that hold in its place.
    """

    def __init__(
        self,
        stores: Stores,
        going: Going,
        can_do: Callable[[str], bool],
        answering: Callable[[], Sequence[Offer]],
        templates: Callable[[], Sequence[Titled]],
        clock: Clock,
        keymap: Keymap,
        places: Places,
        before: FocusBefore,
    ) -> None:
        self._workflows = stores.workflows
        self._background = stores.background
        self._questions = stores.questions
        self._inbox = stores.inbox
        self._clock = clock
        self._going = going
        self._can_do = can_do
        self._answering = answering
        self._templates = templates
        self._keymap = keymap
        self._places = places
        self._before = before

    def __call__(self, query: Query) -> Sequence[Heading | Entry]:
        match query.kind:
            case Kind.WORKFLOW:
                return self._anything(query.words)
            case Kind.COMMAND:
                return ranked(query.words, self._commands())
            case Kind.TEMPLATE:
                return ranked(query.words, map(_template, self._templates()))
            case Kind.AGENT:
                return ranked(query.words, map(_answering, self._answering()))
            case Kind.INBOX:
                return self._told(query.words)
            case Kind.HELP:
                return list(keys_help(self._keymap, self._places.of(self._before.widget), query.words))

    def _anything(self, words: str) -> list[Heading | Entry]:
        """Those that need somebody first, then those at work, then by when they were viewed and changed."""
        asking = set(self._questions.workflows)
        archived = self._workflows.archived if words else []
        found = [
            _archived(row) if row.workflow.archived_at else _workflow(row, is_asking=row.workflow.id in asking)
            for row in ranked(words, [*self._in_order(), *archived])
        ]
        if not words:
            return [*self._grouped(found)]
        commands = ranked(words, self._commands(), _COMMANDS_BESIDE)
        heading = [Heading(translate("Palette", "Commands"))] if found and commands else []
        return [*found, *heading, *commands]

    def _in_order(self) -> list[ListedWorkflow]:
        listed = {row.workflow.id: row for row in self._workflows.rows}
        running = [one.workflow_id for one in self._background.running_workflows]
        asking = dict.fromkeys(self._questions.workflows)
        order = dict.fromkeys([*asking, *running, *self._going.viewed_before, *listed])
        return [listed[one] for one in order if one in listed]

    def _grouped(self, found: Sequence[Entry]) -> Iterator[Heading | Entry]:
        asking = set(self._questions.workflows)
        is_asking = False
        for at, entry in enumerate(found):
            needs_you = entry.key in asking
            if needs_you and not is_asking:
                yield Heading(translate("Palette", "Needs you"))
            elif not needs_you and (is_asking or at == 0):
                yield Heading(translate("Palette", "Workflows"))
            is_asking = needs_you
            yield entry

    def _commands(self) -> list[Entry]:
        commands = self._keymap.commands
        return [command_entry(self._keymap, one) for one in commands if one.menu and self._is_offered(one.id)]

    def _is_offered(self, command_id: str) -> bool:
        return command_id not in _OWN and self._can_do(command_id)

    def _told(self, words: str) -> list[Heading | Entry]:
        """What is asked, the oldest first; below it what was told, the newest first."""
        known = (*self._workflows.rows, *self._workflows.archived)
        names = {row.workflow.id: row.workflow.title for row in known}
        asked = ranked(words, [_asking(one, names.get(one.workflow_id, "")) for one in self._asked()])
        now = self._clock.now()
        told = ranked(words, [_telling(one, names, now) for one in self._inbox.notices])
        found: list[Heading | Entry] = []
        for title, entries in ((translate("Palette", "Needs you"), asked), (translate("Palette", "Recently"), told)):
            found += [Heading(title), *entries] if entries else []
        return found

    def _asked(self) -> list[Question]:
        return [
            one
            for workflow_id in self._questions.workflows
            for one in self._questions.get_questions_for_workflow(workflow_id)
        ]


def _workflow(row: ListedWorkflow, *, is_asking: bool) -> Entry:
    note = state_words(row.status, is_asking=is_asking)
    icon = Icon.MESSAGE_CIRCLE_QUESTION_MARK if is_asking else Icon.MESSAGE_CIRCLE
    return Entry(Kind.WORKFLOW, row.workflow.id, row.workflow.title, note, icon)


def _archived(row: ListedWorkflow) -> Entry:
    """Found by its name alone: where nothing is typed, it is not there."""
    note = translate("Palette", "archived")
    return Entry(Kind.WORKFLOW, row.workflow.id, row.workflow.title, note, Icon.ARCHIVE)


def _answering(offer: Offer) -> Entry:
    return Entry(Kind.AGENT, offer.title, offer.title, offer.note, Icon.CHECK if offer.is_current else Icon.BOT)


def _template(one: Titled) -> Entry:
    return Entry(Kind.TEMPLATE, one.id, one.title, about_template(one.description), Icon.WORKFLOW)


def _asking(question: Question, workflow: str) -> Entry:
    asked = question.asked.prompt or asking_sentence(question.kind, agent_words(question.asker))
    title = translate("Palette", "{workflow}: {asked}").format(workflow=workflow, asked=" ".join(asked.split()))
    icon = Icon.MESSAGE_CIRCLE_QUESTION_MARK
    return Entry(Kind.INBOX, question.workflow_id, title, asked_words(question.kind), icon)


def _telling(notice: Toast, names: Mapping[WorkflowId, str], now: datetime) -> Entry:
    words = words_of(notice)
    name = names.get(notice.workflow_id, words.title) if notice.workflow_id is not None else words.title
    title = translate("Palette", "{workflow}: {what}").format(workflow=name, what=" ".join(words.message.split()))
    where = notice.workflow_id if notice.workflow_id in names else ""
    when = ago((now - notice.created_at).total_seconds())
    return Entry(Kind.INBOX, where or "", title, when, _ICONS[notice.type])
