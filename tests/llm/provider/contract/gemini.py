"""Streams of Gemini. Signatures are shortened; the rest is as it came."""

from collections.abc import Mapping
from typing import Any

from core.ports import Usage
from tests.llm.provider.contract.cells import JSON, Adapter, Cell, Scenario, events, whole

CASSETTES = "https://github.com/pydantic/pydantic-ai/blob/main/tests/models/cassettes/test_google"
FIXTURES = "https://github.com/vercel/ai/blob/main/packages/google/src/__fixtures__"
THOUGHT = "**Defining the Goal**\n\nI've homed in on the user's need: safe street crossing guidance.\n\n\n"


def chunk(*parts: Mapping[str, Any], finish: str | None = None, **counts: int) -> dict[str, Any]:
    """An event with parts of the answer, and the tokens so far."""
    candidate: dict[str, Any] = {"content": {"parts": list(parts), "role": "model"}, "index": 0}
    if finish is not None:
        candidate["finishReason"] = finish
    return {
        "candidates": [candidate],
        "usageMetadata": {name + "TokenCount": count for name, count in counts.items()},
        "modelVersion": "gemini-3-pro-preview",
        "responseId": "QHiLaa6LBrb8vdIPoNztsAg",
    }


def failure(code: int, message: str, status: str, *details: Mapping[str, Any]) -> dict[str, Any]:
    return {"error": {"code": code, "message": message, "status": status, "details": list(details)}}


WEATHER = {
    "functionCall": {"name": "weather", "args": {"location": "San Francisco"}},
    "thoughtSignature": "EpEgCo4gAb4+9vvWwdN+NkNiCCwrqvFI8uf9IiD2A47Bm4Sga0kUTm4e",
}
PARIS = {
    "functionCall": {"id": "lpndqlku", "name": "get_weather", "args": {"city": "Paris"}},
    "thoughtSignature": "AY89a19YsnFp7FOSIejJDV9XuMU996D+ZaDJiD6L9EEi+Lh+VGTEGqM3Lip3DPI7QzY=",
}
TOKYO = {"functionCall": {"id": "m6rogicj", "name": "get_weather", "args": {"city": "Tokyo"}}}
GUIDE = {"text": "Here is a guide", "thoughtSignature": "CiIBcsjafACy65Vwcm8qOq5jkTTLReoTQLfzt+Kzcg"}
BUSY = failure(503, "The model is overloaded. Please try again later.", "UNAVAILABLE")

