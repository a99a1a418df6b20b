"""The request for content of a Gemini model."""

import base64
import re
from collections.abc import Iterable, Sequence
from typing import Any

from core.domain.model import ModelChoice, Reasoning, WireFormatName
from core.domain.text.well_formed import well_formed
from core.llm.gemini.schema import function_schema
from core.llm.presets import Quirks
from core.llm.provider.conversation import Turn, system_text, turns
from core.llm.tool_names import wire_name
from core.ports import ChatMessage, MessageFile, ModelRequest

Wire = dict[str, Any]

# Gemini 3 refuses a call in the history without the signature that came with it. Google names this value for calls that
# another model made, or whose signature is lost: https://ai.google.dev/gemini-api/docs/thought-signatures
NO_SIGNATURE = "skip_thought_signature_validator"

# What `inlineData` takes: https://ai.google.dev/gemini-api/docs/file-input-methods
_FILES = re.compile(r"(image/(png|jpeg|webp|heic|heif)|application/pdf|audio/.*|video/.*|text/.*)")

_VERSION = re.compile(r"(?:^|/)gemini-(\d+)(?:\.(\d+))?(?=-|$)")
_WITHOUT_THOUGHTS = re.compile(r"image|tts|audio|live|embedding|robotics")
# The budgets that Google gives the efforts of OpenAI: https://ai.google.dev/gemini-api/docs/openai#thinking
_BUDGETS = {Reasoning.LOW: 1024, Reasoning.MEDIUM: 8192, Reasoning.HIGH: 24_576}


def request_body(request: ModelRequest, choice: ModelChoice, quirks: Quirks) -> Wire:
    """Build the JSON object posted to `streamGenerateContent`."""
    body: Wire = {"contents": _contents(request.messages, choice)}
    if system := well_formed(system_text(request.messages)):
        body["systemInstruction"] = {"parts": [{"text": system}]}
    if request.tools:
        body["tools"] = [{"functionDeclarations": [_declaration(tool) for tool in request.tools]}]
    config: Wire = {}
    if choice.temperature is not None:
        config["temperature"] = choice.temperature
    if choice.max_tokens is not None:
        config["maxOutputTokens"] = choice.max_tokens
    if quirks.takes_reasoning and (thinking := thinking_config(choice)):
        config["thinkingConfig"] = thinking
    return {**body, "generationConfig": config} if config else body


def thinking_config(choice: ModelChoice) -> Wire:
    """Return how a model may think: a budget until Gemini 2.5, a level from Gemini 3; nothing where it cannot."""
    model = (choice.model or "").lower()
    version = _VERSION.search(model)
    is_alias = re.search(r"(?:^|/)gemini-(flash|flash-lite|pro)-latest$", model) is not None
    number = (int(version[1]), int(version[2] or 0)) if version is not None else (0, 0)
    if _WITHOUT_THOUGHTS.search(model) or (number < (2, 5) and not is_alias):
        return {}
    config: Wire = {"includeThoughts": True}
    if choice.reasoning is Reasoning.OFF:
        # Asked for the thoughts of a model that does not think by itself, Google answers 400:
        # https://github.com/google-gemini/gemini-cli/issues/1953
        return {} if number < (3, 0) and "lite" in model else config
    if number < (3, 0):
        return {**config, "thinkingBudget": _BUDGETS[choice.reasoning]}
    # Gemini 3 Pro has no level between low and high.
    has_medium = not (number == (3, 0) and "pro" in model)
    is_medium = choice.reasoning is Reasoning.MEDIUM
    return {**config, "thinkingLevel": "high" if is_medium and not has_medium else str(choice.reasoning)}


def _declaration(tool: Any) -> Wire:
    declaration = {"name": wire_name(tool.name), "description": tool.description}
    schema = function_schema(tool.input_schema)
    return declaration if schema is None else {**declaration, "parametersJsonSchema": schema}


def _contents(messages: Sequence[ChatMessage], choice: ModelChoice) -> list[Wire]:
    contents: list[Wire] = []
    for turn in turns(messages):
        if not turn.is_model:
            # Words after results are a content of their own: the results of a round stand alone.
            _append(contents, "user", list(_user_parts(turn.message)))
            continue
        parts = _replayed(turn, choice) or list(_model_parts(turn))
        _append(contents, "model", parts)
        if turn.results:
            calls = [part["functionCall"] for part in parts if "functionCall" in part]
            contents.append({"role": "user", "parts": list(_results(calls, turn, choice))})
    return contents


def _append(contents: list[Wire], role: str, parts: list[Wire]) -> None:
    """Append a content, to the last if that has the same role."""
    last = contents[-1] if contents else None
    if last is not None and last["role"] == role and not any("functionResponse" in part for part in last["parts"]):
        last["parts"] += parts
    elif parts:
        contents.append({"role": role, "parts": parts})


def _user_parts(message: ChatMessage) -> Iterable[Wire]:
    for file in message.files:
        yield _file(file)
    if message.text or not message.files:
        yield {"text": well_formed(message.text)}


def _file(file: MessageFile) -> Wire:
    if _FILES.fullmatch(file.mime):
        return {"inlineData": _blob(file)}
    return {"text": f"[The file {file.name} is not shown: Gemini takes no {file.mime}.]"}


def _blob(file: MessageFile) -> Wire:
    return {"mimeType": file.mime, "data": base64.b64encode(file.data).decode("ascii")}


def _replayed(turn: Turn, choice: ModelChoice) -> list[Wire] | None:
    """Return the parts of the answer as they came, if this model gave it and they are still the same answer."""
    replay, message = turn.message.replay, turn.message
    if replay is None or not replay.is_for(choice, WireFormatName.GEMINI) or not isinstance(replay.value, list):
        return None
    parts: list[Wire] = [part for part in replay.value if isinstance(part, dict)]
    calls = [part["functionCall"] for part in parts if "functionCall" in part]
    text = "".join(str(part.get("text", "")) for part in parts if not part.get("thought"))
    is_same = text == message.text and len(calls) == len(message.calls)
    return parts if is_same and all(isinstance(call, dict) and "name" in call for call in calls) else None


def _model_parts(turn: Turn) -> Iterable[Wire]:
    message = turn.message
    if message.text.strip():
        yield {"text": well_formed(message.text)}
    for at, call in enumerate(message.calls):
        written = {"invalid_json": well_formed(call.arguments_text)}
        made = {"name": wire_name(call.tool), "args": written if call.arguments is None else dict(call.arguments)}
        # Of the calls of an answer, only the first has a signature.
        yield {"functionCall": made, **({"thoughtSignature": NO_SIGNATURE} if at == 0 else {})}


def _results(calls: Sequence[Wire], turn: Turn, choice: ModelChoice) -> Iterable[Wire]:
    """Yield the results in the order of their calls, each with the id that its call had."""
    version = _VERSION.search(choice.model or "")
    takes_files = version is not None and int(version[1]) >= 3
    others: list[Wire] = []
    for call, result in zip(calls, turn.results, strict=True):
        response: Wire = {"name": call["name"], "response": {"result": well_formed(result.text)}}
        if "id" in call:
            response["id"] = call["id"]
        if takes_files:
            shown = [file for file in result.files if _FILES.fullmatch(file.mime)]
            if shown:
                response["parts"] = [{"inlineData": {**_blob(file), "displayName": file.name}} for file in shown]
            others += [_file(file) for file in result.files if file not in shown]
        else:
            others += [_file(file) for file in result.files]
        yield {"functionResponse": response}
    yield from others
