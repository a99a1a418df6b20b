"""Backgrounds for other widgets."""

from typing import Literal

from PySide6.QtWidgets import QFrame, QWidget

SurfaceKind = Literal["app", "canvas", "raised", "card", "user", "code", "composer", "track", "info", "warning"]
Edge = Literal["left", "right", "top", "bottom"]


class Surface(QFrame):
    """A frame that the style sheet fills, rounds and borders by its kind; `edge` draws a line at one side."""

    def __init__(self, kind: SurfaceKind, edge: Edge | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("surface", kind)
        if edge is not None:
            self.setProperty("edge", edge)


class Card(Surface):
    """A bordered box on the canvas."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("card", parent=parent)
