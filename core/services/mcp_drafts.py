"""MCP servers before they are saved: configurations without secrets, and the secrets apart (AGENTS_AND_TOOLS §7)."""

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import count
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from core.domain.ids import ServerId
from core.domain.mcp_server import McpServer, describe_launch, find_secrets, masked_config, plain_values, with_values
from core.domain.names import NAME_CHARACTERS, find_named, is_name_taken, name_key
from core.domain.settings import KeyLocation
from core.domain.text.masking import MASK, contains_mask
from core.errors import MetierError, Refused, ToolFailed
from core.llm.key_masking import Secret
from core.llm.key_store import KeyStore
from core.services.catalogue import bad_input, name_taken
from core.tools.mcp.config_problems import ConfigProblem
from core.tools.mcp.installed_apps import find_files
from core.tools.mcp.pasted_config import PastedConfig, read_pasted
from core.tools.mcp.tool_list import make_server_id


@dataclass(frozen=True, slots=True)
class ServerDraft:
    """The server to save, its new secrets by place, and the stored secrets that it no longer has."""

    server: McpServer
    secrets: Mapping[str, str]
    dropped: Mapping[str, KeyLocation]

    def confirmed(self) -> "ServerDraft":
        """Return the same draft with the user's consent to run it."""
        return replace(self, server=self.server.model_copy(update={"confirmed": self.server.fingerprint}))


@dataclass(frozen=True, slots=True)
class InstalledConfiguration:
    """The configuration of an installed app, or of a project: its servers, or why it cannot be read."""

    app: str
    path: Path
    preview: "ConfigPreview | None"
    problem: Refused | None = None


class Choice(StrEnum):
    """What is done with a server of a configuration. `replace` and `rename`: if another server has its name."""

    ADD = "add"
    REPLACE = "replace"
    RENAME = "rename"
    SKIP = "skip"


@dataclass(frozen=True, slots=True)
class ServerPreview:
    """A server that is about to be added. `runs` is what would run, by `describe_launch`, before inputs are filled
    in; `problem` is why it cannot be added as it is, if known; `notes` is what the user should know.
    """

    place: str
    runs: Mapping[str, Any]
    problem: Refused | None = None
    notes: Sequence[ConfigProblem] = ()

    @property
    def is_name_taken(self) -> bool:
        return self.problem is not None and self.problem.code == "name_taken"


@dataclass(frozen=True, slots=True)
class ConfigPreview:
    """A parsed configuration to show before `pasted` is added."""

    pasted: PastedConfig
    servers: Sequence[ServerPreview]


def make_draft(
    fields: Mapping[str, Any], old: McpServer | None = None, more_secret: Collection[str] = ()
) -> ServerDraft:
    """Return the draft of a configuration, its values and secrets separated. `more_secret` are places whose values are
    secrets, though they look harmless. Raises Refused `bad_input`.
    """
    # first: the search for secrets needs well-formed fields
    _validated_server({**fields, "secrets": {}})
    secret_values = find_secrets(fields)
    secret_values |= {location: str(_value_at(fields, location)) for location in more_secret}
    shown = masked_config(fields, secret_values)
    before, stored = (old.model_dump(), dict(old.secrets)) if old is not None else ({}, {})
    unchanged = {
        location: place
        for location, place in stored.items()
        if _value_at(fields, location) == _value_at(before, location) and contains_mask(_value_at(fields, location))
    }
    new = {location: value for location, value in secret_values.items() if location not in unchanged}
    for location, value in new.items():
        # a masked value that is not stored cannot be filled in
        if MASK in value:
            raise Refused("bad_input", f"{location}: {MASK} stands for a secret that was not kept", field=location)
    shown = with_values(shown, {location: str(_value_at(fields, location)) for location in unchanged})
    dropped = {location: place for location, place in stored.items() if location not in {*unchanged, *new}}
    secrets = {**unchanged, **dict.fromkeys(new, KeyLocation.FILE)}  # where each is becomes known when it is kept
    kept_plain = {location: old.plain[location] for location in unchanged if old is not None and location in old.plain}
    plain = {**kept_plain, **plain_values(fields, more_secret)}
    return ServerDraft(_validated_server({**shown, "secrets": secrets, "plain": plain}), new, dropped)


