"""A template's run in the real window: a block with live steps, unfolded by key, with the output last."""

from collections.abc import Awaitable, Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel

from desktop.chat.views.caption_view import CaptionView
from desktop.chat.views.code_view import CodeView
from desktop.chat.views.line_views import StepView
from desktop.chat.views.prose_view import ProseView
from desktop.chat.views.text_view import TextView
from tests.gui.window.rig import App, an_app
from tests.support.world import a_step

Until = Callable[..., Awaitable[None]]
ROWS = [{"name": "one", "count": 1}, {"name": "two", "count": 2}]


def steps(app: App) -> dict[str, str]:
    """Return the text of each step's line, by step."""
    found = [view for view in app.content.findChildren(StepView) if view.isVisible()]
    return {name: rest for name, _, rest in (view.accessibleName().partition(", ") for view in found)}


def texts(app: App, kind: type[TextView]) -> list[str]:
    return [view.toPlainText() for view in app.content.chat.transcript.findChildren(kind) if view.isVisible()]


async def test_its_steps_are_live_and_its_output_is_a_table(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await app.start(
            "Counting",
            a_step("first", input={"answer": 42}),
            {"name": "slow", "action": {"toolName": "wait"}, "input": {"seconds": 1.2}, "dependsOn": ["first"]},
            a_step("never", "slow", when={"ref": "@first.answer", "eq": 0}),
            {"name": "end", "action": {"return": True}, "input": ROWS, "dependsOn": ["slow"]},
        )
        app.content.workflow_actions.show(run.workflow_id)
        await until(lambda: "Done" in steps(app).get("first", "") and "Running" in steps(app).get("slow", ""))
        assert steps(app)["end"] == "Pending"
        await app.core.engine.wait(run.id)
        await until(lambda: "Skipped" in steps(app)["never"] and "Done" in steps(app)["end"])
        assert steps(app)["slow"] == "Done · 1\N{NO-BREAK SPACE}s"
        (line,) = [view for view in app.content.findChildren(StepView) if view.accessibleName().startswith("first")]
        line.setFocus(Qt.FocusReason.TabFocusReason)
        app.key(Qt.Key.Key_Right)
        await until(lambda: '{\n  "answer": 42\n}' in texts(app, CodeView))
        app.key(Qt.Key.Key_Left)
        assert texts(app, CodeView) == []
        assert any("two" in text and "count" in text for text in texts(app, ProseView))
        captions = [view for view in app.content.findChildren(CaptionView) if view.isVisible()]
        assert any(label.text() == "Table, 2 rows" for view in captions for label in view.findChildren(QLabel))
