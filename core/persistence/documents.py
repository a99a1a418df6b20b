"""Rows of documents: agents, prompts, notices, MCP servers and templates; also of settings.

A document is a row with all its fields as JSON text. Templates have a row per version, and servers a list of tools.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from core.domain.agent import Agent
from core.domain.ids import ServerId, TemplateId, WorkflowId
from core.domain.mcp_server import McpServer, StoredServer
from core.domain.names import by_name
from core.domain.prompt import Prompt
from core.domain.text.json_text import decode
from core.domain.toast import Toast, ToastId, ToastType
from core.persistence import codec
from core.persistence.batch import Batch
from core.persistence.connection import Connection
from core.persistence.keys import by_time, by_title, key_range, record_id, text_key
from core.persistence.repository import PAGE_SIZE, Repository, decode_pages
from core.persistence.statements import Row, Statement, batched_statements, delete_statements
from core.ports import PutSetting, PutToolList, StoredTemplate

_PUT_TOOLS = "INSERT INTO mcp_tool_list $argument ON DUPLICATE KEY UPDATE tools = $input.tools RETURN NONE"
_PUT_TEMPLATE = """INSERT INTO template $argument
    ON DUPLICATE KEY UPDATE text = $input.text, data = $input.data RETURN NONE"""
# The version only grows, so that saving an older version again does not hide the newest.
_PUT_HEAD = """INSERT INTO template_head $argument ON DUPLICATE KEY UPDATE
    version = IF $input.version > version { $input.version } ELSE { version } RETURN NONE"""
_PUT_SETTING = "INSERT INTO setting $argument ON DUPLICATE KEY UPDATE value = $input.value RETURN NONE"

D = TypeVar("D", bound=Agent | Prompt | Toast | McpServer)
M = TypeVar("M", Agent, Prompt, McpServer)


@dataclass(frozen=True, slots=True)
class DocumentForm(Generic[D]):
    """The stored form of a type of documents. `decode` gets a row with an id."""

    type: type[D]
    table: str
    encode: Callable[[D], str]
    decode: Callable[[Row], D]
    order: Callable[[D], Any]
    page_rows: int = PAGE_SIZE


def _model_form(model: type[M], table: str, page_rows: int, *, exclude_none: bool = False) -> DocumentForm[M]:
    def encode(document: M) -> str:
        return codec.encode_fields(**document.model_dump(mode="json", exclude={"id"}, exclude_none=exclude_none))

    def decode_row(row: Row) -> M:
        return model.model_validate({**codec.decode_data(row), "id": row["id"].id})

    return DocumentForm(model, table, encode, decode_row, by_name, page_rows)


def _encode_notice(notice: Toast) -> str:
    return codec.encode_fields(
        type=notice.type,
        code=notice.code,
        title=notice.title,
        message=notice.message,
        at=codec.to_microseconds(notice.created_at),
        workflow=notice.workflow_id,
        duration_s=notice.duration_s,
        repeated=notice.repeated,
        parameters=[list(pair) for pair in notice.parameters],
    )


def _decode_notice(row: Row) -> Toast:
    fields = codec.decode_data(row)
    return Toast(
        ToastId(row["id"].id),
        ToastType(fields["type"]),
        str(fields["code"]),
        str(fields["title"]),
        str(fields["message"]),
        codec.from_microseconds(fields["at"]),
        codec.optional(WorkflowId, fields.get("workflow")),
        codec.optional(float, fields.get("duration_s")),
        int(fields["repeated"]),
        tuple((str(name), value) for name, value in fields["parameters"]),
    )


# Pages are short where a row may be long, since the driver decodes a page on the loop.
AGENTS = _model_form(Agent, "agent", 50, exclude_none=True)  # 40 KB of prompt
PROMPTS = _model_form(Prompt, "prompt", 20)  # 50 000 characters
SERVERS = _model_form(McpServer, "mcp_server", 20)
NOTICES = DocumentForm(Toast, "notice", _encode_notice, _decode_notice, by_time)


class DocumentRepository(Repository, Generic[D]):
    """Documents of a type."""

    def __init__(self, connection: Connection, form: DocumentForm[D]) -> None:
        super().__init__(connection)
        self._form = form

    def put(self, batch: Batch) -> list[Statement]:
        put = f"INSERT INTO {self._form.table} $argument ON DUPLICATE KEY UPDATE data = $input.data RETURN NONE"
        documents = batch.documents(self._form.type)
        rows = ({"id": text_key(document.id), "data": self._form.encode(document)} for document in documents)
        return batched_statements(put, rows)

    def remove(self, batch: Batch) -> list[Statement]:
        ids = batch.removed(self._form.type)
        return delete_statements(record_id(self._form.table, text_key(document_id)) for document_id in ids)

    async def get(self, document_id: str) -> D | None:
        row = await self._row(self._form.table, text_key(document_id))
        return codec.decode_if_readable(row, self._form.decode)

    async def all(self) -> list[D]:
        pages = self._pages_of_table(self._form.table, rows=self._form.page_rows)
        return sorted(await decode_pages(pages, self._form.decode), key=self._form.order)


class ServerRepository(Repository):
    """MCP servers. A server's list of tools may have a megabyte and changes alone, so it has a row of its own."""

    def __init__(self, connection: Connection) -> None:
        super().__init__(connection)
        self._servers = DocumentRepository(connection, SERVERS)

    def put(self, batch: Batch) -> list[Statement]:
        return self._servers.put(batch)

    def put_tools(self, lists: Iterable[PutToolList]) -> list[Statement]:
        rows = ({"id": text_key(put.server_id), "tools": codec.encode_text(put.tools_json)} for put in lists)
        return batched_statements(_PUT_TOOLS, rows)

    def remove(self, batch: Batch) -> list[Statement]:
        keys = [text_key(server_id) for server_id in batch.removed(McpServer)]
        return delete_statements(record_id(table, key) for key in keys for table in ("mcp_server", "mcp_tool_list"))

    async def all(self) -> list[StoredServer]:
        servers = await self._servers.all()
        pages = self._pages_of_table("mcp_tool_list", rows=SERVERS.page_rows)
        lists = dict(await decode_pages(pages, _decode_tools))
        return [StoredServer(server, lists.get(server.id)) for server in servers]


