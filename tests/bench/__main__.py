"""`python -m tests.bench NAME [OPTIONS]`: JSON lines `{bench, name, value, unit, compared_to?, ratio?, aim?,
aim_ratio?, is_met?, n}`.
"""

import asyncio
import importlib
import inspect
import sys
from collections.abc import Awaitable

NAMES = ("agent", "chat", "damage", "engine", "leak", "loop", "sandbox", "search", "start", "store", "window")


def main() -> int:
    """Run the `main` of a bench, with the options if it takes any. One that makes its own loops is a plain function."""
    name, options = (sys.argv[1], sys.argv[2:]) if len(sys.argv) > 1 else ("", [])
    bench = importlib.import_module(f"tests.bench.{name}") if name in NAMES else None
    takes_options = bench is not None and bool(inspect.signature(bench.main).parameters)
    if bench is None or (options and not takes_options):
        sys.stderr.write(f"usage: python -m tests.bench {{{','.join(NAMES)}}}\n")
        return 2
    told = bench.main(options) if takes_options else bench.main()
    if inspect.isawaitable(told):
        asyncio.run(_finish(told))
    return 0


async def _finish(work: Awaitable[object]) -> None:
    await work


if __name__ == "__main__":
    sys.exit(main())
