"""A model server in a process of its own: it streams words, each a packet, as fast as it may, or at a pace.

`POST /w{words}/r{rounds}/p{pause in us}/chat/completions`: in each of the first `rounds` answers of a conversation one
call of the calculator, then the words. Prints its port.
"""

import asyncio
import json
import re
from typing import Any

_PATH = re.compile(rb"POST /w(\d+)/r(\d+)/p(\d+)/")
_LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)


def _event(delta: dict[str, Any], reason: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": reason}
    value = {"id": "c-1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice]}
    return _framed(b"data: " + json.dumps(value).encode() + b"\n\n")


def _framed(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


WORD = _event({"content": "word "})
END = _framed(b"data: [DONE]\n\n") + b"0\r\n\r\n"
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


def _call(round_: int) -> bytes:
    """The call of a round: another one each time, for a model that repeats itself is stopped."""
    function = {"name": "calculator", "arguments": json.dumps({"expression": f"6*{round_}"})}
    entry = {"index": 0, "id": f"call_{round_}", "type": "function", "function": function}
    return _event({"tool_calls": [entry]})


async def _serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            path, length = _PATH.match(head), _LENGTH.search(head)
            assert path is not None
            assert length is not None
            body = await reader.readexactly(int(length[1]))
            words, rounds, pause_us = map(int, path.groups())
            writer.write(HEAD)
            made = body.count(b'"tool_call_id"')
            if made < rounds:
                writer.write(_call(made + 1) + _event({}, "tool_calls") + END)
            else:
                await _words(writer, words, pause_us)
                writer.write(_event({}, "stop") + END)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def _words(writer: asyncio.StreamWriter, words: int, pause_us: int) -> None:
    for _ in range(words):
        writer.write(WORD)
        if pause_us:
            await asyncio.sleep(pause_us / 1e6)
        else:
            await writer.drain()


async def main() -> None:
    server = await asyncio.start_server(_serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
