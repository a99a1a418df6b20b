"""The language of the window, and how it writes times and numbers.

Other packages import from here; modules of this package import each other directly.
"""

from desktop.translation.connection_strings import connection_advice, connection_failure_text
from desktop.translation.failure_strings import failure_text, model_failure_text, run_failure_advice, run_failure_text
from desktop.translation.formats import (
    ago,
    byte_size,
    compact,
    day,
    duration,
    line_counts,
    moment,
    number,
    percent,
    time_of_day,
)
from desktop.translation.languages import I18N, Language, Translation, spoken_language
from desktop.translation.name_strings import (
    INPUTS,
    SHIPPED,
    agent_display_name,
    call_in_flight,
    offline_agent_name,
    short_tool_name,
    template_description,
    template_input_text,
    tool_doing,
    tool_done,
    tool_summary,
    tool_verb,
)
from desktop.translation.request_strings import request_sentence, request_state_text
from desktop.translation.shown_text import DiffRow, ShownText, diff_rows, shown_line, shown_text

__all__ = [
    "I18N",
    "INPUTS",
    "SHIPPED",
    "DiffRow",
    "Language",
    "ShownText",
    "Translation",
    "agent_display_name",
    "ago",
    "byte_size",
    "call_in_flight",
    "compact",
    "connection_advice",
    "connection_failure_text",
    "day",
    "diff_rows",
    "duration",
    "failure_text",
    "line_counts",
    "model_failure_text",
    "moment",
    "number",
    "offline_agent_name",
    "percent",
    "request_sentence",
    "request_state_text",
    "run_failure_advice",
    "run_failure_text",
    "short_tool_name",
    "shown_line",
    "shown_text",
    "spoken_language",
    "template_description",
    "template_input_text",
    "time_of_day",
    "tool_doing",
    "tool_done",
    "tool_summary",
    "tool_verb",
]
