"""A model server on this machine, in a thread: it answers what a test tells it to, and keeps what it was asked."""

import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

EVENT_STREAM = {"Content-Type": "text/event-stream"}


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as it came; `headers` have small letters."""

    method: str
    path: str
    headers: Mapping[str, str]
    text: str
    at: float

    @property
    def body(self) -> Any:
        return json.loads(self.text)

    @property
    def messages(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.body["messages"]
        return found


@dataclass(frozen=True, slots=True)
class Reply:
    """What is answered. `cut`: so many bytes at a time, each a packet of its own. `pause_s` is between them.

    `end`: the answer is `whole` (chunked, so that the client knows), `lost` in the middle, or reset; or nothing more
    comes, and it `hangs` until the client goes away. Or it `slams`: the connection is closed without a word.
    """

    body: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: EVENT_STREAM)
    cut: int = 1_000_000
    pause_s: float = 0.0
    end: Literal["whole", "lost", "reset", "hangs", "slams"] = "whole"
    delay_s: float = 0.0


def chunk(**delta: Any) -> dict[str, Any]:
    """A piece of an answer: what it adds; `finish` is its finish_reason."""
    finish = delta.pop("finish", None)
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "c1", "object": "chat.completion.chunk", "choices": [choice]}


def call_piece(index: int | None, call_id: str | None, name: str | None, arguments: Any) -> dict[str, Any]:
    """An entry of `tool_calls`; what is None is absent."""
    function = {key: value for key, value in (("name", name), ("arguments", arguments)) if value is not None}
    placed = {key: value for key, value in (("index", index), ("id", call_id)) if value is not None}
    return {**placed, "type": "function", "function": function}


def sse(*values: Any, done: bool = True) -> bytes:
    """A stream of these, each an event; a text is taken as it stands."""
    lines = [value if isinstance(value, str) else "data: " + json.dumps(value, ensure_ascii=False) for value in values]
    return "".join(f"{line}\n\n" for line in [*lines, *(["data: [DONE]"] if done else [])]).encode()


def says(text: str, *, usage: tuple[int, int] | None = None, finish: str = "stop") -> Reply:
    """An answer that says a text, word by word."""
    words = [word + " " for word in text.split(" ")]
    words[-1] = words[-1].removesuffix(" ")
    counted = [{"choices": [], "usage": {"prompt_tokens": usage[0], "completion_tokens": usage[1]}}] if usage else []
    return Reply(sse(*(chunk(content=word) for word in words), chunk(finish=finish), *counted))


def calls(*made: tuple[str, str, Mapping[str, Any]], text: str = "") -> Reply:
    """An answer with calls: (id, name, arguments) each."""
    entries = [call_piece(at, one, name, json.dumps(given)) for at, (one, name, given) in enumerate(made)]
    said = [chunk(content=text)] if text else []
    return Reply(sse(*said, chunk(tool_calls=entries), chunk(finish="tool_calls")))


def fails(status: int, message: str = "no", **headers: str) -> Reply:
    """An answer that is an error."""
    named = {"Content-Type": "application/json", **{key.replace("_", "-"): value for key, value in headers.items()}}
    return Reply(json.dumps({"error": {"message": message}}).encode(), status, named)


Answer = Callable[[Asked], Reply]


class Provider:
    """The server. `asked` are the requests so far; `closed` counts the connections that the client left in the middle
    of an answer."""

    def __init__(self, answer: Answer) -> None:
        self.asked: list[Asked] = []
        self.closed = 0
        self.connections = 0
        self.answer = answer
        self._lock = threading.Lock()
        self._is_over = threading.Event()
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.server.daemon_threads = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}/v1"

    @property
    def posts(self) -> list[Asked]:
        return [one for one in self.asked if one.method == "POST"]

    def stop(self) -> None:
        self._is_over.set()
        self.server.shutdown()
        self.server.server_close()

    def reply_to(self, asked: Asked) -> Reply:
        with self._lock:
            self.asked.append(asked)
            return self.answer(asked)

    def left(self) -> None:
        with self._lock:
            self.closed += 1

    def rest(self, seconds: float) -> bool:
        """Wait; False if the test is over."""
        return not self._is_over.wait(seconds)

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        provider = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def setup(self) -> None:
                super().setup()
                provider.connections += 1

            def do_POST(self) -> None:  # called so by the standard library
                self._answer()

            def do_GET(self) -> None:
                self._answer()

            def log_message(self, *_: Any) -> None:
                """Say nothing on stderr."""

            def _answer(self) -> None:
                text = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
                headers = {name.lower(): value for name, value in self.headers.items()}
                reply = provider.reply_to(Asked(self.command, self.path, headers, text, time.monotonic()))
                provider.rest(reply.delay_s)
                try:
                    self._send(reply)
                except OSError:
                    self.close_connection = True
                    provider.left()

            def _send(self, reply: Reply) -> None:
                if reply.end == "slams":
                    self.close_connection = True
                    return
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                for start in range(0, len(reply.body), reply.cut):
                    piece = reply.body[start : start + reply.cut]
                    self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece))
                    if reply.pause_s:
                        provider.rest(reply.pause_s)
                self._end(reply)

            def _end(self, reply: Reply) -> None:
                if reply.end == "whole":
                    self.wfile.write(b"0\r\n\r\n")
                    return
                self.close_connection = True
                if reply.end == "reset":
                    self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                elif reply.end == "hangs":
                    while provider.rest(0.02):
                        if _is_gone(self.connection):
                            provider.left()
                            return

        return Handler


@contextmanager
def provider(*replies: Reply | Answer) -> Iterator[Provider]:
    """A server that gives these answers, one a request; the last one again and again."""
    left = list(replies)

    def answer(asked: Asked) -> Reply:
        reply = left.pop(0) if len(left) > 1 else left[0]
        return reply if isinstance(reply, Reply) else reply(asked)

    server = Provider(answer)
    thread = threading.Thread(target=server.server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.stop()
        thread.join()


def _is_gone(connection: socket.socket) -> bool:
    connection.setblocking(False)
    try:
        return connection.recv(1, socket.MSG_PEEK) == b""
    except BlockingIOError:
        return False
    except OSError:
        return True
