"""Why a server cannot be used now, with a message for each cause (AGENTS_AND_TOOLS §7)."""

from typing import Any

from core.errors import ToolFailed


class StartFailed(Exception):
    """A server could not be started. `cause` is stable: `command_not_found`, `bad_folder`, `not_started`, `exited`,
    `silent`, `not_mcp`, `protocol`, `unreachable`, `refused`. `message` continues after the name of the server.
    """

    def __init__(self, cause: str, message: str, **parameters: Any) -> None:
        super().__init__(message)
        self.cause = cause
        self.message = message
        self.parameters = parameters


class ConnectionLost(Exception):
    """The server exited, or its connection broke, while it was needed. `was_refused`: the call did not reach it."""

    def __init__(self, *, was_refused: bool = False) -> None:
        super().__init__()
        self.was_refused = was_refused


def exit_reason(exit_code: int | None, reason: str | None = None) -> str:
    """Return how a server ended, to continue after its name. `reason` is its transport's own."""
    if reason is not None:
        return reason
    if exit_code is None:
        return "closed its connection"
    if exit_code < 0:
        return f"was ended by signal {-exit_code}"
    return f"ended with exit code {exit_code}"


def with_last_lines(message: str, lines: list[str]) -> str:
    """Return the message with the last lines of the program's output."""
    return f"{message}. Its last output: {' | '.join(lines)}" if lines else message


def call_failure(message: str, **parameters: Any) -> ToolFailed:
    """Return the failure of a call that a server cannot take now."""
    return ToolFailed("failed", message, **{name: value for name, value in parameters.items() if value is not None})
