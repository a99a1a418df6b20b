"""Random templates: chains, fans and joins with conditions, lists, early ends, failures and questions."""

import random
import re
from dataclasses import dataclass
from typing import Any

from tests.simulation.fortune import BEGIN, TOOLS, Fortune

Json = dict[str, Any]

LITERALS: tuple[Any, ...] = (None, True, False, 0, 1, 1.0, 2, -3.5, "", "a", "é ☃", [], [1, 2], {}, {"k": 1})
NUMBERS = (0, 1, 1.0, 2, -1, 1.5)
MOST_SIZE = 120
_NAME = re.compile(r"@([rc]\d+s\d+)")


@dataclass(frozen=True, slots=True)
class Child:
    """A template that others may run: its title, an input that suits it, and about how large its output is."""

    title: str
    given: Json
    size: int


class TemplateMaker:
    """Makes one template; `world` is what its steps will meet, `given` the input of its run."""

    def __init__(self, rng: random.Random, title: str, children: list[Child], fortune: Fortune) -> None:
        self._rng = rng
        self._title = title
        self._children = children
        self._fortune = fortune
        self._sizes: dict[str, int] = {}
        self._lists: dict[str, int] = {}
        self._keyed: set[str] = set()
        self.world: dict[str, Json] = {}
        self.given: Json = {"flag": self._literal(), "none": None, "k": {"k": self._literal()}}
        for size in (0, 1, 3, 7):
            self.given[f"list{size}"] = [self._literal() for _ in range(size)]

    def template(self, size: int) -> Json:
        names = [f"{self._title}s{number}" for number in range(size)]
        shape = self._rng.choice(("chain", "fan", "any", "any"))
        steps = [self._step(name, self._before(names[:at], shape)) for at, name in enumerate(names)]
        if self._rng.random() < 0.5:
            self._rng.shuffle(steps)
        template: Json = {"format": "metier.template/1", "title": self._title, "steps": steps}
        if self._rng.random() < 0.4:
            template["maxParallel"] = self._rng.choice((1, 1, 2, 3))
        if self._rng.random() < 0.09:
            template["timeoutMs"] = self._rng.choice((10, 100, 1000, 5000, 60_000))
        return template

    def as_child(self) -> Child:
        return Child(self._title, self.given, sum(self._sizes.values()))

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
        size = self._action(step, value)
        self._fortune.decide(step, self.world, self._literal)
        self._learn(step, value)
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

    def _action(self, step: Json, value: Any) -> int:
        """Say what the step does; about how large its output is."""
        rng, name = self._rng, step["name"]
        index = {"index": "@index"} if "forEach" in step else {}
        size = 1 + _size(value, self._sizes)
        kinds = ("set", "code", "tool", "agent", "return", "workflow")
        match rng.choices(kinds, (32, 20, 34, 9, 4, 12 if self._children else 0))[0]:
            case "set":
                step["input"] = value
            case "return":
                if "forEach" not in step:
                    step["action"] = {"return": True}
                step["input"] = value
            case "code":
                step["action"] = {"code": f"simulated {name}"}
                step["input"] = {"run": "@ctx.run_id", "v": value, "attempt": "@ctx.attempt", **index}
            case "tool":
                step["action"] = {"toolName": rng.choice(tuple(TOOLS))}
                step["input"] = {"step": name, "v": value, "attempt": "@ctx.attempt", **index}
            case "agent":
                at = "@index" if index else "-"
                text = value if isinstance(value, str) else "what"
                step["action"] = {
                    "agent": {"prompt": f"run @ctx.run_id step {name} index {at} attempt @ctx.attempt v {text}"}
                }
                if not isinstance(value, str):
                    step.setdefault("dependsOn", []).extend(_named(value))
            case "workflow":
                child = rng.choice(self._children)
                step["action"] = {"workflow": {"title": child.title}}
                step["input"] = {**child.given, "flag": value}
                if rng.random() < 0.45:
                    step["action"] = {"toolName": BEGIN}
                    step["input"] |= {"title": child.title, "wait": rng.random() < 0.25}
                size += child.size
        return size

    def _learn(self, step: Json, value: Any) -> None:
        """Remember what later steps may refer to in the output."""
        met = self.world.get(step["name"], {})
        output = value if "set" in step["action"] else met.get("value") if met.get("do") == "value" else None
        if "forEach" in step or "agent" in step["action"] or "answer" in met:
            return
        if isinstance(output, list):
            self._lists[step["name"]] = len(output)
        if isinstance(output, dict) and "k" in output:
            self._keyed.add(step["name"])

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
