"""Files that are no export, cut, newer, wrong or hostile: refused whole, with the place of the problem."""

import io
import json
import os
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from core.services.import_export import file as export_file
from core.services.import_export.service import ALL_KINDS
from tests.services.import_export.filled import a_core, an_empty_store, chat, export, failed, fill, ok
from tests.support.in_memory.storage import InMemoryStorage

pytestmark = pytest.mark.usefixtures("bare")

Document = dict[str, Any]


@pytest.fixture(scope="module")
def made() -> dict[str, bytes]:
    """The exports that the files are made of, by name: filled when they are first needed."""
    return {}


async def an_export(made: dict[str, bytes], folder: Path, name: str) -> bytes:
    if not made:
        async with a_core(an_empty_store(), folder) as core:
            talk = await chat(core, "say 2 words")
            await fill(core, folder)
            await export(core, folder / "all.zip")
            ok(await core.import_export.export(folder / "plain.json", [talk], ALL_KINDS - {"workflows"}))
        made |= {each: (folder / each).read_bytes() for each in ("all.zip", "plain.json")}
    return made[name]


async def refused(folder: Path, data: bytes, name: str = "given.json") -> tuple[str, str]:
    """Return code and message of the import of this file, after which the store is empty, as before."""
    (folder / name).write_bytes(data)
    storage = InMemoryStorage()
    async with a_core(storage, folder) as core:
        before = storage.copy()._tables
        preview = failed(await core.import_export.preview(folder / name))
        done = failed(await core.import_export.import_file(folder / name))
        assert (preview.code, preview.message) == (done.code, done.message)
        after = storage._tables
        assert (after.workflows, after.runs, after.messages) == (before.workflows, before.runs, before.messages)
        assert (after.documents, after.templates, after.settings) == (
            before.documents,
            before.templates,
            before.settings,
        )
        assert (after.memories, after.discarded) == (before.memories, before.discarded)
    assert "\n" not in done.message
    assert done.message.isprintable()
    return done.code, done.message


@pytest.mark.parametrize("share", [0.0, 0.01, 0.3, 0.9, 0.999])
@pytest.mark.parametrize("name", ["plain.json", "all.zip"])
async def test_a_cut_file(made: dict[str, bytes], tmp_path: Path, name: str, share: float) -> None:
    data = await an_export(made, tmp_path, name)
    code, message = await refused(tmp_path, data[: int(len(data) * share)], name)
    assert code == "bad_export"
    assert name in message


