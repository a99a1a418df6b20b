"""Further screens of the window at work: what is said and done in many ways, lists over the composer, menus."""

from collections.abc import AsyncIterator
from pathlib import Path

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from core.domain.interruption import Action
from core.domain.run import Run, RunStatus
from core.domain.template import ValidationMode
from core.domain.toast import ToastType
from core.services.outcome import Ok
from desktop.activity.plan_view import PlanView
from desktop.chat.composer.draft import Draft
from desktop.palette.entries import Kind
from desktop.sidebar.list_view import SidebarList
from desktop.window.input.header_choices import ModeMenu
from tests.gui.screens.commands import command_screens
from tests.gui.screens.tour import Screen, drawn, holds, settled
from tests.gui.window.rig import App
from tests.support.world import a_step, tool_step

Key, Mod = Qt.Key, Qt.KeyboardModifier

ANSWER = """## The fix

Each line was rounded *before* tax was applied, so the error reached **one cent per line**.

- Amounts are now `Decimal`, parsed once at the edge
- Tax is applied to the **sum**, then rounded half-even

| order | before | after |
| --- | ---: | ---: |
| 1042 | 19.99 | 20.00 |
| 1043 | 7.45 | 7.45 |

```python
def total(lines: list[Line], rate: Decimal) -> Decimal:
    \"\"\"Sum first, then tax, then one rounding.\"\"\"
    net = sum((l.price * l.qty for l in lines), Decimal(0))
    return (net * (1 + rate)).quantize(Decimal("0.01"), ROUND_HALF_EVEN)
```

- [x] Reproduce the drift
- [ ] Write the release note

> The old totals stay in the archive. See <https://example.org/rounding>.
"""
TOOLS: tuple[dict[str, object], ...] = (
    {"say": "I look at the totals first."},
    {"call": "calculator", "arguments": {"expression": "1200 * 7"}},
    {"call": "calculator", "arguments": {"expression": "1 / 0"}},
    {"call": "run_code", "arguments": {"code": "export default (input) => input.n * 2", "input": {"n": 21}}},
    {"say": ANSWER},
)
ROWS = [{"name": "tea", "letters": 3}, {"name": "coffee", "letters": 6}]
SAID: tuple[dict[str, object], ...] = ({"say": "It waits for the page now."},)
SUB_AGENTS: tuple[dict[str, object], ...] = (
    {"call": "parallel_tasks", "arguments": {"tasks": [{"prompt": "say 3 words"}, {"prompt": "say 4 words"}]}},
)


async def working_screens(app: App) -> AsyncIterator[Screen]:
    """Each of them, shown and drawn. Nothing needs to be there before; three workflows stay at work."""
    for part in (_demo, _said, command_screens, _written, _lists, _menus, _asked):
        async for screen in part(app):
            yield screen


async def _demo(app: App) -> AsyncIterator[Screen]:
    app.content.opener.open_new()
    await drawn()
    yield "new workflow", app.window
    app.content.demo.start()
    await holds(lambda: len(app.core.stores.background.running_workflows) >= 3)
    await holds(lambda: app.core.stores.questions.workflows)
    await settled(app.content.toasts)
    yield "demo", app.window
    for execution in app.core.stores.background.running_workflows:
        if execution.run is not None:
            await app.core.runs.cancel(execution.run.run_id)
    app.core.stores.toasts.clear()
    await settled(app.content.toasts)


PLAN = ("Reproduce the drift", "Locate the rounding", "Switch to Decimal", "Run the test suite", "Write a release note")


async def _planned(app: App) -> AsyncIterator[Screen]:
    """A plan at work on top of the activity, beside rows of workflows that were not looked at."""
    core, content = app.core, app.content
    failing: dict[str, object] = {"fail": "no answer"}
    for name, more in (("Fix the flaky login test", ()), ("Import the contacts", (failing,))):
        run = await app.say(name, script=(*SAID, *more))
        await core.engine.wait(run.id)
    names = [f"task_{number}" for number in range(len(PLAN))]
    creating = [
        {**tool_step(name, "todo", *names[:number][-1:]), "input": {"action": "create", "name": title}}
        for number, (name, title) in enumerate(zip(names, PLAN, strict=True))
    ]
    run = await app.start(
        "Find out why the totals drift",
        *creating,
        *(tool_step(f"{name}_done", "todo", names[-1], action="complete", id=f"@{name}.task.id") for name in names[:2]),
        tool_step("begin", "todo", "task_1_done", action="update", id="@task_2.task.id", status="in_progress"),
        tool_step("work", "wait", "begin", seconds=60),
    )
    content.opener.open(run.workflow_id)
    content.activity.set_collapsed(False)
    (view,) = content.activity.findChildren(PlanView)
    await holds(lambda: "in_progress" in str(core.stores.view.run_of(run.message_id)))
    await holds(view.isVisible)
    await settled(content)
    yield "plan and unread rows", app.window
    toasts = core.stores.toasts
    toasts.clear()
    toasts.pause("picture")
    toasts.add_workflow_complete(run.workflow_id, "Find out why the totals drift", RunStatus.SUCCESS, is_viewed=True)
    await drawn()
    await settled(content.toasts)
    yield "toast of what is viewed", app.window
    toasts.resume("picture")
    toasts.clear()
    await core.engine.cancel(run.id)
    content.panels.fit(content.width())


