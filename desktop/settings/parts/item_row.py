"""A row of a settings list: a card with several controls."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QApplication, QHBoxLayout, QVBoxLayout, QWidget

from desktop.theme import Icon, Theme
from desktop.widgets import Adaptive, Button, Card, Chip, IconButton, Paragraph, show_when
from desktop.widgets.forms.tab_order import tab_stops


class ListRow(Card):
    """The base class of list rows."""

    def tab_stops(self) -> list[QWidget]:
        """Return the tab stops in visual order."""
        return tab_stops(self)

    def search_text(self) -> str:
        """Return the text that the settings search matches."""
        raise NotImplementedError

    def has_focus(self) -> bool:
        """Return whether the focus is within the row."""
        focused = QApplication.focusWidget()
        return focused is not None and self.isAncestorOf(focused)

    def take_focus(self) -> None:
        """Focus the first enabled control."""
        stop = next((stop for stop in self.tab_stops() if not stop.isHidden() and stop.isEnabled()), None)
        if stop is not None:
            stop.setFocus(Qt.FocusReason.OtherFocusReason)


class ItemRow(Adaptive, ListRow):
    """A model, agent, prompt or memory with its actions.

    `title` is shown instead of the name, which the accessible names of the buttons keep. `is_default` is None where
    items have no default.
    """

    default_requested = Signal()
    edit_requested = Signal()
    remove_requested = Signal()

    def __init__(
        self,
        theme: Theme,
        name: str,
        *,
        is_default: bool | None,
        can_remove: bool = True,
        can_edit: bool = True,
        title: str | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self.name = name
        self._title = Paragraph(name if title is None else title, "strong", most_lines=2)
        self._summary = Paragraph("", "label", "muted", 3)
        self._chip = Chip()
        self._default = Button(theme, kind="link", is_small=True)
        self._edit = IconButton(theme, Icon.PENCIL)
        self._remove = IconButton(theme, Icon.TRASH_2)
        self._texts, self._row = QVBoxLayout(), QHBoxLayout(self)
        self._texts.addWidget(self._title)
        self._texts.addWidget(self._summary)
        self._row.addLayout(self._texts, 1)
        for widget in (self._chip, self._default, self._edit, self._remove):
            self._row.addWidget(widget)
        self._ends_in_chip = not can_edit and not can_remove and is_default is True
        show_when(self._chip, is_default is True)
        show_when(self._default, is_default is False)
        show_when(self._edit, can_edit)
        show_when(self._remove, can_remove)
        self._default.clicked.connect(self.default_requested)
        self._edit.clicked.connect(self.edit_requested)
        self._remove.clicked.connect(self.remove_requested)
        self.adapt_to(theme)

    def set_summary(self, summary: str) -> None:
        """Set the summary below the title."""
        self._summary.setText(summary)
        show_when(self._summary, bool(summary))

    def search_text(self) -> str:
        return self.name

    def retranslate(self) -> None:
        self._chip.setText(self.tr("Default"))
        self._default.setText(self.tr("Make default"))
        self._default.setAccessibleName(self.tr("Make {name} the default").format(name=self.name))
        self._edit.describe(self.tr("Edit {name}").format(name=self.name))
        self._remove.describe(self.tr("Remove {name}").format(name=self.name))

    def apply_theme(self) -> None:
        sizes = self._theme.sizes
        right = sizes.space_l if self._ends_in_chip else sizes.space_s  # the ground of a button is not seen
        self._row.setContentsMargins(sizes.space_l, sizes.space_s, right, sizes.space_s)
        self._row.setSpacing(sizes.space_xs)
        self._texts.setSpacing(sizes.space_xs // 2)
