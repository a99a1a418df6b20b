"""The files in which installed apps keep their MCP servers (AGENTS_AND_TOOLS §7).

A place begins with `~`, or with a folder that the system has for apps: {roaming} is %APPDATA% on Windows,
~/Library/Application Support on macOS and ~/.config elsewhere; {local} is %LOCALAPPDATA%, the same, ~/.local/share.
"""

import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

_VS_CODE = "User/globalStorage"
APPS: Mapping[str, tuple[str, ...]] = {
    "Claude Desktop": ("{roaming}/Claude/claude_desktop_config.json",),
    "Claude Code": ("~/.claude.json", "~/.claude/settings.json"),
    "Cursor": ("~/.cursor/mcp.json",),
    "VS Code": ("{roaming}/Code/User/mcp.json", "{roaming}/Code/User/settings.json"),
    "VS Code Insiders": ("{roaming}/Code - Insiders/User/mcp.json",),
    "VSCodium": ("{roaming}/VSCodium/User/mcp.json",),
    "Windsurf": ("~/.codeium/windsurf/mcp_config.json",),
    "Zed": ("~/.config/zed/settings.json", "{roaming}/Zed/settings.json"),
    "Codex": ("~/.codex/config.toml",),
    "OpenCode": ("~/.config/opencode/opencode.json", "~/.config/opencode/opencode.jsonc"),
    "Gemini CLI": ("~/.gemini/settings.json",),
    "Qwen Code": ("~/.qwen/settings.json",),
    "Copilot CLI": ("~/.copilot/mcp-config.json",),
    "Goose": ("~/.config/goose/config.yaml", "{roaming}/Block/goose/config/config.yaml"),
    "Continue": ("~/.continue/config.yaml", "~/.continue/config.json"),
    "Cline": (f"{{roaming}}/Code/{_VS_CODE}/saoudrizwan.claude-dev/settings/cline_mcp_settings.json",),
    "Roo Code": (f"{{roaming}}/Code/{_VS_CODE}/rooveterinaryinc.roo-cline/settings/mcp_settings.json",),
    "Kilo Code": (f"{{roaming}}/Code/{_VS_CODE}/kilocode.kilo-code/settings/mcp_settings.json",),
    "Jan": ("{roaming}/Jan/data/mcp_config.json", "{local}/Jan/data/mcp_config.json"),
    "LM Studio": ("~/.lmstudio/mcp.json", "~/.cache/lm-studio/mcp.json"),
    "Amazon Q": ("~/.aws/amazonq/mcp.json", "~/.aws/amazonq/agents/default.json"),
    "Kiro": ("~/.kiro/settings/mcp.json",),
    "Warp": ("~/.warp/.mcp.json",),
    "Crush": ("~/.config/crush/crush.json",),
    "Amp": ("~/.config/amp/settings.json",),
    "Trae": ("{roaming}/Trae/User/mcp.json",),
    "5ire": ("{roaming}/5ire/mcp.json",),
    "AnythingLLM": ("{roaming}/anythingllm-desktop/storage/plugins/anythingllm_mcp_servers.json",),
}

PROJECT_FILES: Mapping[str, str] = {
    ".mcp.json": "Claude Code",
    ".cursor/mcp.json": "Cursor",
    ".vscode/mcp.json": "VS Code",
    ".zed/settings.json": "Zed",
    ".codex/config.toml": "Codex",
    "opencode.json": "OpenCode",
    "opencode.jsonc": "OpenCode",
    ".gemini/settings.json": "Gemini CLI",
    ".qwen/settings.json": "Qwen Code",
    ".roo/mcp.json": "Roo Code",
    ".kilocode/mcp.json": "Kilo Code",
    ".kiro/settings/mcp.json": "Kiro",
    ".amazonq/mcp.json": "Amazon Q",
    ".continue/config.yaml": "Continue",
    "crush.json": "Crush",
    ".crush.json": "Crush",
    ".trae/mcp.json": "Trae",
    "mcp.json": "mcp.json",
}
"""Files of a project, by their place in it, with the app that reads them."""

MAX_FILE_BYTES = 20_000_000


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file of an installed app. `project` is the folder that the file belongs to, None for a file of the user."""

    app: str
    path: Path
    project: Path | None = None


def find_files(projects: Iterable[Path] = ()) -> list[FoundFile]:
    """Return the files of installed apps that are there, and files in the folders `projects`."""
    found = [FoundFile(app, path) for app, places in APPS.items() for path in map(_path, places)]
    found += [FoundFile(app, folder / name, folder) for folder in projects for name, app in PROJECT_FILES.items()]
    unique = {each.path: each for each in reversed(found)}
    return [each for each in found if unique[each.path] is each and _is_readable(each.path)]


def project_of(path: Path) -> Path | None:
    """Return the project that a file belongs to by its name, None for any other file."""
    for name in PROJECT_FILES:
        parts = Path(name).parts
        # a file of the user has the same name in the home folder
        if path.parts[-len(parts) :] == parts and name != "mcp.json":
            project = path.parents[len(parts) - 1]
            return project if project != Path.home() else None
    return None


def _path(place: str) -> Path:
    home = Path.home()
    if sys.platform == "win32":
        roaming = Path(os.environ.get("APPDATA", home / "AppData" / "Roaming"))
        local = Path(os.environ.get("LOCALAPPDATA", home / "AppData" / "Local"))
    elif sys.platform == "darwin":
        roaming = local = home / "Library" / "Application Support"
    else:
        roaming = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
        local = Path(os.environ.get("XDG_DATA_HOME") or home / ".local" / "share")
    return Path(place.format(roaming=roaming, local=local)).expanduser()


def _is_readable(path: Path) -> bool:
    try:
        return path.is_file() and path.stat().st_size <= MAX_FILE_BYTES
    except OSError:
        return False
