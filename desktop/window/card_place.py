"""The card of what waits in the viewed workflow: shown, put off, and taken up again (UI §6)."""

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from core.domain.ids import InterruptionId, WorkflowId
from core.stores.questions import Questions
from core.stores.view_cache import ViewCache
from core.stores.workflows import Workflows
from desktop.attention.card import AttentionCard
from desktop.bind import Frames
from desktop.window.foot import Foot
from desktop.window.title import viewed_title


class CardPlace(QObject):
    """What a person puts off stays pending, folded, until they ask for it; while they answer, the card has the whole
    foot. It is rendered while `pane` is seen."""

    def __init__(
        self,
        card: AttentionCard,
        foot: Foot,
        view: ViewCache,
        workflows: Workflows,
        questions: Questions,
        frames: Frames,
        pane: QWidget,
    ) -> None:
        super().__init__(pane)
        self._card = card
        self._foot = foot
        self._view = view
        self._workflows = workflows
        self._questions = questions
        self._put_off: set[WorkflowId] = set()
        card.put_off.connect(self._on_put_off)
        card.left.connect(foot.focus_composer)
        card.unfold_requested.connect(self._on_unfold)
        self._bind = frames.bind(pane, (view.changed, workflows.changed, questions.changed), self.show_now)

    def focus(self) -> bool:
        """A person wants to answer: the card takes the place, and the focus. False: nothing waits here."""
        self.show_now()
        if not self._card.is_wanted:
            return False
        self._put_off.discard(self._shown)
        self._foot.hide_composer()
        self._card.take_focus()
        self._foot.fit()
        return True

    def show_now(self) -> None:
        """What waits in the viewed workflow."""
        workflow_id, card, questions = self._view.workflow_id, self._card, self._questions
        asked = questions.get_questions_for_workflow(workflow_id) if workflow_id is not None else []
        is_other = workflow_id != card.workflow_id
        card.show_questions(workflow_id, viewed_title(self._view, self._workflows), asked, self._how_closed)
        card.keep({one.id for one in questions.all})
        self._put_off &= set(questions.workflows)
        card.fold(is_folded=workflow_id in self._put_off and bool(asked))
        if (is_other or not card.is_wanted) and not self._foot.inputs.is_open:
            self._foot.show_composer()

    def leave(self) -> None:
        """Hear nothing more of the stores."""
        self._bind.close()

    def _how_closed(self, question_id: InterruptionId) -> str | None:
        return self._questions.how_closed(self._shown, question_id)

    def _on_put_off(self) -> None:
        """Later: it makes room."""
        self._put_off.add(self._shown)
        self._card.fold(is_folded=True)
        self._foot.focus_composer()

    def _on_unfold(self) -> None:
        self.focus()

    @property
    def _shown(self) -> WorkflowId:
        return self._view.workflow_id or WorkflowId("")
