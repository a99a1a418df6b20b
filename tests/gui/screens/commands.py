"""Screens of a command of the system: its card, with the rule that it offers, and its output while it runs."""

import tempfile
from collections.abc import AsyncIterator

from PySide6.QtWidgets import QPushButton

from core.domain.interruption import Action, Answer
from core.domain.live_run import LiveRun
from core.domain.template import ValidationMode
from core.services.outcome import unwrap
from desktop.attention.footer import ApprovalScope
from tests.gui.screens.tour import Screen, drawn, holds, settled
from tests.gui.window.rig import App

LINE = "for n in $(seq 1 30); do echo tests/test_invoices.py::test_total_$n PASSED; done; printf '42 %%'; exec sleep 60"


async def command_screens(app: App) -> AsyncIterator[Screen]:
    """Each of them, shown and drawn."""
    with tempfile.TemporaryDirectory(prefix="invoices-") as folder:
        async for screen in _screens(app, folder):
            yield screen


async def _screens(app: App, folder: str) -> AsyncIterator[Screen]:
    core, content = app.core, app.content
    for line in ("git status --short", LINE):
        script: list[dict[str, object]] = [{"call": "run_command", "arguments": {"command": line}}, {"say": "Done."}]
        sent = await core.chat.send("Run the tests", mode=ValidationMode.AUTO, allow=[folder], script=script)
        run = unwrap(sent)
        await holds(lambda: core.stores.questions.count(run.workflow_id) == 1)  # noqa: B023  # awaited at once
        content.opener.open(run.workflow_id)
        core.stores.toasts.clear()
        await settled(content.toasts)
        if line is not LINE:
            content.chat.focus_card()
            await drawn()
            (scope,) = content.chat.card.findChildren(ApprovalScope)
            scope.findChildren(QPushButton)[-1].click()
            await settled(content.chat)
            yield "card of a command", app.window
        else:
            content.activity.set_collapsed(False)
            await core.engine.answer(run.id, Answer(Action.APPROVE))
            await holds(lambda: _has_written(core.stores.view.run_of(run.message_id)))  # noqa: B023
            await settled(content)
            yield "command at work", app.window
        await core.engine.cancel(run.id)
        await core.engine.wait(run.id)
    content.panels.fit(content.width())


def _has_written(run: LiveRun | None) -> bool:
    return run is not None and any(call.output for call in run.calls.values())