async def _said(app: App) -> AsyncIterator[Screen]:
    core, content = app.core, app.content
    told = await app.say("The invoice totals drift by a cent on some orders. Find out why and fix it.", script=TOOLS)
    await _finished(app, told)
    yield "answer with tools", app.window
    for _ in range(6):
        content.chat.transcript.focus_turn(-1)
    await drawn()
    yield "answer from its top", app.window
    helped = await app.say("Ask two others", script=SUB_AGENTS)
    await _finished(app, helped)
    yield "sub-agents", app.window
    ran = await app.start(
        "Count the letters",
        a_step("gather", input={"urgent": False}),
        tool_step("calculate", "calculator", "gather", expression="6*7"),
        a_step("hurry", "gather", when={"ref": "@gather.urgent", "eq": True}),
        {"name": "end", "action": {"return": True}, "input": ROWS, "dependsOn": ["calculate"]},
    )
    await _finished(app, ran)
    yield "template with a table", app.window
    broken = await app.start("Divide", tool_step("divide", "calculator", expression="1/0"))
    await _finished(app, broken)
    yield "template that failed", app.window
    items = content.activity.filtered_items()
    if items:
        content.activity.set_collapsed(False)
        content.activity._open(items[0][0].id)
        await settled(content.activity)
        yield "activity detail", app.window
        content.activity._close()
        content.panels.fit(content.width())
    async for screen in _planned(app):
        yield screen
    waits = await app.start("Wait a minute", tool_step("wait", "wait", seconds=60))
    content.opener.open(waits.workflow_id)
    await settled(content.chat)
    yield "template at work", app.window
    content.sidebar.rename(waits.workflow_id)
    await drawn()
    yield "renaming", app.window
    app.key(Key.Key_Escape)
    await core.runs.cancel(waits.id)
    await _finished(app, waits)
    yield "template that was stopped", app.window
    content.panels.fit(content.width())


async def _finished(app: App, run: Run) -> None:
    await app.core.engine.wait(run.id)
    app.content.opener.open(run.workflow_id)
    await holds(lambda: app.core.stores.view.is_loaded)
    app.core.stores.toasts.clear()
    await settled(app.content.toasts)
    await settled(app.content.chat)


async def _written(app: App) -> AsyncIterator[Screen]:
    content = app.content
    going = await app.say("a long one", script=({"say": "a b c", "delay_ms": 120_000},))
    content.opener.open(going.workflow_id)
    await holds(lambda: app.core.stores.view.is_loaded)
    for text in ("Then write the release note", "And tell everybody, in a friendly letter that says what has changed"):
        await app.core.queue.add(going.workflow_id, text)
    await holds(lambda: content.chat.queue.messages)
    await settled(content.chat)
    yield "messages that wait", app.window
    content.opener.open_new()
    folder = app.session.folders.store.parent
    paths = [_file(folder, name) for name in ("invoices.csv", "a very long name of a file that nobody reads.txt")]
    content.input.attachments.attach([str(path) for path in paths])
    await holds(lambda: len(content.chat.composer.files) == len(paths))
    app.write("Compare these two files, line by line. Then say what is missing.")
    await drawn()
    yield "files that go along", app.window
    content.input.attachments._open(content.chat.composer.files[0])
    await drawn()
    dialogs = [one for one in app.window.findChildren(QWidget) if one.isWindow() and one.isVisible()]
    if dialogs:
        yield "preview of a file", dialogs[0]
        dialogs[0].close()
    app.window.activateWindow()
    content.input.attachments.attach([str(folder / "no such file.txt")])
    await drawn()
    yield "file that is not there", app.window
    content.chat.composer.set_draft(Draft())


def _file(folder: Path, name: str) -> Path:
    path = folder / name
    path.write_text("order;total\n1042;19.99\n1043;7.45\n" * 20)
    return path


