"""Whether a person works in the app: in its window, or in a dialog of it."""

import asyncio

from PySide6.QtWidgets import QApplication, QWidget


def is_present(window: QWidget) -> bool:
    """Whether the window is the active one, or a window that belongs to it."""
    active: QWidget | None = QApplication.activeWindow()
    while active is not None and active is not window:
        active = active.parentWidget()
    return active is not None


async def until_present(window: QWidget) -> None:
    """Come back once somebody is there. Until then the window is marked in the task bar, and nothing comes forward."""
    app = QApplication.instance()
    if is_present(window) or not isinstance(app, QApplication):
        return
    here = asyncio.Event()

    def look() -> None:
        if is_present(window):
            here.set()

    app.focusWindowChanged.connect(look)
    try:
        QApplication.alert(window)
        await here.wait()
    finally:
        app.focusWindowChanged.disconnect(look)
