"""The way to an address: its proxy and the certificates that are trusted (AGENTS_AND_TOOLS §11).

Providers, MCP servers over HTTP and `http_fetch` all ask here, so that one rule holds for all of them.
"""

import asyncio
import os
import ssl
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from core.network.proxies import Proxy, proxy_for

_SYSTEM_FILES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
)


class UnusableAuthority(ValueError):
    """Certificate authorities that cannot be read. The message names the file; `is_pem` is False for other content."""

    def __init__(self, message: str, *, is_pem: bool = True) -> None:
        super().__init__(message)
        self.is_pem = is_pem


@dataclass(frozen=True, slots=True)
class Route:
    """The way to an address. `tls` is None for what is not encrypted."""

    proxy: Proxy | None
    tls: ssl.SSLContext | None

    @property
    def proxy_tls(self) -> ssl.SSLContext | None:
        """What the connection to the proxy itself is encrypted by."""
        return self.tls if self.proxy is not None and self.proxy.url.startswith("https:") else None


class Network:
    """Finds the way to each address. `authorities` returns the user's own file of certificate authorities, None if
    there is none; it is asked each time, since it is a setting.
    """

    def __init__(
        self,
        authorities: Callable[[], str | None] = lambda: None,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        self._authorities = authorities
        self._environment = environment
        self._contexts: dict[str | None, ssl.SSLContext] = {}
        self._loading = asyncio.Lock()

    async def route(self, url: str, *, is_private: bool) -> Route:
        """Return the way to an address. What `is_private` goes through no proxy unencrypted, which could read it.

        Raises UnusableProxy and UnusableAuthority.
        """
        is_encrypted = url.lower().startswith("https:")
        proxy = None
        if is_encrypted or not is_private:
            if sys.platform in ("darwin", "win32"):  # may ask the system
                proxy = await asyncio.to_thread(proxy_for, url, self._environment)
            else:
                proxy = proxy_for(url, self._environment)
        needs_tls = is_encrypted or (proxy is not None and proxy.url.startswith("https:"))
        return Route(proxy, await self.trusted() if needs_tls else None)

    async def trusted(self) -> ssl.SSLContext:
        """Return the context that trusts the system's authorities and the user's own. Raises UnusableAuthority."""
        file = self._authorities()
        async with self._loading:
            if file not in self._contexts:
                self._contexts[file] = await asyncio.to_thread(_context, file)
        return self._contexts[file]


def _context(file: str | None) -> ssl.SSLContext:
    """Return a context that verifies as the system does, and trusts the user's own authorities too.

    SSL_CERT_FILE and SSL_CERT_DIR count on every system. certifi's authorities are trusted where the system has none.
    """
    chosen = [os.environ.get(name) or None for name in ("SSL_CERT_FILE", "SSL_CERT_DIR")]
    context: ssl.SSLContext
    if sys.platform in ("darwin", "win32"):
        import truststore  # late: it loads the system's libraries

        context = truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    else:
        # Not by truststore, which on Linux reads the system's file again for each connection, on the loop.
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        if not any(chosen):
            _load_system_authorities(context)
    if any(chosen):
        load_authorities(context, *chosen)
    if file is not None:
        load_authorities(context, file)
    return context


def _load_system_authorities(context: ssl.SSLContext) -> None:
    paths = ssl.get_default_verify_paths()
    if paths.cafile is not None or (paths.capath is not None and any(Path(paths.capath).glob("[0-9a-f]*.[0-9]"))):
        context.set_default_verify_paths()
        return
    # A frozen program looks where the system that it was built on has its certificates.
    import certifi

    context.load_verify_locations(next((file for file in _SYSTEM_FILES if Path(file).is_file()), certifi.where()))


def load_authorities(context: ssl.SSLContext, file: str | None, folder: str | None = None) -> None:
    """Trust the certificate authorities of a PEM file or a folder of them. Raises UnusableAuthority."""
    try:
        context.load_verify_locations(file, folder)
    except OSError as error:  # ssl.SSLError is one
        is_pem = not isinstance(error, ssl.SSLError)
        reason = error.strerror if is_pem else "it is no file of certificates in PEM form"
        message = f"the certificate authorities in {file or folder} cannot be read: {reason}"
        raise UnusableAuthority(message, is_pem=is_pem) from None


def require_authorities(file: str) -> None:
    """Raise UnusableAuthority for a file without certificate authorities."""
    load_authorities(ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), file)
