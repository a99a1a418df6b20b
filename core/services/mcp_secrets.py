"""The secrets of MCP servers: kept, put in their places, and forgotten (AGENTS_AND_TOOLS §7)."""

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
    """Where the secrets of servers are, among the other `keys`."""

    def __init__(self, keys: KeyStore) -> None:
        self._keys = keys

    async def filled(self, server: McpServer) -> McpServer:
        """The server with its secrets in their places. Raises ToolFailed."""
        values: dict[str, str] = {}
        for place, kept in server.secrets.items():
            try:
                secret = await self._keys.kept(_key_name(server.id, place), kept)
            except Refused as error:
                raise ToolFailed("failed", f"the secrets of {server.name} cannot be read: {error.message}") from None
            if secret is None:
                raise ToolFailed("failed", f"{server.name} needs the value of {place}, which is not there any more")
            values[place] = secret.reveal()
        return McpServer.model_validate(with_values(server.model_dump(), values))

    async def keep(self, drafts: Sequence[ServerDraft], kept: list[StoredSecret]) -> list[McpServer]:
        """Keep what is secret of the drafts; `kept` has what was, also where this fails. Their rows, which know where.

        Raises Refused `keys_unreadable` and `keys_not_writable`.
        """
        rows = []
        for draft in drafts:
            places = dict(draft.server.secrets)
            for place, value in draft.secrets.items():
                name = _key_name(draft.server.id, place)
                places[place] = await self._keys.keep(name, value)
                kept.append((name, places[place]))
            rows.append(draft.server.model_copy(update={"secrets": places}))
        return rows

    async def of(self, server: McpServer) -> Mapping[str, Secret]:
        """Its secrets by place, without those that are not there any more, or cannot be read: what is removed need not
        be whole."""
        found: dict[str, Secret] = {}
        for place, kept in server.secrets.items():
            try:
                secret = await self._keys.kept(_key_name(server.id, place), kept)
            except Refused:
                continue
            if secret is not None:
                found[place] = secret
        return found

    async def forget(self, server: McpServer) -> None:
        """Forget all of its secrets. Raises Refused where one cannot be."""
        for place, kept in server.secrets.items():
            await self._keys.forget(_key_name(server.id, place), kept)

    async def drop(self, names: Iterable[StoredSecret]) -> None:
        """Forget these; one that cannot be is left behind."""
        for name, place in names:
            try:
                await self._keys.forget(name, place)
            except MetierError as error:
                log.warning("a secret of an MCP server is left behind: %s", error.message)

    async def drop_places(self, server: ServerId, places: Mapping[str, KeyLocation]) -> None:
        """Forget the secrets of a server that were in these places, likewise."""
        await self.drop((_key_name(server, place), kept) for place, kept in places.items())


def _key_name(server: ServerId, place: str) -> str:
    """Under which a secret is kept."""
    return f"mcp:{server}:{place}"
