"""What has finished and was not looked at is marked, wherever workflows are listed, until the user looks at it."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QListView

from core.services.outcome import Ok
from desktop.search.results import GroupRow
from desktop.sidebar.sidebar_strings import accessible_row_text
from desktop.widgets import ROW_ROLE, Indicator
from tests.gui.window.rig import App, an_app
from tests.gui.window.test_attention import asking, waits
from tests.support.in_memory.storage import InMemoryStorage

Until = Callable[..., Awaitable[None]]


def unread(app: App) -> set[str]:
    """The titles of the rows that are marked."""
    rows = [app.row(workflow_id) for workflow_id in app.core.stores.workflows.all_ids]
    marked = {row.title for row in rows if row is not None and row.is_unread}
    assert {row.title for row in rows if row is not None and "not looked at yet" in accessible_row_text(row)} == marked
    return marked


async def test_a_workflow_that_finished_is_marked_until_it_is_looked_at(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    storage = InMemoryStorage()
    async with an_app(tmp_path, qapp, storage) as app:
        core, content = app.core, app.content
        app.control(Qt.Key.Key_N)
        runs = [await app.say(name, script=script) for name, script in SAID.items()]
        for run in runs:
            await core.engine.wait(run.id)
        stopped = await app.say("Stopped", script=({"say": "a b", "delay_ms": 60_000},))
        await core.engine.cancel(stopped.id)
        await until(lambda: unread(app) == {"Done", "Failed", "Seen", "Asks again"})
        content.opener.open(runs[2].workflow_id)
        await until(lambda: unread(app) == {"Done", "Failed", "Asks again"})
        again = await core.chat.send("go on", runs[2].workflow_id, script=SAID["Done"])
        assert isinstance(again, Ok)
        await core.engine.wait(again.data.id)
        await until(lambda: app.row(runs[2].workflow_id) is not None)
        await app.drawn()
        assert unread(app) == {"Done", "Failed", "Asks again"}, "it ended before the user's eyes"

        asks = await app.start("Letters", asking("send"))
        await waits(app, asks)
        await app.drawn()
        app.control(Qt.Key.Key_K)
        found = {entry.title: entry for entry in content.command_palette.shown()}
        assert {title: (found[title].sign, found[title].is_unread) for title in found} == {
            "Letters": (Indicator.WAITING, False),
            "Done": (Indicator.SUCCESS, True),
            "Failed": (Indicator.ERROR, True),
            "Seen": (Indicator.SUCCESS, False),
            "Asks again": (Indicator.SUCCESS, True),
            "Stopped": (Indicator.CANCELLED, False),
        }
        assert content.command_palette.grab().width() > 0
        app.key(Qt.Key.Key_Escape)
        await _search(app, until)
        await core.engine.cancel(asks.id)

    async with an_app(tmp_path, qapp, storage) as app:
        await app.drawn()
        assert unread(app) == {"Done", "Failed", "Asks again"}, "after a restart too"
        app.content.opener.open(runs[0].workflow_id)
        await until(lambda: unread(app) == {"Failed", "Asks again"})
    async with an_app(tmp_path, qapp, storage) as app:
        await app.drawn()
        assert unread(app) == {"Failed", "Asks again"}


SAID: dict[str, tuple[dict[str, object], ...]] = {
    "Done": ({"say": "an answer"},),
    "Failed": ({"say": "half"}, {"fail": "no answer"}),
    "Seen": ({"say": "an answer"},),
    "Asks again": ({"say": "an answer"},),
}


async def _search(app: App, until: Until) -> None:
    """The search shows the same signs and marks."""
    search = app.content.search
    app.key(Qt.Key.Key_F, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    await until(search.isVisible)
    for letter in "answer":
        app.key(Qt.Key(ord(letter.upper())))
    (results,) = search.findChildren(QListView)

    def groups() -> list[tuple[GroupRow, str]]:
        model = results.model()
        rows = [model.index(number, 0) for number in range(model.rowCount())]
        role = Qt.ItemDataRole.AccessibleTextRole
        return [
            (row, str(model.data(index, role))) for index in rows if isinstance(row := index.data(ROW_ROLE), GroupRow)
        ]

    await until(lambda: len(groups()) >= 3)
    assert {(row.title, row.label.sign, row.label.is_unread) for row, _ in groups()} == {
        ("Done", Indicator.SUCCESS, True),
        ("Seen", Indicator.SUCCESS, False),
        ("Asks again", Indicator.SUCCESS, True),
    }
    assert all(("not looked at yet" in text) == row.label.is_unread for row, text in groups())
    assert search.grab().width() > 0
    app.key(Qt.Key.Key_Escape)