@pytest.mark.parametrize("number", range(12))
async def test_a_flipped_bit_in_a_zip_is_refused_or_changes_nothing(
    made: dict[str, bytes], tmp_path: Path, number: int
) -> None:
    data = bytearray(await an_export(made, tmp_path, "all.zip"))
    data[len(data) * number // 12 + 40] ^= 1 << number % 8
    (tmp_path / "flipped.zip").write_bytes(data)
    async with a_core(an_empty_store(), tmp_path) as core:
        done = await core.import_export.import_file(tmp_path / "flipped.zip")
        if not hasattr(done, "data"):
            assert failed(done).code == "bad_export"
            assert await core.storage.workflows.all() == []


@pytest.mark.parametrize(
    ("text", "code", "part"),
    [
        ('{"format": "metier.export/2"}', "newer_export", "later version"),
        ('{"format": "metier.export/99999"}', "newer_export", "metier.export/99999"),
        ('{"format": "metier.template/1", "steps": []}', "bad_export", "not an export"),
        ('{"workflows": []}', "bad_export", "not an export"),
        ("[]", "bad_export", "not an export"),
        ("null", "bad_export", "not an export"),
        ("", "bad_export", "cut or damaged"),
        ("\ufeff{}", "bad_export", "cut or damaged"),
        ('{"format": "metier.export/1"} x', "bad_export", "after the end"),
        ('{"format": "metier.export/1", "format": "metier.export/1"}', "bad_export", "twice"),
        ('{"format": "metier.export/1", "settings": {"audit_days": NaN}}', "bad_export", "NaN"),
        ('{"format": "metier.export/1", "workflows": ' + "[" * 100_000, "bad_export", "deep"),
        ('{"format": "metier.export/1",}', "bad_export", "comma"),
        ("PK\x03\x04 no zip", "bad_export", "cut or damaged"),
        ("%PDF-1.7", "bad_export", "cut or damaged"),
    ],
)
async def test_what_is_no_export(tmp_path: Path, text: str, code: str, part: str) -> None:
    told = await refused(tmp_path, text.encode())
    assert told[0] == code
    assert part in told[1]


def at(*path: str | int) -> Callable[[Document], Any]:
    def found(document: Document) -> Any:
        value: Any = document
        for part in path:
            value = value[part]
        return value

    return found


WORKFLOW, MESSAGE, RUN = ("workflows", 0), ("workflows", 0, "messages", 0), ("workflows", 0, "runs", 0)
WRONG: list[tuple[tuple[str | int, ...], Any, str]] = [
    (("workflows",), {}, "workflows: it is not a list"),
    (("workflows",), [1], "workflows/0: it is not an object"),
    ((*WORKFLOW, "id"), 1, "workflows/0/id"),
    ((*WORKFLOW, "id"), "../../etc/passwd", "workflows/0/id"),
    ((*WORKFLOW, "title"), "a\x1b[31mb", "workflows/0/title"),
    ((*WORKFLOW, "title"), "a\u202eb", "workflows/0/title"),
    ((*WORKFLOW, "title"), "", "workflows/0/title"),
    ((*WORKFLOW, "title"), "x" * 5_000, "workflows/0/title"),
    ((*WORKFLOW, "created_at"), 12345, "workflows/0/created_at"),
    ((*WORKFLOW, "created_at"), "0001-01-01T00:00:00Z", "workflows/0/created_at"),
    ((*WORKFLOW, "created_at"), "2026-02-31T00:00:00Z", "workflows/0/created_at"),
    ((*WORKFLOW, "created_at"), "2026-01-01T00:00:00", "workflows/0/created_at"),
    ((*WORKFLOW, "answering"), "me", "workflows/0/answering"),
    ((*WORKFLOW, "messages"), "no list", "workflows/0/messages"),
    ((*MESSAGE, "text"), {"a": 1}, "workflows/0/messages/0/text"),
    ((*MESSAGE, "role"), "root", "workflows/0/messages/0/role"),
    ((*MESSAGE, "run_id"), "run_00000000000000000000000000", "there is no run"),
    ((*MESSAGE, "attachments"), [{"name": "x"}], "workflows/0/messages/0/attachments"),
    (
        (*MESSAGE, "attachments"),
        [{"name": "x", "mime": "a/b", "size": 1, "hash": "../secret"}],
        "the attachment 'x'",
    ),
    ((*RUN, "status"), "paused?", "workflows/0/runs/0/status"),
    ((*RUN, "status"), "error", "they end as success"),
    ((*RUN, "parent"), "run_00000000000000000000000000", "which is not before it"),
    ((*RUN, "snapshot"), None, "workflows/0/runs/0/snapshot"),
    ((*RUN, "snapshot", "template"), {"steps": 5}, "workflows/0/runs/0/snapshot"),
    ((*RUN, "snapshot", "script"), 5, "workflows/0/runs/0/snapshot"),
    ((*RUN, "events"), [], "workflows/0/runs/0/events"),
    ((*RUN, "events", 0, "type"), 3, "workflows/0/runs/0/events/0"),
    ((*RUN, "events", 1, "seq"), 7, "workflows/0/runs/0/events/1"),
    ((*RUN, "events", 0, "steps"), "all", "workflows/0/runs/0/events/0/steps"),
    ((*RUN, "events", 0, "at"), None, "workflows/0/runs/0/events/0/at"),
    ((*RUN, "events", 1), {"type": "state_patched", "path": "x", "old": 1, "new": 2}, "events"),
    ((*RUN, "depth"), "deep", "workflows/0/runs/0/depth"),
    ((*WORKFLOW, "tasks"), [{"id": "task_000001", "name": "x"}], "workflows/0/tasks/0"),
    ((*WORKFLOW, "memories"), [{"id": "mem_000001", "content": "x" * 60_000}], "workflows/0/memories/0/content"),
    ((*WORKFLOW, "queue"), [{"id": "msg_000001"}], "workflows/0/queue/0"),
    (("templates", 0, "versions"), [], "templates/0/versions"),
    (("templates", 0, "versions", 0, "version"), -1, "templates/0/versions/0/version"),
    (("templates", 0, "versions", 0, "text"), 5, "templates/0/versions/0/text"),
    (("agents", 0, "name"), "a\nb\x07", "agents/0/name"),
    (("agents", 0, "temperature"), 9, "agents/0/temperature"),
    (("prompts", 0, "content"), "", "prompts/0/content"),
    (("servers", 0, "command"), "a\0b", "servers/0"),
    (("servers", 0, "env"), {"A": "value"}, "servers/0/env"),
    (("servers", 0, "env"), ["A=B"], "servers/0"),
    (("servers", 0, "headers"), ["a\r\nb"], "servers/0"),
    (("servers", 0, "secrets"), ["env/PATH"], "servers/0/secrets"),
    (("settings",), [], "settings"),
    (("settings", "audit_days"), 5000, "settings/audit_days"),
    (("memories", 0, "type"), "rumour", "memories/0/type"),
]


@pytest.mark.parametrize(("path", "value", "part"), WRONG, ids=[str(number) for number in range(len(WRONG))])
async def test_a_wrong_value(
    made: dict[str, bytes], tmp_path: Path, path: tuple[str | int, ...], value: Any, part: str
) -> None:
    document = json.loads(await an_export(made, tmp_path, "plain.json"))
    at(*path[:-1])(document)[path[-1]] = value
    code, message = await refused(tmp_path, json.dumps(document).encode())
    assert code == "bad_export"
    assert part in message
    assert message.startswith("given.json: ")


async def test_ids_and_names_that_are_there_twice(made: dict[str, bytes], tmp_path: Path) -> None:
    plain = json.loads(await an_export(made, tmp_path, "plain.json"))
    for path, part in (
        (("workflows",), "is there twice"),
        (("workflows", 0, "messages"), "is there twice"),
        (("workflows", 0, "runs"), "is there twice"),
        (("agents",), "is there twice"),
        (("memories",), "is there twice"),
    ):
        document = json.loads(json.dumps(plain))
        items = at(*path)(document)
        items.append(items[0])
        assert part in (await refused(tmp_path, json.dumps(document).encode()))[1], path
    for kind, name in (("agents", "name"), ("prompts", "name"), ("servers", "name")):
        document = json.loads(json.dumps(plain))
        copy = {**document[kind][0], "id": "other_000001"[:12]}
        copy[name] = copy[name].upper()
        document[kind].append(copy)
        assert "ignoring case" in (await refused(tmp_path, json.dumps(document).encode()))[1], kind
    document = json.loads(json.dumps(plain))
    template = json.loads(json.dumps(document["templates"][0]))
    template["id"] = "tpl_0000000077"
    template["versions"][-1]["title"] = template["versions"][-1]["title"].upper()
    document["templates"].append(template)
    assert "ignoring case" in (await refused(tmp_path, json.dumps(document).encode()))[1]


def zipped(entries: dict[str, bytes], **options: Any) -> bytes:
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in entries.items():
            file.writestr(zipfile.ZipInfo(name) if options else name, content, **options)
    return data.getvalue()


EMPTY = b'{"format": "metier.export/1"}'


@pytest.mark.parametrize(
    "name",
    [
        "../evil.json",
        "/etc/cron.d/x",
        "..\\evil.json",
        "C:\\evil.json",
        "attachments/../../x.txt",
        "attachments/" + "g" * 64 + ".txt",
        "library.json/",
        "LIBRARY.JSON",
        "workflow-1.json",
        "a\x1b[31m.json",
        "x" * 5_000,
    ],
)
async def test_a_name_in_a_zip_that_no_export_has(tmp_path: Path, name: str) -> None:
    code, message = await refused(tmp_path, zipped({"library.json": EMPTY, name: b"{}"}), "given.zip")
    assert code == "bad_export"
    assert "is not part of an export" in message
    assert sorted(each.name for each in tmp_path.parent.iterdir() if "evil" in each.name) == []


async def test_zips_that_are_built_to_harm(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "not an export" in (await refused(tmp_path, zipped({}), "a.zip"))[1]
    assert "not an export" in (await refused(tmp_path, zipped({f"attachments/{'0' * 64}.txt": b""}), "b.zip"))[1]
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w") as file:
        file.writestr("library.json", EMPTY)
        with pytest.warns(UserWarning, match="Duplicate name"):
            file.writestr("library.json", EMPTY)
    assert "is there twice" in (await refused(tmp_path, data.getvalue(), "c.zip"))[1]
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_LZMA) as file:
        file.writestr("library.json", EMPTY)
    assert "unknown way" in (await refused(tmp_path, data.getvalue(), "d.zip"))[1]
    monkeypatch.setattr(export_file, "MAX_ENTRIES", 3)
    many = {f"workflow-{number:06}.json": EMPTY for number in range(1, 5)}
    assert "more than 3 entries" in (await refused(tmp_path, zipped(many), "e.zip"))[1]


async def test_a_zip_bomb_is_refused_before_it_fills_the_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export_file, "DOCUMENT_BYTES", 1_000_000)
    bomb = zipped({"library.json": b'{"format": "metier.export/1", "x": "' + b"0" * 200_000_000 + b'"}'})
    assert len(bomb) < 1_000_000
    tracemalloc.start()
    try:
        code, message = await refused(tmp_path, bomb, "bomb.zip")
        assert tracemalloc.get_traced_memory()[1] < 30_000_000
    finally:
        tracemalloc.stop()
    assert (code, "over 1 MB" in message) == ("bad_export", True)
    monkeypatch.setattr(export_file, "TOTAL_BYTES", 100_000_000)
    assert "over 100 MB" in (await refused(tmp_path, bomb, "bomb.zip"))[1]


