"""`http_fetch` from the command line: what is let in, and what is seen of secrets."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from tests.support.command_line import CommandLine, write_template

SECRET = "s3cr3t-0123456789abcdef"


class Hello(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        body = json.dumps({"auth": self.headers.get("authorization") is not None}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("set-cookie", f"session={SECRET}")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *anything: object) -> None:
        """Log nothing."""


@pytest.fixture
def origin() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Hello)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
    thread.join()


def test_an_origin_is_reached_where_it_is_allowed_and_no_secret_is_seen(
    metier: CommandLine, tmp_path: Path, origin: str
) -> None:
    fetch = {
        "name": "get",
        "action": {"toolName": "http_fetch"},
        "input": {"url": f"{origin}/", "headers": {"Authorization": f"Bearer {SECRET}"}},
    }
    file = write_template(tmp_path / "t.json", fetch)
    refused = metier("run", file)
    assert refused.code == 1
    assert refused.last["error"]["code"] == "not_allowed"
    said = metier("run", file, "--events", "--allow", origin.replace("127.0.0.1", "127.1"))
    assert said.code == 0, said.last
    assert said.last["tool_calls"][0]["summary"] == "200, 14 bytes"
    assert said.last["output"]["json"] == {"auth": True}
    for line in said.lines:
        if line["type"] in ("tool_start", "tool_end"):
            assert SECRET not in json.dumps(line)
    assert SECRET not in json.dumps(said.last["tool_calls"])
