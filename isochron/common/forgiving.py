# SPDX-License-Identifier: BSD-3-Clause
"""A command of another project, on any file system and under any clock: neither is a reason to stop, or to wait.

ReFrame and Snakemake set the modes of scripts and of files of their own, and copy those of sources and outputs; one
refusal ends a campaign. Where modes cannot be changed every file can usually be executed; where it cannot, the job says
so. And they wait by the time of day: if the clock is set back by an hour between two looks of ReFrame at a job, the
second comes an hour later. `python -m isochron.common.forgiving snakemake.cli:main WORD…`
"""

from __future__ import annotations

import importlib
import os
import sys
import time
from contextlib import suppress
from typing import Any


def forgive_modes() -> None:
    """From now on no refused change of a mode is an error in this process."""
    change_mode = os.chmod

    def change_if_allowed(*words: Any, **named: Any) -> None:
        with suppress(PermissionError):
            change_mode(*words, **named)

    os.chmod = change_if_allowed


def keep_time() -> None:
    """From now on the time of day of this process goes on steadily, whatever the machine's clock is set to."""
    start = time.time() - time.monotonic()

    def steady() -> float:
        return start + time.monotonic()

    time.time = steady


def main() -> int | None:
    """Call the function that the first word names, with the others as its command line; returns its exit code."""
    forgive_modes()
    keep_time()
    module, _, function = sys.argv.pop(1).partition(":")
    code: int | None = getattr(importlib.import_module(module), function)()
    return code


if __name__ == "__main__":
    sys.exit(main())
