"""Every error that Metier raises on purpose.

    MetierError                what all of them share: code, message, parameters, as_dict()
    ├── Refused                somebody asked for what cannot be done; nothing was changed
    │   ├── NotFound           the thing named does not exist
    │   └── InvalidTemplate    carries every problem of the template at once
    ├── StepFailed             a step, an iteration or a tool call ended in an error
    │   ├── RefFailed          an @ref could not be resolved
    │   ├── CodeFailed         the person's own code: carries line and column of their source
    │   └── ToolFailed         a tool said no, or did not answer
    │       └── NetworkFailed  it found no connection, or lost it
    ├── StorageFailed          the database cannot be opened, read or written
    └── SearchFailed           the same of the index that is made from it

`code` is stable and made for machines and translators; `message` is English, for logs and scripts.
The words that a person reads in the window are chosen by code in the desktop.
"""

from collections.abc import Mapping
from typing import Any


class MetierError(Exception):
    """Root of the tree.

    `parameters` are JSON values that complete the code (a limit, a path, a name); they never hold a secret.
    """

    def __init__(self, code: str, message: str, **parameters: Any) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.parameters: Mapping[str, Any] = parameters

    def as_dict(self) -> dict[str, Any]:
        """The error as it stands on the wire: `{code, message, …parameters}`."""
        return {"code": self.code, "message": self.message, **self.parameters}


class Refused(MetierError):
    """A request that cannot be carried out. It left no trace (`bad_input`, `limit_reached`, `workflow_busy`, …)."""


def workflow_busy(workflow_id: str, title: str) -> Refused:
    """A workflow has one active run at a time (ENGINE §1)."""
    return Refused("workflow_busy", f"a run of {title!r} is active; it has to end first", workflow=workflow_id)


def limit_reached(mode: str, limit: int) -> Refused:
    """So many workflows are active that none of this mode may be started beside them (ENGINE §9)."""
    return Refused("limit_reached", f"Maximum concurrent workflows ({limit}) reached", mode=mode, limit=limit)


class NotFound(Refused):
    """The run, workflow or template named does not exist."""

    def __init__(self, kind: str, name: str) -> None:
        super().__init__("not_found", f"there is no {kind} {name!r}", kind=kind, name=name)


class InvalidTemplate(Refused):
    """A template that cannot start. `problems` holds all of them, as dicts of ENGINE §2."""

    def __init__(self, problems: list[dict[str, Any]]) -> None:
        count = sum(1 for problem in problems if problem["severity"] == "error")
        message = f"the template has {count} error{'s' if count != 1 else ''}"
        super().__init__("invalid_template", message, problems=problems)


class StepFailed(MetierError):
    """A step, an iteration or a tool call ended in an error. It is recorded, not thrown at the person."""


class RefFailed(StepFailed):
    """An @ref had no value: `unresolved_ref`, `unknown_ref` or `item_outside_for_each`.

    Parameters: `ref` as written, `path` (a JSON pointer into the value that was resolved) and, for
    `unresolved_ref`, `found`: the deepest part of the ref that did exist.
    """


class CodeFailed(StepFailed):
    """A code step: `code_error timeout not_json no_default_export typescript_error out_of_memory
    input_too_large output_too_large crashed`.

    Parameters, where they are known: `line` and `column` (from 1) in the person's source, `stack` (their functions, the
    innermost first, as `{function?, line, column}`), `cause` (`{message, line?, column?, stack?, cause?}`), `path` (a
    JSON pointer, for `not_json`), and the limit that was met.
    """


class ToolFailed(StepFailed):
    """A tool call: `not_registered not_available invalid_arguments not_allowed timeout rejected not_json
    bad_output output_too_large failed`; of a file tool also `not_found not_a_file not_a_folder not_text disk_full`."""


class NetworkFailed(ToolFailed):
    """A tool had no connection, or it broke (`failed`). `was_connected`: what was sent may have had its effect."""

    def __init__(self, message: str, *, was_connected: bool, **parameters: Any) -> None:
        super().__init__("failed", message, **parameters)
        self.was_connected = was_connected


class StorageFailed(MetierError):
    """The store: `in_use`, `store_doubtful`, `storage_not_writable`, `storage_full` or `storage_failed`; of the rows of
    one run, `unreadable`."""


class SearchFailed(MetierError):
    """The index of all texts: `search_broken`, it has to be made anew, or `search_unavailable`. The store is whole."""