CELLS = {
    Scenario.PLAIN: Cell(
        "report",
        f"{CASSETTES}/test_google_streaming_tool_call_thought_signature.yaml",
        events(
            chunk({"text": "The capital of Mexico"}, prompt=55, candidates=4),
            chunk({"text": " is Mexico City."}, prompt=55, candidates=8),
            chunk({"text": ""}, finish="STOP", prompt=165, candidates=8),
        ),
        text="The capital of Mexico is Mexico City.",
        usage=Usage(165, 8),
    ),
    Scenario.TOOLS: Cell(
        "report",
        f"{FIXTURES}/google-tool-call-gemini3.chunks.txt",
        events(
            chunk(WEATHER, prompt=29, candidates=15, thoughts=804),
            chunk({"text": ""}, finish="STOP", prompt=29, candidates=15, thoughts=804),
        ),
        calls=(("weather", {"location": "San Francisco"}),),
        usage=Usage(29, 819),
        returned=(WEATHER,),
    ),
    Scenario.PARALLEL_TOOLS: Cell(
        "report",
        f"{FIXTURES}/issue-16298-gemini3-parallel-tool-calls.json",
        events(chunk(PARIS, TOKYO), chunk({"text": ""}, finish="STOP")),
        calls=(("get_weather", {"city": "Paris"}), ("get_weather", {"city": "Tokyo"})),
        returned=(PARIS, TOKYO),
    ),
    Scenario.REASONING: Cell(
        "report",
        f"{CASSETTES}/test_google_model_thinking_part_iter.yaml",
        events(
            chunk({"text": THOUGHT, "thought": True}, prompt=34, thoughts=70),
            chunk({"text": "**Refining**", "thought": True}, prompt=34, thoughts=325),
            chunk(GUIDE, prompt=34, candidates=17, thoughts=759),
            chunk({"text": " to crossing the street"}, finish="STOP", prompt=34, candidates=42, thoughts=759),
        ),
        text="Here is a guide to crossing the street",
        thought=f"{THOUGHT}**Refining**",
        usage=Usage(34, 801),
        returned=(
            {"text": f"{THOUGHT}**Refining**", "thought": True},
            GUIDE,
            {"text": " to crossing the street"},
        ),
    ),
    Scenario.REFUSAL: Cell(
        "report",
        f"{FIXTURES}/issue-19758-prompt-block.chunks.txt",
        events(
            {
                "promptFeedback": {"blockReason": "PROHIBITED_CONTENT"},
                "usageMetadata": {"promptTokenCount": 9, "totalTokenCount": 9},
                "modelVersion": "gemini-3.7-flash",
            }
        ),
        words="PROHIBITED_CONTENT",
    ),
    Scenario.LENGTH: Cell(
        "report",
        f"{CASSETTES}/test_google_model_max_tokens.yaml",
        events(chunk({"text": "The capital of France is"}, finish="MAX_TOKENS", prompt=15, candidates=5)),
        text="The capital of France is",
    ),
    Scenario.ERROR_IN_STREAM: Cell(
        "report",
        "https://github.com/lobehub/lobehub/issues/9728",
        events(chunk({"text": "So far"}), BUSY),
        text="So far",
        words="The model is overloaded",
    ),
    Scenario.OVERLOADED: Cell(
        "report",
        "https://github.com/google-gemini/gemini-cli/issues/7392",
        whole(BUSY),
        words="The model is overloaded",
        status=503,
        headers=JSON,
    ),
    Scenario.WRONG_KEY: Cell(
        "report",
        "https://github.com/zeroclaw-labs/zeroclaw/issues/194",
        whole(
            failure(
                400,
                "API key not valid. Please pass a valid API key.",
                "INVALID_ARGUMENT",
                {"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"},
            )
        ),
        words="API key not valid",
        status=400,
        headers=JSON,
    ),
    Scenario.CACHED_TOKENS: Cell(
        "report",
        f"{FIXTURES}/issue-19822-complete-usage.json",
        events(
            chunk(
                {"text": "42"}, finish="STOP", prompt=19, cachedContent=3, candidates=4, toolUsePrompt=63, thoughts=56
            )
        ),
        text="42",
        usage=Usage(82, 60, None, cached_tokens=3),
    ),
    Scenario.NOT_STREAMED: Cell(
        "report",
        f"{FIXTURES}/issue-16072-google-pdf-tool-result-live.json",
        b"["
        + whole(chunk({"functionCall": {"name": "catalogSearch", "args": {}}}, finish="STOP", prompt=44, candidates=9))
        + b"\n]",
        calls=(("catalogSearch", {}),),
        usage=Usage(44, 9),
        headers=JSON,
    ),
}


def problem_of(body: Mapping[str, Any]) -> str | None:
    """What Gemini 3 has against a request: contents begin with the user; calls are signed, and each has its result, by
    name and id, in the content behind it."""
    due: list[Mapping[str, Any]] = []
    for at, content in enumerate(body["contents"]):
        parts = content["parts"]
        if content["role"] not in ("user", "model") or not parts or (not at and content["role"] != "user"):
            return f"content {at} is {content['role']} with {len(parts)} parts"
        results = [part["functionResponse"] for part in parts if "functionResponse" in part]
        if [_named(call) for call in due] != [_named(result) for result in results]:
            return f"content {at} has not the results of the calls before it"
        due = [part["functionCall"] for part in parts if "functionCall" in part]
        first = next((part for part in parts if "functionCall" in part), None)
        if first is not None and not first.get("thoughtSignature"):
            return "Function call is missing a thought_signature in functionCall parts."
        if any(part.keys() == {"text"} and not part["text"] for part in parts):
            return f"content {at} has an empty text"
    if due or body["contents"][-1]["role"] != "user":
        return "nobody asks anything"
    return None


def _named(call: Mapping[str, Any]) -> tuple[Any, Any]:
    return call["name"], call.get("id")


ADAPTER = Adapter(CELLS, problem_of, model="gemini-3-pro-preview")
