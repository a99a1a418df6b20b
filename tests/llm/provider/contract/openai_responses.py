"""Streams of OpenAI's responses. Ids and encrypted content are shortened; the rest is as it came."""

from collections.abc import Mapping
from typing import Any

from core.ports import Usage
from tests.llm.provider.contract.cells import JSON, Adapter, Cell, Scenario, events, whole

FIXTURES = "https://github.com/vercel/ai/blob/main/packages/openai/src/responses/__fixtures__"
CASSETTES = "https://github.com/pydantic/pydantic-ai/blob/main/tests/models/cassettes/test_openai_responses"
GUIDE = "https://platform.openai.com/docs/guides/function-calling#streaming"
ERRORS = "https://platform.openai.com/docs/guides/error-codes/api-errors"
SUMMARY = "**Calculating step-by-step**\n\nI'll compute 12 plus 7."

Event = dict[str, Any]


def event(kind: str, **fields: Any) -> Event:
    return {"type": f"response.{kind}", **fields}


def response(status: str = "completed", **fields: Any) -> Event:
    """The whole response, in which most fields are null."""
    nothing = {"error": None, "incomplete_details": None, "instructions": None, "usage": None}
    return {"id": "resp_01830d66", "object": "response", "status": status, **nothing, "output": [], **fields}


def said(item_id: str, *pieces: str, place: int = 0) -> list[Event]:
    """A message in pieces."""
    message = {"id": item_id, "type": "message", "role": "assistant", "status": "completed", "phase": "final_answer"}
    text = {"type": "output_text", "annotations": [], "logprobs": [], "text": "".join(pieces)}
    return [
        event("output_item.added", output_index=place, item={**message, "status": "in_progress", "content": []}),
        event("content_part.added", item_id=item_id, output_index=place, content_index=0, part={**text, "text": ""}),
        *(
            event("output_text.delta", item_id=f"{item_id}-{at}", output_index=place, content_index=0, delta=piece)
            for at, piece in enumerate(pieces)
        ),
        event("output_text.done", item_id=item_id, output_index=place, content_index=0, text="".join(pieces)),
        event("content_part.done", item_id=item_id, output_index=place, content_index=0, part=text),
        event("output_item.done", output_index=place, item={**message, "content": [text]}),
    ]


def called(item: Mapping[str, Any], *pieces: str, place: int = 0) -> list[Event]:
    """A call in pieces."""
    begun = {**item, "status": "in_progress", "arguments": ""}
    of = {"item_id": item["id"], "output_index": place}
    return [
        event("output_item.added", output_index=place, item=begun),
        *(event("function_call_arguments.delta", **of, delta=piece, obfuscation="hKtg6o5c") for piece in pieces),
        event("function_call_arguments.done", **of, arguments="".join(pieces)),
        event("output_item.done", output_index=place, item=item),
    ]


BEGUN = [event(kind, response=response("in_progress")) for kind in ("created", "in_progress")]
THOUGHT = {
    "id": "rs_01830d66",
    "type": "reasoning",
    "encrypted_content": "gAAAAABpPDIVOKrsHNZ0GwsoEKA_IGfuJ5f8Ma",
    "summary": [{"type": "summary_text", "text": SUMMARY}],
}
CALCULATION = {
    "id": "fc_01830d66",
    "type": "function_call",
    "status": "completed",
    "arguments": '{"a":12,"b":7,"op":"add"}',
    "call_id": "call_AB6AaRZ1FYZB2RwS6A5vbdqn",
    "name": "calculator",
}
SUMMARIZED = [
    event("output_item.added", output_index=0, item={**THOUGHT, "encrypted_content": "gAAA", "summary": []}),
    event("reasoning_summary_part.added", item_id="rs_01830d66", output_index=0, summary_index=0, part={"text": ""}),
    *(
        event("reasoning_summary_text.delta", item_id="rs_01830d66", output_index=0, summary_index=0, delta=piece)
        for piece in (SUMMARY[:8], SUMMARY[8:])
    ),
    event("reasoning_summary_text.done", item_id="rs_01830d66", output_index=0, summary_index=0, text=SUMMARY),
    event("output_item.done", output_index=0, item=THOUGHT),
]
RAW = "They expect 4."
RAW_THOUGHT = {
    "type": "reasoning",
    "id": "rs_tmp_2kbe7x16sax",
    "summary": [],
    "content": [{"type": "reasoning_text", "text": RAW}],
}
PARIS, BOGOTA = (
    {
        "id": f"fc_{name}",
        "type": "function_call",
        "status": "completed",
        "arguments": f'{{"location":"{name}"}}',
        "call_id": f"call_{name}",
        "name": "get_weather",
    }
    for name in ("Paris", "Bogota")
)
QUOTA = {"code": "insufficient_quota", "message": "You exceeded your current quota, please check your plan."}
THERE = ("There", " are", " **", "3", "**", " letter", "s.")
COUNTED = {
    "input_tokens": 2006,
    "input_tokens_details": {"cache_write_tokens": 0, "cached_tokens": 1920},
    "output_tokens": 300,
    "output_tokens_details": {"reasoning_tokens": 0},
    "total_tokens": 2306,
}

