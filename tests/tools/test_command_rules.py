"""Rules of the user for commands: what the card offers, and what they cover (AGENTS_AND_TOOLS §6)."""

import pytest

from core.domain.command_rules import EXACT, PREFIX, CommandCall, OfferedRule
from core.domain.consent import CallTraits, ConsentPolicy, Permission, Rule, Ruling
from core.domain.risk import Risk
from core.domain.template import ValidationMode
from core.domain.tool import COMMAND_TOOL, Category, Effect


def call(line: str, *, has_network: bool = False, is_confined: bool = True) -> CommandCall:
    return CommandCall(line, has_network, is_confined)


def is_covered(command: CommandCall, rule: str, permission: Permission | None = None) -> bool:
    """Return whether the rule covers the command, in every mode."""
    policy = ConsentPolicy(exceptions={rule: Rule.ALLOW}, permissions={rule: permission or Permission()})
    traits = CallTraits(COMMAND_TOOL, Category.SYSTEM, Risk.HIGH, Effect.ONCE, command=command)
    rulings = {policy.terms(traits, mode).ruling for mode in ValidationMode}
    assert len(rulings) == 1
    return rulings == {Ruling.EXCEPTED}


@pytest.mark.parametrize(
    ("line", "prefix"),
    [
        ("git status --short", "git status"),
        ("npm run build -- --watch", "npm run build"),
        ("ls -la", "ls"),
        ("cat notes.txt", "cat"),
        ("./run.sh fast", "./run.sh fast"),
        ("python3 -m pytest -q", "python3 -m pytest"),
        ('git commit -m "one; two"', "git commit"),
        ("python3 run.py", ""),
        ("/usr/bin/env git status", ""),
        ("sudo ls", ""),
        ("bash -c ls", ""),
        ("PATH=. ls", ""),
        ("ls | wc", ""),
        ("ls\nrm x", ""),
        ("!ls", ""),
        ("'a b' c", ""),
        ("", ""),
        ("ls " + "x" * 200, ""),
    ],
)
def test_the_offered_prefix_is_the_program_and_its_sub_commands(line: str, prefix: str) -> None:
    assert " ".join(call(line).prefix) == prefix
    if prefix:
        assert OfferedRule.of(call(line)).name("prefix") == PREFIX + prefix
        assert is_covered(call(line), PREFIX + prefix)


@pytest.mark.parametrize(
    "line",
    [
        *("git status", "git status -s -- a*", " git\t status", "'git' \"status\" '; rm'", "git status \\;"),
        *('git status "a | b"', "git status ~/x {a,b} # all", "git status é"),
    ],
)
def test_a_prefix_covers_lines_of_words_that_begin_with_it(line: str) -> None:
    assert is_covered(call(line), PREFIX + "git status")


@pytest.mark.parametrize(
    "line",
    [
        *("git status; rm x", "git status && rm x", "git status || rm x", "git status | sh", "git status & rm x"),
        *("git status > x", "git status >> x", "git status < x", "git status 2>&1", "git status <(rm x)"),
        *("git status $(rm x)", "git status `rm x`", 'git status "$(rm x)"', 'git status "`rm x`"', "git status $HOME"),
        *(
            "git status\nrm x",
            "git status \\\nrm",
            "git status '\nrm x'",
            "git status\rrm x",
            "git status (",
            "git status )",
        ),
        *("git status 'a", 'git status "a', "git status \\", "git status\0", "git status\x1b[2K", "git\rstatus"),
        *(
            "git statuses",
            "git",
            "git stash",
            "status git",
            "'git status'",
            "'git status' x",
            "gitstatus",
            "X=1 git status",
        ),
        *(
            "git -c x=y status",
            "sh git status",
            "GIT status",
            "g*t status",
            "git\u00a0status",
            "git status" + " x" * 2_000,
        ),
    ],
)
def test_a_prefix_covers_nothing_that_could_run_another_command(line: str) -> None:
    assert not is_covered(call(line), PREFIX + "git status")


def test_an_exact_rule_covers_that_line_alone() -> None:
    line = "cd src && make | tail -n 3"
    assert OfferedRule.of(call(line)).name("always") == EXACT + line
    assert is_covered(call(line), EXACT + line)
    for other in (f"{line} ", f" {line}", f"{line}\n", f"{line}; rm x", line.upper(), ""):
        assert not is_covered(call(other), EXACT + line)
    assert OfferedRule.of(call("x" * 201)).name("always") is None


def test_a_rule_covers_no_more_than_the_card_said() -> None:
    """Without network it covers none, and a command that was confined only as long as commands are."""
    names = (PREFIX + "git status", EXACT + "git status")
    for name in names:
        plain, network = Permission(), Permission(covers_network=True)
        assert not is_covered(call("git status", has_network=True), name, plain)
        assert is_covered(call("git status", has_network=True), name, network)
        assert is_covered(call("git status"), name, network)
        assert not is_covered(call("git status", is_confined=False), name, network)
        assert is_covered(call("git status", is_confined=False), name, Permission(covers_unconfined=True))


def test_a_rule_for_the_tool_covers_no_command() -> None:
    for name in (COMMAND_TOOL, "git", PREFIX, EXACT):
        assert not is_covered(call("git status"), name, Permission(covers_high_risk=True))
