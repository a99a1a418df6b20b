"""What steps meet when they are carried out, and what users answer: drawn when the template is."""

import random
from collections.abc import Callable
from typing import Any

Json = dict[str, Any]

TOOLS = {"read": "none", "mark": "idempotent", "note": "once", "form": "once"}
"""The tools of the simulated world, and what a call of each leaves behind. `form` has a required argument `extra`."""

BEGIN = "begin"
"""The tool that runs another template. It gives its output where it waits for its end, else `begun` at once."""

FOR_EVER = 99
"""A call that hangs so often, without a limit, never ends: nothing but the lack of progress ends its run."""

ASKED = ("approval", "approval", "input-review", "state-edit", "local-execution")


class Fortune:
    """Decides for each step of a scenario. `is_calm`: no process of it dies, so that even attempts can be counted."""

    def __init__(self, rng: random.Random, *, is_calm: bool) -> None:
        self._rng = rng
        self._is_calm = is_calm

    def decide(self, step: Json, world: dict[str, Json], literal: Callable[[], Any]) -> None:
        """Complete the step by config and interrupt, and put what it will meet into `world`."""
        met: Json = {}
        tool = step["action"].get("toolName")
        if not {"set", "return", "workflow"} & step["action"].keys() and tool != BEGIN:
            met.update(self._happening(step, literal))
        self._config(step, met)
        is_asking = self._rng.random() < (0.6 if tool == "form" else 0.09)
        if is_asking:
            step["interrupt"] = self._question(step)
            met["answer"] = self._answer(step["interrupt"], literal)
        if tool == "form" and self._rng.random() < (0.2 if is_asking else 0.9):
            step["input"]["extra"] = literal()
        if tool in ("note", "form") or met.get("rounds"):
            met["outcome"] = self._outcome(literal)
        if met:
            world[step["name"]] = met

    def _happening(self, step: Json, literal: Callable[[], Any]) -> Json:
        rng, action = self._rng, step["action"]
        kind = "echo" if rng.random() < 0.7 else "value"
        longest = rng.choice((0, 1, 10, 60, 300, 2500))
        met: Json = {"do": kind, "ms": [round(rng.choice((0, longest, longest * rng.random())), 3) for _ in range(3)]}
        met["effectAt"] = rng.choice((0, 0.5, 1))
        if kind == "value":
            met["value"] = [literal() for _ in range(rng.randint(0, 4))] if rng.random() < 0.5 else literal()
        if "forEach" in step:
            if rng.random() < 0.4:
                met["fails"] = sorted(rng.sample(range(7), rng.randint(1, 3)))
        elif rng.random() < 0.1:
            met["do"] = "fail"
        if rng.random() < 0.15 and "code" not in action:  # code can be killed
            met["stubbornMs"] = rng.choice((100, 700, 3000))
        if "agent" in action:
            rounds = rng.choice((0, 0, 1, 2))
            met["rounds"] = [rng.choices(("read", "mark", "note"), k=rng.choice((1, 1, 2, 3))) for _ in range(rounds)]
        return met

    def _config(self, step: Json, met: Json) -> None:
        rng, tool = self._rng, step["action"].get("toolName")
        config: Json = {}
        is_once = tool in ("note", "form")
        if rng.random() < (0.5 if met.get("do") == "fail" else 0.2):
            config["onError"] = rng.choice(("continue", "continue", "fail"))
        if is_once and rng.random() < 0.25:
            config["idempotent"] = True
            is_once = False
        if is_once and rng.random() < 0.4:
            config["onUnknown"] = rng.choice(("ask", "rerun", "fail"))
        if met and rng.random() < 0.15:
            config["maxAttempts"] = rng.choice((2, 3, 5))
            config["backoffMs"] = rng.choice((100, 1000, 60_000))
            if met["do"] != "fail" and (self._is_calm or not is_once):
                met["failures"] = rng.choice((0, 1, 1, 2, 4))
        if "agent" in step["action"] and rng.random() < 0.03:
            met["hangs"] = FOR_EVER
        elif met and rng.random() < 0.06:
            if "agent" in step["action"]:
                config["timeoutMs"] = 60_000
            elif rng.random() < 0.6:
                config["timeoutMs"] = rng.choice((3000, 20_000))
            met.pop("failures", None)
            met["hangs"] = rng.choice((1, 1, 2))
        if config:
            step["config"] = config

    def _question(self, step: Json) -> Json:
        rng = self._rng
        if step["action"].get("toolName") == "form":
            kind = "tool-input"
        elif "forEach" in step:
            kind = rng.choice(("approval", "local-execution"))
        else:
            kind = rng.choice(ASKED)
        if "forEach" in step and kind == "tool-input":
            kind = "approval"
        asked: Json = {"kind": kind}
        if rng.random() < 0.3:
            asked["onReject"] = "skip"
        if rng.random() < 0.3:
            asked["timeoutMs"] = rng.choice((1, 1000, 60_000, 7_200_000))
            if kind in ("approval", "input-review") and rng.random() < 0.5:
                asked["defaultAction"] = "approve"
        return asked

    def _answer(self, asked: Json, literal: Callable[[], Any]) -> Json:
        rng, kind = self._rng, asked["kind"]
        takes = {"approval": ("approve",), "input-review": ("approve", "submit")}.get(kind, ("submit",))
        answer: Json = {"action": "reject" if rng.random() < 0.18 else rng.choice(takes), "value": literal()}
        answer["ms"] = rng.choice((0, 0, 1, 60, 700, 20_000))
        if rng.random() < 0.25:
            answer["twice"] = rng.choice((0, 0, 1, 100))
        if "timeoutMs" in asked and rng.random() < 0.5:
            answer["never"] = True
        return answer

    def _outcome(self, literal: Callable[[], Any]) -> Json:
        rng = self._rng
        action = rng.choice(("approve", "approve", "submit", "reject"))
        return {"action": action, "value": literal(), "ms": rng.choice((0, 10, 2000))}