async def _lists(app: App) -> AsyncIterator[Screen]:
    content = app.content
    await app.core.prompts.save(name="Sum up", content="Sum up {{text}} in {{count}} words.", description="In short")
    for text, name in (("/", "slash"), ("@", "mention")):
        content.opener.open_new()
        content.chat.composer.set_draft(Draft())
        app.write(text)
        await holds(lambda: content.chat.is_completing)
        yield f"{name} list", app.window
        app.key(Key.Key_Escape)
        app.key(Key.Key_Backspace)
    content.chat.composer.set_draft(Draft())
    app.write("/folder")
    await drawn()
    app.key(Key.Key_Tab)
    app.key(Key.Key_Return)
    await holds(lambda: content.chat.inputs.is_open)
    yield "input of a template", app.window
    content.chat.footer.end_input()
    content.chat.composer.set_draft(Draft())
    content.search_controller.open()
    await holds(content.search.isVisible)
    yield "search", app.window
    for words in ("invoice", "no such words"):
        app.control(Key.Key_A)
        QTest.keyClicks(app.focused(), words)
        await settled(content.search)
        await settled(content.search)
        yield f"search for {words}", app.window
    app.key(Key.Key_Escape)
    content.opener.open(app.core.stores.workflows.rows[0].workflow.id)
    content.find_controller.open()
    QTest.keyClicks(app.focused(), "the")
    await settled(content.chat)
    yield "find in the workflow", app.window
    content.find_controller.close_bar()
    rows = app.core.stores.workflows.rows
    for listed in rows[:3]:
        content.opener.open(listed.workflow.id)
    focus = app.focused()
    QApplication.sendEvent(focus, QKeyEvent(QEvent.Type.KeyPress, Key.Key_Control, Mod.ControlModifier))
    QTest.keyPress(focus, Key.Key_Tab, Mod.ControlModifier)
    await holds(content.switcher.recent_list.isVisible)
    yield "lately viewed", app.window
    QApplication.sendEvent(focus, QKeyEvent(QEvent.Type.KeyRelease, Key.Key_Control, Mod.NoModifier))
    content.command_palette.close_up()
    content.palette_controller.open(Kind.WORKFLOW)
    QTest.keyClicks(app.focused(), "nothing of this name")
    await drawn()
    yield "palette with nothing", app.window
    content.command_palette.close_up()


async def _menus(app: App) -> AsyncIterator[Screen]:
    content = app.content
    for action in app.window.menuBar().actions():
        menu = action.menu()
        assert isinstance(menu, QMenu)
        menu.popup(app.window.mapToGlobal(app.window.rect().topLeft()))
        await drawn()
        yield f"menu {action.text().replace('&', '').lower()}", menu
        menu.close()
    content.menus.trigger("validation.mode")
    await drawn()
    modes = content.header.findChild(ModeMenu)
    assert isinstance(modes, ModeMenu)
    yield "menu mode", modes
    modes.close()
    content.panels.fold_sidebar(False)
    (view,) = content.sidebar.findChildren(SidebarList)
    view.go_to_first()
    row = view.cursor_row
    if row is not None:
        view._open_menu(row, app.window.mapToGlobal(app.window.rect().center()))
        await drawn()
        yield "menu row", view._menu
        view._menu.close()
    content.panels.fit(content.width())
    app.window.activateWindow()


async def _asked(app: App) -> AsyncIterator[Screen]:
    content, toasts = app.content, app.core.stores.toasts
    sent = await app.core.chat.send(
        "go",
        mode=ValidationMode.MANUAL,
        script=(
            {"call": "write_file", "arguments": {"path": "report.md", "content": "# Report\n\n" + "A line.\n" * 30}},
            {"call": "http_fetch", "arguments": {"url": "https://example.org/api/orders?since=2026-01-01"}},
            {"call": "run_code", "arguments": {"code": "export default (input) => input", "input": {}}},
        ),
    )
    assert isinstance(sent, Ok)
    run = sent.data
    await holds(lambda: app.core.stores.questions.count(run.workflow_id) == 3)
    content.opener.open(run.workflow_id)
    await drawn()
    app.core.stores.toasts.clear()
    await settled(content.toasts)
    yield "card that came", app.window
    content.chat.focus_card()
    await drawn()
    yield "card of three", app.window
    await app.core.runs.cancel(run.id)
    await app.core.engine.wait(run.id)
    question = {"question": "Which quarter shall the report cover?", "options": ["Spring", "Summer"], "max_choices": 1}
    sent = await app.core.chat.send("go", script=({"call": "ask_user", "arguments": question},))
    assert isinstance(sent, Ok)
    run, card = sent.data, content.chat.card
    await holds(lambda: app.core.stores.questions.count(run.workflow_id) == 1)
    content.opener.open(run.workflow_id)
    await drawn()
    content.chat.focus_card()
    await holds(lambda: card.has_focus and not card.guard.is_on)
    yield "card of a single choice", app.window
    card.button(Action.SUBMIT).click()
    await drawn()
    yield "card with an error", app.window
    await app.core.runs.cancel(run.id)
    await app.core.engine.wait(run.id)
    toasts.clear()
    for kind in (ToastType.SUCCESS, ToastType.INFO):
        for _ in range(3):
            toasts.add(kind, "unexpected", title="Weekly digest", message="Sent to everybody.")
    listed = app.core.stores.workflows.rows[-1]
    content.archive.archive(listed.workflow.id)
    await holds(lambda: content.toasts.cards)
    await settled(content.toasts)
    yield "toasts with undo", app.window
    toasts.clear()
    content.opener.open(listed.workflow.id)
    await settled(content)
    yield "archived workflow", app.window
    content.opener.open_new()
