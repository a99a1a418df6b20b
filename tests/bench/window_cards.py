"""A card of a call that changes thousands of lines, from the workflow that is shown to the diff. A part of the bench
`window`.
"""

import asyncio
from tempfile import TemporaryDirectory

from core.domain.template import ValidationMode
from core.services.outcome import Ok
from desktop.widgets import DiffView
from tests.bench.measure import line
from tests.bench.stalls import stalls
from tests.gui.window.rig import App
from tests.support import waiting

BENCH = "window"
CHANGED, FEW = 5_000, 5
ROUNDS = 5
STALL_AIM_MS = 50.0
OPEN_S = 3.0


async def cards(app: App) -> None:
    """How long the loop stands still while a card with a diff opens, beside one with a few lines."""
    with TemporaryDirectory() as folder:
        few = [await _opened(app, folder, FEW) for _ in range(ROUNDS)]
        many = [await _opened(app, folder, CHANGED) for _ in range(ROUNDS)]
    name = f"a card with {CHANGED} changed lines opens, longest stall"
    beside = f"{FEW} lines: {max(few) * 1e3:.0f} ms"
    ratio = max(many) / max(few)
    line(BENCH, name, max(many) * 1e3, "ms", ROUNDS, compared_to=beside, ratio=ratio, aim=STALL_AIM_MS)


async def _opened(app: App, folder: str, changed: int) -> float:
    """The longest stall in seconds."""
    content = "".join(f"    value_{number} = compute({number}, 'text')\n" for number in range(changed))
    call = {"call": "write_file", "arguments": {"path": "large.py", "content": content}}
    sent = await app.core.chat.send("go", mode=ValidationMode.MANUAL, allow=[folder], base=folder, script=[call])
    assert isinstance(sent, Ok), sent
    run = sent.data
    await waiting.until(lambda: app.core.stores.questions.count(run.workflow_id) == 1)
    await asyncio.sleep(1)  # the sidebar and a toast are drawn
    watching = asyncio.ensure_future(stalls(OPEN_S))
    app.content.workflow_actions.show(run.workflow_id)
    app.content.chat.focus_card()
    late = await watching
    (view,) = app.content.chat.card.findChildren(DiffView)
    assert (view.is_filled, len(view.rows)) == (True, changed)
    await app.core.engine.cancel(run.id)
    await asyncio.sleep(0.5)
    return max(late)
