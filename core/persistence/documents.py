"""Rows of documents: agents, prompts, notices, MCP servers and templates; also of settings.

A document is a row with all its fields as JSON text. Templates have a row per version, and servers a list of tools.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from core.domain.agent import Agent
from core.domain.ids import ServerId, TemplateId, WorkflowId
from core.domain.mcp_server import McpServer, StoredServer
from core.domain.prompt import Prompt
from core.domain.text.json_text import decode
from core.domain.toast import Toast, ToastId, ToastType
from core.persistence.batch import Batch
from core.persistence.codec import (
    DECODE_ERRORS,
    decode_data,
    decode_rows,
    decode_text,
    encode_fields,
    encode_text,
    from_microseconds,
    optional,
    to_microseconds,
)
from core.persistence.connection import Connection
from core.persistence.keys import by_name, by_time, by_title, key_range, record_id, text_key
from core.persistence.pages import PAGE_SIZE, pages_by_id, pages_of_table
from core.persistence.statements import Row, Statement, batched_statements, delete_statements
from core.ports.writes import PutSetting, PutToolList, StoredTemplate

_SELECT = "SELECT * FROM $range"
_SELECT_ONE = "SELECT * FROM ONLY $id"
_PUT_TOOLS = "INSERT INTO mcp_tool_list $given ON DUPLICATE KEY UPDATE tools = $input.tools RETURN NONE"
_PUT_TEMPLATE = """INSERT INTO template $given
    ON DUPLICATE KEY UPDATE text = $input.text, data = $input.data RETURN NONE"""
# The version only grows, so that saving an older version again does not hide the newest.
_PUT_HEAD = """INSERT INTO template_head $given ON DUPLICATE KEY UPDATE
    version = IF $input.version > version { $input.version } ELSE { version } RETURN NONE"""
_PUT_SETTING = "INSERT INTO setting $given ON DUPLICATE KEY UPDATE value = $input.value RETURN NONE"

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
        return encode_fields(**document.model_dump(mode="json", exclude={"id"}, exclude_none=exclude_none))

    def decode_row(row: Row) -> M:
        return model.model_validate({**decode_data(row), "id": row["id"].id})

    return DocumentForm(model, table, encode, decode_row, by_name, page_rows)


def _encode_notice(notice: Toast) -> str:
    return encode_fields(
        type=notice.type,
        code=notice.code,
        title=notice.title,
        message=notice.message,
        at=to_microseconds(notice.created_at),
        workflow=notice.workflow_id,
        duration_s=notice.duration_s,
        repeated=notice.repeated,
        parameters=[list(pair) for pair in notice.parameters],
    )


def _decode_notice(row: Row) -> Toast:
    fields = decode_data(row)
    return Toast(
        ToastId(row["id"].id),
        ToastType(fields["type"]),
        str(fields["code"]),
        str(fields["title"]),
        str(fields["message"]),
        from_microseconds(fields["at"]),
        optional(WorkflowId, fields.get("workflow")),
        optional(float, fields.get("duration_s")),
        int(fields["repeated"]),
        tuple((str(name), value) for name, value in fields["parameters"]),
    )


# Pages are short where a row may be long, since the driver decodes a page on the loop.
AGENTS = _model_form(Agent, "agent", 50, exclude_none=True)  # 40 KB of prompt
PROMPTS = _model_form(Prompt, "prompt", 20)  # 50 000 characters
SERVERS = _model_form(McpServer, "mcp_server", 20)
NOTICES = DocumentForm(Toast, "notice", _encode_notice, _decode_notice, by_time)


class DocumentRepository(Generic[D]):
    """Documents of a type."""

    def __init__(self, connection: Connection, form: DocumentForm[D]) -> None:
        self._connection = connection
        self._form = form

    def put(self, batch: Batch) -> list[Statement]:
        put = f"INSERT INTO {self._form.table} $given ON DUPLICATE KEY UPDATE data = $input.data RETURN NONE"
        documents = batch.documents(self._form.type)
        rows = ({"id": text_key(document.id), "data": self._form.encode(document)} for document in documents)
        return batched_statements(put, rows)

    def remove(self, batch: Batch) -> list[Statement]:
        ids = batch.removed(self._form.type)
        return delete_statements(record_id(self._form.table, text_key(document_id)) for document_id in ids)

    async def get(self, document_id: str) -> D | None:
        row = await self._connection.read(_SELECT_ONE, {"id": record_id(self._form.table, text_key(document_id))})
        try:
            return self._form.decode(row) if row else None
        except DECODE_ERRORS:
            return None

    async def all(self) -> list[D]:
        documents: list[D] = []
        async for page in pages_of_table(self._connection, _SELECT, self._form.table, rows=self._form.page_rows):
            documents.extend(decode_rows(page, self._form.decode))
        return sorted(documents, key=self._form.order)


class ServerRepository:
    """MCP servers. A server's list of tools may have a megabyte and changes alone, so it has a row of its own."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._servers = DocumentRepository(connection, SERVERS)

    def put(self, batch: Batch) -> list[Statement]:
        return self._servers.put(batch)

    def put_tools(self, lists: Iterable[PutToolList]) -> list[Statement]:
        rows = ({"id": text_key(put.server_id), "tools": encode_text(put.tools_json)} for put in lists)
        return batched_statements(_PUT_TOOLS, rows)

    def remove(self, batch: Batch) -> list[Statement]:
        keys = [text_key(server_id) for server_id in batch.removed(McpServer)]
        return delete_statements(record_id(table, key) for key in keys for table in ("mcp_server", "mcp_tool_list"))

    async def all(self) -> list[StoredServer]:
        servers = await self._servers.all()
        lists: dict[ServerId, str] = {}
        async for page in pages_of_table(self._connection, _SELECT, "mcp_tool_list", rows=SERVERS.page_rows):
            lists.update(decode_rows(page, _decode_tools))
        return [StoredServer(server, lists.get(server.id)) for server in servers]