async def test_an_attachment_that_is_not_the_one(made: dict[str, bytes], tmp_path: Path) -> None:
    with zipfile.ZipFile(io.BytesIO(await an_export(made, tmp_path, "all.zip"))) as file:
        entries = {name: file.read(name) for name in file.namelist()}
    name = next(name for name in entries if name.startswith("attachments/"))
    assert "not the one" in (await refused(tmp_path, zipped({**entries, name: b"other"}), "given.zip"))[1]
    del entries[name]
    assert "is missing" in (await refused(tmp_path, zipped(entries), "given.zip"))[1]


async def test_what_is_no_file(tmp_path: Path) -> None:
    async with a_core(an_empty_store(), tmp_path) as core:
        for path in (tmp_path, tmp_path / "none.json", tmp_path / ("x" * 300), Path("a\0b")):
            assert failed(await core.import_export.preview(path)).code == "bad_input"


async def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    async with a_core(an_empty_store(), tmp_path) as core:
        talk = await chat(core, "say 1 word")
        for path in (tmp_path / "no" / "folder.json", tmp_path, Path("a\0b")):
            assert failed(await core.import_export.export(path, [talk])).code == "not_written"
            assert failed(await core.import_export.export_markdown(talk, path)).code == "not_written"
    assert not any(name.endswith(".tmp") for name in os.listdir(tmp_path))  # noqa: PTH208  # a test
