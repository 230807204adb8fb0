"""``python -m compass``, and the script ``compass``: the command line."""

import sys


def main() -> int:
    """Run the command line; it takes a moment to load, and an interrupt then is no traceback either."""
    try:
        from compass.cli import main as run  # noqa: PLC0415 - see above

        return run()
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
