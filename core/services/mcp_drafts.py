"""MCP servers before they are saved: the configuration without secrets, and the secrets apart (AGENTS_AND_TOOLS §7)."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from core.domain.mcp_server import McpServer, find_secrets, masked_config, with_values
from core.domain.settings import KeyLocation
from core.domain.text.masking import MASK, contains_mask
from core.errors import Refused
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
    _validated_server({**fields, "secrets": {}})
    found = find_secrets(fields)
    for place in more_secret:
        part, _, name = place.partition("/")
        value = fields.get(part)
        found[place] = value if part == "url" else value[int(name)] if part == "args" else value[name]  # type: ignore[index,assignment]
    shown = masked_config(fields, found)
    before = old.model_dump() if old is not None else {}
    kept = {
        place: where
        for place, where in (old.secrets.items() if old is not None else ())
        if _value_at(fields, place) == _value_at(before, place) and contains_mask(_value_at(fields, place))
    }
    fresh = {place: value for place, value in found.items() if place not in kept}
    for place, value in fresh.items():
        if MASK in value:
            raise Refused("bad_input", f"{place}: {MASK} stands for a secret that was not kept", field=place)
    shown = with_values(shown, {place: str(_value_at(fields, place)) for place in kept})
    dropped = {} if old is None else {place: at for place, at in old.secrets.items() if place not in {*kept, *fresh}}
    secrets = {**kept, **dict.fromkeys(fresh, KeyLocation.FILE)}  # where each is becomes known when it is kept
    return ServerDraft(_validated_server({**shown, "secrets": secrets}), fresh, dropped)


def preview_servers(pasted: PastedConfig, there: Iterable[McpServer]) -> list[ServerPreview]:
    """Return previews of the servers to add. As long as inputs are missing only the names are checked."""
    found: list[ServerPreview] = []
    names = {one.name.casefold() for one in there}
    for one in pasted.servers:
        name = " ".join(str(one.fields["name"]).split())
        problem = _name_taken(name) if name.casefold() in names else None
        try:
            if not pasted.inputs:
                make_draft({**one.fields, "id": "preview"})
        except Refused as error:
            problem = error
        names.add(name.casefold())
        found.append(ServerPreview(one.place, redacted_fields(one.fields), problem))
    return found


def make_drafts(
    filled: PastedConfig, secret: Mapping[str, Collection[str]], there: Iterable[McpServer]
) -> list[ServerDraft]:
    """Return drafts of all servers of a filled configuration. `secret` names, by server, places whose values are secret
    though they do not look so.

    Raises Refused: `bad_config` with all problems, or `name_taken` for a configuration of a single server.
    """
    before = list(there)
    taken: set[str] = {one.id for one in before}
    drafts: list[ServerDraft] = []
    problems: list[dict[str, Any]] = []
    for one in filled.servers:
        new_id = make_server_id(one.fields["name"], taken)
        try:
            draft = make_draft({**one.fields, "id": new_id}, more_secret=secret.get(one.fields["name"], ()))
            require_unique_name(draft.server, [*before, *(other.server for other in drafts)])
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
    return drafts


def require_unique_name(server: McpServer, others: Iterable[McpServer]) -> None:
    """Raise Refused `name_taken` if another server has the name."""
    name = server.name.casefold()
    if any(one.name.casefold() == name for one in others if one.id != server.id):
        raise _name_taken(server.name)


def _name_taken(name: str) -> Refused:
    return Refused("name_taken", f"there is a server {name!r} already", field="name")


def _value_at(fields: Mapping[str, Any], place: str) -> Any:
    """Return the value at the place, None if there is no such place."""
    part, _, name = place.partition("/")
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
        first = error.errors(include_input=False, include_context=False, include_url=False)[0]
        name = "/".join(str(part) for part in first["loc"]) or "server"
        raise Refused("bad_input", f"{name}: {first['msg'].removeprefix('Value error, ')}", field=name) from None
