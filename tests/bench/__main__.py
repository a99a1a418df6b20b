"""`python -m tests.bench NAME`: JSON lines `{bench, name, value, unit, compared_to?, ratio?, aim?, is_met?, n}`."""

import asyncio
import importlib
import inspect
import sys

NAMES = ("agent", "chat", "damage", "engine", "leak", "loop", "sandbox", "search", "start", "store", "window")


def main() -> int:
    """Run the `main` of a bench. One that makes its own loops is a plain function."""
    if len(sys.argv) != 2 or sys.argv[1] not in NAMES:
        sys.stderr.write(f"usage: python -m tests.bench {{{','.join(NAMES)}}}\n")
        return 2
    bench = importlib.import_module(f"tests.bench.{sys.argv[1]}")
    if inspect.iscoroutinefunction(bench.main):
        asyncio.run(bench.main())
    else:
        bench.main()
    return 0


if __name__ == "__main__":
    sys.exit(main())
