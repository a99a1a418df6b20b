"""The line over a workflow that does not stand in the list, or that is only looked at."""

from enum import Enum, auto

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from desktop.theme.icon_names import Icon
from desktop.theme.theme import Theme
from desktop.widgets.accessible import announce
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.buttons import Button
from desktop.widgets.icon_label import IconLabel
from desktop.widgets.labels import ElidedLabel
from desktop.widgets.surfaces import Surface


class Standing(Enum):
    """How the viewed workflow stands."""

    LISTED = auto()
    ARCHIVED = auto()
    PEEKED = auto()


class PlaceBanner(Adaptive, Surface):
    """Hidden while the workflow is viewed as any other. `acted` is the wish that its button names."""

    acted = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__("app", "bottom", parent)
        self.setObjectName("place_banner")
        self._theme = theme
        self._standing = Standing.LISTED
        self._archived = IconLabel(theme, Icon.ARCHIVE, "muted")
        self._peeked = IconLabel(theme, Icon.EYE, "muted")
        self._text = ElidedLabel()
        self._button = Button(theme, is_small=True)
        self._row = QHBoxLayout(self)
        for icon in (self._archived, self._peeked):
            self._row.addWidget(icon, 0, Qt.AlignmentFlag.AlignVCenter)
        self._row.addWidget(self._text, 1)
        self._row.addWidget(self._button)
        self._button.clicked.connect(self.acted)
        self.hide()
        self.adapt_to(theme)

    @property
    def text(self) -> str:
        return self._text.text()

    @property
    def standing(self) -> Standing:
        return self._standing

    def show_standing(self, standing: Standing) -> None:
        """It stands so from now on; a screen reader is told of what is unusual."""
        if standing is self._standing:
            return
        self._standing = standing
        self.retranslate()
        self._archived.setVisible(standing is Standing.ARCHIVED)
        self._peeked.setVisible(standing is Standing.PEEKED)
        self.setVisible(standing is not Standing.LISTED)
        if standing is not Standing.LISTED:
            announce(self, self.text)

    def retranslate(self) -> None:
        if self._standing is Standing.PEEKED:
            words, deed = self.tr("Only a look: Enter opens it, Esc goes back."), self.tr("Open")
        else:
            words, deed = self.tr("This workflow is archived. A new message restores it."), self.tr("Restore")
        self._text.setText(words)
        self._button.setText(deed)
        self.setAccessibleName(words)

    def dress(self) -> None:
        sizes = self._theme.sizes
        self._row.setContentsMargins(sizes.space_xl - sizes.space_xs, sizes.space_xs, sizes.space_m, sizes.space_xs)
        self._row.setSpacing(sizes.space_s)
