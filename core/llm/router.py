"""Which client answers a request: the offline agent, or a provider's."""

from collections.abc import AsyncGenerator

from core.ports.model import ModelClient, ModelDelta, ModelRequest


class Router:
    """A `ModelClient` for every request: one that names no model is the offline agent's."""

    def __init__(self, offline: ModelClient, providers: ModelClient) -> None:
        self._offline = offline
        self._providers = providers

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta, None]:
        client = self._offline if request.choice is None else self._providers
        return client.stream(request)
