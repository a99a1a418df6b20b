"""What the pages of models and agents share."""

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from desktop.settings.list_page import ListPage
from desktop.settings.mind_row import MindRow
from desktop.settings.mind_words import refused_words
from desktop.settings.minds import Minds
from desktop.settings.page_names import PageId
from desktop.settings.values import Deed
from desktop.theme.theme import Theme


class MindsPage(ListPage[MindRow]):
    """A list of models or agents."""

    def __init__(
        self,
        theme: Theme,
        page_id: PageId,
        minds: Minds,
        told: Callable[[Deed], None],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(theme, page_id, minds.spawn, told, refused_words, parent)
        self.minds = minds
