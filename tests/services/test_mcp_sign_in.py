"""Signing in to an MCP server: a real OAuth server on loopback, and a browser that follows its redirects."""

import asyncio
import logging
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from core.app import Core
from core.domain.ids import ServerId
from core.domain.mcp_server import ServerState
from core.services.outcome import Failed, Ok, unwrap
from core.tools.mcp.sign_in import ClientId
from core.wiring import run_core
from tests.support.in_memory.storage import InMemoryStorage
from tests.support.oauth_server import OAuthServer, oauth_server

pytestmark = [pytest.mark.real_time, pytest.mark.usefixtures("bare")]


@pytest.fixture
def guarded() -> Iterator[OAuthServer]:
    with oauth_server() as server:
        yield server


def browser(opened: list[str]) -> Callable[[str], None]:
    """Return a browser that allows whatever it is asked; `opened` are its pages."""

    def visit(url: str) -> None:
        with suppress(urllib.error.HTTPError):
            urllib.request.urlopen(url, timeout=5).close()

    def open_page(url: str) -> None:
        opened.append(url)
        asyncio.get_running_loop().run_in_executor(None, visit, url)

    return open_page


async def added(core: Core, server: OAuthServer) -> ServerId:
    status = unwrap(await core.servers.save(name="guarded", url=f"{server.origin}/mcp", confirmed=True))
    await core.servers.test(status.server.id)
    return status.server.id


async def test_a_sign_in_is_kept_refreshed_and_forgotten(
    tmp_path: Path, guarded: OAuthServer, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    storage = InMemoryStorage()
    keys = tmp_path / "keys.json"
    opened: list[str] = []
    async with run_core(storage, key_file=keys) as core:
        await added(core, guarded)
        status = core.servers.named("guarded")
        assert (status.state, guarded.registered) == (ServerState.SIGNED_OUT, 0)
        assert status.error is not None
        assert "asks you to sign in" in status.error.message
        guarded.expires_s = -10  # as if much time had passed before the next start
        signed = await core.servers.sign_in(status.server.id, browser(opened))
        assert isinstance(signed, Ok), signed
        assert signed.data.state is ServerState.RUNNING
        assert [tool.name for tool in signed.data.tools] == ["mcp__guarded__look"]
    async with run_core(storage, key_file=keys) as core:
        guarded.expires_s = 3600
        server = core.servers.named("guarded").server.id
        assert unwrap(await core.servers.test(server)).state is ServerState.RUNNING
        assert guarded.grants[0] == "authorization_code"
        assert set(guarded.grants[1:]) == {"refresh_token"}
        assert len(opened) == 1
        # what was revoked asks again, and opens no browser by itself
        await core.servers.stop(server)
        guarded.valid.clear()
        await core.servers.test(server)
        assert core.servers.named("guarded").state is ServerState.SIGNED_OUT
        unwrap(await core.servers.sign_in(server, browser(opened)))
        (token,) = guarded.valid
        unwrap(await core.servers.sign_out(server))
        await core.servers.test(server)
        assert core.servers.named("guarded").state is ServerState.SIGNED_OUT
    assert token not in caplog.text
    assert token not in await asyncio.to_thread(keys.read_text)


async def test_a_client_that_was_registered_by_hand_is_used(tmp_path: Path, guarded: OAuthServer) -> None:
    storage = InMemoryStorage()
    async with run_core(storage, key_file=tmp_path / "keys.json") as core:
        server = await added(core, guarded)
        for client in (ClientId("mine"), None):  # and kept for the next time
            unwrap(await core.servers.sign_in(server, browser([]), client))
        assert (guarded.clients, guarded.registered) == (["mine", "mine"], 0)


async def test_a_sign_in_that_is_refused_or_not_finished_says_so(tmp_path: Path, guarded: OAuthServer) -> None:
    storage = InMemoryStorage()
    async with run_core(storage, key_file=tmp_path / "keys.json") as core:
        server = await added(core, guarded)
        guarded.refuses = True
        refused = await core.servers.sign_in(server, browser([]))
        assert isinstance(refused, Failed)
        assert (refused.code, refused.details["why"]) == ("sign_in_failed", "it was refused: access_denied")
        pages: asyncio.Queue[str] = asyncio.Queue()
        waiting = asyncio.ensure_future(core.servers.sign_in(server, pages.put_nowait))
        page = await pages.get()
        # another program of this computer does not end it
        there = page.partition("redirect_uri=")[2].partition("&")[0].replace("%3A", ":").replace("%2F", "/")
        with pytest.raises(urllib.error.HTTPError):
            await asyncio.to_thread(urllib.request.urlopen, f"{there}?code=1&state=guess", timeout=5)
        assert not waiting.done()
        waiting.cancel()
        await asyncio.wait([waiting])
        assert waiting.cancelled()
        status = core.servers.named("guarded")
        assert status.state is ServerState.SIGNED_OUT
