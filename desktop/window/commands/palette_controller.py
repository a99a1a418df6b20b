"""The palette in the window: opens it, lists templates for it, and runs the chosen entry."""

from collections.abc import Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject, Signal

from core.domain.ids import TemplateId
from core.domain.slash_commands import SlashKind, SlashTarget
from core.services.outcome import Failed
from core.services.slash import SlashService
from desktop.aio import Tasks
from desktop.palette.entries import Entry, Kind
from desktop.palette.palette import Palette
from desktop.window.base.context import ErrorPresenter
from desktop.window.base.focus import FocusRestorer
from desktop.window.input.answering_choice import AnsweringChoice
from desktop.window.navigation.workflow_switcher import WorkflowOpener


class TemplateList(QObject):
    """Returns the cached templates at once and reloads them in the background when stale."""

    changed = Signal()

    def __init__(self, slash: SlashService, tasks: Tasks, presenter: ErrorPresenter, parent: QObject) -> None:
        super().__init__(parent)
        self._slash = slash
        self._tasks = tasks
        self._presenter = presenter
        self._known: Sequence[SlashTarget] = ()
        self._is_old = True

    def __call__(self) -> Sequence[SlashTarget]:
        """Return the templates by title."""
        if self._is_old:
            self._is_old = False
            self._tasks.spawn(self._look(), "list the templates")
        return self._known

    def grow_old(self) -> None:
        """Mark the cache as stale."""
        self._is_old = True

    async def _look(self) -> None:
        found = await self._slash.titles()
        if isinstance(found, Failed):
            self._is_old = True
            self._presenter.fail(found)
            return
        known = [one for one in found.data if one.kind is SlashKind.TEMPLATE]
        if known != self._known:
            self._known = known
            self.changed.emit()


class PaletteController(QObject):
    """Opens the palette, runs the chosen entry, and restores the focus.

    `carry_out` runs a command, `start_template` starts a template.
    """

    def __init__(
        self,
        palette: Palette,
        answering: AnsweringChoice,
        opening: WorkflowOpener,
        carry_out: Callable[[str], None],
        templates: TemplateList,
        start_template: Callable[[TemplateId], None],
        before: FocusRestorer,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._palette = palette
        self._answering = answering
        self._opening = opening
        self._carry_out = carry_out
        self._templates = templates
        self._start_template = start_template
        self._before = before
        palette.chosen.connect(self._take)
        palette.left.connect(before.give_back)
        templates.changed.connect(palette.refresh)

    def by_command(self) -> dict[str, Callable[[], object]]:
        """What its commands do."""
        return {
            "go.anything": partial(self.find, Kind.WORKFLOW),
            "go.commands": partial(self.find, Kind.COMMAND),
            "go.inbox": self.inbox,
            "app.help": partial(self.find, Kind.HELP),
            "workflow.new_from_template": self.templates,
        }

    def templates(self) -> None:
        """Open the palette with the templates."""
        self.find(Kind.TEMPLATE)

    def inbox(self) -> None:
        """Open the palette with the inbox."""
        self.find(Kind.INBOX)

    def find(self, kind: Kind) -> None:
        """Open the palette with this list. The same key closes it."""
        if not self._palette.isVisible():
            self._before.keep()
        self._templates.grow_old()
        self._palette.open(kind)

    def _take(self, entry: Entry) -> None:
        """Run the chosen entry. A command runs with the focus where it was before the palette opened."""
        if entry.kind is Kind.WORKFLOW:
            self._opening.open(entry.key)
            return
        if entry.kind is Kind.INBOX and entry.key:
            self._opening.open_asking(entry.key)
            return
        self._before.give_back()
        if entry.kind is Kind.TEMPLATE:
            self._start_template(TemplateId(entry.key))
        elif entry.kind is Kind.AGENT:
            self._choose(entry)
        elif entry.key:
            self._carry_out(entry.key)

    def _choose(self, entry: Entry) -> None:
        for offer in self._answering.offers():
            if (offer.title, offer.note) == (entry.title, entry.note):
                self._answering.choose(offer)
                return