def preview_servers(pasted: PastedConfig, existing: Iterable[McpServer]) -> list[ServerPreview]:
    """Return previews of the servers to add. As long as inputs are missing only the names are checked."""
    results: list[ServerPreview] = []
    names = {name_key(server.name) for server in existing}
    for pasted_server in pasted.servers:
        name = " ".join(str(pasted_server.fields["name"]).split())
        problem = name_taken("server", name) if name_key(name) in names else None
        try:
            if all(each.is_optional for each in pasted.inputs):
                make_draft({**pasted_server.fields, "id": "preview"})
        except Refused as error:
            problem = error
        names.add(name_key(name))
        runs = describe_launch(pasted_server.fields)
        results.append(ServerPreview(pasted_server.place, runs, problem, pasted_server.notes))
    return results


def read_installed(projects: Iterable[Path], existing: Sequence[McpServer]) -> list[InstalledConfiguration]:
    """Return the configurations of installed apps and in the folders `projects` that hold servers, or that cannot be
    read. Blocking.
    """
    found = []
    for file in find_files(projects):
        try:
            pasted = read_pasted(file.path.read_bytes(), file.project)
        except OSError:
            continue
        except Refused as refused:
            # the settings of an app that has no servers are no news
            if any(each["code"] in ("syntax", "encoding") for each in refused.parameters["problems"]):
                found.append(InstalledConfiguration(file.app, file.path, None, refused))
            continue
        preview = ConfigPreview(pasted, preview_servers(pasted, existing))
        found.append(InstalledConfiguration(file.app, file.path, preview))
    return found


def make_drafts(
    filled: PastedConfig,
    secret: Mapping[str, Collection[str]],
    existing: Iterable[McpServer],
    choices: Mapping[str, Choice] | None = None,
) -> list[ServerDraft]:
    """Return drafts of the servers of a filled configuration, by the `choices` for their places. `secret` names, by
    server, places whose values are secret though they do not look so.

    Raises Refused: `bad_config` with all problems, or `name_taken` for a configuration of a single server.
    """
    known = list(existing)
    taken: set[str] = {server.id for server in known}
    drafts: list[ServerDraft] = []
    problems: list[dict[str, Any]] = []
    for pasted in filled.servers:
        choice = (choices or {}).get(pasted.place, Choice.ADD)
        if choice is Choice.SKIP:
            continue
        fields = dict(pasted.fields)
        others = [*known, *(other.server for other in drafts)]
        old = find_named(known, fields["name"]) if choice is Choice.REPLACE else None
        if choice is Choice.RENAME:
            fields["name"] = _free_name(fields["name"], others)
        new_id = old.id if old is not None else make_server_id(fields["name"], taken)
        try:
            draft = make_draft({**fields, "id": new_id}, old, secret.get(pasted.fields["name"], ()))
            require_unique_name(draft.server, others)
        except Refused as error:
            if error.code == "name_taken" and len(filled.servers) == 1:
                raise
            about = {"place": pasted.place, "message": error.message, "code": error.code}
            problems.append({**about, "about": {"field": error.parameters.get("field")}})
            continue
        # later servers of the same configuration must differ from this one too
        taken.add(new_id)
        drafts.append(draft)
    if problems:
        summary = "; ".join(f"{problem['place']}: {problem['message']}" for problem in problems[:5])
        raise Refused("bad_config", f"nothing was added. {summary}", problems=problems)
    return drafts


def _free_name(name: str, others: Sequence[McpServer]) -> str:
    """Return the name with the first number that no other server has."""
    numbered = (f"{name[: NAME_CHARACTERS - 6]} ({number})" for number in count(2))
    return next(each for each in numbered if not is_name_taken(others, each, ""))


def require_unique_name(server: McpServer, servers: Iterable[McpServer]) -> None:
    """Raise Refused `name_taken` if another server has the name."""
    if is_name_taken(servers, server.name, server.id):
        raise name_taken("server", server.name)


def _value_at(fields: Mapping[str, Any], location: str) -> Any:
    """Return the value at the place, None if there is no such place."""
    part, _, name = location.partition("/")
    value = fields.get(part)
    if part == "url":
        return value
    if part == "args":
        return value[int(name)] if value is not None and int(name) < len(value) else None
    return (value or {}).get(name)


def _validated_server(fields: Mapping[str, Any]) -> McpServer:
    """Return the validated server. Raises Refused `bad_input`."""
    try:
        return McpServer.model_validate(fields)
    except ValidationError as error:
        raise bad_input(error, "server", depth=None) from None


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
