"""Names that models take: letters, digits, `_` and `-`, 64 of them at most (AGENTS_AND_TOOLS §7)."""

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Iterable

from core.domain.ids import ServerId
from core.domain.mcp_server import ID_CHARACTERS

NAME_CHARACTERS = 64
_HASH_CHARACTERS = 6
_ILLEGAL = re.compile(r"[^A-Za-z0-9_-]+")


def server_id(name: str, taken: Collection[str]) -> ServerId:
    """What a server is called in the names of its tools: without `__`, which ends it there, and unlike those taken."""
    plain = re.sub(r"_{2,}", "_", _ILLEGAL.sub("_", name)).strip("_-").lower()[:ID_CHARACTERS].strip("_-") or "server"
    found, number = plain, 1
    while found in taken:
        number += 1
        end = f"_{number}"
        found = plain[: ID_CHARACTERS - len(end)].rstrip("_-") + end
    return ServerId(found)


def tool_names(server: str, names: Iterable[str]) -> dict[str, str]:
    """The server's own names → those under which its tools are registered, `mcp__SERVER__TOOL`.

    A name that is legal stays as it is. One that had to be changed, and would be another's then or is too long, ends
    with a few characters that belong to the original; so it is the same in whatever order the tools come.
    """
    prefix = f"mcp__{server}__"
    room = NAME_CHARACTERS - len(prefix)
    originals = list(dict.fromkeys(names))
    plain = {name: _ILLEGAL.sub("_", name) or "_" for name in originals}
    uses = Counter(plain.values())
    found = {}
    for name in originals:
        short = plain[name]
        if len(short) > room or (short != name and uses[short] > 1):
            digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH_CHARACTERS]
            short = f"{short[: room - _HASH_CHARACTERS - 1]}_{digest}"
        found[name] = prefix + short
    return found
