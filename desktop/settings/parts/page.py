"""The pages of the settings: which there are, what they are called, and their signs."""

from collections.abc import Callable
from enum import StrEnum

from PySide6.QtCore import QCoreApplication, Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QFrame, QScrollArea, QVBoxLayout, QWidget

from desktop.settings.parts.layout import center_column
from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.list_search import matches
from desktop.widgets.paragraph import Paragraph

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says


class PageId(StrEnum):
    """The pages, in their order."""

    MODELS = "models"
    AGENTS = "agents"
    SERVERS = "servers"
    VALIDATION = "validation"
    LIMITS = "limits"
    PROMPTS = "prompts"
    MEMORY = "memory"
    NOTIFICATIONS = "notifications"
    APPEARANCE = "appearance"
    KEYS = "keys"
    ABOUT = "about"


PAGE_ICONS = {
    PageId.MODELS: Icon.CPU,
    PageId.AGENTS: Icon.BOT,
    PageId.SERVERS: Icon.WRENCH,
    PageId.VALIDATION: Icon.SHIELD,
    PageId.LIMITS: Icon.TIMER,
    PageId.PROMPTS: Icon.FILE_TEXT,
    PageId.MEMORY: Icon.BRAIN,
    PageId.NOTIFICATIONS: Icon.BELL,
    PageId.APPEARANCE: Icon.SUN,
    PageId.KEYS: Icon.KEYBOARD,
    PageId.ABOUT: Icon.INFO,
}


def page_title(page_id: PageId) -> str:
    """What a page is called, in the language of now."""
    return {
        PageId.MODELS: translate("Pages", "Models"),
        PageId.AGENTS: translate("Pages", "Agents"),
        PageId.SERVERS: translate("Pages", "MCP servers"),
        PageId.VALIDATION: translate("Pages", "Validation"),
        PageId.LIMITS: translate("Pages", "Limits"),
        PageId.PROMPTS: translate("Pages", "Prompts"),
        PageId.MEMORY: translate("Pages", "Memory"),
        PageId.NOTIFICATIONS: translate("Pages", "Notifications"),
        PageId.APPEARANCE: translate("Pages", "Appearance and language"),
        PageId.KEYS: translate("Pages", "Keys"),
        PageId.ABOUT: translate("Pages", "About"),
    }[page_id]


class Page(Adaptive, QScrollArea):
    """A class to derive from, which adds the sections."""

    def __init__(self, theme: Theme, page_id: PageId, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.page_id = page_id
        self._theme = theme
        self._sections: list[tuple[QWidget, Callable[[], str]]] = []
        self._title = Paragraph("", "heading")
        self._column = QVBoxLayout()
        self._column.addWidget(self._title)
        self._lay_out()
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._have_in_sight)

    def title(self) -> str:
        """Its name in the language of now."""
        return page_title(self.page_id)

    def add(self, section: QWidget, searched: Callable[[], str], *, above: QWidget | None = None) -> None:
        """`searched` gives the words that the section is found by. It stands `above` another, else at the end."""
        self._sections.append((section, searched))
        self._column.insertWidget(-1 if above is None else self._column.indexOf(above), section)

    def fill_with(self, section: QWidget) -> None:
        """This section takes what the others leave of the page's height."""
        self._column.setStretchFactor(section, 1)
        self._inner_column.setStretchFactor(self._column, 1)

    def filter(self, query: str) -> bool:
        """Shows the sections that the query finds, or all if it finds but the page. Whether there are any."""
        found = [matches(query, searched()) for _, searched in self._sections]
        if not any(found):
            found = [matches(query, f"{self.title()} {searched()}") for _, searched in self._sections]
        for (section, _), is_found in zip(self._sections, found, strict=True):
            section.setVisible(is_found)
        return any(found)

    def focus_first(self) -> None:
        """Gives focus to its first control, of a group to the one that holds."""
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

    def _have_in_sight(self, _before: QWidget | None, now: QWidget | None) -> None:
        """Qt does so for a Tab within the page alone, and not for one that comes into it."""
        if now is not None and self.isAncestorOf(now) and now.visibleRegion().isEmpty():
            self.ensureWidgetVisible(now)

    def _lay_out(self) -> None:
        self._inner = QWidget()
        self._inner_column = QVBoxLayout(self._inner)
        self._inner_column.setContentsMargins(0, 0, 0, 0)
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
