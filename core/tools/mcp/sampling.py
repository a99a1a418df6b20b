"""A server requests a model's answer: the model of the run gives it, subject to consent (AGENTS_AND_TOOLS §7)."""

from contextlib import aclosing
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from core.domain.consent import CallTraits, Ruling
from core.domain.events import UsageReported
from core.domain.ids import RunId
from core.domain.interruption import Action, Answer, InterruptionKind, InterruptionRequest, approval_scope
from core.domain.risk import Risk
from core.domain.text.masking import masked, restore_secrets
from core.domain.tool import Category, Effect
from core.errors import StepFailed
from core.ports import ChatMessage, ConsentRules, ModelClient, ModelRequest, TextDelta, Usage
from core.tools.mcp.elicitation import ServerCall

if TYPE_CHECKING:
    import mcp_types

MAX_TOKENS = 4096
SYSTEM_CHARACTERS = 200_000


class SamplingRefused(Exception):
    """The reason why there is no answer, which is sent to the server."""


class Sampling:
    """Answers the sampling requests of all servers. `client` is the model client, `consent` holds the consent
    settings.
    """

    def __init__(self, client: ModelClient, consent: ConsentRules) -> None:
        self._client = client
        self._consent = consent
        self._approved: set[tuple[RunId, str]] = set()

    async def answer(
        self, params: "mcp_types.CreateMessageRequestParams", call: ServerCall
    ) -> "mcp_types.CreateMessageResult | mcp_types.ErrorData":
        """Return the model's answer, or an error with the reason."""
        import mcp_types

        try:
            text, model = await self._answer(params, call)
        except SamplingRefused as refusal:
            return mcp_types.ErrorData(code=mcp_types.INVALID_REQUEST, message=str(refusal))
        content = mcp_types.TextContent(type="text", text=text)
        return mcp_types.CreateMessageResult(role="assistant", content=content, model=model, stop_reason="endTurn")

    async def _answer(self, params: "mcp_types.CreateMessageRequestParams", call: ServerCall) -> tuple[str, str]:
        choice = call.context.model
        fields = {
            "system": params.system_prompt,
            "messages": [
                {"role": message.role, "text": "\n".join(map(_text, message.content_as_list))}
                for message in params.messages
            ],
            "max_tokens": params.max_tokens,
        }
        fields = call.mask.hide_in({name: value for name, value in fields.items() if value is not None})
        request = await self._permitted(fields, call)
        messages = _messages(request)
        if choice is not None:
            limits = (choice.max_tokens, request.get("max_tokens"), MAX_TOKENS)
            changes: dict[str, Any] = {"max_tokens": max(1, min(limit for limit in limits if isinstance(limit, int)))}
            if params.temperature is not None and 0 <= params.temperature <= 2:
                changes["temperature"] = params.temperature
            choice = choice.model_copy(update=changes)
        text = ""
        try:
            async with aclosing(self._client.stream(ModelRequest(messages, choice=choice))) as deltas:
                async for delta in deltas:
                    if isinstance(delta, TextDelta):
                        text += delta.text
                    elif isinstance(delta, Usage):
                        call.context.emit(UsageReported(**asdict(delta)))
        except StepFailed as error:
            raise SamplingRefused(f"the model did not answer: {error.message}") from None
        return text, (choice.model if choice is not None else None) or "offline"

    async def _permitted(self, fields: dict[str, Any], call: ServerCall) -> dict[str, Any]:
        """Return the approved request, which the user may have edited. Raises SamplingRefused."""
        context = call.context
        name = f"mcp__{call.server}__sampling"
        traits = CallTraits(name, Category.MCP, Risk.MEDIUM, Effect.ONCE)
        terms = self._consent.policy.terms(traits, context.mode)
        if terms.ruling is not Ruling.ASK or (context.run_id, name) in self._approved:
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
                prompt=f"The MCP server {call.server} wants the model of this run to answer.",
                tool=name,
                arguments=shown,
                risk=Risk.MEDIUM,
                call_id=call.next_id("samples"),
                timeout_ms=terms.timeout_ms,
                default_action=terms.on_timeout,
                unmasked=fields,
            )
            answer = (await context.ask(ask)).answer or Answer(Action.REJECT)
            match answer.action:
                case Action.APPROVE:
                    if approval_scope(answer) != "once":
                        self._approved.add((context.run_id, name))
                    return fields
                case Action.SUBMIT:
                    changed: dict[str, Any] = restore_secrets(answer.value, shown, fields)
                    return changed
                case Action.SKIP:
                    continue
                case _:
                    raise SamplingRefused(answer.reason or "the user did not agree to this")


def _messages(request: dict[str, Any]) -> tuple[ChatMessage, ...]:
    """Return the messages for the model. Raises SamplingRefused if the user's edit left none."""
    messages: list[ChatMessage] = []
    if isinstance(system := request.get("system"), str) and system:
        messages.append(ChatMessage("system", system[:SYSTEM_CHARACTERS]))
    listed = request.get("messages")
    messages.extend(
        ChatMessage("assistant" if fields.get("role") == "assistant" else "user", fields["text"])
        for fields in (listed if isinstance(listed, list) else ())
        if isinstance(fields, dict) and isinstance(fields.get("text"), str)
    )
    if not any(message.role == "user" for message in messages):
        raise SamplingRefused("there is no message to answer")
    return tuple(messages)


def _text(block: Any) -> str:
    """Return the text of a block, or a placeholder for other content."""
    return str(block.text) if block.type == "text" else f"[{block.type}]"
