"""Rows of MCP servers, and of the lists of their tools."""

from collections.abc import Iterable, Sequence

from core.domain.ids import ServerId
from core.domain.mcp_server import McpServer, StoredServer
from core.persistence.codec import decode_data, decode_rows, decode_text, encode_fields, encode_text
from core.persistence.connection import Connection
from core.persistence.keys import by_name, record_id, text_key
from core.persistence.pages import pages_of_table
from core.persistence.statements import Row, Statement, batched_statements
from core.ports.storage import PutToolList

PAGE = 20  # a list of tools may have a megabyte

_PUT = "INSERT INTO mcp_server $given ON DUPLICATE KEY UPDATE data = $input.data RETURN NONE"
_PUT_TOOLS = "INSERT INTO mcp_tool_list $given ON DUPLICATE KEY UPDATE tools = $input.tools RETURN NONE"
_REMOVE = "DELETE $given RETURN NONE"


class McpServers:
    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def put(self, servers: Iterable[McpServer]) -> list[Statement]:
        return batched_statements(_PUT, map(_row, servers))

    def put_tools(self, lists: Iterable[PutToolList]) -> list[Statement]:
        return batched_statements(
            _PUT_TOOLS, ({"id": text_key(one.server_id), "tools": encode_text(one.tools_json)} for one in lists)
        )

    def remove(self, server_ids: Iterable[ServerId]) -> list[Statement]:
        ids: Sequence[ServerId] = list(server_ids)
        rows = [record_id(table, text_key(one)) for one in ids for table in ("mcp_server", "mcp_tool_list")]
        return [Statement(_REMOVE, rows)] if rows else []

    async def all(self) -> list[StoredServer]:
        """By name."""
        servers: list[McpServer] = []
        async for page in pages_of_table(self._connection, "SELECT * FROM $range", "mcp_server", rows=PAGE):
            servers.extend(decode_rows(page, _server))
        lists: dict[ServerId, str] = {}
        async for page in pages_of_table(self._connection, "SELECT * FROM $range", "mcp_tool_list", rows=PAGE):
            lists.update(decode_rows(page, _tools))
        return [StoredServer(one, lists.get(one.id)) for one in sorted(servers, key=by_name)]


def _row(server: McpServer) -> Row:
    return {"id": text_key(server.id), "data": encode_fields(**server.model_dump(mode="json", exclude={"id"}))}


def _server(row: Row) -> McpServer:
    return McpServer.model_validate({**decode_data(row), "id": row["id"].id})


def _tools(row: Row) -> tuple[ServerId, str]:
    return ServerId(row["id"].id), decode_text(row["tools"])
