"""``python -m compass``, and the script ``compass``: the command line."""

import os
import signal
import sys


def main() -> int:
    """Run the command line; it takes a moment to load, and an interrupt then is no traceback either."""
    before = signal.getsignal(signal.SIGINT)
    # An exception would come out of some imports as another one, and there is nothing yet to tidy up.
    leave = (lambda *_: os._exit(130)) if before is signal.default_int_handler else before
    signal.signal(signal.SIGINT, leave)
    from compass.cli import main as run  # noqa: PLC0415 - see above

    try:
        signal.signal(signal.SIGINT, before)
        return run()
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
