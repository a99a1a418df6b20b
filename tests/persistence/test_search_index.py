"""The index file: added texts are found, removed texts are gone, and a damaged file is recreated."""

import asyncio
import os
import sqlite3
import stat
from collections.abc import AsyncIterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.domain.ids import MessageId, RunId, WorkflowId
from core.domain.text.search import parse_query, text_digest
from core.errors import SearchFailed
from core.persistence.search.index import FileSearchIndex
from core.ports import GROUP_HITS, PAGE_GROUPS, PAGE_HITS, HitKind, HitPage, RunDocuments, SearchDocument

START = datetime(2026, 1, 1, tzinfo=UTC)
A, B = WorkflowId("wf_a"), WorkflowId("wf_b")


def said(text: str, *, after: int = 0, kind: HitKind = HitKind.ASSISTANT) -> SearchDocument:
    return SearchDocument(kind, MessageId(f"msg_{after}"), START + timedelta(seconds=after), text)


class Rig:
    def __init__(self, path: Path) -> None:
        self.path = path
        self.index = FileSearchIndex(path)

    async def put(self, workflow_id: WorkflowId, run: str, *documents: SearchDocument) -> None:
        await self.index.put_runs(workflow_id, [RunDocuments(RunId(run), "success", documents)])

    async def page(self, query: str, skip: int = 0) -> HitPage:
        return await self.index.find(parse_query(query), skip)

    async def snippets(self, query: str) -> list[str]:
        return [hit.snippet for group in (await self.page(query)).groups for hit in group.hits]

    async def reopen(self) -> None:
        await self.index.close()
        self.index = FileSearchIndex(self.path)
        await self.index.open()


@pytest.fixture
async def rig(tmp_path: Path) -> AsyncIterator[Rig]:
    made = Rig(tmp_path / "cache" / "search.db")
    await made.index.open()
    yield made
    await made.index.close()


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Un bel ÉTÉ", "ete"),
        ("ete", "été"),
        ("Straße", "strasse"),
        ("the quick brown fox", "brow"),
        ("the quick brown fox", "fox quick"),
        ("the quick brown fox", '"quick brown"'),
        ("这是中文测试", "中文"),
        ("대한국어를", "한국"),
        ("ภาษาไทย", "ไทย"),
        ("हिन्दी भाषा", "हिन्दी"),
        ("file_name-1.py", "name"),
        ("a\0b\ud800c NOT d", "not"),
    ],
)
async def test_a_text_is_found(rig: Rig, text: str, query: str) -> None:
    await rig.put(A, "run", said(text))
    page = await rig.page(query)
    assert [group.workflow_id for group in page.groups] == [A]
    assert page.groups[0].hits[0].marks


@pytest.mark.parametrize("query", ['"brown quick"', "fo quick", "absent", "quick absent", '"fo"', "", '"', "*", "AND"])
async def test_what_is_not_there_is_not_found_and_no_query_is_an_error(rig: Rig, query: str) -> None:
    await rig.put(A, "run", said("the quick brown fox"))
    assert (await rig.page(query)).groups == ()


async def test_workflows_come_by_title_first_and_then_by_their_newest_hit(rig: Rig) -> None:
    titled = WorkflowId("wf_titled")
    await rig.put(A, "run_a", *(said(f"needle number {n}", after=n) for n in range(5)))
    await rig.put(B, "run_b", said("a needle", after=9))
    await rig.index.put_title(titled, "Needlework")
    page = await rig.page("needle")
    assert [(group.workflow_id, group.total) for group in page.groups] == [(titled, 1), (B, 1), (A, 5)]
    shown = page.groups[2].hits
    assert [hit.message_id for hit in shown] == [f"msg_{n}" for n in (4, 3, 2)][:GROUP_HITS]
    assert [hit.message_id for hit in await rig.index.find_in(A, parse_query("needle"), 3)] == ["msg_1", "msg_0"]


async def test_what_is_found_comes_in_pages(rig: Rig) -> None:
    for n in range(PAGE_GROUPS + 5):
        await rig.put(WorkflowId(f"wf_{n}"), f"run_{n}", said("needle", after=n))
    await rig.put(A, "many", *(said("needle", after=-n) for n in range(1, PAGE_HITS + 11)))
    first, second = await rig.page("needle"), await rig.page("needle", PAGE_GROUPS)
    assert (len(first.groups), first.has_more) == (PAGE_GROUPS, True)
    assert (len(second.groups), second.has_more) == (6, False)
    assert len(await rig.index.find_in(A, parse_query("needle"))) == PAGE_HITS
    assert len(await rig.index.find_in(A, parse_query("needle"), PAGE_HITS)) == 10


async def test_a_snippet_is_a_line_around_the_match(rig: Rig) -> None:
    await rig.put(A, "run", said("x " * 50_000 + "before\n\n  the needle\tafter" + " y" * 50_000))
    (group,) = (await rig.page("needle")).groups
    hit = group.hits[0]
    assert "before the needle after" in hit.snippet
    assert hit.snippet.startswith("…x")
    assert hit.snippet.endswith("y…")
    assert [hit.snippet[mark.start : mark.end] for mark in hit.marks] == ["needle"]


