"""The entry point of `python -m core`."""

import gc
import sys

if __name__ == "__main__":
    gc.disable()  # until the modules are loaded (core.app.tune_gc): nothing of them is garbage
    try:
        from core.cli import main

        sys.exit(main())
    except KeyboardInterrupt:  # while the app was still being loaded
        sys.exit(130)