class TemplateRepository(Repository):
    """Templates: a row per version, and a head with the number of the newest."""

    def put(self, batch: Batch) -> list[Statement]:
        saved = batch.documents(StoredTemplate)
        heads = [{"id": text_key(template.id), "version": template.version} for template in saved]
        return [
            *batched_statements(_PUT_TEMPLATE, map(_encode_template, saved)),
            *batched_statements(_PUT_HEAD, heads),
        ]

    def remove(self, batch: Batch) -> list[Statement]:
        keys = [text_key(template_id) for template_id in batch.removed(StoredTemplate)]
        heads = (record_id("template_head", key) for key in keys)
        return delete_statements([*heads, *(key_range("template", key) for key in keys)])

    async def get(self, template_id: str, version: int | None = None) -> StoredTemplate | None:
        key = text_key(template_id)
        if version is None:
            head = await self._row("template_head", key)
            if head is None:
                return None
            version = head["version"]
        return codec.decode_if_readable(await self._row("template", [key, version]), _decode_template)

    async def all(self) -> list[StoredTemplate]:
        ids = []
        async for heads in self._pages_of_table("template_head"):
            ids += [record_id("template", [head["id"].id, head["version"]]) for head in heads]
        pages = self._pages_by_id(ids, rows=10)  # a text may have 5 MB
        return sorted(await decode_pages(pages, _decode_template), key=by_title)


class SettingRepository(Repository):
    """Settings by name."""

    def put(self, settings: Iterable[PutSetting]) -> list[Statement]:
        rows = ({"id": text_key(setting.name), "value": codec.encode_text(setting.value_json)} for setting in settings)
        return batched_statements(_PUT_SETTING, rows)

    async def all(self) -> dict[str, Any]:
        return dict(await decode_pages(self._pages_of_table("setting"), _decode_setting))


def _decode_tools(row: Row) -> tuple[ServerId, str]:
    return ServerId(row["id"].id), codec.decode_text(row["tools"])


def _decode_setting(row: Row) -> tuple[str, Any]:
    return row["id"].id, decode(codec.decode_text(row["value"]))


def _encode_template(template: StoredTemplate) -> Row:
    return {
        "id": [text_key(template.id), template.version],
        "text": codec.encode_text(template.text),
        "data": codec.encode_fields(title=template.title, updated_at=codec.to_microseconds(template.updated_at)),
    }


def _decode_template(row: Row) -> StoredTemplate:
    fields = codec.decode_data(row)
    template_id, version = row["id"].id
    return StoredTemplate(
        TemplateId(template_id),
        version,
        fields["title"],
        codec.decode_text(row["text"]),
        codec.from_microseconds(fields["updated_at"]),
    )
