"""@refs: every vector, and what the vectors leave open."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.domain.template import When
from core.engine.plan.dispatch import evaluate_condition
from core.engine.plan.refs import Scope, find_refs, resolve
from core.errors import RefFailed

VECTORS = Path(__file__).parents[1] / "vectors"
REFS = json.loads((VECTORS / "refs.json").read_text("utf-8"))
CONDITIONS = json.loads((VECTORS / "conditions.json").read_text("utf-8"))
CONTEXT = REFS["context"]
OUTPUTS = {**CONTEXT["steps"], **dict.fromkeys(CONTEXT["skipped"])}
SCOPE = Scope(CONTEXT["input"], OUTPUTS, frozenset(CONTEXT["skipped"]), CONTEXT["ctx"])


def scope_of(case: dict[str, Any]) -> Scope:
    return SCOPE.at(case["index"], case["item"]) if "index" in case else SCOPE


@pytest.mark.parametrize(
    "case", REFS["cases"], ids=lambda case: json.dumps([case["value"], *([case["item"]] if "item" in case else [])])
)
def test_a_value_resolves_as_the_vector_says(case: dict[str, Any]) -> None:
    if "error" in case:
        with pytest.raises(RefFailed) as failure:
            resolve(case["value"], scope_of(case))
        assert failure.value.code == case["error"]
        assert failure.value.parameters["path"] == case.get("path", failure.value.parameters["path"])
    else:
        resolved = resolve(case["value"], scope_of(case))
        assert json.dumps(resolved) == json.dumps(case["expected"])  # text: 1 is not 1.0, true is not 1


@pytest.mark.parametrize("case", CONDITIONS["cases"], ids=lambda case: json.dumps(case["when"]))
def test_a_condition_holds_as_the_vector_says(case: dict[str, Any]) -> None:
    runs, _ = evaluate_condition(When.model_validate(case["when"]), SCOPE)
    assert runs is case["runs"]


@pytest.mark.parametrize(
    "text",
    [
        "@fetch.__class__",
        "@fetch.__class__.__mro__",
        "@fetch.constructor",
        "@fetch.__proto__.x",
        "@fetch.items",
        "@fetch.0",
        "@list.-1",
        "@input.__globals__",
        "@plain.__len__",
        "@input.count.real",
    ],
)
def test_a_ref_never_walks_into_the_insides_of_an_object(text: str) -> None:
    with pytest.raises(RefFailed) as failure:
        resolve({"value": text, "text": f"in {text}"}, SCOPE)
    assert failure.value.code == "unresolved_ref"


def test_a_missing_path_names_the_deepest_part_that_existed() -> None:
    with pytest.raises(RefFailed) as failure:
        resolve({"a": ["@fetch.users[0].address.street"]}, SCOPE)
    assert failure.value.parameters == {
        "ref": "@fetch.users[0].address.street",
        "found": "@fetch.users[0]",
        "path": "/a/0",
    }


def test_the_path_of_an_error_is_a_json_pointer() -> None:
    with pytest.raises(RefFailed) as failure:
        resolve({"a/b": {"c~d": "@input.missing"}}, SCOPE)
    assert failure.value.parameters["path"] == "/a~1b/c~0d"


def test_quoted_keys_may_hold_anything() -> None:
    scope = Scope({"a b": {'q"': 1, "x.y": 2}})
    assert resolve(r'@input["a b"]["q\""]', scope) == 1
    assert resolve('at @input["a b"]["x.y"]!', scope) == "at 2!"


def test_refs_are_found_with_their_places() -> None:
    found = list(find_refs({"a": "@one.x", "b": ["mail me@two.org", "and @three"], "@four": 1}))
    assert [(each.ref.root, each.path, each.is_whole) for each in found] == [
        ("one", "/a", True),
        ("three", "/b/1", False),
    ]
