"""The card of a call that writes a file shows what changes in it, and what is approved is what was shown."""

import asyncio
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel, QScrollArea

from core.domain.audit import Decision
from core.domain.ids import WorkflowId, new_id
from core.domain.interruption import Action
from core.domain.run import RunKind, RunStatus
from core.domain.template import Template, ValidationMode
from core.domain.workflow import Workflow
from core.engine.runs.start_request import StartRequest
from core.services.outcome import Ok
from desktop.attention.card import AttentionCard
from desktop.widgets import DiffView
from tests.gui.window.consent_cards import gone_through, in_sight
from tests.gui.window.rig import App, an_app
from tests.gui.window.test_attention import ended
from tests.gui.window.test_consent_cards import approve, card_for
from tests.support import waiting
from tests.support.command_line import template
from tests.support.world import tool_step

KEY = "sk-" + "abcd1234" * 5


def diff_of(card: AttentionCard) -> DiffView:
    (view,) = [view for view in card.findChildren(DiffView) if not view.isHidden()]
    return view


def count_fits(card: AttentionCard) -> list[int]:
    """Return a list that gets an entry each time the card is measured."""
    fits: list[int] = []
    fit = card._scroller.fit

    def counted(width: int, usual: int, most: int) -> None:
        fits.append(width)
        fit(width, usual, most)

    card._scroller.fit = counted  # type: ignore[method-assign]
    return fits


def labels(card: AttentionCard) -> list[str]:
    return [label.text() for label in card.findChildren(QLabel) if label.isVisible()]


async def shown(app: App, folder: Path, tool: str, arguments: dict[str, Any]) -> AttentionCard:
    card = await card_for(app, folder, arguments, tool)
    await waiting.until(lambda: all(view.is_filled for view in card.findChildren(DiffView)))
    await app.drawn()
    return card


async def test_a_file_to_be_written_is_shown_as_a_diff(tmp_path: Path, qapp: QApplication) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    before = "".join(f"line {number}\n" for number in range(1, 41))
    (folder / "a.py").write_text(before + f'KEY = "{KEY}"\n')
    async with an_app(tmp_path / "data", qapp, mode=ValidationMode.MANUAL) as app:
        # an existing file: what changes in it, with the numbers and signs of its lines, and the lines around them
        after = before.replace("line 20\n", "line\u202e twenty\n") + f'KEY = "{KEY}"  # new\n'
        card = await shown(app, folder, "write_file", {"path": "a.py", "content": after})
        view = diff_of(card)
        assert view.text.splitlines() == [
            "⋯ 16 unchanged lines", "  line 17", "  line 18", "  line 19", "− line 20", "+ line⟨U+202E⟩ twenty",
            "  line 21", "  line 22", "  line 23", "⋯ 14 unchanged lines", "  line 38", "  line 39", "  line 40",
            '− KEY = "⟨secret, 43 characters⟩"', '+ KEY = "⟨secret, 43 characters⟩"  # new',
        ]  # fmt: skip
        assert view.toPlainText() == view.text
        assert {"Changes", "+2", "−2"} <= set(labels(card))
        fits = count_fits(card)
        await asyncio.sleep(0.2)
        assert len(fits) < 5  # it is measured when its page changes, and not for ever
        assert "a.py" in in_sight(card)
        assert "line" not in gone_through(card)  # the text is not there a second time
        assert card.request is not None
        values = card.request.call_view
        values.show_secrets.click()
        await waiting.until(lambda: view.is_filled)
        assert KEY in view.text
        values.show_secrets.click()
        # all of it as it is sent, on request
        values.raw_button.click()
        await app.drawn()
        assert not view.isVisible()
        assert '"path": "a.py"' in gone_through(card)
        assert KEY not in gone_through(card)
        values.raw_button.click()
        await app.drawn()
        assert view.isVisible()
        # the file changes before the approval: that is said, and shown
        (folder / "a.py").write_text(before.replace("line 20", "line twenty") + "more\n")
        await waiting.until(lambda: not card.guard.is_on)
        card.button(Action.APPROVE).click()
        await waiting.until(lambda: "changed since it was shown" in card.error)
        await waiting.until(lambda: "− more" in diff_of(card).text)
        assert (folder / "a.py").read_text().endswith("more\n")
        await approve(app, card)
        assert (folder / "a.py").read_text() == after

        new = await shown(app, folder, "write_file", {"path": "b.txt", "content": "one\n" + "\n" * 40 + "two"})
        assert diff_of(new).text == "+ one\n+ ⟨40 line ends⟩\n+ two"
        assert {"New file", "+42"} <= set(labels(new))
        await approve(app, new)

        edits = [{"old": "two", "new": "2"}, {"old": "one", "new": "1"}]
        edit = await shown(app, folder, "edit_file", {"path": "b.txt", "edits": edits})
        assert "− one\n+ 1" in diff_of(edit).text
        assert "− two\n+ 2" in diff_of(edit).text
        await approve(app, edit)


