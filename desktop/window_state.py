"""`window.json`: what the window needs before its first paint.

Standard library only, since it is read before anything else is loaded. All other settings are in the database.
"""

import json
import math
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args

SchemeName = Literal["system", "light", "dark"]
LanguageName = Literal["system", "en", "fr"]

MOST_BYTES = 1_000_000
LEAST_ZOOM = 0.8
MOST_ZOOM = 2.0

_FURTHEST_PX = 100_000
_LONGEST_ID = 200
_MOST_NAMES = 20

N = TypeVar("N", bound=str)


@dataclass(frozen=True, slots=True)
class Geometry:
    """The window's rectangle when it is neither maximized nor minimized, in device-independent pixels; it may lie off
    every screen.
    """

    x: int
    y: int
    width: int
    height: int
    is_maximized: bool = False


@dataclass(frozen=True, slots=True)
class WindowState:
    """`geometry` is None if the window was never placed, `viewed_workflow` if none is open.

    `others` are fields of a later version: they are written back as they were read.
    """

    scheme: SchemeName = "system"
    language: LanguageName = "system"
    zoom: float = 1.0
    reduced_motion: bool = False
    enter_sends: bool = True
    """Enter sends a message and Shift+Enter begins a line; else Ctrl+Enter sends."""
    is_sidebar_collapsed: bool = False
    is_activity_collapsed: bool = False
    folded_sections: tuple[str, ...] = ()
    """The sections of the sidebar whose rows are not seen."""
    viewed_workflow: str | None = None
    geometry: Geometry | None = None
    keys: Mapping[str, Any] = field(default_factory=dict)
    """A person's own keys by command, as they were read: what cannot be used is kept too (UI §8)."""
    others: Mapping[str, Any] = field(default_factory=dict)


def read(path: Path) -> WindowState:
    """Return the saved state. Never fails: a field that is missing or invalid has its default."""
    kept = _read_object(path)
    usual = WindowState()
    return WindowState(
        scheme=_name(kept.get("scheme"), get_args(SchemeName), usual.scheme),
        language=_name(kept.get("language"), get_args(LanguageName), usual.language),
        zoom=_zoom(kept.get("zoom"), usual.zoom),
        reduced_motion=_claim(kept.get("reduced_motion"), usual.reduced_motion),
        enter_sends=_claim(kept.get("enter_sends"), usual.enter_sends),
        is_sidebar_collapsed=_claim(kept.get("is_sidebar_collapsed"), usual.is_sidebar_collapsed),
        is_activity_collapsed=_claim(kept.get("is_activity_collapsed"), usual.is_activity_collapsed),
        folded_sections=_names(kept.get("folded_sections")),
        viewed_workflow=_id(kept.get("viewed_workflow")),
        geometry=_geometry(kept.get("geometry")),
        keys=_object(kept.get("keys")),
        others={name: value for name, value in kept.items() if name not in _OWN} | _unread_keys(kept),
    )


def write(path: Path, state: WindowState) -> None:
    """Replace the file atomically, so that a crash leaves the old or the new state; readable by its owner only.

    Makes the folder if necessary. Raises OSError if the disk refuses: the old file then stays.
    """
    own = {name: getattr(state, name) for name in _OWN}
    text = json.dumps({**state.others, **own, "geometry": state.geometry and asdict(state.geometry)})
    replace_file(path, text.encode())


def replace_file(path: Path, data: bytes) -> None:
    """Replace the file by `data` atomically; make the folder if necessary. Raises OSError as `write` does."""
    from core.threads.files import make_private_folder, replace_private  # late: nothing of it before the first paint

    make_private_folder(path.parent)
    replace_private(path, data)


def read_small_file(path: Path, most_bytes: int) -> bytes:
    """Return the content of a small regular file.

    Raises OSError, FileNotFoundError also for anything but a regular file (a pipe would block), and ValueError for a
    larger file.
    """
    if not path.is_file():
        raise FileNotFoundError(path.name)
    with path.open("rb") as file:
        data = file.read(most_bytes + 1)
    if len(data) > most_bytes:
        raise ValueError(f"{path.name} has more than {most_bytes} bytes")
    return data


_OWN = tuple(each.name for each in fields(WindowState) if each.name != "others")


def _read_object(path: Path) -> dict[str, Any]:
    try:
        kept = json.loads(read_small_file(path, MOST_BYTES))
    except (ValueError, RecursionError):
        kept = None
    except OSError:
        return {}
    if isinstance(kept, dict):
        return kept
    with suppress(OSError):  # half a file, or another one: the next is written beside it, not over it
        path.replace(path.with_name(f"{path.name}.unread"))
    return {}


def _name(kept: object, known: tuple[N, ...], default: N) -> N:
    return next((name for name in known if name == kept), default)


def _zoom(kept: object, default: float) -> float:
    if isinstance(kept, bool) or not isinstance(kept, int | float) or not -math.inf < kept < math.inf:
        return default
    return float(min(max(kept, LEAST_ZOOM), MOST_ZOOM))


def _claim(kept: object, default: bool) -> bool:
    return kept if isinstance(kept, bool) else default


def _unread_keys(kept: dict[str, Any]) -> dict[str, Any]:
    """Return keys that are no object under another name, since `keys` is written anew."""
    keys = kept.get("keys")
    return {} if keys is None or isinstance(keys, dict) else {"unread_keys": keys}


def _object(kept: object) -> Mapping[str, Any]:
    return kept if isinstance(kept, dict) else {}


def _names(kept: object) -> tuple[str, ...]:
    found = kept if isinstance(kept, list) else []
    return tuple(one for one in found[:_MOST_NAMES] if isinstance(one, str) and len(one) <= _LONGEST_ID)


def _id(kept: object) -> str | None:
    return kept if isinstance(kept, str) and 0 < len(kept) <= _LONGEST_ID else None


def _geometry(kept: object) -> Geometry | None:
    """Return the complete geometry or None: half a rectangle is no use."""
    if not isinstance(kept, dict):
        return None
    x, y, width, height = (_pixels(kept.get(name)) for name in ("x", "y", "width", "height"))
    if x is None or y is None or width is None or height is None or width < 1 or height < 1:
        return None
    return Geometry(x, y, width, height, _claim(kept.get("is_maximized"), False))


def _pixels(kept: object) -> int | None:
    if isinstance(kept, int) and not isinstance(kept, bool) and abs(kept) <= _FURTHEST_PX:
        return kept
    return None
