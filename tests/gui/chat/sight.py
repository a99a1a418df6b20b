"""Queries of what a transcript shows."""

from typing import TypeVar

from PySide6.QtCore import QPoint, QPointF, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from desktop.chat.transcript.transcript import Transcript
from desktop.chat.views.code_view import CodeView
from desktop.chat.views.prose_view import ProseView
from desktop.chat.views.text_view import TextView

View = TypeVar("View", bound=QWidget)


def views(transcript: Transcript, kind: type[View]) -> list[View]:
    """Return the visible views from the top down."""
    found = [view for view in transcript.findChildren(kind) if view.isVisible()]
    return sorted(found, key=lambda view: place_of(transcript, view).top())


def place_of(transcript: Transcript, view: QWidget) -> QRect:
    """Return the position in the viewport."""
    return QRect(view.mapTo(transcript.viewport(), QPoint(0, 0)), view.size())


def texts(transcript: Transcript) -> list[str]:
    """Return the live texts from the top down."""
    return [view.toPlainText() for view in views(transcript, TextView)]


def prose(transcript: Transcript) -> ProseView:
    """Return the last piece of prose."""
    return views(transcript, ProseView)[-1]


def code(transcript: Transcript) -> CodeView:
    """Return the last piece of code."""
    return views(transcript, CodeView)[-1]


def first_line(transcript: Transcript) -> tuple[str, int]:
    """Return the topmost text in the viewport, and where it is."""
    inside = [view for view in views(transcript, TextView) if place_of(transcript, view).top() >= 0]
    return inside[0].toPlainText(), place_of(transcript, inside[0]).top()


def turn_wheel(
    transcript: Transcript, turn: QPoint, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier
) -> None:
    """Turn the wheel over the middle of the viewport; 120 is a notch."""
    middle = transcript.viewport().rect().center()
    window = transcript.window()
    QTest.wheelEvent(
        window.windowHandle(), QPointF(transcript.viewport().mapTo(window, middle)), turn, stateKey=modifiers
    )
