"""How much console output of user code is kept (ENGINE §6). Without pydantic, since the sandbox's worker loads it."""

CONSOLE_BYTES = 64 * 1024
CONSOLE_LINE_BYTES = 16  # counted per line besides its text, so that empty lines are limited too
