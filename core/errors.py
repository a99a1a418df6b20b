"""The exceptions that Metier raises on purpose.

    MetierError                the shared base: code, message, parameters, as_dict()
    ├── Refused                the request cannot be carried out; nothing was changed
    │   ├── NotFound           the named object does not exist
    │   └── InvalidTemplate    carries every problem of the template at once
    ├── StepFailed             a step, an iteration or a tool call ended in an error
    │   ├── RefFailed          an @ref could not be resolved
    │   ├── CodeFailed         the user's own code failed: line and column of their source
    │   └── ToolFailed         a tool returned an error or timed out
    │       └── NetworkFailed  the connection could not be made, or broke
    ├── StorageFailed          the database cannot be opened, read or written
    └── SearchFailed           the search index cannot be used; the database is intact

`code` is stable, for programs and translators; `message` is English, for logs and scripts. The desktop chooses the
text that the user reads by the code.
"""

from collections.abc import Mapping
from typing import Any


class MetierError(Exception):
    """The root of the tree.

    `parameters` are JSON values that complete the code (a limit, a path, a name). They never hold a secret.
    """

    def __init__(self, code: str, message: str, **parameters: Any) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.parameters: Mapping[str, Any] = parameters

    def as_dict(self) -> dict[str, Any]:
        """Convert to the form on the wire: `{code, message, …parameters}`."""
        return {"code": self.code, "message": self.message, **self.parameters}


class Refused(MetierError):
    """A request that cannot be carried out and changed nothing (`bad_input`, `limit_reached`, `workflow_busy`, …)."""


def workflow_busy(workflow_id: str, title: str) -> Refused:
    """Return the error for a workflow that already has an active run (ENGINE §1)."""
    return Refused("workflow_busy", f"a run of {title!r} is active; it has to end first", workflow=workflow_id)


def limit_reached(mode: str, limit: int) -> Refused:
    """Return the error for a start beyond the number of workflows that may be active in this mode (ENGINE §9)."""
    return Refused("limit_reached", f"Maximum concurrent workflows ({limit}) reached", mode=mode, limit=limit)


class NotFound(Refused):
    """The named run, workflow or template does not exist."""

    def __init__(self, kind: str, name: str) -> None:
        super().__init__("not_found", f"there is no {kind} {name!r}", kind=kind, name=name)


class InvalidTemplate(Refused):
    """A template that cannot start. `problems` holds all of its problems, as dicts of ENGINE §2."""

    def __init__(self, problems: list[dict[str, Any]]) -> None:
        count = sum(1 for problem in problems if problem["severity"] == "error")
        message = f"the template has {count} error{'s' if count != 1 else ''}"
        super().__init__("invalid_template", message, problems=problems)


class StepFailed(MetierError):
    """A step, an iteration or a tool call ended in an error. The engine records it; it is not shown as an exception."""


class RefFailed(StepFailed):
    """An @ref had no value: `unresolved_ref`, `unknown_ref` or `item_outside_for_each`.

    Parameters: `ref` as written, `path` (a JSON pointer into the resolved value) and, for `unresolved_ref`, `found`:
    the deepest part of the ref that did exist.
    """


class CodeFailed(StepFailed):
    """A code step failed: `code_error timeout not_json no_default_export typescript_error out_of_memory input_too_large
    output_too_large crashed`.

    Parameters, where known: `line` and `column` (from 1) in the user's source, `stack` (the user's functions, innermost
    first, as `{function?, line, column}`), `cause` (`{message, line?, column?, stack?, cause?}`), `path` (a JSON
    pointer, for `not_json`), and the limit that was exceeded.
    """


class ToolFailed(StepFailed):
    """A tool call failed: `not_registered not_available invalid_arguments not_allowed timeout rejected not_json
    bad_output output_too_large failed`; for a file tool also `not_found not_a_file not_a_folder not_text disk_full
    changed_since_read no_match several_matches exists no_trash`.
    """


class NetworkFailed(ToolFailed):
    """A tool had no connection, or lost it (`failed`). With `was_connected`, the request may have had its effect."""

    def __init__(self, message: str, *, was_connected: bool, **parameters: Any) -> None:
        super().__init__("failed", message, **parameters)
        self.was_connected = was_connected


class StorageFailed(MetierError):
    """The database failed: `in_use`, `store_doubtful`, `storage_not_writable`, `storage_not_readable`, `storage_full`,
    `storage_moved` (its folder is not where it was opened), `storage_stalled` (no answer in time) or `storage_failed`;
    for the rows of a single run, `unreadable`.
    """


class SearchFailed(MetierError):
    """The search index failed: `search_broken` (it must be rebuilt) or `search_unavailable`. The database is intact."""
