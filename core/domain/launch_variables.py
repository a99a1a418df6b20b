"""Environment variables and headers of MCP servers, as the user sees them before they agree: which change the code that
runs, and which values are known to be harmless. All others are hidden.
"""

import re

from core.domain.text.masking import masked_text
from core.domain.text.secret_names import is_secret_name

_CHANGES_CODE = frozenset(
    """
    PATH PATHEXT COMSPEC SHELL HOME IFS ENV BASH_ENV BASHOPTS SHELLOPTS PROMPT_COMMAND PS4 PSMODULEPATH
    PYTHONPATH PYTHONSTARTUP PYTHONHOME PYTHONUSERBASE PYTHONBREAKPOINT PYTHONEXECUTABLE PYTHONINSPECT PYTHONWARNINGS
    PYTHONPYCACHEPREFIX PYTHONHTTPSVERIFY NODE_OPTIONS NODE_PATH NODE_EXTRA_CA_CERTS NODE_TLS_REJECT_UNAUTHORIZED
    ELECTRON_RUN_AS_NODE BUN_OPTIONS DENO_DIR PERL5LIB PERL5OPT PERL5DB PERLLIB RUBYOPT RUBYLIB GEM_HOME GEM_PATH
    BUNDLE_GEMFILE JAVA_HOME JAVA_TOOL_OPTIONS _JAVA_OPTIONS JDK_JAVA_OPTIONS CLASSPATH DOTNET_STARTUP_HOOKS
    DOTNET_ROOT PHPRC PHP_INI_SCAN_DIR LUA_PATH LUA_CPATH LUA_INIT R_PROFILE R_HOME JULIA_LOAD_PATH
    GIT_SSH GIT_SSH_COMMAND GIT_ASKPASS SSH_ASKPASS GIT_EXEC_PATH GIT_EXTERNAL_DIFF GIT_PROXY_COMMAND GIT_TEMPLATE_DIR
    GIT_PAGER GIT_EDITOR PAGER EDITOR VISUAL BROWSER LESSOPEN LESSCLOSE GCONV_PATH LOCPATH OPENSSL_CONF OPENSSL_ENGINES
    SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE HTTP_PROXY HTTPS_PROXY ALL_PROXY FTP_PROXY NO_PROXY
    XDG_CONFIG_HOME XDG_CONFIG_DIRS XDG_DATA_HOME XDG_DATA_DIRS GOFLAGS GOPROXY CARGO_HOME RUSTC_WRAPPER DOCKER_HOST
    DOCKER_CONFIG
    """.split()  # noqa: SIM905  # a hundred names
)
_CHANGES_CODE_BEGINS = (
    *("LD_", "DYLD_", "BASH_FUNC_", "GIT_CONFIG", "NPM_CONFIG_", "COR_", "CORECLR_", "YARN_"),
    *("PIP_INDEX", "PIP_EXTRA_INDEX", "PIP_CONFIG", "PIP_FIND", "UV_INDEX", "UV_EXTRA_INDEX", "UV_DEFAULT_INDEX"),
    *("UV_CONFIG", "UV_FIND"),
)

_HARMLESS_NAME = re.compile(
    r"(?:LANG|LC_\w+|TZ|TERM|USER|USERNAME|DEBUG|VERBOSE|NO_COLOR|FORCE_COLOR|PYTHONUNBUFFERED|PYTHONUTF8"
    r"|PYTHONIOENCODING|ACCEPT|CONTENT-TYPE|USER-AGENT|(?:\w+[_-])?(?:ENV|ENVIRONMENT|LEVEL|PORT|HOST|HOSTNAME|DIR"
    r"|FOLDER|ROOT|PATH|FILE|REGION|ZONE|TIMEOUT|MODE|FORMAT|LOCALE|LANGUAGE|VERSION|LIMIT|SIZE|COUNT|THEME|URL"
    r"|ENDPOINT|ENABLED|DISABLED))",
    re.IGNORECASE,
)
_ANY_NAME_VALUE = re.compile(r"true|false|yes|no|on|off|\d{1,2}", re.IGNORECASE)
_HARMLESS_VALUE = re.compile(
    r"[A-Za-z]{1,16}|\d{1,6}|[\w.-]{1,40}/[\w.+-]{1,40}|[a-z]{2,3}[_-][A-Z]{2}(?:\.[\w-]{1,10})?|[a-z]{2,9}-[a-z]{2,9}-\d"
    r"|(?:[A-Za-z0-9-]{1,40}\.){1,5}[a-z]{2,20}|localhost|\d{1,3}(?:\.\d{1,3}){1,3}"
    r"|(?:~|\.{1,2})?(?:/[\w .@+-]{1,60}){1,20}/?|/|~|[A-Za-z]:(?:\\[\w .@+-]{1,60}){1,20}\\?"
    r"|https?://[\w.-]{1,100}(?::\d{1,5})?(?:/[\w.-]{0,40}){0,6}"
)


def changes_code(name: str) -> bool:
    """Return whether the variable decides which code runs, or where it is fetched from."""
    name = name.upper()
    return name in _CHANGES_CODE or name.startswith(_CHANGES_CODE_BEGINS)


def is_harmless(name: str, value: str) -> bool:
    """Return whether the value of a variable or header is known to be no secret: by its name and by its look."""
    if is_secret_name(name) or masked_text(value) != value:
        return False
    is_known = _HARMLESS_NAME.fullmatch(name) is not None and _HARMLESS_VALUE.fullmatch(value) is not None
    return is_known or _ANY_NAME_VALUE.fullmatch(value) is not None
