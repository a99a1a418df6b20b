"""What a language model is told of its place before anybody speaks; built anew for each turn (AGENTS_AND_TOOLS §2)."""

from datetime import datetime

from core.ports.agents import AgentTurn

_PLACE = """You are an assistant in Metier, an app that runs AI workflows on a person's own machine. Today is {date}.
Use the tools you are given where they help, and only those. Say plainly what you could not do."""
_TASK = """Another agent has given you a task. It reads your last answer and nothing else: say there all that it has to
know."""
_FOLDERS = "File tools reach these folders and nothing else: {}."
_NO_FOLDERS = "No folder is open to the file tools in this run."
_ORIGINS = "Of addresses that are not public, http_fetch reaches these: {}."


def system_prompt(turn: AgentTurn, now: datetime) -> str:
    """For a turn that a language model answers: its place, then what its agent is told."""
    allow, origins = turn.snapshot.folders, turn.snapshot.origins
    folders = _FOLDERS.format(", ".join(allow)) if allow else _NO_FOLDERS
    private = f" {_ORIGINS.format(', '.join(origins))}" if origins else ""
    profile = turn.snapshot.profile
    own = f"\n\n{profile.system_prompt}" if profile is not None and profile.system_prompt.strip() else ""
    recording = f"\n{turn.recorder.guide}" if turn.recorder.guide else ""
    task = f"\n{_TASK}" if turn.place.sub_agent_id is not None else ""
    return f"{_PLACE.format(date=f'{now:%A, %d %B %Y}')}{task}\n{folders}{private}{recording}{own}"
