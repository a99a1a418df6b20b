"""Random templates: chains, fans and joins with conditions, lists, early ends and failures."""

import random
import re
from typing import Any

Json = dict[str, Any]

LITERALS: tuple[Any, ...] = (None, True, False, 0, 1, 1.0, 2, -3.5, "", "a", "é ☃", [], [1, 2], {}, {"k": 1})
NUMBERS = (0, 1, 1.0, 2, -1, 1.5)
MOST_SIZE = 120
_NAME = re.compile(r"@(r\d+s\d+)")
TOOLS = {"read": "none", "mark": "idempotent", "note": "once"}
"""The tools of the simulated world, and what a call of each leaves behind."""


class TemplateMaker:
    """Makes one template; `world` is what its steps will meet, `given` the input of its run."""

    def __init__(self, rng: random.Random, prefix: str, features: frozenset[str]) -> None:
        self._rng = rng
        self._prefix = prefix
        self._features = features
        self._sizes: dict[str, int] = {}
        self._lists: dict[str, int] = {}
        self._keyed: set[str] = set()
        self.world: Json = {}
        self.given: Json = {"flag": self._literal(), "none": None, "k": {"k": self._literal()}}
        for size in (0, 1, 3, 7):
            self.given[f"list{size}"] = [self._literal() for _ in range(size)]

    def template(self, size: int) -> Json:
        names = [f"{self._prefix}s{number}" for number in range(size)]
        shape = self._rng.choice(("chain", "fan", "any", "any"))
        steps = [self._step(name, self._before(names[:at], shape)) for at, name in enumerate(names)]
        if self._rng.random() < 0.5:
            self._rng.shuffle(steps)
        template: Json = {"format": "metier.template/1", "title": self._prefix, "steps": steps}
        if self._rng.random() < 0.4:
            template["maxParallel"] = self._rng.choice((1, 1, 2, 3))
        return template

    def _before(self, earlier: list[str], shape: str) -> list[str]:
        """The steps that the next one may wait for."""
        if not earlier or (shape == "fan" and self._rng.random() < 0.7):
            return earlier[:1]
        if shape == "chain" and self._rng.random() < 0.8:
            return earlier[-1:]
        return self._rng.sample(earlier, min(len(earlier), self._rng.choice((0, 1, 1, 2, 3))))

    def _step(self, name: str, before: list[str]) -> Json:
        rng = self._rng
        step: Json = {"name": name, "action": {"set": True}}
        refs = [other for other in before if self._sizes[other] < MOST_SIZE and rng.random() < 0.75]
        depends = [other for other in before if other not in refs or rng.random() < 0.1]
        if depends:
            step["dependsOn"] = depends
        if (before and rng.random() < 0.22) or rng.random() < 0.03:
            step["when"] = self._when(before)
        items = 0
        if rng.random() < 0.2:
            items = self._for_each(step, refs)
        value = self._value(refs, is_item=items > 0)
        self._action(step, value)
        self._config(step)
        size = 1 + _size(value, self._sizes)
        self._sizes[name] = size * max(1, items)
        if items:
            self._lists[name] = items
        return step

    # Parts of a step

    def _when(self, before: list[str]) -> Json:
        rng = self._rng
        ref = self._ref(rng.choice(before)) if before and rng.random() < 0.8 else "@input.flag"
        when: Json = {"ref": ref}
        match rng.choice(("", "eq", "neq", "neq", "gt", "lt")):
            case "":
                pass
            case "gt" | "lt" as name:
                when[name] = rng.choice(NUMBERS)
            case name:
                when[name] = self._literal()
        return when

    def _for_each(self, step: Json, refs: list[str]) -> int:
        """Make it a forEach; about how many items it has."""
        rng = self._rng
        lists = [other for other in refs if other in self._lists]
        size = rng.choice((0, 1, 3, 3, 7))
        if lists and rng.random() < 0.7:
            source = rng.choice(lists)
            step["forEach"], size = {"ref": f"@{source}"}, self._lists[source]
        elif refs and rng.random() < 0.12:
            step["forEach"] = {"ref": self._ref(rng.choice(refs))}
        else:
            step["forEach"] = {"ref": f"@input.list{size}"}
        if rng.random() < 0.6:
            step["forEach"]["concurrency"] = rng.choice((1, 2, 3, 10))
        return max(1, size)

    def _action(self, step: Json, value: Any) -> None:
        rng, name = self._rng, step["name"]
        index = {"index": "@index"} if "forEach" in step else {}
        match rng.choices(("set", "code", "tool", "agent", "return"), (33, 20, 34, 9, 4))[0]:
            case "set":
                step["input"] = value
                if isinstance(value, list) and "forEach" not in step:
                    self._lists[name] = len(value)
                if isinstance(value, dict) and "k" in value and "forEach" not in step:
                    self._keyed.add(name)
                return
            case "return":
                if "forEach" not in step:
                    step["action"] = {"return": True}
                step["input"] = value
                return
            case "code":
                step["action"] = {"code": f"simulated {name}"}
                step["input"] = {"run": "@ctx.run_id", "v": value, **index}
            case "tool":
                step["action"] = {"toolName": rng.choice(tuple(TOOLS))}
                step["input"] = {"step": name, "v": value, **index}
            case "agent":
                at = "@index" if index else "-"
                text = value if isinstance(value, str) else "what"
                step["action"] = {"agent": {"prompt": f"run @ctx.run_id step {name} index {at} v {text}"}}
                if not isinstance(value, str):
                    step.setdefault("dependsOn", []).extend(_named(value))
        self.world[name] = self._meeting(step)

    def _meeting(self, step: Json) -> Json:
        """What happens when the step is carried out."""
        rng = self._rng
        kind = "echo" if rng.random() < 0.7 else "value"
        longest = rng.choice((0, 1, 10, 60, 300, 2500))
        met: Json = {"do": kind, "ms": [rng.choice((0, longest, longest * rng.random())) for _ in range(3)]}
        met["effectAt"] = rng.choice((0, 0.5, 1))
        if kind == "value":
            met["value"] = (
                [self._literal() for _ in range(rng.randint(0, 4))] if rng.random() < 0.5 else self._literal()
            )
            if isinstance(met["value"], list) and "forEach" not in step and "agent" not in step["action"]:
                self._lists[step["name"]] = len(met["value"])
        if "forEach" in step:
            if rng.random() < 0.4:
                met["fails"] = sorted(rng.sample(range(7), rng.randint(1, 3)))
        elif rng.random() < 0.1:
            met["do"] = "fail"
        if rng.random() < 0.15 and "code" not in step["action"]:  # code can be killed
            met["stubbornMs"] = rng.choice((100, 700, 3000))
        if "agent" in step["action"]:
            rounds = rng.choice((0, 0, 1, 2))
            met["rounds"] = [rng.choices(tuple(TOOLS), k=rng.choice((1, 1, 2, 3))) for _ in range(rounds)]
        return met

    def _config(self, step: Json) -> None:
        rng = self._rng
        config: Json = {}
        if rng.random() < (0.5 if self.world.get(step["name"], {}).get("do") == "fail" else 0.2):
            config["onError"] = rng.choice(("continue", "continue", "fail"))
        if step["action"].get("toolName") == "note" and rng.random() < 0.25:
            config["idempotent"] = True
        if config:
            step["config"] = config

    # Values

    def _literal(self) -> Any:
        return self._rng.choice(LITERALS)

    def _ref(self, name: str) -> str:
        draw = self._rng.random()
        if name in self._keyed and draw < 0.5:
            return f"@{name}.k"
        if draw < 0.68:
            return f"@{name}"
        if draw < 0.97:
            return f"@{name}{self._rng.choice(('.k', '.nope[0].x', '[1]'))}?"
        return f"@{name}.nope"

    def _value(self, refs: list[str], *, is_item: bool) -> Any:
        """An input that has all `refs` in it."""
        rng = self._rng
        found = [self._ref(name) for name in refs]
        if is_item:
            found.append(rng.choice(("@item", "@item", "@index", "@item.k?")))
        match rng.choice(("object", "list", "text", "whole", "object")):
            case "whole" if len(found) == 1:
                return found[0]
            case "text":
                texts = [re.split(r"[.\[?]", ref)[0] for ref in found]
                return " ".join(("x", *texts, rng.choice(("y@z", "@@", ""))))
            case "list":
                return [*found, self._literal()]
            case _:
                return {"k": self._literal(), **{f"v{at}": ref for at, ref in enumerate(found)}}


def _named(value: Any) -> list[str]:
    """The steps that refs in `value` name."""
    return _NAME.findall(str(value))


def _size(value: Any, sizes: dict[str, int]) -> int:
    return len(str(value)) // 20 + sum(sizes[name] for name in _named(value))