async def test_a_snippet_of_an_answer_has_no_markup(rig: Rig) -> None:
    await rig.put(A, "run", said("# A **needle** in `hay`, see [there](https://example.org/a)"))
    assert await rig.snippets("needle") == ["A needle in hay, see there"]
    await rig.put(B, "run_b", said("a **second** one", kind=HitKind.USER))
    assert await rig.snippets("second") == ["a **second** one"]


async def test_texts_of_the_same_time_are_all_stored(rig: Rig) -> None:
    await rig.put(A, "run", *(said(f"needle {n}") for n in range(300)))
    await rig.put(B, "run_b", said("needle 300"))
    assert sum(group.total for group in (await rig.page("needle")).groups) == 301


async def test_a_run_that_is_put_again_has_its_new_texts_alone(rig: Rig) -> None:
    await rig.put(A, "run", said("old words"), said("both"))
    await rig.put(A, "run", said("new words"), said("both"))
    assert await rig.snippets("old") == []
    assert await rig.snippets("words") == ["new words"]
    assert len(await rig.snippets("both")) == 1


async def test_of_a_deleted_workflow_no_word_stays_in_the_file(rig: Rig) -> None:
    await rig.put(A, "run_a", said("the xylophonist is secretive " * 20))
    await rig.index.put_title(A, "Xylophonist")
    await rig.put(B, "run_b", said("something else"))
    await rig.index.remove_workflow(A)
    assert await rig.snippets("xylophonist") == []
    assert await rig.snippets("something") == ["something else"]
    assert (await rig.index.indexed()).titles.keys() == {B}
    await rig.reopen()  # what is left to do is known then too
    is_left = True
    while is_left:
        is_left = await rig.index.purge_deleted()
    assert await rig.snippets("something") == ["something else"]
    content = b"".join(file.read_bytes() for file in rig.path.parent.iterdir())
    assert b"xylophon" not in content


async def test_no_secret_is_stored(rig: Rig) -> None:
    key = "sk-" + "a1b2c3d4" * 4
    await rig.put(A, "run", said(f"my key is {key}, do not tell"))
    (snippet,) = await rig.snippets("key")
    assert key not in snippet
    assert await rig.snippets(key) == []
    await rig.index.put_title(A, f"Use {key}")
    await rig.reopen()
    assert key.encode() not in b"".join(file.read_bytes() for file in rig.path.parent.iterdir())


async def test_what_is_there_is_there_after_opening_again(rig: Rig) -> None:
    await rig.put(A, "run", said("needle"))
    await rig.index.put_title(A, "Title")
    await rig.reopen()
    assert await rig.snippets("needle") == ["needle"]
    indexed = await rig.index.indexed()
    assert (dict(indexed.titles), dict(indexed.runs)) == ({A: text_digest("Title")}, {"run": "success"})


@pytest.mark.parametrize("bad", [b"no database at all" * 100, b"SQLite format 3\0" + b"\1" * 5000, b""])
async def test_a_file_that_is_no_index_is_made_anew(rig: Rig, bad: bytes) -> None:
    await rig.put(A, "run", said("needle"))
    await rig.index.close()
    rig.path.write_bytes(bad)
    rig.index = FileSearchIndex(rig.path)
    await rig.index.open()
    assert (await rig.index.indexed()).runs == {}
    await rig.put(A, "run", said("needle"))
    assert await rig.snippets("needle") == ["needle"]


async def test_damage_found_by_a_search_is_reported_and_the_index_can_be_reset(rig: Rig) -> None:
    await rig.put(A, "run", *(said(f"needle {n}", after=n) for n in range(50)))
    with closing(sqlite3.connect(rig.path)) as file:
        file.execute("DELETE FROM words_data WHERE id > 10")
        file.commit()
    with pytest.raises(SearchFailed) as failed:
        await rig.page("needle")
    assert failed.value.code == "search_broken"
    await rig.index.reset()
    await rig.put(A, "run", said("needle"))
    assert await rig.snippets("needle") == ["needle"]


@pytest.mark.skipif(os.name != "posix", reason="modes are those of Unix")
async def test_its_files_are_for_their_owner_alone(rig: Rig) -> None:
    await rig.put(A, "run", said("needle"))
    for file in rig.path.parent.iterdir():
        assert stat.S_IMODE(file.stat().st_mode) & 0o077 == 0, file


async def test_a_folder_that_cannot_be_created_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    index = FileSearchIndex(tmp_path / "file" / "search.db")
    with pytest.raises(SearchFailed) as failed:
        await index.open()
    assert failed.value.code == "search_unavailable"
    await index.close()


async def test_a_cancelled_search_does_not_affect_the_next_search(rig: Rig) -> None:
    for n in range(20):
        await rig.put(A, f"run_{n}", *(said("needle " * 50, after=n) for _ in range(20)))
    searches = [asyncio.create_task(rig.page("needle")) for _ in range(5)]
    await asyncio.sleep(0)
    for search in searches:
        search.cancel()
    assert (await rig.page("needle")).groups[0].total == 400
    assert all(
        isinstance(each, asyncio.CancelledError) for each in await asyncio.gather(*searches, return_exceptions=True)
    )
