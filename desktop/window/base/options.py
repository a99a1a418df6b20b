"""The options of the picker, agents and models, and the delegate that paints them."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from core.domain.agent import Agent, AgentSelection
from core.domain.model import ModelChoice, is_loopback, origin_of
from desktop.theme import Icon, TextRole, Theme
from desktop.translation import offline_agent_name
from desktop.widgets import (
    Indicator,
    background_color,
    paint_ground,
    paint_sign,
    paint_text,
    paint_unread_mark,
)

translate = QCoreApplication.translate  # lupdate finds texts by this name


@dataclass(frozen=True, slots=True)
class OptionHeading:
    """The title of a section."""

    title: str


@dataclass(frozen=True, slots=True)
class Option:
    """A choice of agent and model; `answering` None: it opens the settings. Or a workflow, with the `sign` of its state
    and a mark if it `is_unread`.
    """

    title: str
    note: str
    answering: AgentSelection | None
    is_current: bool = False
    sign: Indicator | None = None
    is_unread: bool = False


@dataclass(frozen=True, slots=True)
class ResolvedAnswering:
    """The agent and model of a workflow: `answering` as chosen, and resolved. `model` None: the offline agent."""

    answering: AgentSelection
    agent: Agent
    model: ModelChoice | None


def model_label(model: ModelChoice | None) -> str:
    return offline_agent_name() if model is None else model.label


def host_label(model: ModelChoice) -> str:
    """Return the host of a model."""
    host = origin_of(model.base_url).partition("://")[2]
    return translate("Picker", "{host}, on this computer").format(host=host) if is_loopback(model.base_url) else host


def answering_options(
    resolved: ResolvedAnswering, agents: Sequence[Agent], models: Sequence[ModelChoice], usual: ModelChoice | None
) -> list[OptionHeading | Option]:
    """Return all options with headings; `usual` is the model of the settings."""
    return [
        OptionHeading(translate("Picker", "Agents")),
        *(_agent_option(resolved, agent, usual) for agent in agents),
        OptionHeading(translate("Picker", "Models")),
        *(_model_option(resolved, model) for model in _known_models(resolved, models)),
        Option(
            offline_agent_name(),
            translate("Picker", "follows commands"),
            AgentSelection(agent=resolved.agent.id, is_offline=True),
            resolved.model is None,
        ),
        Option(translate("Picker", "Connect a model…"), translate("Picker", "opens the settings"), None),
    ]


def _agent_option(resolved: ResolvedAnswering, agent: Agent, usual: ModelChoice | None) -> Option:
    """Return the option of an agent. An agent without a model of its own keeps the current model."""
    if agent.model is not None:
        note = agent.model.label
        answering = AgentSelection(agent=agent.id)
    else:
        note = translate("Picker", "any model")
        # the model that the present agent brought goes with it: another agent continues with that of the settings
        chosen = resolved.answering
        is_of_agent = resolved.agent.model is not None and chosen.model is None and not chosen.is_offline
        model = usual if is_of_agent else resolved.model
        answering = AgentSelection(agent=agent.id, model=model, is_offline=model is None)
    return Option(agent.name, note, answering, agent.id == resolved.agent.id)


def _model_option(resolved: ResolvedAnswering, model: ModelChoice) -> Option:
    answering = AgentSelection(agent=resolved.agent.id, model=model)
    return Option(model.label, host_label(model), answering, model.is_same(resolved.model))


def _known_models(resolved: ResolvedAnswering, models: Sequence[ModelChoice]) -> list[ModelChoice]:
    """Return the models of the settings, and the current model if it is not among them."""
    known = list(models)
    if resolved.model is not None and not any(model.is_same(resolved.model) for model in known):
        known.append(resolved.answering.model or resolved.agent.model or resolved.model)
    return sorted(known, key=lambda model: (model.label.casefold(), model.base_url))


OPTION_ROLE = Qt.ItemDataRole.UserRole
"""The OptionHeading or the Option of a row."""


class OptionDelegate(QStyledItemDelegate):
    """Paints an option: check mark or sign, title, and a note at the right, which gets a third of the row if needed."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, _option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        sizes = self._theme.sizes
        is_heading = isinstance(index.data(OPTION_ROLE), OptionHeading)
        return QSize(sizes.control, sizes.control_small if is_heading else sizes.control + sizes.space_xs)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        entry, sizes, theme = index.data(OPTION_ROLE), self._theme.sizes, self._theme
        box = QRect(option.rect)
        inner = box.adjusted(sizes.space_s, 0, -sizes.space_s, 0)
        if isinstance(entry, OptionHeading):
            paint_text(painter, theme, entry.title, inner, "section", "muted")
        elif isinstance(entry, Option):
            if (color := background_color(option)) is not None:
                paint_ground(painter, theme, box, sizes.radius_row, color)
            if entry.sign is not None:
                paint_sign(painter, theme, entry.sign, inner, option.widget)
            elif entry.is_current:
                self._paint_check(painter, inner)
            inner.setLeft(inner.left() + sizes.icon_s + sizes.space_s)
            if entry.is_unread:
                inner = paint_unread_mark(painter, theme, inner)
            role: TextRole = "row_unread" if entry.is_unread else "row"
            note = min(QFontMetrics(theme.font("secondary")).horizontalAdvance(entry.note) + 1, inner.width() // 3)
            available = inner.width() - note - sizes.space_m
            title = min(available, QFontMetrics(theme.font(role)).horizontalAdvance(entry.title) + 1)
            paint_text(painter, theme, entry.title, inner.adjusted(0, 0, title - inner.width(), 0), role, "text")
            rest = inner.adjusted(title + sizes.space_m, 0, 0, 0)
            paint_text(painter, theme, entry.note, rest, "secondary", "muted", Qt.AlignmentFlag.AlignRight)

    def width_of(self, option: Option) -> int:
        """Return the width that shows the whole option."""
        sizes, theme = self._theme.sizes, self._theme
        text = QFontMetrics(theme.font("row")).horizontalAdvance(option.title) + 2
        text += QFontMetrics(theme.font("secondary")).horizontalAdvance(option.note) + 2
        return text + sizes.icon_s + sizes.space_m + 3 * sizes.space_s

    def _paint_check(self, painter: QPainter, box: QRect) -> None:
        side = self._theme.sizes.icon_s
        pixmap = self._theme.pixmap(Icon.CHECK, "accent", side, painter.device().devicePixelRatio())
        painter.drawPixmap(box.left(), box.top() + (box.height() - side) // 2, pixmap)
