"""What signing in to MCP servers gave: kept in the keyring or the file of keys, by server and origin."""

import json
import logging
from typing import Any

from core.domain.ids import ServerId
from core.domain.model import origin_of
from core.errors import Refused
from core.llm.key_store import KeyStore
from core.tools.mcp.sign_in import Credentials

log = logging.getLogger(__name__)


class SignIns:
    """Keeps tokens. Those of another origin are not sent: a changed address needs another sign-in."""

    def __init__(self, keys: KeyStore) -> None:
        self._keys = keys

    async def of(self, server: ServerId, url: str) -> "KeptSignIn":
        """Return what is kept for a server at this address; nothing, if it cannot be read."""
        name = f"sign-in {server} {origin_of(url)}"
        try:
            kept = await self._keys.recall(name)
        except Refused as error:
            log.warning("the sign-in of the MCP server %s cannot be read: %s", server, error.message)
            kept = None
        return KeptSignIn(self._keys, name, kept.reveal() if kept is not None else None)


class KeptSignIn(Credentials):
    """The tokens of one server, with what it takes to refresh them."""

    def __init__(self, keys: KeyStore, name: str, text: str | None) -> None:
        self._keys = keys
        self._name = name
        self._text = text

    @property
    def text(self) -> str | None:
        return self._text

    @property
    def secrets(self) -> frozenset[str]:
        """What must not be shown."""
        kept: dict[str, Any] = json.loads(self._text or "{}")
        found = [(kept.get("tokens") or {}).get(name) for name in ("access_token", "refresh_token")]
        found.append((kept.get("client") or {}).get("client_secret"))
        return frozenset(secret for secret in found if isinstance(secret, str) and secret)

    async def save(self, text: str | None) -> None:
        """Keep the text; None forgets it. Raises like the store of keys."""
        if text is None:
            await self._keys.forget(self._name)
        else:
            await self._keys.remember(self._name, text)
        self._text = text
