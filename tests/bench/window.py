"""The figures of the window (UI §3, §5, §12; ARCHITECTURE §6, §7): each is printed with what it may be at most."""

import os
import tempfile
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtWidgets import QApplication

from core.persistence.surreal import SurrealStorage
from desktop.loop import run
from desktop.theme import load_fonts
from tests.bench.conversations import put_workflows
from tests.bench.window_cards import cards
from tests.bench.window_drawing import drawing
from tests.bench.window_opening import finding, starting
from tests.bench.window_streams import pulsing, streaming
from tests.bench.window_switching import attaching, put_pairs, switching
from tests.gui.window.rig import an_app

STORED = 1_000


async def measure(qapp: QApplication) -> int:
    await starting()
    with tempfile.TemporaryDirectory() as folder:
        storage = await SurrealStorage.open(Path(folder) / "data" / "store")
        await put_workflows(storage, STORED)
        await put_pairs(storage)
        async with an_app(Path(folder), qapp, storage) as app:
            await streaming(app)
            await pulsing(app)
            await attaching(app)
            await switching(app)
            await cards(app)
            await finding(app)
        await storage.close()
    return 0


def main() -> None:
    qapp = QApplication.instance() or QApplication([])
    assert isinstance(qapp, QApplication)
    load_fonts()
    drawing(qapp)
    run(measure(qapp), qapp)