class TemplateRepository:
    """Templates: a row per version, and a head with the number of the newest."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

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
            head = await self._connection.read(_SELECT_ONE, {"id": record_id("template_head", key)})
            if head is None:
                return None
            version = head["version"]
        row = await self._connection.read(_SELECT_ONE, {"id": record_id("template", [key, version])})
        try:
            return _decode_template(row) if row else None
        except DECODE_ERRORS:
            return None

    async def all(self) -> list[StoredTemplate]:
        ids = []
        async for heads in pages_of_table(self._connection, _SELECT, "template_head"):
            ids += [record_id("template", [head["id"].id, head["version"]]) for head in heads]
        newest: list[StoredTemplate] = []
        async for page in pages_by_id(self._connection, "SELECT * FROM $ids", ids, rows=10):  # a text may have 5 MB
            newest.extend(decode_rows(page, _decode_template))
        return sorted(newest, key=by_title)


class SettingRepository:
    """Settings by name."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def put(self, settings: Iterable[PutSetting]) -> list[Statement]:
        rows = ({"id": text_key(setting.name), "value": encode_text(setting.value_json)} for setting in settings)
        return batched_statements(_PUT_SETTING, rows)

    async def all(self) -> dict[str, Any]:
        values: dict[str, Any] = {}
        async for page in pages_of_table(self._connection, _SELECT, "setting"):
            values.update(decode_rows(page, lambda row: (row["id"].id, decode(decode_text(row["value"])))))
        return values


def _decode_tools(row: Row) -> tuple[ServerId, str]:
    return ServerId(row["id"].id), decode_text(row["tools"])


def _encode_template(template: StoredTemplate) -> Row:
    return {
        "id": [text_key(template.id), template.version],
        "text": encode_text(template.text),
        "data": encode_fields(title=template.title, updated_at=to_microseconds(template.updated_at)),
    }


def _decode_template(row: Row) -> StoredTemplate:
    fields = decode_data(row)
    template_id, version = row["id"].id
    return StoredTemplate(
        TemplateId(template_id),
        version,
        fields["title"],
        decode_text(row["text"]),
        from_microseconds(fields["updated_at"]),
    )
