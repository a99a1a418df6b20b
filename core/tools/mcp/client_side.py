"""What a server requests of its client in the middle of calls: elicitation, sampling, roots (AGENTS_AND_TOOLS §7).

A session is shared by all workflows. The protocol does not identify the call of a request: the latest is assumed.
The roots are the folders of the calls in flight; between calls, of the last calls.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from core.tools.mcp.elicitation import ServerCall, answer_elicitation
from core.tools.mcp.launch import NO_SECRETS, SecretMask
from core.tools.mcp.sampling import Sampling

if TYPE_CHECKING:
    import mcp_types
    from mcp import MCPError
    from mcp.client.session import ClientRequestContext

ROOTS_WAIT_S = 1.0
"""How long a call waits until the server has fetched the roots that have changed."""

SETTLE_S = 0.05
"""How long a server gets to take the roots that it has fetched."""

MAX_ADDRESSES = 3

T = TypeVar("T")


class ClientSide:
    """Answers the requests of a server. `note` writes a line to the server's log."""

    def __init__(self, sampling: Sampling, note: Callable[[str], object]) -> None:
        self._sampling = sampling
        self._note = note
        self._mask = NO_SECRETS
        self._calls: dict[ServerCall, asyncio.Event] = {}
        self._folders: tuple[str, ...] = ()
        self._given: tuple[str, ...] | None = None
        self._fetched = asyncio.Event()
        self._settled_s = 0.0

    @property
    def has_calls(self) -> bool:
        """Whether a call is in flight."""
        return bool(self._calls)

    @contextmanager
    def in_flight(self, call: ServerCall) -> Iterator[None]:
        """Let the server make requests in this call. What is asked at its end is answered with `cancel`."""
        ended = self._calls[call] = asyncio.Event()
        self._folders = tuple(dict.fromkeys(folder for each in self._calls for folder in each.context.allow))
        try:
            yield
        finally:
            del self._calls[call]
            ended.set()

    def begin_session(self, mask: SecretMask) -> None:
        """Begin a new session, which fetches the roots anew. `mask` hides the secrets of the server."""
        self._mask, self._given = mask, None

    async def share_roots(self, notify: Callable[[], Awaitable[object]]) -> None:
        """Notify a server that has fetched other roots than the current, and wait until it has fetched them."""
        if self._given is not None and self._given != self._folders:
            self._fetched.clear()
            await notify()
            try:
                async with asyncio.timeout(ROOTS_WAIT_S):
                    await self._fetched.wait()
            except TimeoutError:
                self._note("(did not fetch the folders, which have changed)")
        # Servers look at the folders before they take them, and report no end of that: the call must not overtake it.
        if (left_s := self._settled_s - asyncio.get_running_loop().time()) > 0:
            await asyncio.sleep(left_s)

    async def elicit(
        self, context: "ClientRequestContext", params: "mcp_types.ElicitRequestParams"
    ) -> "mcp_types.ElicitResult | mcp_types.ErrorData":
        import mcp_types

        cancelled = mcp_types.ElicitResult(action="cancel")
        return await self._in_latest_call(answer_elicitation, params, cancelled, "a question to the user")

    async def sample(
        self, context: "ClientRequestContext", params: "mcp_types.CreateMessageRequestParams"
    ) -> "mcp_types.CreateMessageResult | mcp_types.ErrorData":
        import mcp_types

        refused = mcp_types.ErrorData(code=mcp_types.INVALID_REQUEST, message="no call is in flight")
        return await self._in_latest_call(self._sampling.answer, params, refused, "a question to the model")

    async def list_roots(self, context: "ClientRequestContext") -> "mcp_types.ListRootsResult":
        import mcp_types

        folders = self._folders
        roots = await asyncio.to_thread(_roots, folders)
        self._given = folders
        self._settled_s = asyncio.get_running_loop().time() + SETTLE_S
        self._fetched.set()
        listed = [mcp_types.Root.model_validate({"uri": uri, "name": name}) for uri, name in roots]
        return mcp_types.ListRootsResult(roots=listed)

    async def open_addresses(self, error: "MCPError", call: ServerCall) -> str:
        """Ask the user to open the addresses without which the call failed; return what came of it, for the error."""
        import mcp_types
        from pydantic import ValidationError

        data = error.error.data
        if error.code != mcp_types.URL_ELICITATION_REQUIRED or not isinstance(data, dict):
            return ""
        call.mask = self._mask
        listed = data.get("elicitations")
        for fields in listed[:MAX_ADDRESSES] if isinstance(listed, list) else ():
            try:
                params = mcp_types.ElicitRequestURLParams.model_validate(fields)
            except ValidationError:
                continue
            answered = await answer_elicitation(params, call)
            if not isinstance(answered, mcp_types.ElicitResult) or answered.action != "accept":
                return " (the user did not open the address)"
        return " (the user has opened the address; make the call again when they have finished there)"

    async def _in_latest_call(self, answer: Callable[..., Awaitable[T]], params: object, otherwise: T, what: str) -> T:
        """Return the answer, or `otherwise` where there is no call, or where the call ends before: nothing would read
        the answer, and the server must not wait for it.
        """
        if not self._calls:
            self._note(f"({what} outside of a call was cancelled)")
            return otherwise
        call, ended = next(reversed(self._calls.items()))
        call.mask = self._mask
        answering = asyncio.ensure_future(answer(params, call))
        ending = asyncio.ensure_future(ended.wait())
        try:
            await asyncio.wait({answering, ending}, return_when=asyncio.FIRST_COMPLETED)
            if answering.done():
                return answering.result()
            self._note(f"({what} was cancelled: the call ended before its answer)")
            return otherwise
        finally:
            for task in (answering, ending):
                task.cancel()


def _roots(paths: Sequence[str]) -> list[tuple[str, str]]:
    """Return address and name of each path that is a folder."""
    folders = [Path(path) for path in paths if Path(path).is_dir()]
    return [(folder.as_uri(), _name(folder)) for folder in folders]


def _name(folder: Path) -> str:
    """Return the name of a folder; names on disk may be no text."""
    return (folder.name or str(folder)).encode("utf-8", "replace").decode("utf-8")
