"""MCP servers: configuration, consent to run them, and their removal (AGENTS_AND_TOOLS §7)."""

import asyncio
import logging
import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import Any

from core.domain.consent import Rule
from core.domain.ids import ServerId
from core.domain.launch_references import Reference, with_references
from core.domain.mcp_server import McpServer, ServerStatus, describe_launch, find_secrets, with_values
from core.domain.run import ErrorInfo
from core.domain.text.secret_names import is_secret_name
from core.domain.tool import mcp_server_of
from core.errors import NotFound, Refused, ToolFailed
from core.llm.key_masking import Secret
from core.llm.key_store import KeyStore
from core.ports import Put, PutToolList, Remove, Storage
from core.services.consent import ConsentService
from core.services.mcp_drafts import (
    Choice,
    ConfigPreview,
    InstalledConfiguration,
    ServerDraft,
    ServerSecrets,
    StoredSecret,
    make_draft,
    make_drafts,
    preview_servers,
    read_installed,
    require_unique_name,
)
from core.services.mcp_runtime import McpServerRuntime
from core.services.mcp_sign_in import SignIns
from core.services.outcome import returns_outcome, unwrap
from core.tools.mcp.hub import Hub
from core.tools.mcp.launch import LaunchSpec, resolve_launch
from core.tools.mcp.pasted_config import PastedConfig, read_pasted
from core.tools.mcp.tool_list import ToolListing, make_server_id, state_from_json, state_to_json
from core.tools.own_places import NO_PLACES, OWN_MESSAGE, OwnPlaces

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _RemovedServer:
    """The server that was removed last, with all that restores it."""

    server: McpServer
    listing: ToolListing | None
    secrets: Mapping[str, Secret]
    exceptions: Mapping[str, Rule]


