"""Prompts of the library: their names, and the placeholders in their texts."""

import pytest
from pydantic import ValidationError

from core.domain.ids import PromptId
from core.domain.prompt import CONTENT_CHARACTERS, MAX_VARIABLES, Prompt, fill_variables, filled_length, variables_of

ID = PromptId("prompt_1")


@pytest.mark.parametrize(
    ("content", "names"),
    [
        ("{{a}} {{ b }} {{a}} {{_c-1}}", ["a", "b", "_c-1"]),
        ("{{A}} {{a}}", ["A", "a"]),
        ("{{prénom}} {{pre\u0301nom}} {{नाम}} {{名前}} {{שם}}", ["prénom", "नाम", "名前", "שם"]),
        ("{{", []),
        ("}}{{", []),
        ("{{}} {{ }} {{{}}} {a}", []),
        ("{{{a}}} {{a{{b}}c}} {{ {{c}} }}", ["a", "b", "c"]),
        ("{{1}} {{-a}} {{a b}} {{a.b}} {{#if a}} {{a\nb}} {{👩‍👩‍👧}}", []),
        ("{{" * 25_000, []),
        ("{{a}}" * 10_000, ["a"]),
    ],
)
def test_placeholders_are_found_and_other_braces_are_text(content: str, names: list[str]) -> None:
    assert list(variables_of(content)) == names
    assert fill_variables(content, {}) == content


def test_values_come_into_their_places_as_they_are() -> None:
    text = "{{a}}, {{ pre\u0301nom }}, {{b}}, {{}}"
    assert fill_variables(text, {"a": r"{{b}} \1 \g<0>", "prénom": "É", "zz": "-"}) == r"{{b}} \1 \g<0>, É, {{b}}, {{}}"
    assert filled_length(text, {"a": "xyz", "zz": "-"}) == len(fill_variables(text, {"a": "xyz", "zz": "-"}))


@pytest.mark.parametrize("name", ["a", "x" * 64, "Élise 亚", "مرحبا", "👩‍👩‍👧", "{{x}}", '"', "/"])
def test_a_name_has_any_signs_that_can_be_shown(name: str) -> None:
    assert Prompt(id=ID, name=f"  {name}\n", content="c").name == name


@pytest.mark.parametrize("name", ["", "  ", "x" * 65, "a\x00b", "a\u202eb", "\u200d", "a\ud800"])
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(ValidationError):
        Prompt(id=ID, name=name, content="c")


def test_the_text_has_bounds_and_is_stored_as_written() -> None:
    full = Prompt(id=ID, name="a", content=" \n" + "é" * (CONTENT_CHARACTERS - 4) + "\n ")
    assert len(full.content) == CONTENT_CHARACTERS
    names = [f"{{{{a{at}}}}}" for at in range(MAX_VARIABLES + 1)]
    assert len(Prompt(id=ID, name="a", content="".join(names[1:])).variables) == MAX_VARIABLES
    for content in ("", " \n ", "x" * (CONTENT_CHARACTERS + 1), "".join(names)):
        with pytest.raises(ValidationError):
            Prompt(id=ID, name="a", content=content)
