"""`python -m core`: the command line."""

import sys

if __name__ == "__main__":
    try:
        from core.cli import main

        sys.exit(main())
    except KeyboardInterrupt:  # while the app was still being loaded
        sys.exit(130)