class McpServerService(McpServerRuntime):
    """Manages the servers of the user. A server runs once the user has confirmed what will run, and needs a new
    confirmation after each change of that, and works in none of the app's `own` folders. `consent` holds the exceptions
    for its tools.
    """

    def __init__(self, storage: Storage, keys: KeyStore, consent: ConsentService, own: OwnPlaces = NO_PLACES) -> None:
        super().__init__()
        self._own = own
        self._storage = storage
        self._vault = ServerSecrets(keys)
        self._sign_ins = SignIns(keys)
        self._consent = consent
        self.lock = asyncio.Lock()
        self._described: dict[ServerId, Mapping[str, Any]] = {}
        self._last_removed: _RemovedServer | None = None

    async def open(self, hub: Hub) -> None:
        """Hand the stored servers to the hub: their tools are known before a server runs. Raises StorageFailed."""
        for stored in await self._storage.servers.all():
            server = await self._with_values_apart(stored.server)
            await self._read_description(server)
            hub.put(server, *state_from_json(stored.tools_json))
        self._hub = hub

    async def _with_values_apart(self, server: McpServer) -> McpServer:
        """Return a server of an older version with the values of its variables and headers stored apart; consent to it
        stays. A server whose values cannot be stored is returned as it is.
        """
        fields = server.model_dump()
        if set(find_secrets(fields)) <= set(server.secrets):
            return server
        try:
            draft = make_draft(fields, server)
            (row,) = await self._vault.save([draft.confirmed() if server.is_confirmed else draft], [])
            await self._storage.commit([Put(row)])
        except Refused as error:
            log.warning("the values of the MCP server %s stay in its configuration: %s", server.id, error.message)
            return server
        return row

    # Configuration

    @returns_outcome
    async def read(self, text: str | bytes, folder: Path | None = None) -> PastedConfig:
        """Return the servers of another app's configuration; nothing is saved. Relative things in it begin in `folder`.
        Fails with `bad_config` and all problems.
        """
        return await asyncio.to_thread(read_pasted, text, folder)

    @returns_outcome
    async def preview(self, text: str | bytes, folder: Path | None = None) -> ConfigPreview:
        """Return a preview of what would be added; fails as `read` does. As long as inputs are missing only the names
        are checked.
        """
        pasted = await asyncio.to_thread(read_pasted, text, folder)
        return ConfigPreview(pasted, preview_servers(pasted, self.configs))

    @returns_outcome
    async def installed(self, projects: Sequence[Path] = ()) -> list[InstalledConfiguration]:
        """Return the configurations of installed apps, and of the folders `projects`. Nothing is started."""
        return await asyncio.to_thread(read_installed, projects, self.configs)

    @returns_outcome
    async def add(
        self,
        pasted: PastedConfig,
        inputs: Mapping[str, str] | None = None,
        choices: Mapping[str, Choice] | None = None,
        *,
        confirmed: bool = False,
    ) -> list[ServerStatus]:
        """Save all chosen servers or none; `inputs` are the values that the configuration asks for, `choices` what is
        done with each server, by its place (all are added). `confirmed`: the user has seen what will run, and agrees.

        Fails with `input_needed`, `bad_config`, `name_taken`, `keys_unreadable`, `keys_not_writable`.
        """
        skipped = {place for place, choice in (choices or {}).items() if choice is Choice.SKIP}
        chosen = pasted.only([server.place for server in pasted.servers if server.place not in skipped])
        filled, secret = chosen.filled(inputs or {})
        async with self.lock:
            drafts = make_drafts(filled, secret, self._running_hub.configs.values(), choices)
            replaced = [draft.server.id for draft in drafts if draft.server.id in self._running_hub.configs]
            await self._save([draft.confirmed() if confirmed else draft for draft in drafts])
            for server in replaced:
                await self._running_hub.stop(server)
            for draft in drafts:
                self._start_if_unknown(draft.server.id)
            return [self._running_hub.status(draft.server.id) for draft in drafts]

    @returns_outcome
    async def fill_in(self, server: ServerId, values: Mapping[str, str]) -> ServerStatus:
        """Put values in the place of variables that are not set, as secrets, and start the server if it may run: what
        the user types in answer to a question needs no other consent. Fails with `not_found`, `bad_input`, and the
        errors of saving keys.
        """
        async with self.lock:
            old = self.get(server).server
            whole = (await self._vault.fill(old)).model_dump(exclude={"secrets", "plain"})
            places: set[str] = set()

            def value_of(reference: Reference, place: str) -> str | None:
                if (value := values.get(reference.name)) is not None and place.partition("/")[0] in ("args", "url"):
                    places.update({place} if is_secret_name(reference.name) else ())
                return value

            draft = make_draft(with_references(whole, value_of), old, places)
            await self._save([draft.confirmed() if old.is_confirmed else draft])
            await self._running_hub.stop(server)
            self._start(self._running_hub.configs[server])
            return self._running_hub.status(server)

    @returns_outcome
    async def save(
        self,
        server: ServerId | None = None,
        *,
        confirmed: bool = False,
        more_secret: Collection[str] = (),
        **fields: Any,
    ) -> ServerStatus:
        """Create a server, or change some fields. A masked value that is passed back unchanged stays as it is.
        `more_secret`: places (`env/NAME`) whose values are secrets, though they do not look so.

        Fails with `not_found`, `bad_input` (`field` names the field), `name_taken`, and the errors of saving keys.
        """
        async with self.lock:
            old = self.get(server).server if server is not None else None
            values = {**(old.model_dump(exclude={"secrets"}) if old is not None else {}), **fields}
            values["id"] = server or make_server_id(str(fields.get("name", "")), self._running_hub.configs)
            draft = make_draft(values, old, more_secret)
            self._require_own_name(draft.server)
            await self._save([draft.confirmed() if confirmed else draft])
            # the running process has the old configuration, or the old secrets
            if old is not None and (old.fingerprint != draft.server.fingerprint or draft.secrets):
                await self._running_hub.stop(draft.server.id)
            self._start_if_unknown(draft.server.id)
            return self._running_hub.status(draft.server.id)

    @returns_outcome
    async def confirm(self, server: ServerId, fingerprint: str) -> ServerStatus:
        """Confirm what has this fingerprint. Fails with `not_found`, and `changed` if the server has changed since."""
        async with self.lock:
            config = self.get(server).server
            if config.fingerprint != fingerprint:
                raise Refused("changed", f"{config.name!r} was changed meanwhile; look at what will run again")
            await self._replace(config.model_copy(update={"confirmed": fingerprint}))
            self._start_if_unknown(server)
            return self._running_hub.status(server)

    def describe(self, server: ServerId) -> Mapping[str, Any]:
        """Return what would run, by `describe_launch`, with the values that the user has to see before they agree.
        Raises NotFound.
        """
        config = self.get(server).server
        return self._described.get(server) or describe_launch(config.model_dump())

    async def _read_description(self, server: McpServer) -> None:
        """Describe an unconfirmed server with its values, which are stored apart."""
        self._described.pop(server.id, None)
        if not server.is_confirmed:
            values = {place: secret.reveal() for place, secret in (await self._vault.read(server)).items()}
            self._described[server.id] = describe_launch(with_values(server.model_dump(), values))

    @returns_outcome
    async def enable(self, server: ServerId, *, enabled: bool) -> ServerStatus:
        """Enable or disable the server; a disabled server is stopped and has no tools. Fails with `not_found`."""
        async with self.lock:
            status = await self._replace(self.get(server).server.model_copy(update={"is_enabled": enabled}))
            if not enabled:
                await self._running_hub.stop(server)
            self._start_if_unknown(server)
            return self._running_hub.status(status.server.id)

    @returns_outcome
    async def remove(self, server: ServerId) -> McpServer:
        """Stop and delete the server with its secrets and the consent exceptions for its tools: a later server of the
        same name starts without them. Fails with `not_found`, or with the errors of removing secrets.

        The server removed last can be restored until the app closes.
        """
        async with self.lock:
            config = self.get(server).server
            # read before they are removed: the removal can be undone
            secrets = await self._vault.read(config)
            exceptions = {
                name: rule
                for name, rule in self._consent.exceptions.items()
                if name == f"mcp__{server}" or mcp_server_of(name) == server
            }
            removed = _RemovedServer(config, self._running_hub.listing(server), secrets, exceptions)
            if exceptions:
                unwrap(await self._consent.set_exceptions(list(exceptions), None))
            if config.url is not None:
                await self._sign_out(config)
            await self._vault.remove(config)
            await self._storage.commit([Remove(McpServer, server)])
            await self._running_hub.remove(server)
            # only when everything is removed: a half-removed server cannot be restored
            self._last_removed = removed
            return config

    @returns_outcome
    async def restore(self, server: ServerId) -> ServerStatus:
        """Restore the server removed last, with its secrets. Fails with `not_found` for any other server, `name_taken`,
        and the errors of saving keys.
        """
        async with self.lock:
            removed = self._last_removed
            if removed is None or removed.server.id != server or server in self._running_hub.configs:
                raise NotFound("server", server)
            self._require_own_name(removed.server)
            secrets = {location: secret.reveal() for location, secret in removed.secrets.items()}
            await self._save([ServerDraft(removed.server, secrets, {})])
            if removed.listing is not None:
                await self.save_state(server, removed.listing, None)
                self._running_hub.put(self._running_hub.configs[server], removed.listing)
            self._last_removed = None
            for name, rule in removed.exceptions.items():
                unwrap(await self._consent.set_exception(name, rule))
            return self._running_hub.status(server)

    def adopt(self, servers: Iterable[McpServer]) -> None:
        """Follow servers that were saved beside this service, under its `lock`."""
        for server in servers:
            self._running_hub.put(server)

    # For the hub

    async def launch_of(self, server: McpServer) -> LaunchSpec:
        """Return what to run, with secrets filled in. Raises ToolFailed."""
        launch = resolve_launch(await self._vault.fill(server))
        if launch.url is not None:
            kept = await self._sign_ins.of(server.id, launch.url)
            launch = replace(launch, credentials=kept, secrets=launch.secrets | kept.secrets)
        if launch.cwd is not None:
            await asyncio.to_thread(_require_foreign_folder, server.name, launch.cwd, self._own)
        return launch

    async def save_state(self, server: ServerId, listing: ToolListing | None, failure: ErrorInfo | None) -> None:
        """Save the tool list of a server and its failure. Raises StorageFailed."""
        if server in self._running_hub.configs:  # not removed meanwhile
            await self._storage.commit([PutToolList(server, state_to_json(listing, failure))])

    # Saving

    async def _replace(self, server: McpServer) -> ServerStatus:
        await self._storage.commit([Put(server)])
        self._running_hub.put(server)
        return self._running_hub.status(server.id)

    async def _save(self, drafts: Sequence[ServerDraft]) -> None:
        """Save secrets, then the configurations, then apply them; a failure leaves nothing behind."""
        saved: list[StoredSecret] = []
        try:
            rows = await self._vault.save(drafts, saved)
            await self._storage.commit([Put(row) for row in rows])
        except BaseException:
            # an existing server still uses the secrets under these names
            if all(draft.server.id not in self._running_hub.configs for draft in drafts):
                await self._vault.discard(saved)
            raise
        for row, draft in zip(rows, drafts, strict=True):
            await self._read_description(row)
            self._running_hub.put(row)
            await self._vault.discard_places(row.id, draft.dropped)

    def _require_own_name(self, server: McpServer, others: Iterable[McpServer] = ()) -> None:
        """Raise Refused `name_taken` if another server has the name."""
        require_unique_name(server, [*self._running_hub.configs.values(), *others])


def _require_foreign_folder(server: str, cwd: str, own: OwnPlaces) -> None:
    """Raise ToolFailed `not_allowed` if the working folder of a server is one of the app's."""
    if own.guard().holds_path(PurePath(os.path.realpath(cwd))):
        raise ToolFailed("not_allowed", f"{server} cannot work in {cwd}: {OWN_MESSAGE}")
