"""A server requests a model's answer: the model of the run gives it, subject to consent (AGENTS_AND_TOOLS §7)."""

import base64
import binascii
import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Literal

from core.domain.consent import CallTraits, Ruling
from core.domain.events import UsageReported
from core.domain.ids import RunId
from core.domain.interruption import Action, Answer, InterruptionKind, InterruptionRequest, approval_scope
from core.domain.model import ModelChoice
from core.domain.risk import Risk
from core.domain.text.masking import masked, restore_secrets
from core.domain.tool import SAMPLING_METHOD, Category, Effect
from core.errors import StepFailed
from core.ports import ChatMessage, ConsentRules, MessageFile, ModelClient, ModelRequest, ModelWarning, TextDelta, Usage
from core.tools.mcp.elicitation import ServerCall

if TYPE_CHECKING:
    import mcp_types

MAX_TOKENS = 4096
TOTAL_CHARACTERS = 200_000
"""Of the texts of a request."""

PICTURE_BYTES = 10_000_000
MAX_REQUESTS = 20
"""In a call of a tool."""


class SamplingRefused(Exception):
    """The reason why there is no answer, which is sent to the server."""


class Sampling:
    """Answers the sampling requests of all servers. `client` is the model client, `consent` holds the consent settings,
    `models` returns the models of the user.
    """

    def __init__(
        self, client: ModelClient, consent: ConsentRules, models: Callable[[], Sequence[ModelChoice]] = tuple
    ) -> None:
        self._client = client
        self._consent = consent
        self._models = models
        self._approved: set[tuple[RunId, str, str]] = set()

    async def answer(
        self, params: "mcp_types.CreateMessageRequestParams", call: ServerCall
    ) -> "mcp_types.CreateMessageResult | mcp_types.ErrorData":
        """Return the model's answer, or an error with the reason."""
        import mcp_types

        try:
            text, model, reason = await self._answer(params, call)
        except SamplingRefused as refusal:
            return mcp_types.ErrorData(code=mcp_types.INVALID_REQUEST, message=str(refusal))
        content = mcp_types.TextContent(type="text", text=text)
        return mcp_types.CreateMessageResult(role="assistant", content=content, model=model, stop_reason=reason)

    async def _answer(self, params: "mcp_types.CreateMessageRequestParams", call: ServerCall) -> tuple[str, str, str]:
        if params.tools or params.tool_choice is not None:  # a capability that the client does not declare
            raise SamplingRefused("tools in a sampling request are not supported here")
        call.samples += 1
        if call.samples > MAX_REQUESTS:
            raise SamplingRefused(
                f"the server has asked the model {MAX_REQUESTS} times in this call, which is the most"
            )
        choice = self._preferred(params.model_preferences) or call.context.model
        pictures: dict[str, MessageFile] = {}
        fields = {
            "model": choice.label if choice is not None else "offline",
            "system": params.system_prompt,
            "messages": [_fields_of(message, pictures) for message in params.messages],
            "max_tokens": min(params.max_tokens, MAX_TOKENS),
        }
        fields = call.mask.hide_in({name: value for name, value in fields.items() if value is not None})
        if _characters(fields) > TOTAL_CHARACTERS:
            raise SamplingRefused(f"the request is longer than {TOTAL_CHARACTERS} characters")
        request = await self._permitted(fields, call)
        if (named := request.get("model")) != fields.get("model"):
            choice = next((model for model in self._models() if model.label == named), None)
            if choice is None:
                raise SamplingRefused("the user chose a model that is not there")
        messages = _messages(request, pictures)
        if choice is not None:
            limits = (choice.max_tokens, request.get("max_tokens"), MAX_TOKENS)
            changes: dict[str, Any] = {"max_tokens": max(1, min(limit for limit in limits if isinstance(limit, int)))}
            if params.temperature is not None and 0 <= params.temperature <= 2:
                changes["temperature"] = params.temperature
            choice = choice.model_copy(update=changes)
        text, reason = "", "endTurn"
        try:
            async with aclosing(self._client.stream(ModelRequest(messages, choice=choice))) as deltas:
                async for delta in deltas:
                    if isinstance(delta, TextDelta):
                        text += delta.text
                    elif isinstance(delta, ModelWarning) and delta.code == "length":
                        reason = "maxTokens"
                    elif isinstance(delta, Usage):
                        call.context.emit(UsageReported(**asdict(delta)))
        except StepFailed as error:
            raise SamplingRefused(f"the model did not answer: {error.message}") from None
        # No provider is asked to stop: what comes after is cut off here.
        if ends := [text.find(stop) for stop in params.stop_sequences or () if stop and stop in text]:
            text, reason = text[: min(ends)], "stopSequence"
        return text, (choice.model if choice is not None else None) or "offline", reason

    def _preferred(self, preferences: "mcp_types.ModelPreferences | None") -> ModelChoice | None:
        """Return the user's model that the first hint which fits any names; None for the model of the run.

        A hint is a part of a name. Priorities choose nothing: which model is clever or fast is not known here.
        """
        hints = [hint.name.lower() for hint in (preferences.hints if preferences else None) or () if hint.name]
        return next((model for hint in hints for model in self._models() if hint in model.label.lower()), None)

    async def _permitted(self, fields: dict[str, Any], call: ServerCall) -> dict[str, Any]:
        """Return the approved request, which the user may have edited. Raises SamplingRefused."""
        context = call.context
        name = f"mcp__{call.server}__{SAMPLING_METHOD}"
        traits = CallTraits(name, Category.MCP, Risk.MEDIUM, Effect.ONCE)
        terms = self._consent.policy.terms(traits, context.mode)
        call_id = call.next_id("samples", masked(fields))
        # What is agreed to is this very request: another request of the same server is asked about.
        exact = call_id.split(" ")[-2]
        approved = (context.run_id, name, exact)
        if terms.ruling is not Ruling.ASK or approved in self._approved:
            return fields
        if context.ask is None:
            raise SamplingRefused("there is no user here to ask for consent")
        shown = masked(fields)
        # Repeated where an expired request is to be asked again.
        while True:
            ask = InterruptionRequest(
                InterruptionKind.TOOL_APPROVAL,
                context.step,
                context.index,
                options={"exact": exact},
                tool=name,
                arguments=shown,
                risk=Risk.MEDIUM,
                call_id=call_id,
                timeout_ms=terms.timeout_ms,
                default_action=terms.on_timeout,
                unmasked=fields,
            )
            answer = (await context.ask(ask)).answer or Answer(Action.REJECT)
            match answer.action:
                case Action.APPROVE:
                    if approval_scope(answer) != "once":
                        self._approved.add(approved)
                    return fields
                case Action.SUBMIT:
                    changed: dict[str, Any] = restore_secrets(answer.value, shown, fields)
                    return changed
                case Action.SKIP:
                    call_id = call.next_id("samples", shown)
                case _:
                    raise SamplingRefused(answer.reason or "the user did not agree to this")


