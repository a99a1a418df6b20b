"""Which calls need a person's consent (AGENTS_AND_TOOLS §6). Pure.

Where nobody can be asked, a call that needs consent is refused and never run.
"""

from typing import assert_never

from core.domain.template import ValidationMode
from core.domain.tool import Category, Effect
from core.errors import ToolFailed
from core.tools.registry import Arguments, Tool

ALWAYS = frozenset({Category.SUB_AGENTS, Category.MCP})
UNLESS_READ_ONLY = frozenset({Category.FILES, Category.DATABASE})


def require_consent(tool: Tool, arguments: Arguments, mode: ValidationMode) -> None:
    """Raises ToolFailed `rejected` for a call that a person would have to agree to."""
    if needs_consent(tool, arguments, mode):
        raise ToolFailed("rejected", f"{tool.info.name} needs a person's consent, and nobody can be asked here")


def needs_consent(tool: Tool, arguments: Arguments, mode: ValidationMode) -> bool:
    """Whether a person has to agree before this call, in a run of this mode."""
    match mode:
        case ValidationMode.AUTO:
            return False
        case ValidationMode.MANUAL:
            return True
        case ValidationMode.SELECTIVE:
            category = tool.info.category
            return category in ALWAYS or (category in UNLESS_READ_ONLY and tool.effect(arguments) is not Effect.NONE)
        case _:
            assert_never(mode)
