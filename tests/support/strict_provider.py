"""What strict providers answer: 400 to a conversation that is not valid."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from tests.support.provider import Asked, Reply, fails, says


class Strict:
    """Plays `rounds` after each prompt that ends with `prompt`, one answer for each round of calls that the
    conversation has since; to everything else it says "More.". `refused` are the problems that it answered 400 to."""

    def __init__(self, prompt: str, rounds: Sequence[Reply]) -> None:
        self.refused: list[str] = []
        self._prompt = prompt
        self._rounds = rounds

    def __call__(self, asked: Asked) -> Reply:
        problem = problem_of(asked.messages)
        if problem is not None:
            self.refused.append(problem)
            return fails(400, problem)
        since = [message for message in asked.messages[_last_prompt(asked.messages) :] if message.get("tool_calls")]
        if not asked.messages[_last_prompt(asked.messages)]["content"].endswith(self._prompt):
            return says("More.")
        return self._rounds[min(len(since), len(self._rounds) - 1)]


class StrictInTurn:
    """Gives the replies in turn, one a valid request, the last one again and again."""

    def __init__(self, *replies: Reply) -> None:
        self.refused: list[str] = []
        self._left = list(replies)

    def __call__(self, asked: Asked) -> Reply:
        problem = problem_of(asked.messages)
        if problem is not None:
            self.refused.append(problem)
            return fails(400, problem)
        return self._left.pop(0) if len(self._left) > 1 else self._left[0]


def problem_of(messages: Sequence[Mapping[str, Any]]) -> str | None:
    """What is wrong with a conversation: each call has an id of its own and exactly one result, right behind its
    message and in order; roles take turns; nobody says nothing, and the last word is not the assistant's."""
    due: list[str] = []
    seen: set[str] = set()
    for at, message in enumerate(messages):
        role = message["role"]
        if role == "tool":
            if not due or message["tool_call_id"] != due.pop(0):
                return f"message {at}: {message['tool_call_id']} answers no call"
            if not isinstance(message["content"], str):
                return f"message {at}: content is no text"
            continue
        if due:
            return f"message {at}: the calls {due} have no result"
        if role == "system" and at:
            return f"message {at}: the system speaks first"
        if at and role == messages[at - 1]["role"]:
            return f"message {at}: {role} speaks twice"
        if at and role == "user" and messages[at - 1]["role"] == "tool":
            return f"message {at}: nobody answered to the results"
        for call in message.get("tool_calls", []):
            if call["id"] in seen or not call["id"]:
                return f"message {at}: the id {call['id']!r} is taken"
            if not isinstance(json.loads(call["function"]["arguments"]), dict) or not call["function"]["name"]:
                return f"message {at}: {call['function']} is no call"
            seen.add(call["id"])
            due.append(call["id"])
        if not _words(message.get("content")) and not (message.get("tool_calls") and not message["content"]):
            return f"message {at}: {role} says nothing"
    if due:
        return f"the calls {due} have no result"
    return None if messages and messages[-1]["role"] in ("user", "tool") else "nobody asks anything"


def _words(content: Any) -> str:
    """What is said, also in parts beside pictures."""
    parts = [{"text": content or ""}] if not isinstance(content, list) else content
    return "".join(part.get("text", "") for part in parts).strip()


def _last_prompt(messages: Sequence[Mapping[str, Any]]) -> int:
    return max(at for at, message in enumerate(messages) if message["role"] == "user")
