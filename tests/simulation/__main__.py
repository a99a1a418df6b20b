"""`python -m tests.simulation SEED | FILE | - | digest COUNT`: play, and make smaller what fails.

A number is a seed; a file, or `-` for the standard input, holds a scenario as it was printed. `digest` prints what
each of the first seeds came to.
"""

import json
import logging
import sys
from pathlib import Path

from tests.simulation.play import play, play_world
from tests.simulation.scenario import make_scenario
from tests.simulation.shrink import report


def main(arguments: list[str]) -> int:
    """0 if all is well, 1 if something is wrong, 2 for a call that means nothing."""
    logging.disable(logging.WARNING)
    match arguments:
        case ["digest", count]:
            for seed in range(int(count)):
                world = play_world(make_scenario(seed))
                sys.stdout.write(
                    f"{seed} {world.turns} {[str(visit.place) for visit in world.visits]} {world.blames}\n"
                )
            return 0
        case [seed] if seed.isdigit():
            scenario = make_scenario(int(seed))
        case [name]:
            scenario = json.loads(sys.stdin.read() if name == "-" else Path(name).read_text("utf-8"))
        case _:
            sys.stderr.write(f"{__doc__}\n")
            return 2
    if blames := play(scenario):
        sys.stdout.write(report(scenario, blames[0]) + "\n")
        return 1
    sys.stdout.write("nothing is wrong\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
