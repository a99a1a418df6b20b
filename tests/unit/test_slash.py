"""Messages that begin with a slash."""

from typing import Any

import pytest

from core.domain.ids import PromptId, TemplateId
from core.domain.slash_commands import (
    PromptInput,
    SlashCommand,
    SlashKind,
    SlashTarget,
    TemplateInput,
    UnknownCommand,
    append_rest,
    command_text,
    parse_slash,
    prompt_input,
    prompt_values_schema,
    template_input,
)


def a_template(title: str) -> SlashTarget:
    return SlashTarget(SlashKind.TEMPLATE, TemplateId(f"tpl_{title}"), title)


def a_prompt(title: str) -> SlashTarget:
    return SlashTarget(SlashKind.PROMPT, PromptId(f"prompt_{title}"), title)


TITLES = [
    a_template("Report"),
    a_template("Report weekly"),
    a_template("Résumé"),
    a_prompt("Ask"),
    a_template("ask"),
    a_prompt("Tidy"),
    a_template("Tidy"),
    a_prompt('Say "hi"'),
    a_prompt("hi"),
    a_template('"hi" there'),
    a_prompt("总结"),
    a_prompt("مرحبا"),
    a_prompt("👩‍👩‍👧 family"),
    a_prompt("{{x}}"),
]
BIG = "é\n" * 25_000


@pytest.mark.parametrize(
    ("text", "title", "rest"),
    [
        ("/Report", "Report", ""),
        ("/Report ", "Report", ""),
        ("/Report last week", "Report", "last week"),
        ("/rEPORT last week", "Report", "last week"),
        ("/Report weekly", "Report weekly", ""),
        ("/Report   Weekly  sales", "Report weekly", "sales"),
        ("/Report weeklies", "Report", "weeklies"),
        ('/"Report" weekly', "Report", "weekly"),
        ('/"Report weekly" sales', "Report weekly", "sales"),
        ("/Report\nweekly", "Report", "weekly"),
        ("/Report\r\nweekly", "Report", "weekly"),
        ("/Report\n\n    indented\n  more\n", "Report", "    indented\n  more"),
        ("/Report \n \n", "Report", ""),
        ("/résumé x", "Résumé", "x"),
        ("/RE\u0301SUME\u0301 x", "Résumé", "x"),
        ("/resume x", "Résumé", "x"),
        ('/Say "hi" to all', 'Say "hi"', "to all"),
        ('/"Say "hi"" to all', 'Say "hi"', "to all"),
        ('/"hi" you', "hi", "you"),
        ('/"hi" there', "hi", "there"),
        ('/""hi" there" all', '"hi" there', "all"),
        ("/总结 这个", "总结", "这个"),
        ("/مرحبا بك", "مرحبا", "بك"),
        ("/👩‍👩‍👧 family", "👩‍👩‍👧 family", ""),
        ("/{{x}} y", "{{x}}", "y"),
        (f"/Report {BIG}", "Report", BIG.rstrip()),
    ],
)
def test_a_title_is_found_and_what_follows_is_its_rest(text: str, title: str, rest: str) -> None:
    found = parse_slash(text, TITLES)
    assert isinstance(found, SlashCommand)
    assert (found.target.title, found.rest) == (title, rest)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("/", ""),
        ("/ Report", ""),
        ("/\nReport", ""),
        ("//", "/"),
        ("//Report", "/Report"),
        ("/unknown thing", "unknown"),
        ("/Reports", "Reports"),
        ("/Report: weekly", "Report:"),
        ("/usr/bin/env", "usr/bin/env"),
        ('/""', '""'),
        ('/"', '"'),
        ('/"Report', '"Report'),
        ('/"Report"s', '"Report"s'),
        ("/" + "x" * 50_000, "x" * 1536),
    ],
)
def test_what_nothing_is_called_is_text(text: str, name: str) -> None:
    assert parse_slash(text, TITLES) == UnknownCommand(name)


