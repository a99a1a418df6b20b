"""Proxies on loopback, HTTP and SOCKS 5, that lead every connection to one server; and certificates of an authority
that nobody else knows.
"""

import asyncio
import base64
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest


@dataclass
class ProxyServer:
    """`asked` are the places that it was asked for; with a `password`, only that user and password may. What it `says`
    is said in the place of the server.
    """

    to_port: int
    password: tuple[str, str] | None = None
    port: int = 0
    says: bytes = b""
    asked: list[str] = field(default_factory=list)
    seen: bytearray = field(default_factory=bytearray)
    tasks: set["asyncio.Task[None]"] = field(default_factory=set)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self.tasks.add(task)
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            first = await reader.readexactly(1)
            is_open = await (self._socks(reader, writer) if first == b"\5" else self._http(first, reader, writer))
            if is_open and self.says:
                await reader.read(1)  # what comes with the answer to the request would be lost
                writer.write(self.says)
                await reader.read()
            elif is_open:
                await self._pass_on(reader, writer)
        writer.close()
        with suppress(ConnectionError, ssl.SSLError):
            await writer.wait_closed()

    async def _http(self, first: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (first + await reader.readuntil(b"\r\n\r\n")).decode()
        self.asked.append(head.split(" ")[1])
        if self.password is not None:
            given = base64.b64encode(":".join(self.password).encode()).decode()
            if f"Proxy-Authorization: Basic {given}" not in head:
                writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n")
                return False
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        return True

    async def _socks(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        methods = await reader.readexactly((await reader.readexactly(1))[0])
        wanted = 2 if self.password is not None else 0
        if wanted not in methods:
            writer.write(b"\5\xff")
            return False
        writer.write(bytes([5, wanted]))
        if self.password is not None:
            await reader.readexactly(1)
            given = [(await reader.readexactly((await reader.readexactly(1))[0])).decode() for _ in range(2)]
            is_right = tuple(given) == self.password
            writer.write(b"\1\0" if is_right else b"\1\1")
            if not is_right:
                return False
        kind = (await reader.readexactly(4))[3]
        length = {1: 4, 4: 16}.get(kind) or (await reader.readexactly(1))[0]
        place = await reader.readexactly(length)
        port = int.from_bytes(await reader.readexactly(2), "big")
        self.asked.append(f"{'.'.join(map(str, place)) if kind == 1 else place.decode()}:{port}")
        writer.write(b"\5\0\0\1\0\0\0\0\0\0")
        return True

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", self.to_port)

        async def copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
            while piece := await source.read(65536):
                self.seen += piece
                target.write(piece)
            target.close()

        try:
            await asyncio.gather(copy(reader, far_writer), copy(far_reader, writer))
        finally:
            far_writer.close()
            with suppress(ConnectionError, ssl.SSLError):
                await far_writer.wait_closed()


@asynccontextmanager
async def a_proxy(to_port: int, password: tuple[str, str] | None = None) -> AsyncIterator[ProxyServer]:
    proxy = ProxyServer(to_port, password)
    listening = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    proxy.port = listening.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        listening.close()
        for task in proxy.tasks:
            task.cancel()
        await asyncio.gather(*proxy.tasks, return_exceptions=True)


def certified(folder: Path, host: str, *, days: int = 1) -> ssl.SSLContext:
    """Return what a server of this name encrypts by. `authority.pem` in the folder is who signed it; with negative
    `days` it has expired.
    """
    x509 = pytest.importorskip("cryptography.x509")
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    def made(subject: str, key: ec.EllipticCurvePrivateKey, is_authority: bool) -> Any:
        now = datetime.now(UTC)
        builder = (
            x509.CertificateBuilder()
            .subject_name(x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, subject)]))
            .issuer_name(x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "An authority")]))
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - timedelta(days=10))
            .not_valid_after(now + timedelta(days=1 if is_authority else days))
            .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        )
        if not is_authority:
            builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
        return builder.sign(authority_key, hashes.SHA256())

    authority_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    pem, plain = serialization.Encoding.PEM, serialization.NoEncryption()
    (folder / "authority.pem").write_bytes(made("An authority", authority_key, True).public_bytes(pem))
    (folder / "cert.pem").write_bytes(made(host, key, False).public_bytes(pem))
    (folder / "key.pem").write_bytes(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, plain))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "cert.pem", folder / "key.pem")
    return context
