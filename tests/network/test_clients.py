"""Providers, MCP servers and `http_fetch` reach others by the same way: real proxies and certificates on loopback."""

import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from core.domain.model import ModelChoice
from core.errors import MetierError
from core.llm.catalogue import Catalogue
from core.llm.http import HttpClients
from core.network.routes import Network
from core.tools.builtin import http_fetch
from tests.support.clock import FakeClock
from tests.support.http_server import Server, a_server, response
from tests.support.mcp_rig import mcp_rig
from tests.support.proxies import a_proxy, certified
from tests.tools.rig import Builtins, error_of

HOST = "api.example.test"
PUBLIC = "93.184.215.14"
USERS = ("provider", "mcp", "http_fetch")


async def resolve(host: str, port: int) -> list[str]:
    if host != HOST:
        raise OSError(-2, "Name or service not known")
    return [PUBLIC]


async def ask_provider(url: str, network: Network) -> str:
    clients = HttpClients(network)
    try:
        models = await Catalogue(clients, FakeClock()).models(ModelChoice(base_url=url), None)
        return ", ".join(model.id for model in models)
    except MetierError as error:
        return error.message
    finally:
        await clients.close()


async def ask_mcp(url: str, network: Network) -> str:
    async with mcp_rig(network=network) as rig:
        try:
            await rig.connected("far", url=f"{url}/mcp")
        except MetierError as error:
            return error.message
    raise AssertionError("there is no MCP server")


async def ask_http_fetch(url: str, network: Network) -> str:
    tools = Builtins(more=[http_fetch.tool(resolve, network)])
    result = await tools.call("http_fetch", url=f"{url}/models")
    return str(result.value["text"]) if result.error is None else error_of(result)[1]


ASK: dict[str, Callable[[str, Network], Awaitable[str]]] = {
    "provider": ask_provider,
    "mcp": ask_mcp,
    "http_fetch": ask_http_fetch,
}
ANSWERS = {"provider": "one", "mcp": "answered with HTTP 404", "http_fetch": '[{"id": "one"}]'}


@pytest.fixture(scope="module", autouse=True)
def no_variables() -> None:
    assert not any("proxy" in name.lower() for name in os.environ), "these tests set the variables themselves"


@asynccontextmanager
async def far_server(folder: Path, days: int = 1) -> AsyncIterator[Server]:
    async with a_server(certified(folder, HOST, days=days)) as server:
        server.answers["/models"] = response(b'[{"id": "one"}]', kind="application/json")
        yield server


@pytest.mark.parametrize("user", USERS)
async def test_a_server_is_reached_by_every_kind_of_proxy_with_a_password(user: str, tmp_path: Path) -> None:
    async with far_server(tmp_path) as server, a_proxy(server.port, ("me", "p@ss/w")) as proxy:
        for scheme in ("http", "socks5", "socks5h"):
            environment = {"HTTPS_PROXY": f"{scheme}://me:p%40ss%2Fw@127.0.0.1:{proxy.port}"}
            network = Network(lambda: str(tmp_path / "authority.pem"), environment)
            assert ANSWERS[user] in await ASK[user](f"https://{HOST}", network)
        # http_fetch has looked the name up and checked it: the proxy is given the address
        target = f"{PUBLIC}:443" if user == "http_fetch" else f"{HOST}:443"
        assert set(proxy.asked) == {target}
        assert server.asked
        assert b"/models" not in proxy.seen


