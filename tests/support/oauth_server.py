"""An MCP server on loopback that wants a sign-in, and the OAuth server that gives it, in one."""

import base64
import hashlib
import json
import secrets
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

RESULTS: dict[str, Any] = {
    "initialize": {
        "protocolVersion": "2025-06-18",
        "capabilities": {"tools": {}},
        "serverInfo": {"name": "guarded", "version": "1"},
    },
    "tools/list": {"tools": [{"name": "look", "inputSchema": {"type": "object"}}]},
    "tools/call": {"content": [{"type": "text", "text": "seen"}]},
}


class OAuthServer:
    """`expires_s` is how long the first token is good; `refuses`: the user says no. `grants` are what it gave
    tokens for.
    """

    def __init__(self) -> None:
        self.expires_s = 3600
        self.refuses = False
        self.registered = 0
        self.clients: list[str] = []
        self.grants: list[str] = []
        self.valid: set[str] = set()
        self.refresh: set[str] = set()
        self.codes: dict[str, str] = {}
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self.server.daemon_threads = True

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"

    def _get(self, path: str, query: dict[str, str]) -> tuple[int, Any, dict[str, str]]:
        if path.startswith("/.well-known/oauth-protected-resource"):
            return 200, {"resource": f"{self.origin}/mcp", "authorization_servers": [self.origin]}, {}
        if path == "/.well-known/oauth-authorization-server":
            places = {f"{name}_endpoint": f"{self.origin}/{name}" for name in ("token", "authorization")}
            about = {"issuer": self.origin, "registration_endpoint": f"{self.origin}/register"}
            return 200, {**about, **places, "response_types_supported": ["code"]}, {}
        if path == "/authorization":
            self.clients.append(query["client_id"])
            answer = {"state": query["state"]}
            if self.refuses:
                answer["error"] = "access_denied"
            else:
                answer["code"] = secrets.token_hex(8)
                self.codes[answer["code"]] = query["code_challenge"]
            return 302, {}, {"Location": f"{query['redirect_uri']}?{urlencode(answer)}"}
        return 404, {}, {}

    def _post(self, path: str, body: str, token: str) -> tuple[int, Any, dict[str, str]]:
        if path == "/register":
            self.registered += 1
            return 201, {**json.loads(body), "client_id": f"client-{self.registered}"}, {}
        if path == "/token":
            form = {name: found[0] for name, found in parse_qs(body).items()}
            return self._token(form)
        if token not in self.valid:
            where = f'Bearer resource_metadata="{self.origin}/.well-known/oauth-protected-resource"'
            return 401, {}, {"WWW-Authenticate": where}
        asked = json.loads(body)
        if "id" not in asked:
            return 202, None, {}
        return 200, {"jsonrpc": "2.0", "id": asked["id"], "result": RESULTS[asked["method"]]}, {}

    def _token(self, form: dict[str, str]) -> tuple[int, Any, dict[str, str]]:
        self.grants.append(form["grant_type"])
        if form["grant_type"] == "refresh_token":
            is_right = form["refresh_token"] in self.refresh
        else:
            digest = hashlib.sha256(form["code_verifier"].encode()).digest()
            is_right = self.codes.pop(form["code"], "") == base64.urlsafe_b64encode(digest).decode().rstrip("=")
        if not is_right:
            return 400, {"error": "invalid_grant"}, {}
        access, refresh = secrets.token_hex(16), secrets.token_hex(16)
        self.valid, self.refresh = {access}, {refresh}
        expires_s = self.expires_s if form["grant_type"] != "refresh_token" else 3600
        tokens = {"access_token": access, "refresh_token": refresh, "expires_in": expires_s}
        return 200, {**tokens, "token_type": "Bearer"}, {}

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                parts = urlsplit(self.path)
                query = {name: found[0] for name, found in parse_qs(parts.query).items()}
                self._answer(*outer._get(parts.path, query))

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length", "0"))).decode()
                token = self.headers.get("authorization", "").removeprefix("Bearer ")
                self._answer(*outer._post(urlsplit(self.path).path, body, token))

            def do_DELETE(self) -> None:
                self._answer(405, {}, {})

            def _answer(self, status: int, value: Any, headers: dict[str, str]) -> None:
                body = b"" if value is None else json.dumps(value).encode()
                self.send_response(status)
                for name, text in {"Content-Type": "application/json", **headers}.items():
                    self.send_header(name, text)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *anything: object) -> None:
                """Log nothing."""

        return Handler


@contextmanager
def oauth_server() -> Iterator[OAuthServer]:
    made = OAuthServer()
    thread = threading.Thread(target=made.server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield made
    finally:
        made.server.shutdown()
        made.server.server_close()
        thread.join()
