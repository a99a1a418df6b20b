"""The palette in the window: opens it, lists templates for it, and runs the chosen entry."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import Signal

from core.domain.ids import TemplateId
from core.domain.slash_commands import SlashKind, SlashTarget
from core.services.outcome import Failed
from desktop.palette.entries import Entry, Kind
from desktop.palette.palette import Palette
from desktop.shortcuts.command import command
from desktop.window.base.context import Controller, WindowContext
from desktop.window.base.focus import FocusRestorer
from desktop.window.commands.key_context import KeyContext
from desktop.window.commands.menus import Menus
from desktop.window.commands.palette_source import PaletteSource
from desktop.window.input.header_choices import AnsweringChoice
from desktop.window.navigation.workflow_switcher import WorkflowOpener, WorkflowSwitcher


class TemplateList(Controller):
    """Returns the cached templates at once and reloads them in the background when stale."""

    changed = Signal()

    def __init__(self, context: WindowContext) -> None:
        super().__init__(context)
        self._templates: Sequence[SlashTarget] = ()
        self._is_stale = True

    def __call__(self) -> Sequence[SlashTarget]:
        """Return the templates by title."""
        if self._is_stale:
            self._is_stale = False
            self._operations.run(
                self._core.slash.targets(), "list templates", success=self._update, failure=self._on_failure
            )
        return self._templates

    def mark_stale(self) -> None:
        self._is_stale = True

    def _update(self, targets: Sequence[SlashTarget]) -> None:
        templates = [target for target in targets if target.kind is SlashKind.TEMPLATE]
        if templates != self._templates:
            self._templates = templates
            self.changed.emit()

    def _on_failure(self, failed: Failed) -> None:
        self._is_stale = True
        self._context.session.presenter.fail(failed)


class PaletteController(Controller):
    """Opens the palette, runs the chosen entry, and restores the focus, if need be by `focus_centre`."""

    def __init__(
        self,
        context: WindowContext,
        switcher: WorkflowSwitcher,
        opener: WorkflowOpener,
        menus: Menus,
        answering: AnsweringChoice,
        scopes: KeyContext,
        start_template: Callable[[TemplateId], None],
        focus_centre: Callable[[], object],
    ) -> None:
        super().__init__(context)
        self._opener = opener
        self._menus = menus
        self._answering = answering
        self._start_template = start_template
        self._focus = focus = FocusRestorer(focus_centre)
        self.templates = templates = TemplateList(context)
        source = PaletteSource(context, switcher, menus, answering, templates, scopes, focus)
        self.palette = palette = Palette(context.theme, source, context.window)
        palette.chosen.connect(self._on_chosen)
        palette.closed.connect(focus.restore)
        templates.changed.connect(palette.refresh)
        stores = context.stores
        signals = (stores.questions.changed, stores.inbox.changed, stores.workflows.changed, stores.background.changed)
        context.frames.bind(palette, signals, palette.refresh)

    @command("workflow.new_from_template")
    def open_templates(self) -> None:
        self.open(Kind.TEMPLATE)

    @command("go.inbox")
    def open_inbox(self) -> None:
        self.open(Kind.INBOX)

    @command("go.anything", Kind.WORKFLOW)
    @command("go.commands", Kind.COMMAND)
    @command("app.help", Kind.HELP)
    def open(self, kind: Kind) -> None:
        """Open the palette with this list. The same key closes it."""
        if not self.palette.isVisible():
            self.palette.window().activateWindow()  # it may be behind the settings
            self._focus.save()
        self.templates.mark_stale()
        self.palette.open(kind)

    def _on_chosen(self, entry: Entry) -> None:
        """Run the chosen entry. A command runs with the focus where it was before the palette opened."""
        if entry.kind is Kind.WORKFLOW:
            self._opener.open(entry.key)
            return
        if entry.kind is Kind.INBOX and entry.key:
            self._opener.open_request(entry.key)
            return
        self._focus.restore()
        if entry.kind is Kind.TEMPLATE:
            self._start_template(TemplateId(entry.key))
        elif entry.kind is Kind.AGENT:
            self._choose(entry)
        elif entry.key:
            self._menus.trigger(entry.key)

    def _choose(self, entry: Entry) -> None:
        for option in self._answering.options():
            if (option.title, option.note) == (entry.title, entry.note):
                self._answering.choose(option)
                return
