"""Which proxy an address is reached through (AGENTS_AND_TOOLS §11).

The variables are those that every program reads: HTTPS_PROXY or HTTP_PROXY by the scheme of the address, then
ALL_PROXY; lower case before upper case, and an empty variable means none. On macOS and Windows the settings of the
system follow, if no variable is set. This machine is always reached directly, and so is what NO_PROXY lists.
"""

import ipaddress
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import quote, urlsplit

from core.domain.model import is_loopback

_PORTS = {"http": 80, "https": 443, "socks5": 1080, "socks5h": 1080}
# Desktops export `socks://`, and mean version 5.
_ALIASES = {"socks": "socks5"}
_SUPPORTED = "http://, https://, socks5:// and socks5h://"
_USER = ":%!$&'()*+,;=~-._"
SYSTEM = "the system's settings"


class UnusableProxy(ValueError):
    """A proxy that cannot be used. `variable` is where it is named; the message never shows a password."""

    def __init__(self, variable: str, shown: str, reason: str) -> None:
        super().__init__(f"{variable} names the proxy {shown}, which cannot be used: {reason}")
        self.variable = variable


@dataclass(frozen=True, slots=True)
class Proxy:
    """A proxy. `url` has a port, and may hold a password: it is not shown. `variable` is where it is named."""

    url: str = field(repr=False)
    variable: str

    @property
    def shown(self) -> str:
        """The address without user name and password."""
        scheme, _, rest = self.url.partition("://")
        return f"{scheme}://{rest.rpartition('@')[2]}"

    def __str__(self) -> str:
        return f"the proxy {self.shown} ({self.variable})"


def proxy_for(url: str, environment: Mapping[str, str]) -> Proxy | None:
    """Return the proxy of an address, None if it is reached directly. Raises UnusableProxy."""
    if is_loopback(url):
        return None
    scheme = urlsplit(url).scheme
    named = {scheme: _variable(f"{scheme}_proxy", environment), "all": _variable("all_proxy", environment)}
    is_named = any(name.lower() in ("http_proxy", "https_proxy", "all_proxy") for name in environment)
    # A web server passes the header `Proxy:` of a request to its programs in HTTP_PROXY.
    if scheme == "http" and "REQUEST_METHOD" in environment and named["http"] and named["http"][0] == "HTTP_PROXY":
        named["http"] = None
    found = named[scheme] or named["all"]
    if found is not None:
        no_proxy = _variable("no_proxy", environment)
        return _parsed(*found) if found[1] and not _is_listed(url, no_proxy[1] if no_proxy else "") else None
    return None if is_named or sys.platform not in ("darwin", "win32") else _proxy_of_system(url)


def _variable(name: str, environment: Mapping[str, str]) -> tuple[str, str] | None:
    """Return the name and the value of a variable, lower case first."""
    return next(((key, environment[key].strip()) for key in (name, name.upper()) if key in environment), None)


def _proxy_of_system(url: str) -> Proxy | None:
    from urllib import request

    host = urlsplit(url).hostname or ""
    find: Callable[[], Mapping[str, str]] = request.getproxies
    bypass: Callable[[str], object] = request.proxy_bypass
    if bypass(host):
        return None
    proxies = find()
    value = proxies.get(urlsplit(url).scheme)
    if not value and (socks := proxies.get("socks")):
        value = f"socks5://{socks.rpartition('://')[2]}"  # the system gives it as http://
    return _parsed(SYSTEM, value) if value else None


def _parsed(variable: str, value: str) -> Proxy:
    scheme, _, rest = (value if "://" in value else f"http://{value}").partition("://")
    scheme = _ALIASES.get(scheme.lower(), scheme.lower())
    # A password is often written as it is, with signs that an address has to encode.
    user, at, place = rest.rpartition("@")
    place = re.split("[/?#]", place)[0]
    shown = f"{scheme}://{place}"
    if scheme not in _PORTS:
        raise UnusableProxy(variable, shown, f"supported are {_SUPPORTED}")
    try:
        parts = urlsplit(shown)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        host, port = "", None
    if not host or port == 0 or not place.isprintable() or " " in place:
        raise UnusableProxy(variable, shown, "it has no host, or no valid port")
    host = f"[{host}]" if ":" in host else host
    return Proxy(f"{scheme}://{quote(user, safe=_USER)}{at}{host}:{port or _PORTS[scheme]}", variable)


def _is_listed(url: str, no_proxy: str) -> bool:
    """Return whether NO_PROXY lists the address: a name and the names below it, with or without a leading dot or `*.`;
    an IP address or a network; each with or without a port; `*` is everything.
    """
    parts = urlsplit(url)
    host, port = (parts.hostname or "").rstrip("."), parts.port or _PORTS.get(parts.scheme)
    return any(_matches(entry.lower(), host, port) for entry in re.split(r"[,\s]+", no_proxy) if entry)


def _matches(entry: str, host: str, port: int | None) -> bool:
    if entry == "*":
        return True
    entry = entry.rpartition("://")[2]
    is_with_port = re.fullmatch(r"(\[[^\]]+\]|[^:]+):([0-9]{1,5})", entry)
    if is_with_port:
        if int(is_with_port[2]) != port:
            return False
        entry = is_with_port[1]
    entry = entry.removeprefix("[").removesuffix("]")
    try:
        return ipaddress.ip_address(host) in ipaddress.ip_network(entry, strict=False)
    except (ValueError, TypeError):
        name = entry.removeprefix("*").strip(".")
        return bool(name) and (host == name or host.endswith(f".{name}"))
