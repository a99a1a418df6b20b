"""A server on loopback that answers as a test says, byte by byte, and keeps what it was asked."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Asked:
    """What a client sent. Header names are in lower case."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes


Answer = bytes | Callable[[asyncio.StreamWriter], object]


def response(
    body: bytes = b"", status: int = 200, *headers: str, length: int | None = None, kind: str | None = "text/plain"
) -> bytes:
    """A whole response; `length` is what its head says, if it lies."""
    lines = [f"HTTP/1.1 {status} X", f"content-length: {len(body) if length is None else length}", "connection: close"]
    lines += [f"content-type: {kind}"] if kind is not None else []
    return "\r\n".join([*lines, *headers, "", ""]).encode() + body


def redirect(location: str, status: int = 302) -> bytes:
    return response(b"", status, f"location: {location}")


@dataclass
class Server:
    """Answers each request with what stands under its path; what is no bytes writes for itself."""

    port: int = 0
    answers: dict[str, Answer] = field(default_factory=dict)
    asked: list[Asked] = field(default_factory=list)
    opened: int = 0
    tasks: set["asyncio.Task[None]"] = field(default_factory=set)

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.opened += 1
        task = asyncio.current_task()
        assert task is not None
        self.tasks.add(task)
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
            method, target, _ = head[0].split(" ")
            headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in head[1:-2])}
            body = await reader.readexactly(int(headers.get("content-length", "0")))
            self.asked.append(Asked(method, target, headers, body))
            answer = self.answers.get(target.partition("?")[0], response(b"not there", 404))
            if isinstance(answer, bytes):
                writer.write(answer)
            else:
                made = answer(writer)
                if asyncio.iscoroutine(made):
                    await made
            await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def a_server(tls: ssl.SSLContext | None = None) -> AsyncIterator[Server]:
    server = Server()
    listening = await asyncio.start_server(server.serve, "127.0.0.1", 0, ssl=tls)
    server.port = listening.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listening.close()
        for task in server.tasks:
            task.cancel()
        await asyncio.gather(*server.tasks, return_exceptions=True)
