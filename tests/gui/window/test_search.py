"""Search in all workflows by key, in the real window."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from core.domain.text.search import Term
from core.persistence.search.index import FileSearchIndex
from core.ports import HitKind, HitPage
from core.services.outcome import Ok
from desktop.search.index_status import IndexProgress
from desktop.search.results import GroupRow, HitRow, MoreRow, ResultRow
from tests.gui.window.rig import App, an_app
from tests.support.world import tool_step

Until = Callable[..., Awaitable[None]]
SHIFT_CONTROL = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier


def search(app: App, text: str) -> None:
    app.key(Qt.Key.Key_F, SHIFT_CONTROL)
    QTest.keyClicks(app.focused(), text)


def rows(app: App) -> Sequence[ResultRow]:
    return app.content.search._rows.rows


def words(app: App) -> list[str]:
    return [app.content.search._strings.accessible_text(row).split(",")[0] for row in rows(app)]


def nothing(app: App) -> str:
    label = app.content.search._message
    return label.text() if label.isVisible() else ""


async def is_indexed(app: App, query: str, until: Until) -> None:
    async def look() -> int:
        found = await app.core.search.find(query)
        kinds = [hit.kind for group in found.data.groups for hit in group.hits] if isinstance(found, Ok) else []
        return len([kind for kind in kinds if kind is not HitKind.TITLE])

    await until(look)


async def test_what_was_sent_is_found_and_opened_at_its_place(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp) as app:
        runs = [await app.say(f"say 2 words about {what}") for what in ("pommes", "cérises", "prunes")]
        for run in runs:
            await app.core.engine.wait(run.id)
        await is_indexed(app, "prunes", until)
        search(app, "CERIS")
        await until(lambda: len(rows(app)) >= 2)
        assert words(app)[0] == "say 2 words about cérises"
        assert isinstance(rows(app)[1], HitRow)
        app.key(Qt.Key.Key_Return)
        assert app.viewed == runs[1].workflow_id
        assert not app.content.search.isVisible()
        bar = app.content.find_controller.bar
        assert bar.isVisible()
        assert bar.text == "CERIS"
        await until(lambda: bar._count.text() == "2 of 2")  # it was asked and told
        app.key(Qt.Key.Key_Escape)
        assert not bar.isVisible()
        assert app.focused() is app.content.chat.composer.text_box


async def test_esc_closes_the_page_alone_and_gives_the_focus_back(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await app.say("say 400 words 5")
        app.content.workflow_actions.show(run.workflow_id)
        app.write("kept")
        before = app.focused()
        search(app, "x")
        app.key(Qt.Key.Key_Escape)
        assert not app.content.search.isVisible()
        assert app.focused() is before
        assert app.content.chat.composer.draft().text == "kept"
        execution = app.core.stores.background.get_execution(run.workflow_id)
        assert execution is not None
        assert execution.is_active
        await app.core.engine.cancel(run.id)


async def test_an_empty_query_and_one_without_a_hit_say_so(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp) as app:
        search(app, "")
        await until(lambda: "phrase" in nothing(app))
        for query in ("absent", '"', "NEAR(", "a\0b"):
            app.content.search._field.setText(query)
            await until(lambda: nothing(app).startswith("Nothing"))
            app.key(Qt.Key.Key_Return)
        app.content.search._field.setText("   ")
        await until(lambda: "phrase" in nothing(app))


async def test_more_of_a_workflow_is_asked_for_by_key(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp) as app:
        steps = [tool_step(f"step{n}", "calculator", expression=f"{n} + 1000000") for n in range(5)]
        run = await app.start("Numbers", *steps)
        await app.core.engine.wait(run.id)
        await is_indexed(app, "100000", until)
        search(app, "10000")
        await until(lambda: isinstance(rows(app)[-1], MoreRow) if rows(app) else False)
        before = len(rows(app))
        app.key(Qt.Key.Key_PageDown)
        current = app.content.search._list.currentIndex().row()
        assert isinstance(rows(app)[current], MoreRow)
        app.key(Qt.Key.Key_Return)
        await until(lambda: len(rows(app)) > before)
        assert app.content.search.isVisible()
        assert isinstance(rows(app)[app.content.search._list.currentIndex().row()], HitRow)
        assert not any(isinstance(row, MoreRow) for row in rows(app))


async def test_an_answer_to_an_older_query_never_shows(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp) as app:
        for what in ("alpha", "omega"):
            run = await app.say(f"say 1 word about {what}")
            await app.core.engine.wait(run.id)
        await is_indexed(app, "omega", until)
        index = app.core.search._index
        find, held = index.find, asyncio.Event()

        async def slow(terms: Sequence[Term], skip: int = 0) -> HitPage:
            page = await find(terms, skip)
            if terms[0].words[0] == "alpha":
                await held.wait()
            return page

        index.find = slow  # type: ignore[method-assign]
        search(app, "alpha")
        await until(lambda: nothing(app) == "Searching…")
        app.content.search._field.setText("omega")
        await until(lambda: len(rows(app)) >= 1)
        held.set()
        await asyncio.sleep(0.1)
        assert words(app)[0] == "say 1 word about omega"
        assert len([row for row in rows(app) if isinstance(row, GroupRow)]) == 1


async def test_a_workflow_that_is_deleted_leaves_the_results(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp) as app:
        run = await app.say("say 1 word about alpha")
        await app.core.engine.wait(run.id)
        await is_indexed(app, "alpha", until)
        search(app, "alpha")
        await until(lambda: len(rows(app)) >= 1)
        await app.core.workflows.delete(run.workflow_id)
        await until(lambda: nothing(app).startswith("Nothing"))


async def test_a_search_that_is_not_possible_shows_why(tmp_path: Path, qapp: QApplication, until: Until) -> None:
    async with an_app(tmp_path, qapp) as app:
        index = app.core.search._index
        assert isinstance(index, FileSearchIndex)
        (tmp_path / "file").write_text("in the way")
        await index._close_connections()
        index._path = tmp_path / "file" / "search.db"
        search(app, "alpha")
        await until(lambda: "cannot be opened" in nothing(app))


async def test_indexing_shows_how_far_it_is_and_is_stopped_by_key(
    tmp_path: Path, qapp: QApplication, until: Until
) -> None:
    async with an_app(tmp_path, qapp) as app:
        search(app, "")
        panel, told = app.content.search, list[str]()
        panel.index_stopped.connect(lambda: told.append("stop"))
        panel.index_continued.connect(lambda: told.append("go on"))
        field = app.focused()
        panel.show_index(IndexProgress(3, 10))
        assert panel._index_status._label.text() == "Indexing: 3 of 10"
        app.key(Qt.Key.Key_Tab)
        app.key(Qt.Key.Key_Space)
        panel.show_index(IndexProgress(3, 10, is_stopped=True))
        assert panel._index_status._label.text() == "Indexed: 3 of 10"
        app.key(Qt.Key.Key_Space)
        assert told == ["stop", "go on"]
        panel.show_index(IndexProgress())
        assert app.focused() is field
        assert panel.isVisible()
        panel.show_index(IndexProgress(has_problem=True))
        app.key(Qt.Key.Key_Tab)
        app.key(Qt.Key.Key_Tab)
        assert app.focused() is field
        app.key(Qt.Key.Key_Tab)
        app.key(Qt.Key.Key_Escape)
        assert not panel.isVisible()
