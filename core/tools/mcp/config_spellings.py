"""The keys and words of many apps for the same few things of a server (AGENTS_AND_TOOLS §7)."""

import re
from collections.abc import Mapping
from typing import Any

KEYS = {
    "command": ("command", "cmd", "exec_command"),
    "args": ("args", "arguments", "argv"),
    "env": ("env", "envs", "environment", "environmentVariables", "environment_variables", "envVars"),
    "url": (
        "httpUrl",
        "http_url",
        "url",
        "uri",
        "serverUrl",
        "server_url",
        "baseUrl",
        "base_url",
        "endpoint",
        "address",
    ),
    "headers": ("headers", "http_headers", "httpHeaders", "requestHeaders", "customHeaders"),
    "kind": ("type", "transport", "transportType", "transport_type", "protocol"),
    "cwd": ("cwd", "workingDirectory", "working_directory", "workingDir", "working_dir", "workdir", "directory"),
    "env_file": ("envFile", "env_file"),
    "only_tools": (
        *("tools", "includeTools", "include_tools", "enabledTools", "enabled_tools", "available_tools"),
        *("allowedTools", "allowed_tools"),
    ),
    "without_tools": ("excludeTools", "exclude_tools", "disabledTools", "disabled_tools", "suppressedTools"),
    "approvals": (
        *("autoApprove", "auto_approve", "autoAllow", "alwaysAllow", "always_allow", "trust", "trusted"),
        *("approval_mode", "default_tools_approval_mode", "require_approval", "autoApproveTools"),
    ),
}
OFF = {"disabled": True, "enabled": False, "isActive": False, "is_active": False, "active": False, "isEnabled": False}
LIMITS = {
    "startup_timeout_sec": ("start_timeout_s", 1.0),
    "startup_timeout_ms": ("start_timeout_s", 0.001),
    "start_timeout_s": ("start_timeout_s", 1.0),
    "initTimeout": ("start_timeout_s", 0.0),
    "tool_timeout_sec": ("timeout_s", 1.0),
    "timeout_s": ("timeout_s", 1.0),
    "timeout": ("timeout_s", 0.0),
}
"""The field and the unit in seconds; 0: seconds up to 999, else milliseconds, as apps differ."""

BOUNDS = {"start_timeout_s": 600.0, "timeout_s": 3600.0}
# They change neither what runs nor what is allowed.
HARMLESS = frozenset(
    """
    name id key label title description bundled display_name displayName logoUrl logo icon iconPath provider providerUrl
    tags registryUrl registryType source gallery version longRunning note notes comment official installSource author
    homepage reference searchKey configSample shouldConfig dxtVersion isTrusted trustedAt installedAt $schema schema
    start_on_launch autoStart autostart startup required supports_parallel_tool_calls env_keys env_vars env_http_headers
    bearer_token_env_var bearerToken bearer_token authorization_token authToken
    apiKey server_label requestInit requestOptions request_options dev stats scope
    serverInstructions chatMenu iconURL timeoutMs config server mcp_config connection
    """.split()  # noqa: SIM905  # a list of words
)
STDIO = frozenset({"stdio", "local", "command", "cmd", "process", "program", "studio"})
HTTP = frozenset({"http", "https", "remote", "streamablehttp", "streaminghttp", "streamhttp", "url"})
_APP_PARTS = frozenset({"builtin", "platform", "frontend", "inlinepython", "inmemory", "bundled", "internal"})
_WRAPPERS = ("config", "transport", "server", "mcp_config", "connection", "launch", "params")


def first(entry: Mapping[str, Any], *names: str) -> Any:
    """Return the first value that is there: what is null or empty is not."""
    return next((entry[name] for name in names if entry.get(name) not in (None, "", [], {})), None)


def unwrapped(entry: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the entry with the parts of an inner object, in which some apps keep the command or the address."""
    for _ in range(3):
        if has_target(entry):
            break
        inner = next((entry[name] for name in _WRAPPERS if isinstance(entry.get(name), Mapping)), None)
        if inner is None:
            break
        outer = {name: value for name, value in entry.items() if value is not inner and name not in KEYS["kind"]}
        entry = {**outer, **inner}
    return entry


def has_target(entry: Mapping[str, Any]) -> bool:
    """Return whether the entry has a command or an address."""
    return first(entry, *KEYS["command"], *KEYS["url"]) is not None


def is_app_part(entry: Mapping[str, Any]) -> bool:
    """Return whether the entry is a part of the other app, which has nothing to start or to reach."""
    kind = re.sub(r"[^a-z]", "", str(first(entry, "type", "installSource", "source")).lower())
    is_part = kind in _APP_PARTS or re.sub(r"[^a-z]", "", str(entry.get("type")).lower()) in _APP_PARTS
    return is_part or (not has_target(entry) and (kind == "extension" or "settings" in entry))
