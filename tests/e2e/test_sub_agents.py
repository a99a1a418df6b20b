"""Sub-agents from the command line: their events, and consent to their calls."""

import json

from tests.e2e.test_consent import answer, asked, chat
from tests.support.command_line import CommandLine

INNER = '/tool calculator {"expression": "6 * 7"}'


def spawning(*prompts: str) -> str:
    tasks = [{"prompt": prompt, "name": f"Agent {number}"} for number, prompt in enumerate(prompts, 1)]
    return f"/tool parallel_tasks {json.dumps({'tasks': tasks})}"


def test_a_call_within_a_sub_agent_is_approved_and_another_rejected(metier: CommandLine) -> None:
    said = chat(metier, spawning(INNER, INNER))
    (one,) = asked(said)
    assert (one["tool"], [task["name"] for task in one["arguments"]["tasks"]]) == (
        "parallel_tasks",
        ["Agent 1", "Agent 2"],
    )
    run_id = said.last["run_id"]
    both = asked(metier("answer", run_id, answer("approve")))
    first, second = sorted(both, key=lambda one: one["sub_agent_name"])  # who asks first is chance
    assert [(one["tool"], one["step"], one["sub_agent_name"]) for one in (first, second)] == [
        ("calculator", "answer", "Agent 1"),
        ("calculator", "answer", "Agent 2"),
    ]
    said = metier("answer", run_id, "--step", second["sub_agent_id"], answer("reject", reason="too dear"))
    assert [one["id"] for one in asked(said)] == [first["id"]]
    said = metier("answer", run_id, "--id", first["id"], answer("approve"))
    assert (said.code, said.last["status"]) == (0, "success")
    assert [one["status"] for one in said.last["sub_agents"]] == ["completed", "completed"]
    assert "42" in said.last["sub_agents"][0]["text"]
    assert "too dear" in said.last["sub_agents"][1]["text"]
    inner = [call for call in said.last["tool_calls"] if "sub_agent_id" in call]
    assert [(call["status"], call["sub_agent_id"]) for call in inner] == [
        ("error", second["sub_agent_id"]),
        ("completed", first["sub_agent_id"]),
    ]


def test_what_streams_on_stdout_is_the_agents_own_text(metier: CommandLine) -> None:
    said = metier("chat", f"say 2 words\n{spawning('say 40 words')}")
    assert said.code == 0
    assert said.out.startswith("a workflow\n\n- `parallel_tasks` → ")
    assert said.out.count("reads a page while") == 1  # in the result that is told, and not as it streamed
    told = metier("events", json.loads(said.err.splitlines()[-1])["run_id"])
    kinds = [line["type"] for line in told.lines if line["type"].startswith("sub_agent")]
    assert kinds == ["sub_agent_started", "sub_agent_text", "sub_agent_finished"]


def test_a_script_begins_some_and_they_follow_their_prompts(metier: CommandLine) -> None:
    script = metier.data.parent / "script.jsonl"
    lines = [{"call": "spawn_agent", "arguments": {"prompt": "say 3 words"}}, {"say": "Done."}]
    script.write_text("\n".join(map(json.dumps, lines)))
    said = metier("chat", "go", "--script", str(script), "--events")
    assert (said.code, said.last["output"]) == (0, "Done.")
    assert [one["text"] for one in said.last["sub_agents"]] == ["a workflow is"]
