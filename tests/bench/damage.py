"""The damage matrix: each file and folder of a store is cut, flipped, deleted, emptied or replaced by an older copy,
after a clean end and after kill -9, and then the store is opened.

Prints a table of outcomes by part and harm, and counts: nothing may be silent, crash, or change a refused store.
"""

import sys
import tempfile
from collections import Counter
from pathlib import Path

from tests.bench.measure import line
from tests.support.damage import DamagedStores

BENCH = "damage"
PARTS = {"sstables": "table", "vlog": "values", "wal": "log", "manifest": "manifest", "LOCK": "lock"}


def main() -> None:
    counts: Counter[str] = Counter()
    table: dict[tuple[str, str, str], Counter[str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for end in ("close", "kill"):
            stores = DamagedStores(Path(folder), end)
            for name, harm in stores.cells():
                outcome = stores.outcome(name, harm)
                words = [outcome.kind, *(["changed"] if outcome.is_changed else [])]
                counts.update(words)
                key = (end, _part(name), harm.name.split()[0])
                table.setdefault(key, Counter()).update(words)
                if outcome.kind in ("silent", "crashed") or outcome.is_changed:
                    sys.stderr.write(f"{end} {name} {harm.name}: {' '.join(words)} {outcome.answer}\n")
    for (end, part, kind), cell in table.items():
        sys.stdout.write(f"{end:6} {part:10} {kind:8} {dict(cell)}\n")
    for kind, aim in (("refused", None), ("whole", None), ("silent", 0), ("crashed", 0), ("changed", 0)):
        line(BENCH, f"{kind} stores", counts[kind], "cases", sum(counts.values()) - counts["changed"], aim=aim)


def _part(name: str) -> str:
    if name == "store.watch":
        return "watch file"
    parts = Path(name).parts
    return "folder" if len(parts) <= 2 and parts[-1] != "LOCK" and "." not in parts[-1] else PARTS[parts[1]]
