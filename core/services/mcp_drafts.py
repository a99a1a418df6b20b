"""MCP servers before they are saved: the configuration without secrets, and the secrets apart (AGENTS_AND_TOOLS §7)."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from core.domain.mcp_server import McpServer, find_secrets, masked_config, with_values
from core.domain.names import is_name_taken, name_key
from core.domain.settings import KeyLocation
from core.domain.text.masking import MASK, contains_mask
from core.errors import Refused
from core.services.catalogue import bad_input, name_taken
from core.tools.mcp.pasted_config import PastedConfig
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
class ServerPreview:
    """A server that is about to be added. `runs` is what would run, as in `McpServer.what_runs`, before inputs are
    filled in; `problem` is why it cannot be added, if known.
    """

    place: str
    runs: Mapping[str, Any]
    problem: Refused | None = None


@dataclass(frozen=True, slots=True)
class ConfigPreview:
    """A parsed configuration to show before `pasted` is added."""

    pasted: PastedConfig
    servers: Sequence[ServerPreview]


def redacted_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return what would run, before the fields are validated, without values of the environment and without secrets."""
    shown = masked_config(fields, find_secrets(fields))
    names: dict[str, Any] = {part: sorted(shown[part]) for part in ("env", "headers") if part in shown}
    return {**{name: shown[name] for name in ("name", "command", "args", "cwd", "url") if name in shown}, **names}


def make_draft(fields: Mapping[str, Any], old: McpServer | None = None, more_secret: Iterable[str] = ()) -> ServerDraft:
    """Return the draft of a configuration, its secrets separated. Raises Refused `bad_input`."""
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
    return ServerDraft(_validated_server({**shown, "secrets": secrets}), new, dropped)


def preview_servers(pasted: PastedConfig, existing: Iterable[McpServer]) -> list[ServerPreview]:
    """Return previews of the servers to add. As long as inputs are missing only the names are checked."""
    results: list[ServerPreview] = []
    names = {name_key(server.name) for server in existing}
    for pasted_server in pasted.servers:
        name = " ".join(str(pasted_server.fields["name"]).split())
        problem = name_taken("server", name) if name_key(name) in names else None
        try:
            if not pasted.inputs:
                make_draft({**pasted_server.fields, "id": "preview"})
        except Refused as error:
            problem = error
        names.add(name_key(name))
        results.append(ServerPreview(pasted_server.place, redacted_fields(pasted_server.fields), problem))
    return results


def make_drafts(
    filled: PastedConfig, secret: Mapping[str, Collection[str]], existing: Iterable[McpServer]
) -> list[ServerDraft]:
    """Return drafts of all servers of a filled configuration. `secret` names, by server, places whose values are secret
    though they do not look so.

    Raises Refused: `bad_config` with all problems, or `name_taken` for a configuration of a single server.
    """
    known = list(existing)
    taken: set[str] = {pasted_server.id for pasted_server in known}
    drafts: list[ServerDraft] = []
    problems: list[dict[str, Any]] = []
    for pasted_server in filled.servers:
        new_id = make_server_id(pasted_server.fields["name"], taken)
        try:
            draft = make_draft(
                {**pasted_server.fields, "id": new_id}, more_secret=secret.get(pasted_server.fields["name"], ())
            )
            require_unique_name(draft.server, [*known, *(other.server for other in drafts)])
        except Refused as error:
            if error.code == "name_taken" and len(filled.servers) == 1:
                raise
            about = {"place": pasted_server.place, "message": error.message, "code": error.code}
            problems.append({**about, "about": {"field": error.parameters.get("field")}})
            continue
        # later servers of the same configuration must differ from this one too
        taken.add(new_id)
        drafts.append(draft)
    if problems:
        summary = "; ".join(f"{pasted_server['place']}: {pasted_server['message']}" for pasted_server in problems[:5])
        raise Refused("bad_config", f"nothing was added. {summary}", problems=problems)
    return drafts


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
