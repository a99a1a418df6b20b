"""Which links of a text may be opened, and how one says where it goes."""

from PySide6.QtCore import QUrl

_SCHEMES = frozenset({"http", "https", "mailto"})


def is_allowed(target: str) -> bool:
    """Whether the link may be opened at all: on the web with a host, or a mail address."""
    url = QUrl(target)
    scheme = url.scheme().lower()
    return url.isValid() and scheme in _SCHEMES and (bool(url.host()) or scheme == "mailto")


def spelled_out(url: QUrl) -> str:
    """Where it really goes: look-alike letters of a host in their ASCII form."""
    return bytes(url.toEncoded().data()).decode("ascii", "replace")
