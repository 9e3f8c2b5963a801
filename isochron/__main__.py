# SPDX-License-Identifier: BSD-3-Clause
"""The command `isochron`, and `python -m isochron`: Ctrl-C ends either in silence from this file's first line on."""

import os
import signal
import sys
from types import FrameType

#: Exit code of what a person interrupted (`Exit.INTERRUPTED`).
INTERRUPTED = 130


def main() -> int:
    """Load the command line and call it.

    While libraries are loaded, and while the interpreter ends, there is nothing to put in order, and an exception would
    be shown by whatever it happens to meet.
    """
    heeded = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # else a shell lets it be ignored
    if heeded:
        signal.signal(signal.SIGINT, _leave)
    from isochron.cli.main import main as command

    try:
        if heeded:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        return command()
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        if heeded:
            signal.signal(signal.SIGINT, _leave)


def _leave(_number: int, _frame: FrameType | None) -> None:
    os._exit(INTERRUPTED)


if __name__ == "__main__":
    sys.exit(main())
