"""Connections of `http_fetch` through a proxy: to the very address that was checked (AGENTS_AND_TOOLS §11).

A proxy that is given a name looks it up itself, and may be led to a private machine. So it is given the address that
this machine has found and checked. TLS verifies the name of the host, within the tunnel.
"""

import base64
import ssl
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit

import anyio

from core.network.proxies import Proxy
from core.tools.web.backend import Stream, backend_by

if TYPE_CHECKING:  # late: loading them takes longer than a frame
    import httpcore

MAX_HEAD_BYTES = 65_536
_RECEIVED_BYTES = 4096


def tunnels(proxy: Proxy, tls: ssl.SSLContext | None, targets: Iterable[str]) -> "httpcore.AsyncNetworkBackend":
    """Return a network backend that connects to these names or addresses only, by the proxy: each in turn until one is
    reached.
    """
    import httpcore

    async def connect(net: httpcore.AsyncNetworkBackend, port: int, timeout_s: float | None) -> Stream:
        refusal: httpcore.ProxyError | None = None
        try:
            with anyio.fail_after(timeout_s):
                for target in targets:
                    stream = await _connect(net, proxy, tls)
                    try:
                        await _tunnel(stream, proxy, target, port)
                    except httpcore.ProxyError as error:
                        refusal = error
                        await stream.aclose()
                    except BaseException:
                        with anyio.CancelScope(shield=True):
                            await stream.aclose()
                        raise
                    else:
                        return stream
        except TimeoutError as error:
            raise httpcore.ConnectTimeout("it did not answer in time") from error
        raise refusal or httpcore.ConnectError("there is no address")

    return backend_by(connect)


async def _connect(net: "httpcore.AsyncNetworkBackend", proxy: Proxy, tls: ssl.SSLContext | None) -> Stream:
    """Connect to the proxy itself."""
    parts = urlsplit(proxy.url)
    assert parts.hostname is not None
    assert parts.port is not None
    stream = await net.connect_tcp(parts.hostname, parts.port, None)
    if parts.scheme != "https":
        return stream
    assert tls is not None
    return await stream.start_tls(tls, parts.hostname)


async def _tunnel(stream: Stream, proxy: Proxy, host: str, port: int) -> None:
    """Ask the proxy to pass on what follows. Raises httpcore.ProxyError."""
    parts = urlsplit(proxy.url)
    user, password = unquote(parts.username or ""), unquote(parts.password or "")
    if parts.scheme.startswith("socks"):
        await _socks_tunnel(stream, user, password, host, port)
    else:
        await _http_tunnel(stream, user, password, host, port)


async def _http_tunnel(stream: Stream, user: str, password: str, host: str, port: int) -> None:
    import httpcore

    place = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    lines = [f"CONNECT {place} HTTP/1.1", f"Host: {place}", "User-Agent: Metier"]
    if user or password:
        lines.append(f"Proxy-Authorization: Basic {base64.b64encode(f'{user}:{password}'.encode()).decode()}")
    await stream.write("\r\n".join([*lines, "", ""]).encode())
    head = b""
    while b"\r\n\r\n" not in head:
        received = await stream.read(_RECEIVED_BYTES)
        head += received
        if not received or len(head) > MAX_HEAD_BYTES:
            raise httpcore.ProxyError("it sent no answer of a proxy")
    status, _, reason = head.partition(b"\r\n")[0].decode("latin-1").partition(" ")[2].partition(" ")
    if not (status.isdigit() and status.startswith("2")):
        raise httpcore.ProxyError(f"{status} {reason}".strip()[:200])


async def _socks_tunnel(stream: Stream, user: str, password: str, host: str, port: int) -> None:
    import httpcore
    from socksio import ProtocolError, socks5

    async def answered() -> Any:
        await stream.write(connection.data_to_send())
        received = await stream.read(_RECEIVED_BYTES)
        if not received:
            raise httpcore.ProxyError("it closed the connection")
        return connection.receive_data(received)

    connection = socks5.SOCKS5Connection()
    method = socks5.SOCKS5AuthMethod.USERNAME_PASSWORD if user else socks5.SOCKS5AuthMethod.NO_AUTH_REQUIRED
    try:
        connection.send(socks5.SOCKS5AuthMethodsRequest([method]))
        if (await answered()).method != method:
            raise httpcore.ProxyError("it wants a user name and a password" if not user else "it wants no password")
        if user:
            connection.send(socks5.SOCKS5UsernamePasswordRequest(user.encode(), password.encode()))
            if not (await answered()).success:
                raise httpcore.ProxyError("it refuses the user name or the password")
        request = socks5.SOCKS5CommandRequest.from_address(socks5.SOCKS5Command.CONNECT, (host, port))
        connection.send(request)
        code = (await answered()).reply_code
        if code != socks5.SOCKS5ReplyCode.SUCCEEDED:
            raise httpcore.ProxyError(code.name.replace("_", " ").lower())
    except ProtocolError as error:
        raise httpcore.ProxyError(f"it is no SOCKS 5 proxy: {error}") from error
