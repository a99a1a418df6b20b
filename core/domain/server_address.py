"""Addresses of servers as people paste them: mended where the meaning is plain, else refused with the reason. Pure.

The command line, the window, configurations, imports and stored settings all come here, so that an address is the same
at every door.
"""

import ipaddress
import re
import unicodedata
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import quote, urlsplit

PORTS = {"http": 80, "https": 443}


class AddressChange(StrEnum):
    """What was mended of an address, beyond blanks and letter case."""

    FOUND = "found"
    """It stood within more, such as a command or a variable's assignment."""
    SCHEME = "scheme"
    ENDPOINT = "endpoint"
    """The path of a request was left out: it is added by each request."""
    VERSION = "version"
    """The path to the API was corrected."""
    HOST = "host"
    """`0.0.0.0` is where a server listens; it is asked at 127.0.0.1."""
    FRAGMENT = "fragment"


class AddressFault(StrEnum):
    """Why an address cannot be used."""

    EMPTY = "empty"
    SPACES = "spaces"
    SCHEME = "scheme"
    HOST = "host"
    PORT = "port"
    USER = "user"
    QUERY = "query"


class BadAddress(ValueError):
    """An address that cannot be used. The message never repeats it: it may hold a key."""

    def __init__(self, fault: AddressFault) -> None:
        super().__init__(_FAULTS[fault])
        self.fault = fault


_FAULTS = {
    AddressFault.EMPTY: "there is no address",
    AddressFault.SPACES: "an address has no spaces",
    AddressFault.SCHEME: "an address must begin with http:// or https://",
    AddressFault.HOST: "an address needs the name of a host, or its IP address",
    AddressFault.PORT: "the port of an address is a number from 1 to 65535",
    AddressFault.USER: "an address must not contain a user name or password: the key is stored separately",
    AddressFault.QUERY: (
        "an address must not contain a query, which may hold a key: it ends before the question mark, and the key is "
        "stored separately"
    ),
}


@dataclass(frozen=True, slots=True)
class MendedAddress:
    """An address that can be used, without a slash at its end."""

    url: str
    changes: tuple[AddressChange, ...] = ()


_AROUND = " \t\r\n\"'`<>(){},;\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb"
_HIDDEN = re.compile("[\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufeff]")
_FOUND = re.compile(r"https?://[^\s\"'`<>|]+", re.IGNORECASE)
_COMMAND = re.compile(
    r"\s*(?:[$>]\s+)?(?:curl|wget|https?|export|set|setx|[\w-]*base[\w-]*|url|endpoint)\b", re.IGNORECASE
)
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):[/\\]{1,2}", re.IGNORECASE)
_BARE_SCHEME = re.compile(r"(https?)(?::(?!\d)|[/\\]{2,})[/\\]*", re.IGNORECASE)
_PORT_ONLY = re.compile(r":?([0-9]{2,5})(?=/|\Z)")
_ENDPOINT = re.compile(
    r"/(?:(?:chat|legacy)/completions|completions|responses|messages|embeddings|models(?:/[^/]+(?::\w+)?)?"
    r"|chat|audio/\w+|images/\w+)\Z",
    re.IGNORECASE,
)
_OLLAMA_PORT, _LM_STUDIO_PORT = 11434, 1234
_OLLAMA = re.compile(r"/api(/(?:chat|generate|tags|show|ps|embed|version))?\Z")
_LM_STUDIO = re.compile(r"/api/v0(?:/.*)?\Z")
_VERSION_TWICE = re.compile(r"(/v\d\w*)\1+(?=/|\Z)")
_LOCAL_NAME = re.compile(r"[^.]+|.+\.(?:local|lan|home|internal|localhost|home\.arpa)")


