"""Opening the palette, doing what is chosen in it, and giving the focus back."""

from collections.abc import Callable
from functools import partial

from PySide6.QtCore import QObject

from core.domain.ids import TemplateId
from desktop.palette.entries import Entry, Kind
from desktop.palette.palette import Palette
from desktop.window.answering import AnsweringChoice
from desktop.window.focus_before import FocusBefore
from desktop.window.opening import Opening
from desktop.window.template_list import TemplateList


class Finding(QObject):
    """`carry_out` and `start_template` do what is chosen, where that is no workflow. `before` is what had the focus."""

    def __init__(
        self,
        palette: Palette,
        answering: AnsweringChoice,
        opening: Opening,
        carry_out: Callable[[str], None],
        templates: TemplateList,
        start_template: Callable[[TemplateId], None],
        before: FocusBefore,
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
        """Open it with what can be started."""
        self.find(Kind.TEMPLATE)

    def inbox(self) -> None:
        """Open it with what needs a person, and what came to an end."""
        self.find(Kind.INBOX)

    def find(self, kind: Kind) -> None:
        """Open the palette with this list; the keys that opened it close it."""
        if not self._palette.isVisible():
            self._before.keep()
        self._templates.grow_old()
        self._palette.open(kind)

    def _take(self, entry: Entry) -> None:
        """A command finds the focus where it was before."""
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
