"""What the picker offers: agents, models, and the way to more of them. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication

from core.domain.agent import Agent, Answering
from core.domain.model import ModelChoice, is_loopback, origin_of
from desktop.translation.agents import offline_words

translate = QCoreApplication.translate  # by its own name, or lupdate would not see what it says


@dataclass(frozen=True, slots=True)
class Heading:
    """The name of a section."""

    title: str


@dataclass(frozen=True, slots=True)
class Offer:
    """Something to choose. `answering` None: it leads to the settings."""

    title: str
    note: str
    answering: Answering | None
    is_current: bool = False


@dataclass(frozen=True, slots=True)
class Cast:
    """Who answers where: as it was chosen, and what that comes to. `model` None: the offline agent."""

    answering: Answering
    agent: Agent
    model: ModelChoice | None


def model_words(model: ModelChoice | None) -> str:
    return offline_words() if model is None else model.label


def place_words(model: ModelChoice) -> str:
    """Where a model is asked."""
    host = origin_of(model.base_url).partition("://")[2]
    return translate("Picker", "{host}, on this computer").format(host=host) if is_loopback(model.base_url) else host


def offers(
    cast: Cast, agents: Sequence[Agent], models: Sequence[ModelChoice], usual: ModelChoice | None
) -> list[Heading | Offer]:
    """Everything that can be chosen now; `usual` is the model of the settings."""
    return [
        Heading(translate("Picker", "Agents")),
        *(_agent(cast, agent, usual) for agent in agents),
        Heading(translate("Picker", "Models")),
        *(_model(cast, model) for model in _known(cast, models)),
        Offer(
            offline_words(),
            translate("Picker", "follows commands"),
            Answering(agent=cast.agent.id, is_offline=True),
            cast.model is None,
        ),
        Offer(translate("Picker", "Connect a model…"), translate("Picker", "opens the settings"), None),
    ]


def _agent(cast: Cast, agent: Agent, usual: ModelChoice | None) -> Offer:
    """An agent with a model of its own brings it; another one is asked with the model of now."""
    if agent.model is not None:
        note = agent.model.label
        answering = Answering(agent=agent.id)
    else:
        note = translate("Picker", "any model")
        is_own = cast.agent.model is not None and cast.answering.model is None and not cast.answering.is_offline
        model = usual if is_own else cast.model
        answering = Answering(agent=agent.id, model=model, is_offline=model is None)
    return Offer(agent.name, note, answering, agent.id == cast.agent.id)


def _model(cast: Cast, model: ModelChoice) -> Offer:
    answering = Answering(agent=cast.agent.id, model=model)
    return Offer(model.label, place_words(model), answering, model.is_same(cast.model))


def _known(cast: Cast, models: Sequence[ModelChoice]) -> list[ModelChoice]:
    """The models of the settings, and the one that answers now where it is none of them."""
    known = list(models)
    if cast.model is not None and not any(one.is_same(cast.model) for one in known):
        known.append(cast.answering.model or cast.agent.model or cast.model)
    return sorted(known, key=lambda one: (one.label.casefold(), one.base_url))
