"""Storage of MCP servers and their lists of tools."""

from core.domain.ids import ServerId
from core.domain.mcp_server import McpServer, StoredServer
from core.domain.settings import KeyLocation
from core.ports import Put, PutToolList, Remove, Storage

FULL = McpServer(
    id=ServerId("files"),
    name="Fichiers 亚",
    command="/opt/a b",
    args=("--root", "é 🙂", ""),
    env={"TOKEN": "[secret-not-kept]", "LANG": "fr"},
    cwd="/tmp",
    secrets={"env/TOKEN": KeyLocation.FILE},
    is_enabled=False,
    starts_with_app=True,
    timeout_s=3600,
    confirmed="x",
)
BARE = McpServer(id=ServerId("web"), name="a", url="https://example.org/mcp")


async def test_a_server_comes_back_as_it_was_with_the_list_of_its_tools(storage: Storage) -> None:
    assert await storage.servers.all() == []
    await storage.commit([Put(FULL), Put(BARE), PutToolList(FULL.id, '["\\ud800"]')])
    assert await storage.servers.all() == [StoredServer(BARE), StoredServer(FULL, '["\\ud800"]')]
    changed = FULL.model_copy(update={"name": "Z"})
    await storage.commit([Put(changed)])
    assert await storage.servers.all() == [StoredServer(BARE), StoredServer(changed, '["\\ud800"]')]


async def test_a_server_goes_with_its_list(storage: Storage) -> None:
    await storage.commit([Put(FULL), PutToolList(FULL.id, "[]"), Remove(McpServer, BARE.id)])
    await storage.commit([Remove(McpServer, FULL.id)])
    await storage.commit([Put(FULL)])
    assert await storage.servers.all() == [StoredServer(FULL)]
