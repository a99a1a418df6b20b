"""The secrets of MCP servers: saved, filled in, removed (AGENTS_AND_TOOLS §7)."""

import logging
from collections.abc import Iterable, Mapping, Sequence

from core.domain.ids import ServerId
from core.domain.mcp_server import McpServer, with_values
from core.domain.settings import KeyLocation
from core.errors import MetierError, Refused, ToolFailed
from core.llm.key_masking import Secret
from core.llm.key_store import KeyStore
from core.services.mcp_drafts import ServerDraft

log = logging.getLogger(__name__)

StoredSecret = tuple[str, KeyLocation]
"""The name that a secret is kept under, and where."""


class ServerSecrets:
    """Stores the secrets of servers among the other `keys`."""

    def __init__(self, keys: KeyStore) -> None:
        self._keys = keys

    async def fill(self, server: McpServer) -> McpServer:
        """Return the server with its secrets filled in. Raises ToolFailed."""
        values: dict[str, str] = {}
        for location, key_place in server.secrets.items():
            try:
                secret = await self._keys.get_secret(_key_name(server.id, location), key_place)
            except Refused as error:
                raise ToolFailed("failed", f"the secrets of {server.name} cannot be read: {error.message}") from None
            if secret is None:
                raise ToolFailed("failed", f"{server.name} needs the value of {location}, which is not there any more")
            values[location] = secret.reveal()
        return McpServer.model_validate(with_values(server.model_dump(), values))

    async def save(self, drafts: Sequence[ServerDraft], saved: list[StoredSecret]) -> list[McpServer]:
        """Save the secrets of the drafts and return the servers with the places of their secrets. `kept` receives each
        saved secret, even if this fails.

        Raises Refused `keys_unreadable` and `keys_not_writable`.
        """
        rows = []
        for draft in drafts:
            locations = dict(draft.server.secrets)
            for location, value in draft.secrets.items():
                name = _key_name(draft.server.id, location)
                locations[location] = await self._keys.put_secret(name, value)
                saved.append((name, locations[location]))
            rows.append(draft.server.model_copy(update={"secrets": locations}))
        return rows

    async def read(self, server: McpServer) -> Mapping[str, Secret]:
        """Return the secrets of a server by place, without missing and unreadable secrets: a server can be removed
        though it is not whole.
        """
        secrets: dict[str, Secret] = {}
        for location, key_place in server.secrets.items():
            try:
                secret = await self._keys.get_secret(_key_name(server.id, location), key_place)
            except Refused:
                continue
            if secret is not None:
                secrets[location] = secret
        return secrets

    async def remove(self, server: McpServer) -> None:
        """Remove all secrets of the server. Raises Refused if a secret cannot be removed."""
        for location, key_place in server.secrets.items():
            await self._keys.remove_secret(_key_name(server.id, location), key_place)

    async def discard(self, names: Iterable[StoredSecret]) -> None:
        """Remove these secrets; a secret that cannot be removed is logged and left behind."""
        for name, key_place in names:
            try:
                await self._keys.remove_secret(name, key_place)
            except MetierError as error:
                log.warning("a secret of an MCP server is left behind: %s", error.message)

    async def discard_places(self, server: ServerId, locations: Mapping[str, KeyLocation]) -> None:
        """Remove the secrets of a server at these places, in the same way."""
        await self.discard((_key_name(server, location), key_place) for location, key_place in locations.items())


def _key_name(server: ServerId, location: str) -> str:
    """Return the name that the secret is stored under."""
    return f"mcp:{server}:{location}"