@pytest.mark.parametrize("text", ["", "Report", " /Report", "\n/Report", "a /Report"])
def test_a_slash_elsewhere_means_nothing(text: str) -> None:
    assert parse_slash(text, TITLES) is None


def test_of_one_title_the_exact_case_counts_first_and_then_the_prompt_which_runs_nothing() -> None:
    def target(text: str) -> SlashTarget:
        found = parse_slash(text, TITLES)
        assert isinstance(found, SlashCommand)
        return found.target

    assert target("/ask x") == a_template("ask")
    assert target("/Ask x") == a_prompt("Ask")
    assert target("/ASK x") == a_prompt("Ask")
    assert target("/tidy x") == a_prompt("Tidy")


@pytest.mark.parametrize("target", TITLES, ids=lambda target: target.id)
def test_what_is_written_for_a_title_names_it_again(target: SlashTarget) -> None:
    found = parse_slash(f"{command_text(target.title)}the rest", TITLES)
    assert isinstance(found, SlashCommand)
    assert (found.target.title, found.rest) == (target.title, "the rest")


# Templates

TEXT = {"type": "string"}
NUMBER = {"type": "number"}


def closed(required: list[str], **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


@pytest.mark.parametrize(
    ("schema", "rest", "given", "asked"),
    [
        (None, "", {}, []),
        (None, "go", {"prompt": "go"}, []),
        (True, "go", {"prompt": "go"}, []),
        ({"type": "object"}, "go", {"prompt": "go"}, []),
        (closed([], prompt=TEXT), "go", {"prompt": "go"}, []),
        (closed(["prompt"], prompt=TEXT), "", {}, ["prompt"]),
        (closed(["prompt", "n"], prompt=TEXT, n=NUMBER), "go", {"prompt": "go"}, ["n"]),
        (closed(["what", "n"], what=TEXT, n=NUMBER), "go", {"what": "go"}, ["n"]),
        (closed(["what"], what=TEXT, prompt=TEXT), "go", {"prompt": "go"}, ["what"]),
        (closed(["a", "b"], a=TEXT, b=TEXT), "go", {}, ["a", "b"]),
        (closed(["n"], n=NUMBER), "go", {}, ["n"]),
        ({"required": ["a"]}, "go", {"a": "go"}, []),
        ({"required": "a", "properties": []}, "go", {"prompt": "go"}, []),
        ({"properties": {"prompt": NUMBER}}, "go", {}, []),
    ],
)
def test_the_rest_is_the_prompt_or_the_only_required_text(
    schema: Any, rest: str, given: dict[str, str], asked: list[str]
) -> None:
    found = template_input(schema, rest)
    assert found.values == given
    assert (list(found.missing_schema["required"]) if found.missing_schema is not None else []) == asked


def test_a_rest_without_a_place_is_offered_for_the_first_text_that_is_asked() -> None:
    found = template_input(closed(["n", "a", "b"], n=NUMBER, a=TEXT, b=TEXT), "go")
    assert found.missing_schema is not None
    assert found.missing_schema["properties"] == {"n": NUMBER, "a": {**TEXT, "default": "go"}, "b": TEXT}
    assert template_input({"$defs": {"x": TEXT}, **closed(["n"], n=NUMBER)}, "") == TemplateInput(
        {}, {"type": "object", "properties": {"n": NUMBER}, "required": ["n"], "$defs": {"x": TEXT}}
    )


# Prompts


def test_the_rest_fills_the_only_variable_of_a_prompt_or_follows_its_text() -> None:
    assert prompt_input(["a"], "x") == PromptInput({"a": "x"}, ())
    assert prompt_input(["a"], "") == PromptInput({}, ["a"])
    assert prompt_input(["a", "b"], "x") == PromptInput({}, ["a", "b"], "x")
    assert prompt_input([], "x") == PromptInput({}, [], "x")
    assert append_rest("Do this.\n", "x") == "Do this.\n\nx"
    assert append_rest("Do this.\n", "") == "Do this.\n"
    assert prompt_values_schema(["b", "a"])["required"] == ["b", "a"]
