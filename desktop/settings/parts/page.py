"""The pages, with their titles and icons."""

from collections.abc import Callable
from enum import StrEnum
from typing import ClassVar

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QFrame, QScrollArea, QVBoxLayout, QWidget

from desktop.settings.parts.layout import center_column
from desktop.settings.sources.context import SettingsContext
from desktop.theme import Icon
from desktop.widgets import Adaptive, Paragraph, column_of, matches

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says


class PageId(StrEnum):
    """The pages in their order."""

    MODELS = "models"
    AGENTS = "agents"
    SERVERS = "servers"
    FOLDERS = "folders"
    VALIDATION = "validation"
    LIMITS = "limits"
    PROMPTS = "prompts"
    MEMORY = "memory"
    NOTIFICATIONS = "notifications"
    APPEARANCE = "appearance"
    KEYS = "keys"
    DATA = "data"
    ABOUT = "about"


PAGE_ICONS = {
    PageId.MODELS: Icon.CPU,
    PageId.AGENTS: Icon.BOT,
    PageId.SERVERS: Icon.WRENCH,
    PageId.FOLDERS: Icon.FOLDER,
    PageId.VALIDATION: Icon.SHIELD,
    PageId.LIMITS: Icon.TIMER,
    PageId.PROMPTS: Icon.FILE_TEXT,
    PageId.MEMORY: Icon.BRAIN,
    PageId.NOTIFICATIONS: Icon.BELL,
    PageId.APPEARANCE: Icon.SUN,
    PageId.KEYS: Icon.KEYBOARD,
    PageId.DATA: Icon.DATABASE,
    PageId.ABOUT: Icon.INFO,
}


def page_title(page_id: PageId) -> str:
    """Return the translated title of a page."""
    return {
        PageId.MODELS: translate("Pages", "Models"),
        PageId.AGENTS: translate("Pages", "Agents"),
        PageId.SERVERS: translate("Pages", "MCP servers"),
        PageId.FOLDERS: translate("Pages", "Folders"),
        PageId.VALIDATION: translate("Pages", "Validation"),
        PageId.LIMITS: translate("Pages", "Limits"),
        PageId.PROMPTS: translate("Pages", "Prompts"),
        PageId.MEMORY: translate("Pages", "Memory"),
        PageId.NOTIFICATIONS: translate("Pages", "Notifications"),
        PageId.APPEARANCE: translate("Pages", "Appearance and language"),
        PageId.KEYS: translate("Pages", "Keys"),
        PageId.DATA: translate("Pages", "Data"),
        PageId.ABOUT: translate("Pages", "About"),
    }[page_id]


class Page(Adaptive, QScrollArea):
    """A title above a scrolling column. Subclasses set `page_id` and add the sections."""

    page_id: ClassVar[PageId]

    def __init__(self, context: SettingsContext) -> None:
        super().__init__()
        self._context = context
        self._theme = context.theme
        self._sections: list[tuple[QWidget, Callable[[], str]]] = []
        self._title = Paragraph("", "heading")
        self._column = QVBoxLayout()
        self._column.addWidget(self._title)
        self._lay_out()
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        # QScrollArea follows Tab only between its own widgets.
        app.focusChanged.connect(self._scroll_to_focus)

    def title(self) -> str:
        """Return the translated title."""
        return page_title(self.page_id)

    def add(self, section: QWidget, search_text: Callable[[], str], *, above: QWidget | None = None) -> None:
        """Add a section at the end or `above` another; the settings search matches its `search_text`."""
        self._sections.append((section, search_text))
        self._column.insertWidget(-1 if above is None else self._column.indexOf(above), section)

    def fill_with(self, section: QWidget) -> None:
        """Let this section take the remaining height of the page."""
        self._column.setStretchFactor(section, 1)
        self._inner_column.setStretchFactor(self._column, 1)

    def filter(self, query: str) -> bool:
        """Show the sections that match the query, or all if only the page's title does. Return whether any match."""
        matching = [matches(query, search_text()) for _, search_text in self._sections]
        if not any(matching):
            # A search for the page itself shows all of it.
            matching = [matches(query, f"{self.title()} {search_text()}") for _, search_text in self._sections]
        for (section, _), is_found in zip(self._sections, matching, strict=True):
            section.setVisible(is_found)
        return any(matching)

    def focus_first(self) -> None:
        """Focus the first control; in a button group, the checked button."""
        for control in self.findChildren(QWidget):
            if control.focusPolicy() & Qt.FocusPolicy.TabFocus and control.isEnabled() and control.isVisible():
                _chosen_of_group(control).setFocus(Qt.FocusReason.TabFocusReason)
                return

    def retranslate(self) -> None:
        self._title.setText(self.title())
        self.setAccessibleName(self.title())

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        self._column.setSpacing(sizes.space_s)
        self._outer.setContentsMargins(sizes.space_xl, sizes.space_l, sizes.space_xl, sizes.space_xl)
        self._inner.setMaximumWidth(sizes.chat_column)
        self._title.setContentsMargins(0, 0, 0, sizes.space_xs)

    def _scroll_to_focus(self, _before: QWidget | None, focused: QWidget | None) -> None:
        """Scroll to the focused control. Qt does so only for Tab within the page."""
        if focused is not None and self.isAncestorOf(focused) and focused.visibleRegion().isEmpty():
            self.ensureWidgetVisible(focused)

    def _lay_out(self) -> None:
        self._inner = QWidget()
        self._inner_column = column_of(self._inner)
        self._inner_column.addLayout(self._column)
        self._inner_column.addStretch()
        body = QWidget()
        self._outer = center_column(self._inner, body)
        self.setWidget(body)
        for ground in (self.viewport(), body):  # the dialog's shows through
            ground.setAutoFillBackground(False)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # it follows the focus within


def _chosen_of_group(control: QWidget) -> QWidget:
    group = control.group() if isinstance(control, QAbstractButton) else None
    chosen = group.checkedButton() if group is not None and group.exclusive() else None
    return chosen or control