def _messages(request: dict[str, Any], pictures: Mapping[str, MessageFile]) -> tuple[ChatMessage, ...]:
    """Return the messages for the model. Raises SamplingRefused if the user's edit left none."""
    messages: list[ChatMessage] = []
    if isinstance(system := request.get("system"), str) and system:
        messages.append(ChatMessage("system", system))
    listed = request.get("messages")
    for fields in listed if isinstance(listed, list) else ():
        if isinstance(fields, dict) and isinstance(fields.get("text"), str):
            shown = fields.get("pictures")
            files = [pictures[name] for name in shown if name in pictures] if isinstance(shown, list) else []
            role: Literal["assistant", "user"] = "assistant" if fields.get("role") == "assistant" else "user"
            messages.append(ChatMessage(role, fields["text"], files=tuple(files) if role == "user" else ()))
    if not any(message.role == "user" for message in messages):
        raise SamplingRefused("there is no message to answer")
    return tuple(messages)


def _fields_of(message: "mcp_types.SamplingMessage", pictures: dict[str, MessageFile]) -> dict[str, Any]:
    """Return a message as the user is asked about it, and add its pictures under the names that stand for them."""
    texts: list[str] = []
    names: list[str] = []
    for block in message.content_as_list:
        match block.type:
            case "text":
                texts.append(block.text)
            case "image":
                data = _decoded(block.data)
                # the consent is to these very bytes
                name = f"{block.mime_type}, {len(data):,} bytes, SHA-256 {hashlib.sha256(data).hexdigest()[:16]}"
                pictures[name] = MessageFile("picture", block.mime_type, data)
                names.append(name)
            case kind:
                raise SamplingRefused(f"content of the kind {kind} cannot be sent to a model here")
    if sum(len(picture.data) for picture in pictures.values()) > PICTURE_BYTES:
        raise SamplingRefused(f"the pictures have more than {PICTURE_BYTES:,} bytes")
    return {"role": message.role, "text": "\n".join(texts), **({"pictures": names} if names else {})}


def _decoded(data: str) -> bytes:
    try:
        return base64.b64decode(data)
    except (binascii.Error, ValueError):
        raise SamplingRefused("a picture is not Base64") from None


def _characters(value: Any) -> int:
    if isinstance(value, Mapping):
        return sum(map(_characters, value.values()))
    return sum(map(_characters, value)) if isinstance(value, list) else len(str(value))
