"""A row of a list in the settings: a card with controls, of which one has the focus when the row has it."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QApplication, QHBoxLayout, QVBoxLayout, QWidget

from desktop.settings.parts.layout import tab_stops
from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.buttons import Button, IconButton
from desktop.widgets.labels import Chip
from desktop.widgets.paragraph import Paragraph
from desktop.widgets.surfaces import Card
from desktop.widgets.visibility import show_when


class ListRow(Card):
    """A class to derive from."""

    def stops(self) -> list[QWidget]:
        """Where Tab stops, in the order of what is seen."""
        return tab_stops(self)

    def searched(self) -> str:
        """The words that it is found by."""
        raise NotImplementedError

    def has_focus(self) -> bool:
        """Whether one of its controls has it."""
        focused = QApplication.focusWidget()
        return focused is not None and self.isAncestorOf(focused)

    def take_focus(self) -> None:
        """Its first control."""
        stop = next((one for one in self.stops() if not one.isHidden() and one.isEnabled()), None)
        if stop is not None:
            stop.setFocus(Qt.FocusReason.OtherFocusReason)


class ItemRow(Adaptive, ListRow):
    """`words` are shown in the place of its name, which its buttons have. `is_default`: it answers where nothing else
    is chosen; None: nothing of the kind does. One that stays has no button to remove it."""

    made_default = Signal()
    edited = Signal()
    removed = Signal()

    def __init__(
        self,
        theme: Theme,
        name: str,
        *,
        is_default: bool | None,
        can_remove: bool = True,
        can_edit: bool = True,
        words: str | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self.name = name
        self._title = Paragraph(name if words is None else words, "strong", most_lines=2)
        self._note = Paragraph("", "label", "muted", 3)
        self._chip = Chip()
        self._default = Button(theme, kind="link", is_small=True)
        self._edit = IconButton(theme, Icon.PENCIL)
        self._remove = IconButton(theme, Icon.TRASH_2)
        self._words, self._row = QVBoxLayout(), QHBoxLayout(self)
        self._words.addWidget(self._title)
        self._words.addWidget(self._note)
        self._row.addLayout(self._words, 1)
        for widget in (self._chip, self._default, self._edit, self._remove):
            self._row.addWidget(widget)
        self._ends_in_chip = not can_edit and not can_remove and is_default is True
        show_when(self._chip, is_default is True)
        show_when(self._default, is_default is False)
        show_when(self._edit, can_edit)
        show_when(self._remove, can_remove)
        self._default.clicked.connect(self.made_default)
        self._edit.clicked.connect(self.edited)
        self._remove.clicked.connect(self.removed)
        self.adapt_to(theme)

    def say(self, note: str) -> None:
        """What there is to know of it."""
        self._note.setText(note)
        show_when(self._note, bool(note))

    def searched(self) -> str:
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
        self._words.setSpacing(sizes.space_xs // 2)
