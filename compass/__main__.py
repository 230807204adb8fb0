"""``python -m compass``: the command line."""

import sys

from compass.cli import main

if __name__ == "__main__":
    sys.exit(main())
