"""`python -m desktop`: the window. The workers of a frozen build start here too."""

import sys


def main() -> int:
    if sys.argv[1:] == ["--sandbox-worker"]:
        from core.sandbox.worker import main as work

        work()
        return 0
    if sys.argv[1:] == ["--store-worker"]:
        from core.persistence.worker import main as work_on_store

        work_on_store()
        return 0
    from desktop.bootstrap import start

    return start()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:  # while the app was still being loaded
        sys.exit(130)
