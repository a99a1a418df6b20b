"""Web addresses as `http_fetch` accepts them, and whether they are public (AGENTS_AND_TOOLS §5). Pure.

A host is parsed as in browsers: lower case, no trailing dot, international names in ASCII form, and every notation
that the system accepts for an IPv4 address (`0x7f.1`, `2130706433`) as that address. Each address thus has one
spelling, and the address that is checked is the address that is connected to.
"""

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import quote, urljoin, urlsplit

MAX_URL_CHARACTERS = 8_192
PORTS = {"http": 80, "https": 443}

IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address

_ORIGIN = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_UNPRINTABLE = re.compile("[\0-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_NAME = re.compile(
    r"(?=.{1,253}\Z)(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
)
_BRACKETS = re.compile(r"\[[^\[\]]*\](?::[0-9]*)?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_KEPT = "!#$%&'()*+,/:;=?@[]~-._|"

# From IANA's special-purpose registries. `ipaddress.is_global` is not enough: its answers change between Python
# versions, it knows nothing of cloud metadata, and the error names the kind of address.
_NON_PUBLIC = tuple(
    (ipaddress.ip_network(network), what)
    for what, networks in {
        "an unspecified address": ("0.0.0.0/8", "::/128"),
        "a loopback address": ("127.0.0.0/8", "::1/128"),
        "a private address": ("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7", "fec0::/10"),
        "an address of the provider's own network": ("100.64.0.0/10",),
        "the address of a cloud's metadata": ("169.254.169.254/32", "168.63.129.16/32", "fd00:ec2::254/128"),
        "a link-local address": ("169.254.0.0/16", "fe80::/10"),
        "a multicast address": ("224.0.0.0/4", "ff00::/8"),
        "an IPv4 address in an IPv6 one": ("::ffff:0:0/96", "::/96", "64:ff9b::/96", "64:ff9b:1::/48", "2002::/16"),
        "a reserved address": (
            *("192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24"),
            *("240.0.0.0/4", "2001::/23", "2001:db8::/32", "3fff::/20"),
        ),
    }.items()
    for network in networks
)
_GLOBAL_V6 = ipaddress.ip_network("2000::/3")


@dataclass(frozen=True, slots=True)
class WebAddress:
    """A parsed address. `host` is an ASCII name in lower case or an IP address, IPv6 without brackets. `target` is the
    path with the query, percent-encoded.
    """

    scheme: str
    host: str
    port: int
    target: str = "/"

    @property
    def authority(self) -> str:
        """The host as written in an address, with the port unless it is the default."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if PORTS[self.scheme] == self.port else f"{host}:{self.port}"

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        return f"{self.scheme}://{self.authority}"

    @property
    def url(self) -> str:
        """The whole address."""
        return self.origin + self.target

    @property
    def ip(self) -> IpAddress | None:
        """The IP address of the host; None if it is a name."""
        return parse_ip(self.host)

    def joined(self, location: str) -> "WebAddress":
        """Resolve the target of a redirect from here. Raises ValueError like `parse_address`."""
        return parse_address(urljoin(self.url, location.strip()))


def parse_address(url: str) -> WebAddress:
    """Parse a URL. Raises ValueError with the reason, which never contains secrets of the URL."""
    if len(url) > MAX_URL_CHARACTERS:
        raise ValueError(f"it is longer than {MAX_URL_CHARACTERS:,} characters")
    if _UNPRINTABLE.search(url) or "\\" in url:
        raise ValueError("it contains a backslash or an invisible character")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ValueError("its host or port is invalid") from error
    scheme = parts.scheme.lower()
    if scheme not in PORTS:
        raise ValueError("it does not begin with http:// or https://")
    if "@" in parts.netloc:
        raise ValueError("it contains a user name or a password; use an Authorization header instead")
    if not parts.netloc or port == 0:
        raise ValueError("it has no host" if not parts.netloc else "0 is not a port")
    query = f"?{parts.query}" if parts.query else ""
    target = quote((parts.path or "/") + query, safe=_KEPT)
    return WebAddress(
        scheme, _host(parts.netloc, parts.hostname or ""), PORTS[scheme] if port is None else port, target
    )


def described_host(text: str) -> tuple[str | None, bool, bool]:
    """Return the host that an address of any kind leads to, None if it has none, for showing it plainly: in ASCII, an
    IPv4 address in its usual notation. And whether a user name stands before it, and whether it is written in letters
    that may look like others.
    """
    is_url = "://" in text
    try:
        parts = urlsplit(text.strip() if is_url else f"//{text.strip()}")
        host = parts.hostname or ""
    except ValueError:
        return None, "@" in text, not text.isascii()
    is_look_alike = not host.isascii() or any(label.startswith("xn--") for label in host.split("."))
    if not host or (not is_url and not is_look_alike):  # a name or a mail address, as it is written
        return None, False, False
    try:
        host = _host(parts.netloc.rpartition("@")[2], host)
    except ValueError:
        host = host.encode("ascii", "backslashreplace").decode()
    return host, is_url and ("@" in parts.netloc or "\\" in parts.netloc), is_look_alike


def is_origin(place: str) -> bool:
    """Return whether an allowed location is an origin rather than a folder."""
    return _ORIGIN.match(place) is not None


def validated_origin(place: str) -> str:
    """Validate and normalize an origin. Raises ValueError."""
    address = parse_address(place)
    if address.target != "/":
        raise ValueError("an origin consists of scheme, host and port, without a path")
    return address.origin


def parse_ip(host: str) -> IpAddress | None:
    """Return the IP address of that text, or None."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def non_public_kind(ip: IpAddress) -> str | None:
    """Return what kind of non-public address it is; None if it is public."""
    for network, kind in _NON_PUBLIC:
        if ip.version == network.version and ip in network:
            return kind
    if isinstance(ip, ipaddress.IPv6Address) and (ip.scope_id is not None or ip not in _GLOBAL_V6):
        return "no public address"
    return None


def public_addresses(addresses: Iterable[str]) -> list[str]:
    """Return the public addresses among these."""
    parsed = ((address, parse_ip(address)) for address in addresses)
    return [address for address, ip in parsed if ip is not None and non_public_kind(ip) is None]


def _host(netloc: str, host: str) -> str:
    if netloc.startswith("["):
        ip = parse_ip(host) if _BRACKETS.fullmatch(netloc) else None
        if not isinstance(ip, ipaddress.IPv6Address) or ip.scope_id is not None:
            raise ValueError("its IPv6 address is invalid")
        return str(ip)
    name = host if host.isascii() else _ascii(host)
    name = name.lower().removesuffix(".")
    if not _NAME.fullmatch(name):
        raise ValueError("its host is neither a name nor an address")
    if _NUMBER.fullmatch(name.rpartition(".")[2]):
        return str(_ipv4(name))
    return name


def _ascii(host: str) -> str:
    import idna  # late: loading its tables is slow

    try:
        mapped = idna.uts46_remap(host, std3_rules=True, transitional=False)
        return mapped if mapped.isascii() else idna.encode(mapped.removesuffix("."), uts46=False).decode("ascii")
    except (idna.IDNAError, UnicodeError, IndexError) as error:
        raise ValueError("its host is not a valid name") from error


def _ipv4(name: str) -> ipaddress.IPv4Address:
    """Return the address as system resolvers parse it.

    One to four parts, each decimal, octal or hexadecimal; the last part fills the remaining bytes. Raises ValueError.
    """
    parts = [_number(part) for part in name.split(".")]
    *first, last = (part if part is not None else 1 << 32 for part in parts)
    if len(first) > 3 or any(part > 255 for part in first) or last >= 256 ** (4 - len(first)):
        raise ValueError("its host is neither a name nor an IPv4 address")
    value = last + sum(part << 8 * (3 - place) for place, part in enumerate(first))
    return ipaddress.IPv4Address(value)


def _number(part: str) -> int | None:
    """Return the number; None if it is invalid or far too large."""
    try:
        if len(part) > 40:
            return None
        if part.startswith("0x"):
            return int(part[2:] or "0", 16)
        return int(part, 8) if part.startswith("0") and part != "0" else int(part, 10)
    except ValueError:
        return None
