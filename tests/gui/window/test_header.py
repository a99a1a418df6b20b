"""The header of the centre: the name of the workflow comes first where there is little room."""

from pathlib import Path

from PySide6.QtWidgets import QApplication, QPushButton

from desktop.arguments import Arguments
from tests.gui.window.rig import an_app

LONG = "Rework the invoices of the spring quarter, then write to everybody"


async def test_a_long_name_has_as_much_room_as_the_agent_and_all_is_laid_out_at_once(
    tmp_path: Path, qapp: QApplication
) -> None:
    async with an_app(tmp_path, qapp, size=(800, 600), arguments=Arguments(language="fr", theme="light")) as app:
        run = await app.say(LONG, script=({"say": "a b c", "delay_ms": 60_000},))
        app.content.opener.open(run.workflow_id)
        header = app.content.header
        app.content.panels.fold_sidebar(False)
        QApplication.sendPostedEvents()
        buttons = [button for button in header.findChildren(QPushButton) if button.isVisible()]
        assert [button.text() for button in buttons if button.width() < button.sizeHint().width()] == []
        who = header.fontMetrics().horizontalAdvance(header._answering.text())
        assert header._title.width() >= who - header._row.spacing()
        assert not header._state.isVisible()
        await app.core.runs.cancel(run.id)