CELLS = {
    Scenario.PLAIN: Cell(
        "report",
        f"{FIXTURES}/github-copilot-id-rotation.1.chunks.txt",
        events(*BEGUN, *said("capture-id-9", *THERE), event("completed", response=response())),
        text="".join(THERE),
    ),
    Scenario.TOOLS: Cell(
        "report",
        f"{FIXTURES}/openai-reasoning-encrypted-content.1.chunks.txt",
        events(
            *BEGUN,
            *SUMMARIZED,
            *called(CALCULATION, '{"', "a", '":', "12", ',"', "b", '":', "7", ',"', "op", '":"', "add", '"}', place=1),
            event("completed", response=response(output=[THOUGHT, CALCULATION])),
            named=True,
        ),
        thought=SUMMARY,
        calls=(("calculator", {"a": 12, "b": 7, "op": "add"}),),
        returned=(THOUGHT, CALCULATION),
    ),
    Scenario.PARALLEL_TOOLS: Cell(
        "by hand",
        f"two calls of {GUIDE}",
        events(
            *BEGUN,
            *called(PARIS, '{"location":"', 'Paris"}'),
            *called(BOGOTA, '{"location":"Bogota"}', place=1),
            event("completed", response=response(output=[PARIS, BOGOTA])),
        ),
        calls=(("get_weather", {"location": "Paris"}), ("get_weather", {"location": "Bogota"})),
        returned=(PARIS, BOGOTA),
    ),
    Scenario.REASONING: Cell(
        "report",
        f"{CASSETTES}/test_openai_responses_raw_cot_stream_openrouter.yaml",
        events(
            ": OPENROUTER PROCESSING",
            *BEGUN,
            event("output_item.added", output_index=0, item={**RAW_THOUGHT, "content": []}),
            *(
                event("reasoning_text.delta", output_index=0, item_id="rs_tmp", content_index=0, delta=piece)
                for piece in ("They", " expect", " 4.")
            ),
            *said("msg_tmp_8cjof4f6zpw", "4", place=1),
            event("reasoning_text.done", output_index=0, item_id="rs_tmp", content_index=0, text=RAW),
            event("output_item.done", output_index=0, item=RAW_THOUGHT),
            event(
                "completed",
                response=response(
                    output=[RAW_THOUGHT, {"type": "message", "content": [{"type": "output_text", "text": "4"}]}],
                    usage={
                        "input_tokens": 78,
                        "input_tokens_details": {"cached_tokens": 0},
                        "output_tokens": 37,
                        "cost": 0.0000113,
                    },
                ),
            ),
            "data: [DONE]",
        ),
        text="4",
        thought=RAW,
        usage=Usage(78, 37, 0.0000113),
        returned=(RAW_THOUGHT,),
    ),
    Scenario.REFUSAL: Cell(
        "by hand",
        "the reason of the reference: https://platform.openai.com/docs/api-reference/responses/object",
        events(
            *BEGUN,
            *said("msg_1", "First you")[:3],
            event(
                "incomplete",
                response=response("incomplete", incomplete_details={"reason": "content_filter"}, output=[]),
            ),
        ),
        text="First you",
    ),
    Scenario.LENGTH: Cell(
        "by hand",
        f"a call of {GUIDE} that the limit cuts",
        events(
            *BEGUN,
            *said("msg_1", "Well,"),
            *called(PARIS, '{"location":"', 'Paris"}', place=1)[:2],
            event(
                "incomplete",
                response=response(
                    "incomplete",
                    incomplete_details={"reason": "max_output_tokens"},
                    output=[{**PARIS, "status": "incomplete", "arguments": '{"location":"'}],
                ),
            ),
        ),
        text="Well,",
    ),
    Scenario.ERROR_IN_STREAM: Cell(
        "report",
        f"{FIXTURES}/openai-error.1.chunks.txt",
        events(
            *BEGUN,
            {"type": "error", "sequence_number": 2, "error": {"type": "insufficient_quota", **QUOTA, "param": None}},
            event("failed", response=response("failed", error=QUOTA)),
        ),
        words="You exceeded your current quota",
    ),
    Scenario.OVERLOADED: Cell(
        "provider",
        ERRORS,
        whole({"error": {"message": "The engine is currently overloaded, please try again later", "code": None}}),
        words="currently overloaded",
        status=503,
        headers=JSON,
    ),
    Scenario.WRONG_KEY: Cell(
        "provider",
        ERRORS,
        whole({"error": {"message": "Incorrect API key provided", "code": "invalid_api_key"}}),
        words="Incorrect API key provided",
        status=401,
        headers=JSON,
    ),
    Scenario.CACHED_TOKENS: Cell(
        "provider",
        "https://platform.openai.com/docs/guides/prompt-caching",
        events(*BEGUN, *said("msg_1", "Hi."), event("completed", response=response(usage=COUNTED))),
        text="Hi.",
        usage=Usage(2006, 300, None, cached_tokens=1920),
    ),
    Scenario.NOT_STREAMED: Cell(
        "report",
        f"{CASSETTES}/test_openai_responses_model_simple_response.yaml",
        whole(
            response(
                output=[
                    {
                        "content": [
                            {"annotations": [], "text": "The capital of France is Paris.", "type": "output_text"}
                        ],
                        "id": "msg_67e52d8f899c81919b50dabbd91415600643eec42e76739d",
                        "role": "assistant",
                        "status": "completed",
                        "type": "message",
                    }
                ],
                usage={"input_tokens": 32, "input_tokens_details": {"cached_tokens": 0}, "output_tokens": 8},
            )
        ),
        text="The capital of France is Paris.",
        usage=Usage(32, 8),
        headers=JSON,
    ),
}


def problem_of(body: Mapping[str, Any]) -> str | None:
    """What OpenAI has against a request: a call has an id of its own and one output behind it, reasoning is followed by
    what it led to, and comes with content."""
    if body["store"] or not body["stream"]:
        return "it would be stored"
    due: list[str] = []
    seen: set[str] = set()
    for at, item in enumerate(body["input"]):
        kind = item.get("type", "message")
        if kind == "function_call_output":
            if not due or item["call_id"] != due.pop(0):
                return f"No tool call found for function call output with call_id {item['call_id']}."
        elif kind == "function_call":
            if item["call_id"] in seen:
                return f"the id {item['call_id']} is taken"
            seen.add(item["call_id"])
            due.append(item["call_id"])
        elif due:
            return f"No tool output found for function call {due[0]}."
        elif kind == "reasoning":
            if not item.get("encrypted_content") and not item.get("content"):
                return f"Item with id '{item['id']}' not found."
            if body["input"][at + 1].get("role") == "user":
                return f"Item '{item['id']}' of type 'reasoning' was provided without its required following item."
    return f"No tool output found for function call {due[0]}." if due else None


ADAPTER = Adapter(CELLS, problem_of, model="gpt-5.1-codex-max")
