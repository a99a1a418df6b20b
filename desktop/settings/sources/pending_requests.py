"""Pending requests that a change of settings concerns, and what happens to them (UI §8)."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication, QObject, Signal

from core.domain.ids import ServerId
from core.stores.background_workflows import BackgroundWorkflows
from core.stores.questions import (
    OpenRequest,
    Questions,
    agent_requests,
    consent_requests,
    open_requests,
    requests_about_server,
    requests_by_server,
)
from desktop.bind import follow

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says

_LISTED_NAMES = 3
_NAME_CHARACTERS = 40


class PendingRequests(QObject):
    """The pending requests; `changed` is emitted when they change. Each text is empty where no request is concerned."""

    changed = Signal()

    def __init__(self, questions: Questions, background: BackgroundWorkflows, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._questions = questions
        self._background = background
        follow(self, questions.changed, self._on_change)

    def without_server(self, server: ServerId, name: str) -> str:
        """Return what happens to requests that need this server if it is gone."""
        waiting = self._all()
        sentences = []
        if calls := requests_about_server(waiting, server):
            text = translate(
                "Waiting",
                "A call of {server} waits for you in {workflows}. The request stays open, but without the server the "
                "call fails once you approve it, and its agent is told so.",
            )
            sentences.append(text.format(server=name, workflows=_names(calls)))
        if asked := requests_by_server(waiting, server):
            text = translate(
                "Waiting",
                "{server} has asked you something in {workflows}. Without the server that call ends with an error, and "
                "its question is closed unanswered.",
            )
            sentences.append(text.format(server=name, workflows=_names(asked)))
        return " ".join(sentences)

    def with_models(self) -> str:
        """Return what happens to pending requests if models change."""
        text = translate(
            "Waiting",
            "Something waits for you in {workflows}. Nothing of it is lost: it stays open and goes on with the model "
            "that it began with, whatever is changed here. It only fails without the key that it needs.",
        )
        return _sentence(text, agent_requests(self._all()))

    def with_agents(self) -> str:
        """Return what happens to pending requests if agents change."""
        text = translate(
            "Waiting",
            "Something waits for you in {workflows}. Nothing of it is lost: it stays open and goes on with the agent "
            "as it was at the beginning, whatever is changed here.",
        )
        return _sentence(text, agent_requests(self._all()))

    def with_modes(self) -> str:
        """Return what happens to pending requests if the validation mode changes."""
        text = translate(
            "Waiting",
            "An approval waits for you in {workflows}. It stays open in every mode: another one holds for what begins "
            "after it is chosen.",
        )
        return _sentence(text, consent_requests(self._all()))

    def _on_change(self) -> None:
        self.changed.emit()

    def _all(self) -> list[OpenRequest]:
        return open_requests(self._questions, self._background)


def _sentence(text: str, concerned: Sequence[OpenRequest]) -> str:
    return text.format(workflows=_names(concerned)) if concerned else ""


def _names(concerned: Sequence[OpenRequest]) -> str:
    """Return the names of the workflows, without duplicates and shortened to a sentence's length."""
    names = list({request.workflow_id: request.workflow for request in concerned}.values())
    quoted = [translate("Waiting", "“{name}”").format(name=_short(name)) for name in names[:_LISTED_NAMES]]
    return ", ".join(quoted) + ("…" if len(names) > _LISTED_NAMES else "")


def _short(name: str) -> str:
    line = " ".join(name.split())
    return line if len(line) <= _NAME_CHARACTERS else f"{line[: _NAME_CHARACTERS - 1].rstrip()}…"