async def test_what_cannot_be_shown_as_a_diff_is_said_and_shown_as_values(tmp_path: Path, qapp: QApplication) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "a.bin").write_bytes(b"\xff\x00")
    (folder / "a.txt").write_text("one\n")
    async with an_app(tmp_path / "data", qapp, mode=ValidationMode.MANUAL) as app:
        card = await shown(app, folder, "write_file", {"path": "a.bin", "content": "new\ntext"})
        assert any("is not text" in text for text in labels(card))
        assert "new\ntext" in gone_through(card)
        await approve(app, card)
        edits = [{"old": "two\nlines", "new": "a\n\tb"}]
        card = await shown(app, folder, "edit_file", {"path": "a.txt", "edits": edits})
        assert any("do not fit the file" in text for text in labels(card))
        through = gone_through(card)
        assert "two\nlines" in through
        assert "a\n\tb" in through
        assert card.request is not None
        run_id = card.request.question.run_id
        await waiting.until(lambda: not card.guard.is_on)
        card.button(Action.REJECT).click()
        await ended(app, await app.core.engine.wait(run_id))


async def test_the_card_has_the_height_that_its_call_needs(tmp_path: Path, qapp: QApplication) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    long = {"path": "f0.txt", "content": "line\n" * 400}
    async with an_app(tmp_path / "data", qapp, mode=ValidationMode.MANUAL, size=(1440, 900)) as app:
        chat = app.content.chat
        card = await shown(app, folder, "write_file", long)
        view, pane = diff_of(card), chat.height()
        assert 0.5 * pane < card.height() <= 0.6 * pane + 1
        assert visible_lines(view) >= 6
        app.key(Qt.Key.Key_F7)
        (bar,) = [area.verticalScrollBar() for area in card.findChildren(QScrollArea)]
        # until all layouts have followed
        await waiting.until(lambda: card.height() > 0.9 * pane and visible_lines(view) > 20 and not bar.isVisible())
        app.key(Qt.Key.Key_F7)
        await waiting.until(lambda: card.height() <= 0.6 * pane + 1)

        await approve(app, card)

        # focused, it shows enough in the smallest window too
        app.window.resize(800, 600)
        short = await shown(app, folder, "write_file", {"path": "f1.txt", "content": "line\n" * 20})
        assert not short.is_whole
        assert visible_lines(diff_of(short)) >= 6
        await approve(app, short)

        # above the composer it has no room: it opens before anything is approved
        chat.focus_composer()
        sent = await app.core.chat.send(
            "go",
            mode=ValidationMode.MANUAL,
            allow=[str(folder)],
            base=str(folder),
            script=[{"call": "write_file", "arguments": {**long, "path": "f2.txt"}}, {"say": "done"}],
        )
        assert isinstance(sent, Ok)
        run = sent.data
        app.content.workflow_actions.show(run.workflow_id)
        chat.focus_composer()
        await waiting.until(lambda: card.request is not None and card.request.question.run_id == run.id)
        await waiting.until(lambda: card.request is not None and card.request.is_ready)
        await app.drawn()
        assert visible_lines(diff_of(card)) < 6
        card.button(Action.APPROVE).click()
        await waiting.until(lambda: card.has_focus and card.is_whole)
        await app.drawn()
        assert "Look at the arguments" in card.error
        assert visible_lines(diff_of(card)) >= 6
        assert not (folder / "f2.txt").exists()
        await approve(app, card)
        assert (folder / "f2.txt").exists()


def visible_lines(view: DiffView) -> int:
    return view.visibleRegion().boundingRect().height() // view.fontMetrics().lineSpacing()


async def test_several_calls_of_a_run_are_approved_at_once_after_each_was_seen(
    tmp_path: Path, qapp: QApplication
) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    steps = [tool_step(f"s{n}", "write_file", path=f"f{n}.txt", content=f"{n}\n") for n in range(5)]
    async with an_app(tmp_path / "data", qapp, mode=ValidationMode.MANUAL) as app:
        now = app.core.clock.now()
        workflow = Workflow(WorkflowId(new_id("wf")), "Five files", "offline", now, now)
        started = Template.model_validate(template(*steps, title="Five files"))
        run = await app.core.engine.start(
            StartRequest(workflow, started, {}, RunKind.WORKFLOW, mode=ValidationMode.MANUAL, allow=(str(folder),))
        )
        await waiting.until(lambda: app.core.stores.questions.count(run.workflow_id) == 5)
        app.content.workflow_actions.show(run.workflow_id)
        card = app.content.chat.card
        await waiting.until(lambda: card.request is not None and card.request.is_ready)
        app.content.chat.focus_card()
        await app.drawn()
        together = card.all_button
        for _ in range(4):
            assert together.text() == "Approve all 5"
            assert not together.isEnabled()
            await waiting.until(lambda: card.has_focus and not card.guard.is_on)
            app.key(Qt.Key.Key_PageDown)
            await waiting.until(lambda: card.request is not None and card.request.is_ready)
            await app.drawn()
        await waiting.until(together.isEnabled)
        await waiting.until(lambda: not card.guard.is_on)
        together.click()
        done = await ended(app, run)
        assert done.status is RunStatus.SUCCESS
        assert sorted(file.name for file in folder.iterdir()) == [f"f{n}.txt" for n in range(5)]
        entries = await app.core.storage.audit.page()
        assert [entry.decision for entry in entries] == [Decision.APPROVED] * 5