def mended_address(text: str) -> MendedAddress:
    """Return the base address of a model server's API. Raises BadAddress."""
    url, changes = _cleaned(text)
    parts = urlsplit(url)
    if parts.query:
        raise BadAddress(AddressFault.QUERY)
    path = re.sub("/{2,}", "/", parts.path).rstrip("/")
    plain = _without_endpoint(path, parts.port, parts.hostname or "")
    if plain != path:
        changes.append(AddressChange.ENDPOINT)
    once = _VERSION_TWICE.sub(r"\1", plain)
    if not once and parts.port in (_OLLAMA_PORT, _LM_STUDIO_PORT):
        once = "/v1"
    if once != plain:
        changes.append(AddressChange.VERSION)
    path = quote(once, safe="/%:@!$&'()*+,;=-._~")
    return MendedAddress(f"{parts.scheme}://{parts.netloc}{path}", tuple(changes))


def near_addresses(url: str) -> list[str]:
    """Return where the API of a server may be, if it is not at this address: with or without a version."""
    without = re.sub(r"/v\d\w*\Z", "", url)
    return [without] if without != url else [f"{url}/v1"]


def mended_url(text: str) -> str:
    """Return the address of any other server, whose path and query are its own matter. Raises BadAddress."""
    return _cleaned(text)[0]


def _without_endpoint(path: str, port: int | None, host: str) -> str:
    """Return the path to the API, without that of a request."""
    ollama = _OLLAMA.fullmatch(path)
    if ollama is not None and (ollama[1] is not None or port == _OLLAMA_PORT):
        return "/v1"
    if _LM_STUDIO.fullmatch(path) and (port is not None or _is_local(host)):
        return "/v1"
    return _ENDPOINT.sub("", path)


def _cleaned(text: str) -> tuple[str, list[AddressChange]]:
    """Return an address in its one spelling, and what was changed."""
    changes: list[AddressChange] = []
    # Full-width signs and no-break spaces come from input methods and from pages.
    text = _HIDDEN.sub("", unicodedata.normalize("NFKC", text)).strip(_AROUND)
    if not text:
        raise BadAddress(AddressFault.EMPTY)
    if not _SCHEME.match(text) and _COMMAND.match(text) and len(found := set(_FOUND.findall(text))) == 1:
        text = found.pop().strip(_AROUND)
        changes.append(AddressChange.FOUND)
    text = "".join(text.split("\n")) if _is_wrapped(text) else text
    if any(character.isspace() or not character.isprintable() for character in text):
        raise BadAddress(AddressFault.SPACES)
    text, has_scheme = _with_scheme(text)
    if not has_scheme:
        changes.append(AddressChange.SCHEME)
    text, _, fragment = text.partition("#")
    if fragment:
        changes.append(AddressChange.FRAGMENT)
    scheme, host, port, rest = _split(text)
    if host in ("0.0.0.0", "[::]"):  # not bound to, but replaced
        host = "127.0.0.1" if host == "0.0.0.0" else "[::1]"
        changes.append(AddressChange.HOST)
    place = host if port in (None, PORTS[scheme]) else f"{host}:{port}"
    return f"{scheme}://{place}{rest}", changes


def _is_wrapped(text: str) -> bool:
    """Return whether it is an address that was broken over lines, and has no other spaces."""
    lines = [line.strip() for line in text.splitlines()]
    return len(lines) > 1 and _SCHEME.match(lines[0]) is not None and all(line and " " not in line for line in lines)


def _with_scheme(text: str) -> tuple[str, bool]:
    """Return the address with http:// or https://, and whether it had one. Raises BadAddress."""
    if (scheme := _SCHEME.match(text)) is not None:
        if scheme[1].lower() not in PORTS:
            raise BadAddress(AddressFault.SCHEME)
        return f"{scheme[1].lower()}://{text[scheme.end() :]}", True
    if (bare := _BARE_SCHEME.match(text)) is not None:
        return f"{bare[1].lower()}://{text[bare.end() :]}", True
    text = text.lstrip("/\\")
    if (port := _PORT_ONLY.match(text)) is not None:
        return f"http://127.0.0.1:{port[1]}{text[port.end() :]}", False
    host = re.split(r"[/?#]", text)[0]
    if host.isalnum() and host.lower() != "localhost":  # a word, which may be anything
        raise BadAddress(AddressFault.SCHEME)
    name = host.rpartition("@")[2]
    name = name.partition("]")[0].removeprefix("[") if name.startswith("[") else name.partition(":")[0]
    return f"{'http' if _is_local(name) else 'https'}://{text}", False


