"""MCP servers: which there are, how they are, and what a person does with them (AGENTS_AND_TOOLS §7)."""

import asyncio
import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.bus import Bus, ServersChanged
from core.domain.consent import Rule
from core.domain.ids import ServerId
from core.domain.mcp_secrets import with_values
from core.domain.mcp_server import McpServer, ServerStatus, StoredServer
from core.domain.settings import KeyPlace
from core.domain.tool import server_of
from core.errors import MetierError, NotFound, Refused, ToolFailed
from core.llm.keys import Keys
from core.llm.masking import Secret
from core.ports.storage import PutServer, PutToolList, RemoveServer, Storage
from core.ports.tools import CallContext
from core.services.consent import ConsentService
from core.services.mcp_drafts import Draft, Looked, Preview, draft_of, shown_fields
from core.services.outcome import answers, data_of
from core.tools.mcp.hub import Hub
from core.tools.mcp.launch import Launch, resolved
from core.tools.mcp.listing import Listing, as_tools
from core.tools.mcp.naming import server_id
from core.tools.mcp.pasted import Pasted, read_pasted
from core.tools.registry import Arguments, Registry

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class _Removed:
    """The server that was removed last, whole, so that it can be put back."""

    server: McpServer
    listing: Listing | None
    secrets: Mapping[str, Secret]
    exceptions: Mapping[str, Rule]


