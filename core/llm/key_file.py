"""Keys in a file that only its owner can read: for systems without a keyring."""

import json
import os
from pathlib import Path

from core.errors import Refused
from core.threads.files import replace_private

FORMAT = 1


class KeyFile:
    """Origin → key. Everything blocks on the disk: call it in a thread, one call at a time. Without a path there is no
    place for one."""

    def __init__(self, path: Path | None) -> None:
        self._path = path

    def get(self, origin: str) -> str | None:
        """Raises Refused `keys_unreadable`: a file that is damaged, or that is not the person's alone."""
        return self._read().get(origin)

    def put(self, origin: str, key: str | None) -> None:
        """Keep a key, or with None forget it. The file is replaced whole: a crash leaves the old or the new one.

        Raises Refused `keys_unreadable`, `keys_not_writable`.
        """
        keys = self._read()
        if key is None and origin not in keys:
            return
        keys = {**keys, origin: key} if key is not None else {name: keys[name] for name in keys if name != origin}
        if self._path is None:
            raise Refused("keys_not_writable", "there is no place for a file of keys")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            replace_private(self._path, json.dumps({"format": FORMAT, "keys": keys}).encode("ascii"))
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise Refused("keys_not_writable", f"the file of keys cannot be written: {reason}") from None

    def _read(self) -> dict[str, str]:
        if self._path is None:
            return {}
        try:
            with self._path.open("rb") as file:
                self._require_private(file.fileno())
                value = json.loads(file.read())
            keys = value["keys"]
            return {str(origin): str(key) for origin, key in keys.items()}
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise _unreadable(error.strerror or type(error).__name__) from None
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            raise _unreadable("it is damaged") from None

    def _require_private(self, descriptor: int) -> None:
        """A file that others can read is taken from them; one that others can write may hold anything."""
        if os.name != "posix":
            return
        status = os.fstat(descriptor)
        if status.st_uid != os.geteuid() or status.st_mode & 0o022:
            raise OSError(None, "it belongs to somebody else, or others can write it")
        if status.st_mode & 0o077:
            os.fchmod(descriptor, 0o600)


def _unreadable(reason: str) -> Refused:
    return Refused("keys_unreadable", f"the file of keys cannot be read: {reason}")