def _is_local(name: str) -> bool:
    """Return whether a host is on this machine or in a private network, where servers seldom have certificates."""
    try:
        ip = ipaddress.ip_address(name)
    except ValueError:
        return _LOCAL_NAME.fullmatch(name.lower().rstrip(".")) is not None
    return ip.is_private or ip.is_loopback or ip.is_unspecified


def _split(text: str) -> tuple[str, str, int | None, str]:
    """Return scheme, host, port and the rest of an address. Raises BadAddress."""
    scheme, _, rest = text.partition("://")
    end = re.search(r"[/\\?]", rest)
    netloc, rest = (rest[: end.start()], rest[end.start() :].replace("\\", "/")) if end else (rest, "")
    if "@" in netloc:
        raise BadAddress(AddressFault.USER)
    try:
        parts = urlsplit(f"{scheme}://{netloc}")
        host = parts.hostname or ""
    except ValueError:
        raise BadAddress(AddressFault.HOST) from None
    try:
        port = parts.port
    except ValueError:
        raise BadAddress(AddressFault.PORT) from None
    if port == 0:
        raise BadAddress(AddressFault.PORT)
    return scheme, _host(host), port, rest if rest != "?" else ""


def _host(host: str) -> str:
    """Return the one spelling of a host. Raises BadAddress."""
    if ":" in host:
        try:
            return f"[{ipaddress.IPv6Address(host)}]"
        except ValueError:
            raise BadAddress(AddressFault.HOST) from None
    if not host.isascii():
        import idna  # late: loading its tables is slow

        try:
            host = idna.encode(host, uts46=True).decode("ascii")
        except (idna.IDNAError, UnicodeError):
            raise BadAddress(AddressFault.HOST) from None
    if not re.fullmatch(r"[a-z0-9_](?:[a-z0-9_.-]*[a-z0-9_])?\.?", host) or ".." in host:
        raise BadAddress(AddressFault.HOST)
    return host


_PREFIXES = {
    "api.openai.com": ("openai/",),
    "api.anthropic.com": ("anthropic/",),
    "api.mistral.ai": ("mistral/", "mistralai/"),
    "generativelanguage.googleapis.com": ("models/", "gemini/", "google/"),
    "api.deepseek.com": ("deepseek/",),
    "api.groq.com": ("groq/",),
    "api.x.ai": ("xai/", "x-ai/"),
}
_LOCAL_PREFIXES = ("ollama/", "ollama_chat/", "lm_studio/", "lmstudio/", "vllm/", "hosted_vllm/", "llamacpp/")


def mended_model(name: str, url: str) -> str:
    """Return the name of a model as its server knows it: other apps write the provider before it."""
    name = _HIDDEN.sub("", name).strip(" \t\r\n\u00a0\"'`")
    host = urlsplit(url).hostname or ""
    prefixes = _PREFIXES.get(host) or (_LOCAL_PREFIXES if _is_local(host) else ())
    for prefix in prefixes:
        if name.lower().startswith(prefix) and len(name) > len(prefix):
            return name[len(prefix) :]
    if host == "openrouter.ai" and name.startswith("openrouter/") and name.count("/") > 1:
        return name.removeprefix("openrouter/")
    return name


def listed_model(name: str, listed: list[str]) -> str | None:
    """Return the listed model that a name means: itself, or the only one that differs by its case, its provider or
    Ollama's `:latest`. None if no listed model is meant.
    """
    if name in listed:
        return name
    wanted = name.casefold()
    last = wanted.rpartition("/")[2]
    for forms in ({wanted, f"{wanted}:latest"}, {last, f"{last}:latest"}):
        meant = [model for model in listed if {model.casefold(), model.casefold().rpartition("/")[2]} & forms]
        if len(meant) == 1:
            return meant[0]
    return None