class McpServerService:
    """`states` holds those that there are, by name; `ServersChanged` tells of each change. `hub` runs them.

    A server is run once a person has confirmed what will run, and again after each change of that. `consent` has the
    exceptions for its tools.
    """

    def __init__(self, storage: Storage, bus: Bus, keys: Keys, consent: ConsentService) -> None:
        self._storage = storage
        self._bus = bus
        self._keys = keys
        self._consent = consent
        self._hub: Hub | None = None
        self._one_at_a_time = asyncio.Lock()
        self._removed: _Removed | None = None

    async def open(self, hub: Hub) -> None:
        """Hand over what is stored: their tools are known before any of them runs. Raises StorageFailed."""
        for stored in await self._storage.servers():
            hub.put(stored.server, _listing(stored.tools_json))
        self._hub = hub

    @property
    def states(self) -> Sequence[ServerStatus]:
        return self._hub.statuses if self._hub is not None else ()

    @property
    def _running(self) -> Hub:
        assert self._hub is not None
        return self._hub

    def get(self, server: ServerId) -> ServerStatus:
        """Raises NotFound."""
        if server not in self._running.configs:
            raise NotFound("server", server)
        return self._running.status(server)

    def named(self, name: str) -> ServerStatus:
        """The server of that name, else of that id, else of that name without case. Raises NotFound."""
        for same in (
            lambda one: one.server.name == name,
            lambda one: one.server.id == name,
            lambda one: one.server.name.casefold() == name.strip().casefold(),
        ):
            if (found := next(filter(same, self.states), None)) is not None:
                return found
        raise NotFound("server", name)

    def log(self, server: ServerId) -> list[str]:
        """What it said, the last 500 lines, without secrets. Raises NotFound."""
        self.get(server)
        return self._running.log(server)

    def start_with_app(self) -> None:
        """Start those that are to run from the start, and those whose tools nobody knows yet, without waiting."""
        for one in self.states:
            if one.server.starts_with_app or not self._running.is_known(one.server.id):
                self._start(one.server)

    def _start(self, server: McpServer) -> None:
        if server.is_enabled and server.is_confirmed:
            self._running.start(server.id)

    async def learn(self, tools: Iterable[str]) -> None:
        """Connect to the servers of these tools that have never told what they offer. One that does not answer is
        found out by whoever calls it."""
        names = {server for tool in tools if (server := server_of(tool)) is not None}
        unknown = [one.server for one in self.states if one.server.id in names]
        await asyncio.gather(
            *(
                self.test(one.id)
                for one in unknown
                if one.is_enabled and one.is_confirmed and not self._running.is_known(one.id)
            )
        )

    # Configuration

    @answers
    async def read(self, text: str) -> Pasted:
        """The servers of a configuration of another app. Nothing is kept. Fails with `bad_config` and all problems."""
        return await asyncio.to_thread(read_pasted, text)

    @answers
    async def look(self, text: str) -> Looked:
        """What would be added, to be shown before it is; fails as `read` does. Where values are still to be given, only
        names are looked at."""
        pasted = await asyncio.to_thread(read_pasted, text)
        found: list[Preview] = []
        names = {one.server.name.casefold() for one in self.states}
        for one in pasted.servers:
            name = " ".join(str(one.fields["name"]).split())
            problem = _name_taken(name) if name.casefold() in names else None
            try:
                if not pasted.inputs:
                    draft_of({**one.fields, "id": "preview"})
            except Refused as error:
                problem = error
            names.add(name.casefold())
            found.append(Preview(one.place, shown_fields(one.fields), problem))
        return Looked(pasted, found)

    @answers
    async def add(
        self, pasted: Pasted, inputs: Mapping[str, str] | None = None, *, confirmed: bool = False
    ) -> list[ServerStatus]:
        """Keep servers, all or none; `inputs` are the values that the configuration asks for. `confirmed`: a person has
        seen what will run, and agrees.

        Fails with `input_needed`, `bad_config`, `name_taken`, `keys_unreadable`, `keys_not_writable`.
        """
        filled, secret = pasted.filled(inputs or {})
        async with self._one_at_a_time:
            taken: set[str] = set(self._running.configs)
            drafts: list[Draft] = []
            problems: list[dict[str, Any]] = []
            for one in filled.servers:
                new_id = server_id(one.fields["name"], taken)
                try:
                    draft = draft_of({**one.fields, "id": new_id}, more_secret=secret.get(one.fields["name"], ()))
                    self._require_own_name(draft.server, [other.server for other in drafts])
                except Refused as error:
                    if error.code == "name_taken" and len(filled.servers) == 1:
                        raise
                    about = {"place": one.place, "message": error.message, "code": error.code}
                    problems.append({**about, "about": {"field": error.parameters.get("field")}})
                    continue
                taken.add(new_id)
                drafts.append(draft)
            if problems:
                told = "; ".join(f"{one['place']}: {one['message']}" for one in problems[:5])
                raise Refused("bad_config", f"nothing was added. {told}", problems=problems)
            await self._keep([draft.confirmed() if confirmed else draft for draft in drafts])
            for draft in drafts:
                self._learn_later(draft.server.id)
            return [self._running.status(draft.server.id) for draft in drafts]

    @answers
    async def put(
        self,
        server: ServerId | None = None,
        *,
        confirmed: bool = False,
        more_secret: Collection[str] = (),
        **fields: Any,
    ) -> ServerStatus:
        """Make a server, or change some fields of one. A value that is shown masked, and given back so, stays.
        `more_secret`: places (`env/NAME`) whose values are secrets, though they do not look so.

        Fails with `not_found`, `bad_input` (`field` says which), `name_taken`, and as keys are kept.
        """
        async with self._one_at_a_time:
            old = self.get(server).server if server is not None else None
            given = {**(old.model_dump(exclude={"secrets"}) if old is not None else {}), **fields}
            given["id"] = server or server_id(str(fields.get("name", "")), self._running.configs)
            draft = draft_of(given, old, more_secret)
            self._require_own_name(draft.server)
            await self._keep([draft.confirmed() if confirmed else draft])
            if old is not None and (old.fingerprint != draft.server.fingerprint or draft.secrets):
                await self._running.stop(draft.server.id)
            self._learn_later(draft.server.id)
            return self._running.status(draft.server.id)

    @answers
    async def confirm(self, server: ServerId, fingerprint: str) -> ServerStatus:
        """A person agrees to run what has this fingerprint. Fails with `not_found`, and `changed` where it is another
        by now."""
        async with self._one_at_a_time:
            found = self.get(server).server
            if found.fingerprint != fingerprint:
                raise Refused("changed", f"{found.name!r} was changed meanwhile; look at what will run again")
            await self._become(found.model_copy(update={"confirmed": fingerprint}))
            self._learn_later(server)
            return self._running.status(server)

    @answers
    async def enable(self, server: ServerId, *, enabled: bool) -> ServerStatus:
        """Switch it on or off: off, it ends, and its tools are gone. Fails with `not_found`."""
        async with self._one_at_a_time:
            status = await self._become(self.get(server).server.model_copy(update={"is_enabled": enabled}))
            if not enabled:
                await self._running.stop(server)
            self._learn_later(server)
            return self._running.status(status.server.id)

    @answers
    async def remove(self, server: ServerId) -> McpServer:
        """End it and forget it, with its secrets and the exceptions of consent for its tools: another server of that
        name is another. Fails with `not_found`, or as secrets are removed.

        The last one that was removed can be put back, as long as the app runs.
        """
        async with self._one_at_a_time:
            found = self.get(server).server
            secrets = {place: await self._secret(server, place, kept) for place, kept in found.secrets.items()}
            there = {at: one for at, one in secrets.items() if one is not None}
            exceptions = {
                name: rule
                for name, rule in self._consent.exceptions.items()
                if name == f"mcp__{server}" or server_of(name) == server
            }
            removed = _Removed(found, self._running.listing(server), there, exceptions)
            if exceptions:
                data_of(await self._consent.except_each(list(exceptions), None))
            for place, kept in found.secrets.items():
                await self._keys.forget(_key_name(server, place), kept)
            await self._storage.commit([RemoveServer(server)])
            await self._running.remove(server)
            self._removed = removed
            return found

    @answers
    async def put_back(self, server: ServerId) -> ServerStatus:
        """The server that was removed last is there again, with its secrets. Fails with `not_found` where it is
        another one, `name_taken`, and as keys are kept."""
        async with self._one_at_a_time:
            removed = self._removed
            if removed is None or removed.server.id != server or server in self._running.configs:
                raise NotFound("server", server)
            self._require_own_name(removed.server)
            secrets = {place: secret.reveal() for place, secret in removed.secrets.items()}
            await self._keep([Draft(removed.server, secrets, {})])
            if removed.listing is not None:
                await self.keep_list(server, removed.listing)
                self._running.put(self._running.configs[server], removed.listing)
            self._removed = None
            for name, rule in removed.exceptions.items():
                data_of(await self._consent.except_(name, rule))
            return self._running.status(server)

    # At work

    @answers
    async def test(self, server: ServerId) -> ServerStatus:
        """Connect and list: how it is, with its tools. Fails with `not_found`, `not_allowed`, and `failed` with the
        cause: `cause`, `stderr`, `exit_code`, `runs` and `path` where they are known."""
        self.get(server)
        return await self._running.connect(server)

    @answers
    async def stop(self, server: ServerId) -> None:
        """End it; it is started again when it is needed. Fails with `not_found`."""
        self.get(server)
        await self._running.stop(server)

    # For the hub

    async def launch_of(self, server: McpServer) -> Launch:
        """What is to be run, with its secrets in their places. Raises ToolFailed."""
        values: dict[str, str] = {}
        for place, kept in server.secrets.items():
            try:
                secret = await self._keys.kept(_key_name(server.id, place), kept)
            except Refused as error:
                raise ToolFailed("failed", f"the secrets of {server.name} cannot be read: {error.message}") from None
            if secret is None:
                raise ToolFailed("failed", f"{server.name} needs the value of {place}, which is not there any more")
            values[place] = secret.reveal()
        return resolved(McpServer.model_validate(with_values(server.model_dump(), values)))

    async def keep_list(self, server: ServerId, listing: Listing) -> None:
        """Keep what it offers. Raises StorageFailed."""
        await self._storage.commit([PutToolList(server, listing.to_json())])

    def publish(self) -> None:
        """Tell how they are now."""
        if self._hub is not None:
            self._bus.publish(ServersChanged(tuple(self._hub.statuses)))

    # Keeping

    def _learn_later(self, server: ServerId) -> None:
        """Start one whose tools nobody knows: agents and templates can only use what is known."""
        if not self._running.is_known(server):
            self._start(self._running.configs[server])

    async def _become(self, server: McpServer) -> ServerStatus:
        await self._storage.commit([PutServer(server)])
        self._running.put(server)
        return self._running.status(server.id)

    async def _keep(self, drafts: Sequence[Draft]) -> None:
        """Secrets first, then the rows, then they hold; what fails leaves nothing behind."""
        kept: list[tuple[str, KeyPlace]] = []
        rows = []
        try:
            for draft in drafts:
                places = dict(draft.server.secrets)
                for place, value in draft.secrets.items():
                    name = _key_name(draft.server.id, place)
                    places[place] = await self._keys.keep(name, value)
                    kept.append((name, places[place]))
                rows.append(draft.server.model_copy(update={"secrets": places}))
            await self._storage.commit([PutServer(row) for row in rows])
        except BaseException:
            if all(draft.server.id not in self._running.configs for draft in drafts):
                await self._forget(kept)
            raise
        for row, draft in zip(rows, drafts, strict=True):
            self._running.put(row)
            await self._forget((_key_name(row.id, place), at) for place, at in draft.dropped.items())

    async def _secret(self, server: ServerId, place: str, kept: KeyPlace) -> Secret | None:
        """None where it is not there any more, or cannot be read: what is removed need not be whole."""
        try:
            return await self._keys.kept(_key_name(server, place), kept)
        except Refused:
            return None

    async def _forget(self, names: Iterable[tuple[str, KeyPlace]]) -> None:
        for name, place in names:
            try:
                await self._keys.forget(name, place)
            except MetierError as error:
                log.warning("a secret of an MCP server is left behind: %s", error.message)

    def _require_own_name(self, server: McpServer, others: Iterable[McpServer] = ()) -> None:
        """Raises Refused where another has it."""
        name = server.name.casefold()
        taken = [*(one for one in self._running.configs.values() if one.id != server.id), *others]
        if any(one.name.casefold() == name for one in taken):
            raise _name_taken(server.name)


def _name_taken(name: str) -> Refused:
    return Refused("name_taken", f"there is a server {name!r} already", field="name")


def register_stored(registry: Registry, servers: Iterable[StoredServer]) -> None:
    """Tell a registry of their tools, without anything that could run them."""

    async def nothing_runs(arguments: Arguments, context: CallContext) -> Any:
        raise ToolFailed("not_available", "no MCP server runs here")

    for stored in servers:
        listing = _listing(stored.tools_json) or Listing()
        if stored.server.is_enabled:
            for tool in as_tools(stored.server, listing, lambda name, registered: nothing_runs):
                registry.register(tool, is_checked=True)


def _key_name(server: ServerId, place: str) -> str:
    """Under which a secret is kept."""
    return f"mcp:{server}:{place}"


def _listing(tools_json: str | None) -> Listing | None:
    """A list that cannot be read is learned again when the server runs."""
    try:
        return Listing.from_json(tools_json) if tools_json is not None else None
    except (ValueError, KeyError, TypeError, AttributeError):
        return None
