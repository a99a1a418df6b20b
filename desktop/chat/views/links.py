"""Which links of a text may be opened, and how one says where it goes."""

from PySide6.QtCore import QUrl, QUrlQuery

_IN_MAIL = frozenset({"subject", "body", "cc", "bcc", "to"})
_SCHEMES = frozenset({"http", "https", "mailto"})


def is_allowed(target: str) -> bool:
    """Whether the link may be opened at all: on the web with a host, or a mail address.

    A mail may have a subject and a text written for it, and nothing else: some programs would attach files.
    """
    url = QUrl(target)
    scheme = url.scheme().lower()
    if not url.isValid() or scheme not in _SCHEMES:
        return False
    if scheme != "mailto":
        return bool(url.host())
    return all(name.lower() in _IN_MAIL for name, _ in QUrlQuery(url).queryItems())


def spelled_out(url: QUrl) -> str:
    """Where it really goes: look-alike letters of a host in their ASCII form."""
    return bytes(url.toEncoded().data()).decode("ascii", "replace")
