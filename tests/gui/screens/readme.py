"""The pictures of the README: the window as somebody sees it in the middle of a day's work."""

from collections.abc import AsyncIterator

from PySide6.QtTest import QTest

from core.domain.run import Run, RunStatus
from core.domain.template import ValidationMode
from core.services.outcome import Ok
from desktop.chat.views.code_view import CodeView
from desktop.palette.entries import Kind
from tests.gui.screens.tour import Screen, drawn, holds, settled
from tests.gui.screens.working import ROWS
from tests.gui.window.rig import App
from tests.support.world import a_step, tool_step

FOUND = (
    "I traced the drift to **binary floats** in `Invoice.total`. Each line is rounded *before* tax is applied, so the "
    "error can reach one cent per line."
)
FIX = """## The fix

- Amounts are now `Decimal`, parsed once at the edge
- Tax is applied to the **sum**, then rounded half-even

```python
def total(lines: list[Line], rate: Decimal) -> Decimal:
    \"\"\"Sum first, then tax, then one rounding.\"\"\"
    net = sum((l.price * l.qty for l in lines), Decimal(0))
    return (net * (1 + rate)).quantize(Decimal("0.01"), ROUND_HALF_EVEN)
```

Next I run the tests, to make sure that nothing else relied on the old rounding.
"""
TALK: tuple[dict[str, object], ...] = (
    {"say": FOUND},
    {"call": "calculator", "arguments": {"expression": "round(19.995 * 1.2, 2)"}},
    {"call": "run_code", "arguments": {"code": "export default (input) => input.totals", "input": {"totals": 412}}},
    {"say": FIX},
    {"say": "Running them now", "delay_ms": 60_000},
)
NOTE = "# Release notes 3.2\n\n- Invoice totals are exact to the cent\n- The handbook is there in French\n"


async def readme_screens(app: App) -> AsyncIterator[Screen]:
    """Each of them, shown and drawn."""
    digest = await app.start("Weekly digest", a_step("gather"), tool_step("count", "calculator", expression="6*7"))
    contacts = await app.say("Import the contacts", script=({"say": "I look"}, {"fail": "connection reset"}))
    login = await app.say("Fix the flaky login test", script=({"say": "It waits for the page now."},))
    for run in (digest, contacts, login):
        await app.core.engine.wait(run.id)
    notes = await _write_notes(app)
    await app.say("Scan the market", script=({"say": "Reading twelve sources", "delay_ms": 60_000},))
    await app.start(
        "Translate the handbook",
        *(a_step(f"chapter_{number}") for number in range(1, 8)),
        tool_step("check", "wait", *(f"chapter_{number}" for number in range(1, 8)), seconds=60),
    )
    drift = await app.say("The invoice totals drift by a cent on some orders. Find out why and fix it.", script=TALK)
    app.content.opener.open(drift.workflow_id)
    await holds(lambda: [one for one in app.content.chat.transcript.findChildren(CodeView) if one.isVisible()])
    app.core.stores.toasts.clear()
    app.core.stores.toasts.add_user_question(notes.workflow_id, "Write the release notes", "May “write_file” run?")
    app.core.stores.toasts.add_workflow_complete(login.workflow_id, "Fix the flaky login test", RunStatus.SUCCESS)
    await settled(app.content.toasts)
    await settled(app.content.chat)
    yield "readme window", app.window
    app.core.stores.toasts.clear()
    app.content.opener.open(notes.workflow_id)
    app.content.chat.focus_card()
    await settled(app.content.toasts)
    yield "readme approval", app.window
    async for screen in _template(app):
        yield screen
    app.content.palette_controller.open(Kind.COMMAND)
    await holds(app.content.command_palette.isVisible)
    QTest.keyClicks(app.focused(), "work")
    await drawn()
    yield "readme palette", app.window
    app.content.command_palette.close_up()


async def _write_notes(app: App) -> Run:
    call = {"call": "write_file", "arguments": {"path": "notes.md", "content": NOTE}}
    sent = await app.core.chat.send("Write the release notes", mode=ValidationMode.MANUAL, script=(call,))
    assert isinstance(sent, Ok)
    await holds(lambda: app.core.stores.questions.count(sent.data.workflow_id))
    return sent.data


async def _template(app: App) -> AsyncIterator[Screen]:
    ran = await app.start(
        "Count the letters",
        a_step("gather", input={"urgent": False, "items": ["tea", "coffee"]}),
        tool_step("calculate", "calculator", "gather", expression="3 + 6"),
        a_step("hurry", "gather", when={"ref": "@gather.urgent", "eq": True}),
        {"name": "end", "action": {"return": True}, "input": ROWS, "dependsOn": ["calculate"]},
    )
    await app.core.engine.wait(ran.id)
    app.content.opener.open(ran.workflow_id)
    await holds(lambda: app.core.stores.view.is_loaded)
    app.core.stores.toasts.clear()
    app.content.panels.fold_activity(False)
    await settled(app.content.toasts)
    await settled(app.content)
    items = app.content.activity.filtered_items()
    app.content.activity._open(items[0][0].id)
    await settled(app.content.activity)
    app.content.chat.focus_composer()
    await drawn()
    yield "readme template", app.window
