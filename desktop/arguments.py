"""The command line of the window (COMMAND_LINE). Standard library only: parsed before the first paint."""

import argparse
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Arguments:
    """The parsed command line. `data` is the folder for everything; None: the system's folders."""

    data: str | None = None
    language: str | None = None
    theme: str | None = None
    demo: bool = False
    smoke_test: bool = False
    screenshot: Path | None = None
    after_s: float = 2.0


def read(arguments: Sequence[str] | None = None) -> Arguments:
    """Parse the command line; a usage error exits the process with 2."""
    parser = argparse.ArgumentParser(prog="python -m desktop", description="Metier, in a window.", allow_abbrev=False)
    parser.add_argument("--data", metavar="DIR", help="the data folder (else METIER_DATA, else the system's place)")
    parser.add_argument("--lang", choices=("en", "fr"), help="speak this language, for this time")
    parser.add_argument("--theme", choices=("light", "dark", "system"), help="look like this, for this time")
    parser.add_argument("--demo", action="store_true", help="start the demo at once")
    parser.add_argument("--smoke-test", action="store_true", help="paint, run a template, close; print what came of it")
    parser.add_argument("--screenshot", type=Path, metavar="FILE", help="save a picture of the window and close")
    parser.add_argument("--after", type=float, default=2.0, metavar="SECONDS", help="when to take the picture (2)")
    parsed = parser.parse_args(arguments)
    return Arguments(
        parsed.data or os.environ.get("METIER_DATA") or None,
        parsed.lang,
        parsed.theme,
        parsed.demo,
        parsed.smoke_test,
        parsed.screenshot,
        parsed.after,
    )
