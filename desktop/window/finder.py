"""What the palette finds in this window: workflows, commands, templates, agents, the inbox, the keys (UI §4, §7)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QKeySequence

from core.domain.ids import WorkflowId
from core.domain.run import RunStatus
from core.domain.slash import Titled
from core.domain.toast import Toast, ToastType
from core.ports.clock import Clock
from core.stores.questions import Question
from core.stores.workflows import ListedWorkflow
from core.wiring import Stores
from desktop.palette.entries import Entry, Heading, Kind, Query
from desktop.palette.ranking import ranked
from desktop.theme.icon_names import Icon
from desktop.toasts.words import words_of
from desktop.translation.asking import asked_words, asking_sentence
from desktop.translation.formats import ago
from desktop.window.commands import COMMANDS, Command, command_title
from desktop.window.keys_help import local_keys
from desktop.window.offers import Offer

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

    `recent` are workflows in the order in which they were viewed, the one before the viewed one first; `can_do` says
    whether a command can be carried out now; `answering` is who can answer here, `templates` what can be started.
    """

    def __init__(
        self,
        stores: Stores,
        recent: Callable[[], Sequence[WorkflowId]],
        can_do: Callable[[str], bool],
        answering: Callable[[], Sequence[Offer]],
        templates: Callable[[], Sequence[Titled]],
        clock: Clock,
    ) -> None:
        self._workflows = stores.workflows
        self._background = stores.background
        self._questions = stores.questions
        self._inbox = stores.inbox
        self._clock = clock
        self._recent = recent
        self._can_do = can_do
        self._answering = answering
        self._templates = templates

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
                return self._keys(query.words)

    def _anything(self, words: str) -> list[Heading | Entry]:
        """Those that need somebody first, then those at work, then by when they were viewed and changed."""
        asking = set(self._questions.workflows)
        found = [_workflow(row, is_asking=row.workflow.id in asking) for row in ranked(words, self._in_order())]
        if not words:
            return [*self._grouped(found)]
        commands = ranked(words, self._commands(), _COMMANDS_BESIDE)
        heading = [Heading(translate("Palette", "Commands"))] if found and commands else []
        return [*found, *heading, *commands]

    def _in_order(self) -> list[ListedWorkflow]:
        listed = {row.workflow.id: row for row in self._workflows.rows}
        running = [one.workflow_id for one in self._background.running_workflows]
        asking = dict.fromkeys(self._questions.workflows)
        order = dict.fromkeys([*asking, *running, *self._recent(), *listed])
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
        return [_command(one) for one in COMMANDS if one.menu is not None and self._is_offered(one.id)]

    def _is_offered(self, command_id: str) -> bool:
        return command_id not in _OWN and self._can_do(command_id)

    def _told(self, words: str) -> list[Heading | Entry]:
        """What is asked, the oldest first; below it what was told, the newest first."""
        names = {row.workflow.id: row.workflow.title for row in self._workflows.rows}
        asked = ranked(words, [_asking(one, names.get(one.workflow_id, "")) for one in self._asked()])
        now = self._clock.now()
        told = ranked(words, [_telling(one, names, now) for one in self._inbox.notices])
        found: list[Heading | Entry] = []
        for title, entries in ((translate("Palette", "Needs you"), asked), (translate("Palette", "Lately"), told)):
            found += [Heading(title), *entries] if entries else []
        return found

    def _asked(self) -> list[Question]:
        return [
            one
            for workflow_id in self._questions.workflows
            for one in self._questions.get_questions_for_workflow(workflow_id)
        ]

    def _keys(self, words: str) -> list[Heading | Entry]:
        """Every key: those that hold everywhere, then those of a place."""
        everywhere = ranked(words, [_command(one, Kind.HELP) for one in COMMANDS if one.keys])
        found: list[Heading | Entry] = [*everywhere]
        for place, keys in local_keys():
            entries = [Entry(Kind.HELP, "", title, named, Icon.KEYBOARD, has_keys=True) for title, named in keys]
            if mine := ranked(words, entries):
                found += [Heading(place), *mine]
        return found


def _workflow(row: ListedWorkflow, *, is_asking: bool) -> Entry:
    note = translate("Palette", "needs you") if is_asking else _status_words(row.status)
    icon = Icon.MESSAGE_CIRCLE_QUESTION_MARK if is_asking else Icon.MESSAGE_CIRCLE
    return Entry(Kind.WORKFLOW, row.workflow.id, row.workflow.title, note, icon)


def _command(command: Command, kind: Kind = Kind.COMMAND) -> Entry:
    names = [QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText) for keys in command.keys]
    note = translate("Palette", "{one} or {other}").format(one=names[0], other=names[1]) if len(names) > 1 else ""
    icon = Icon.KEYBOARD if kind is Kind.HELP else Icon.CHEVRON_RIGHT
    return Entry(kind, command.id, command_title(command.id), note or "".join(names), icon, has_keys=True)


def _answering(offer: Offer) -> Entry:
    return Entry(Kind.AGENT, offer.title, offer.title, offer.note, Icon.CHECK if offer.is_current else Icon.BOT)


def _template(one: Titled) -> Entry:
    return Entry(Kind.TEMPLATE, one.id, one.title, " ".join(one.description.split()), Icon.WORKFLOW)


def _asking(question: Question, workflow: str) -> Entry:
    asked = question.asked.prompt or asking_sentence(question.kind, question.step)
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


def _status_words(status: RunStatus | None) -> str:
    match status:
        case None:
            return ""
        case RunStatus.ENQUEUED:
            return translate("Palette", "queued")
        case RunStatus.RUNNING:
            return translate("Palette", "running")
        case RunStatus.WAITING:
            return translate("Palette", "waiting")
        case RunStatus.PAUSED:
            return translate("Palette", "paused")
        case RunStatus.SUCCESS:
            return translate("Palette", "completed")
        case RunStatus.ERROR:
            return translate("Palette", "failed")
        case RunStatus.CANCELLED:
            return translate("Palette", "stopped")
