"""Building blocks of the window: they take values and emit intents, and import no store.

Other packages import them from here; modules of this package import each other directly.
"""

from desktop.widgets.accessibility import announce, announcement_queue, queue_announcement, set_role
from desktop.widgets.adaptive import Adaptive
from desktop.widgets.buttons import Button, ButtonKind, IconButton, with_keys
from desktop.widgets.choices import ChoiceCard, ChoiceCards, Segmented
from desktop.widgets.combo_box import ComboBox, limit_width
from desktop.widgets.diff_view import DiffSection, DiffView, language_of
from desktop.widgets.indicators import (
    Indicator,
    StatusDot,
    badge_size,
    dot_place,
    indicator_text,
    paint_badge,
    paint_dots,
    paint_indicator,
    paint_pulsing_ring,
    paint_sign,
    paint_unread,
    paint_unread_mark,
    unread_text,
)
from desktop.widgets.labels import (
    Chip,
    ElidedLabel,
    IconLabel,
    KeyHint,
    Label,
    ShorteningLabel,
    Tone,
    plain_tool_tip,
    set_plain_tool_tip,
)
from desktop.widgets.layouts import Card, Surface, column_of, has_focus_within, row_of, show_when
from desktop.widgets.list_search import ROW_ROLE, RowModel, SearchOverlay, folded, matches
from desktop.widgets.menu_key import opens_menu
from desktop.widgets.messages import Banner, EmptyState, QuestionBox
from desktop.widgets.multi_line_edit import MultiLineEdit, raw_text
from desktop.widgets.painting import (
    background_color,
    draw_line,
    paint_cursor,
    paint_focus,
    paint_ground,
    paint_icon,
    paint_note,
    paint_outline,
    paint_text,
)
from desktop.widgets.paragraph import Paragraph
from desktop.widgets.preedit import Preedit
from desktop.widgets.shadow import Shadow
from desktop.widgets.value_views import SHOWN_CHARACTERS, GrowingText, ReadOnlyText, ValueSection, ValueText

__all__ = [
    "ROW_ROLE",
    "SHOWN_CHARACTERS",
    "Adaptive",
    "Banner",
    "Button",
    "ButtonKind",
    "Card",
    "Chip",
    "ChoiceCard",
    "ChoiceCards",
    "ComboBox",
    "DiffSection",
    "DiffView",
    "ElidedLabel",
    "EmptyState",
    "GrowingText",
    "IconButton",
    "IconLabel",
    "Indicator",
    "KeyHint",
    "Label",
    "MultiLineEdit",
    "Paragraph",
    "Preedit",
    "QuestionBox",
    "ReadOnlyText",
    "RowModel",
    "SearchOverlay",
    "Segmented",
    "Shadow",
    "ShorteningLabel",
    "StatusDot",
    "Surface",
    "Tone",
    "ValueSection",
    "ValueText",
    "announce",
    "announcement_queue",
    "background_color",
    "badge_size",
    "column_of",
    "dot_place",
    "draw_line",
    "folded",
    "has_focus_within",
    "indicator_text",
    "language_of",
    "limit_width",
    "matches",
    "opens_menu",
    "paint_badge",
    "paint_cursor",
    "paint_dots",
    "paint_focus",
    "paint_ground",
    "paint_icon",
    "paint_indicator",
    "paint_note",
    "paint_outline",
    "paint_pulsing_ring",
    "paint_sign",
    "paint_text",
    "paint_unread",
    "paint_unread_mark",
    "plain_tool_tip",
    "queue_announcement",
    "raw_text",
    "row_of",
    "set_plain_tool_tip",
    "set_role",
    "show_when",
    "unread_text",
    "with_keys",
]