@pytest.mark.parametrize("user", USERS)
async def test_what_fails_is_named(user: str, tmp_path: Path) -> None:
    ask, url = ASK[user], f"https://{HOST}"
    refusing = {"ALL_PROXY": "socks5h://me:hunter2@127.0.0.1:9"}
    said = await ask(url, Network(environment=refusing))
    assert "the proxy socks5h://127.0.0.1:9 (ALL_PROXY) cannot be reached: the connection was refused" in said
    said += await ask(url, Network(environment={"all_proxy": "socks4://me:hunter2@127.0.0.1:9"}))
    assert "all_proxy names the proxy socks4://127.0.0.1:9, which cannot be used" in said
    async with far_server(tmp_path) as server, a_proxy(server.port, ("me", "right")) as proxy:
        schemes = {"http": "407 Proxy Authentication Required"}
        if user == "http_fetch":  # the libraries of the others leave such a connection to the garbage collector
            schemes["socks5"] = "it refuses the user name or the password"
        for scheme, why in schemes.items():
            wrong = {"HTTPS_PROXY": f"{scheme}://me:hunter2@127.0.0.1:{proxy.port}"}
            said += (last := await ask(url, Network(environment=wrong)))
            assert f"the proxy {scheme}://127.0.0.1:{proxy.port} (HTTPS_PROXY) did not connect to {HOST}: " in last
            assert why in last
        right = {"HTTPS_PROXY": f"http://me:right@127.0.0.1:{proxy.port}"}
        unknown = await ask(url, Network(environment=right))
        assert f"the certificate of {HOST} is not trusted, so nothing was sent: its authority is not known" in unknown
        missing = str(tmp_path / "none.pem")
        said += await ask(url, Network(lambda: missing, environment=right))
        assert f"the certificate authorities in {missing} cannot be read: No such file or directory" in said
    assert "hunter2" not in said


async def test_the_reason_of_a_certificate_is_named(tmp_path: Path) -> None:
    def network(port: int) -> Network:
        return Network(lambda: str(tmp_path / "authority.pem"), {"HTTPS_PROXY": f"http://127.0.0.1:{port}"})

    async with far_server(tmp_path, days=-1) as server, a_proxy(server.port) as proxy:
        assert "it has expired" in await ask_provider(f"https://{HOST}", network(proxy.port))
    async with far_server(tmp_path) as server, a_proxy(server.port) as proxy:
        other = "https://other.example.test"
        assert "it is for another name" in await ask_provider(other, network(proxy.port))
    async with a_proxy(1) as proxy:
        proxy.says = b"HTTP/1.1 400 Bad Request\r\n\r\n"
        said = await ask_provider(f"https://{HOST}", network(proxy.port))
        assert f"{HOST} does not encrypt at this port; does its address begin with http://?" in said


@pytest.mark.parametrize("user", ["provider", "mcp"])
async def test_what_is_near_is_asked_directly_and_named_where_nothing_answers(user: str, tmp_path: Path) -> None:
    environment = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), "socks5://127.0.0.1:9")
    async with a_server() as server:
        server.answers["/models"] = response(b'[{"id": "one"}]', kind="application/json")
        assert ANSWERS[user] in await ASK[user](server.origin, Network(environment=environment))
    said = await ASK[user](server.origin, Network(environment=environment))
    assert f"nothing answers at {server.origin}; is the server running?" in said


async def test_a_name_that_only_the_proxy_knows_needs_the_users_permission() -> None:
    async with a_server() as server, a_proxy(server.port) as proxy:
        server.answers["/models"] = response(b"inside")
        network = Network(environment={"HTTP_PROXY": f"socks5://127.0.0.1:{proxy.port}"})
        said = await ask_http_fetch("http://wiki.corp.test", network)
        assert "this computer cannot look up wiki.corp.test" in said
        assert "unless the user allows this origin" in said
        assert proxy.asked == []
        tools = Builtins(more=[http_fetch.tool(resolve, network)])
        tools.context = replace(tools.context, origins=("http://wiki.corp.test",))
        result = await tools.call("http_fetch", url="http://wiki.corp.test/models")
        assert result.value["text"] == "inside"
        assert proxy.asked == ["wiki.corp.test:80"]


async def test_a_private_address_is_refused_behind_a_proxy_too() -> None:
    network = Network(environment={"HTTPS_PROXY": "http://127.0.0.1:9"})
    assert "a private address" in await ask_http_fetch("https://10.1.2.3", network)


async def test_variables_of_certificates_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with far_server(tmp_path) as server, a_proxy(server.port) as proxy:
        environment = {"HTTPS_PROXY": f"http://127.0.0.1:{proxy.port}"}
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
        assert await ask_provider(f"https://{HOST}", Network(environment=environment)) == "one"
        monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "gone.pem"))
        assert "gone.pem cannot be read" in await ask_provider(f"https://{HOST}", Network(environment=environment))
