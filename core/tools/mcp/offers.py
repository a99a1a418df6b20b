"""Resources and prompts of a running server: listed when they are first needed, read when they are used
(AGENTS_AND_TOOLS §7).
"""

import asyncio
import base64
import binascii
import logging
import mimetypes
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import unquote, urlsplit

from core.domain.ids import ServerId
from core.domain.mcp_offers import OfferArgument, OfferKind, ServerOffer, ServerPromptText, resource_address
from core.domain.text.hidden import without_hidden
from core.errors import ToolFailed
from core.tools.mcp.health import ConnectionLost, call_failure
from core.tools.mcp.launch import SecretMask
from core.tools.mcp.pages import all_pages
from core.tools.mcp.session import ServerSession

if TYPE_CHECKING:
    import mcp_types
    from mcp import Client

LIST_S = 8.0
READ_S = 60.0
COMPLETE_S = 1.5
MAX_OFFERS = 2_000
"""Of a kind, by server."""

TITLE_CHARACTERS, ABOUT_CHARACTERS, KEY_CHARACTERS = 200, 500, 2_000
MAX_COMPLETIONS = 100

T = TypeVar("T")

log = logging.getLogger(__name__)


class Offers:
    """The resources and prompts of a server. `session` returns its running session, None if it does not run; `named`
    its current name; `mask` hides its secrets; `note` writes to its log.
    """

    def __init__(
        self,
        server: ServerId,
        named: Callable[[], str],
        session: Callable[[], ServerSession | None],
        mask: Callable[[], SecretMask],
        note: Callable[[str], object],
    ) -> None:
        self._server = server
        self._named = named
        self._session = session
        self._mask = mask
        self._note = note
        self._lists: dict[str, asyncio.Task[Sequence[ServerOffer]]] = {}
        self._listed: ServerSession | None = None

    async def resources(self) -> Sequence[ServerOffer]:
        """Return the resources, and behind them the templates; nothing where it does not run or answer."""
        return await self._list("resources")

    async def prompts(self) -> Sequence[ServerOffer]:
        """Return the prompts; nothing where it does not run or answer."""
        return await self._list("prompts")

    def forget(self) -> None:
        """List again when it is needed next: the server has reported a change."""
        self._lists.clear()

    async def read(self, uri: str) -> tuple[str, bytes]:
        """Return name and content of a resource. Raises ToolFailed."""
        import mcp_types

        params = mcp_types.ReadResourceRequestParams(uri=uri)
        request = mcp_types.ReadResourceRequest(params=params)
        result = await self._ask(
            lambda client: client.session.send_request(request, mcp_types.ReadResourceResult), READ_S
        )
        return self._content(uri, result.contents)

    async def prompt(self, name: str, values: Mapping[str, str]) -> ServerPromptText:
        """Return what a prompt comes to with these values. Raises ToolFailed."""
        import mcp_types

        params = mcp_types.GetPromptRequestParams(name=name, arguments=dict(values))
        request = mcp_types.GetPromptRequest(params=params)
        result = await self._ask(lambda client: client.session.send_request(request, mcp_types.GetPromptResult), READ_S)
        return self._prompt_text(result.messages)

    async def examples(self, offer: ServerOffer, known: Mapping[str, str]) -> dict[str, Sequence[str]]:
        """Return the values that the server suggests for each argument; none where it suggests nothing in time."""
        asked = [argument.name for argument in offer.arguments if argument.name not in known]
        found = await asyncio.gather(*(self._complete(offer, name, known) for name in asked))
        return dict(zip(asked, found, strict=True))

    async def _complete(self, offer: ServerOffer, argument: str, known: Mapping[str, str]) -> Sequence[str]:
        import mcp_types

        reference: mcp_types.PromptReference | mcp_types.ResourceTemplateReference
        if offer.kind is OfferKind.TEMPLATE:
            reference = mcp_types.ResourceTemplateReference(type="ref/resource", uri=offer.key)
        else:
            reference = mcp_types.PromptReference(type="ref/prompt", name=offer.key)

        async def send(client: "Client") -> Any:
            if client.server_capabilities.completions is None:
                return None
            return await client.complete(reference, {"name": argument, "value": ""}, context_arguments=dict(known))

        try:
            result = await self._ask(send, COMPLETE_S)
        except ToolFailed:
            return ()
        values = result.completion.values if result is not None else ()
        return [self._mask().hide_own(value) for value in values[:MAX_COMPLETIONS]]

    # Listing

    async def _list(self, kind: str) -> Sequence[ServerOffer]:
        session = self._session()
        if session is None:
            return ()
        if session is not self._listed:
            self._listed = session
            self._lists.clear()
        if kind not in self._lists:
            self._lists[kind] = asyncio.create_task(self._fetch(kind), name=f"{kind} of {self._server}")
        task = self._lists[kind]
        await asyncio.wait({task})
        if not task.cancelled() and task.exception() is None:
            return task.result()
        if self._lists.get(kind) is task:  # tried again when it is needed next
            del self._lists[kind]
        log.debug("the %s of the MCP server %s cannot be listed: %s", kind, self._server, task)
        return ()

    async def _fetch(self, kind: str) -> Sequence[ServerOffer]:
        import mcp_types

        if kind == "prompts":
            return await self._rows(kind, kind, mcp_types.ListPromptsRequest, mcp_types.Prompt)
        resources = await self._rows(kind, kind, mcp_types.ListResourcesRequest, mcp_types.Resource)
        request, template = mcp_types.ListResourceTemplatesRequest, mcp_types.ResourceTemplate
        try:
            return [*resources, *await self._rows(kind, "resourceTemplates", request, template)]
        except ToolFailed:  # servers that have no templates often do not know the request
            return resources

    async def _rows(self, capability: str, field: str, request: Any, model: Any) -> list[ServerOffer]:
        """Return the offers of all pages. Each is parsed by itself: an invalid offer must not cost the others."""
        import mcp_types
        from pydantic import ConfigDict

        class Page(mcp_types.PaginatedResult):
            model_config = ConfigDict(extra="allow")

        def items_of(page: Page) -> list[Any]:
            listed = (page.model_extra or {}).get(field)
            rows = listed if isinstance(listed, list) else []
            return [item for row in rows if (item := _parsed(model, row)) is not None]

        async def send(client: "Client") -> list[Any]:
            if getattr(client.server_capabilities, capability) is None:
                return []

            async def page_at(cursor: str | None) -> Page:
                params = mcp_types.PaginatedRequestParams(cursor=cursor)
                return await client.session.send_request(request(params=params), Page)

            return await all_pages(page_at, items_of, field, self._note)

        items = await self._ask(send, LIST_S)
        return [offer for item in items[:MAX_OFFERS] if (offer := self._offer(item)) is not None]

    def _offer(self, item: Any) -> ServerOffer | None:
        """Return the offer; None for a template that cannot be filled in."""
        key = str(getattr(item, "uri", None) or getattr(item, "uri_template", None) or item.name)
        if len(key) > KEY_CHARACTERS:
            return None
        arguments: tuple[OfferArgument, ...] = ()
        kind = OfferKind.RESOURCE
        if hasattr(item, "uri_template"):
            kind = OfferKind.TEMPLATE
            from mcp.shared.uri_template import UriTemplate

            try:
                arguments = tuple(OfferArgument(variable.name) for variable in UriTemplate.parse(key).variables)
            except ValueError:
                return None
        elif hasattr(item, "arguments"):
            kind = OfferKind.PROMPT
            arguments = tuple(
                OfferArgument(
                    each.name,
                    self._clean(each.title, TITLE_CHARACTERS),
                    self._clean(each.description, ABOUT_CHARACTERS),
                    bool(each.required),
                )
                for each in item.arguments or ()
            )
        title = self._clean(item.title or item.name, TITLE_CHARACTERS) or key
        about = self._clean(item.description, ABOUT_CHARACTERS)
        mime = getattr(item, "mime_type", None) or ""
        return ServerOffer(kind, self._server, self._named(), key, title, about, mime, arguments)

    def _clean(self, text: str | None, most: int) -> str:
        return " ".join(without_hidden(self._mask().hide_own(text or "")).split())[:most]

    # Content

    def _content(self, uri: str, contents: Sequence[Any]) -> tuple[str, bytes]:
        """Return name and content of what was read; several texts are one. Raises ToolFailed."""
        texts = [part for part in contents if getattr(part, "text", None) is not None]
        mask = self._mask()
        if texts:
            # Several texts are parts of one resource, such as the files of a folder.
            parts = [part.text if len(texts) == 1 else f"{part.uri}\n{part.text}" for part in texts]
            data = mask.hide_own("\n\n".join(parts)).encode("utf-8", "replace")
            return _file_name(uri, texts[0].mime_type or "text/plain"), data
        if not contents:
            raise call_failure(f"{self._named()} answered: the resource {uri} is empty")
        return _file_name(uri, contents[0].mime_type or ""), _decoded(contents[0].blob)

    def _prompt_text(self, messages: "Sequence[mcp_types.PromptMessage]") -> ServerPromptText:
        spoken: list[tuple[str, str]] = []
        files: list[tuple[str, bytes]] = []
        resources: list[str] = []
        left_out: list[str] = []
        for message in messages:
            content = message.content
            match content.type:
                case "text":
                    spoken.append((message.role, self._mask().hide_own(content.text).strip()))
                case "resource":
                    files.append(self._content(str(content.resource.uri), [content.resource]))
                case "resource_link":
                    resources.append(resource_address(self._server, str(content.uri)))
                case "image":
                    files.append((_file_name("picture", content.mime_type), _decoded(content.data)))
                case other:
                    left_out.append(str(other))
        # A message has one voice: other roles are named in it.
        is_dialogue = any(role != "user" for role, _ in spoken)
        names = {"user": "User", "assistant": "Assistant"}
        texts = [f"{names[role]}: {text}" if is_dialogue else text for role, text in spoken if text]
        return ServerPromptText("\n\n".join(texts), tuple(files), tuple(resources), tuple(left_out))

    async def _ask(self, send: "Callable[[Client], Coroutine[Any, Any, T]]", limit_s: float) -> T:
        """Return the answer of the running server. Raises ToolFailed with its words, or with what went wrong."""
        from mcp import MCPError
        from pydantic import ValidationError

        session, name = self._session(), self._named()
        if session is None:
            raise call_failure(f"the MCP server {name} does not run")
        try:
            return await session.ask(send, limit_s)
        except ConnectionLost:
            raise call_failure(f"the MCP server {name} did not answer within {limit_s:g} s") from None
        except MCPError as error:
            raise call_failure(self._mask().hide_all(f"{name} answered: {error.message}")) from None
        except ValidationError:
            raise call_failure(f"{name} sent an invalid answer") from None


def expand_template(template: str, values: Mapping[str, str]) -> str:
    """Return the URI that a template names with these values."""
    from mcp.shared.uri_template import UriTemplate

    return UriTemplate.parse(template).expand(dict(values))


def _parsed(model: Any, row: Any) -> Any:
    from pydantic import ValidationError

    try:
        return model.model_validate(row)
    except ValidationError:
        return None


def _file_name(uri: str, mime: str) -> str:
    """Return a name for what is at the address, with an ending that tells its kind."""
    parts = urlsplit(uri)
    name = PurePosixPath(unquote(parts.path)).name or parts.netloc or "resource"
    ending = mimetypes.guess_extension(mime.partition(";")[0].strip()) or ""
    return name if PurePosixPath(name).suffix or not ending else f"{name}{ending}"


def _decoded(data: str) -> bytes:
    try:
        return base64.b64decode(data, validate=False)
    except (binascii.Error, ValueError):
        return b""
