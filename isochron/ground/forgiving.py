# SPDX-License-Identifier: BSD-3-Clause
"""A command of another project, on any file system: one that refuses to change modes is no reason to stop.

ReFrame and Snakemake set the modes of scripts and of files of their own, and copy those of sources and outputs; one
refusal ends a campaign. Where modes cannot be changed every file can usually be executed; where it cannot, the job says
so. `python -m isochron.ground.forgiving snakemake.cli:main WORD…`
"""

from __future__ import annotations

import importlib
import os
import sys
from contextlib import suppress
from typing import Any


def forgive_modes() -> None:
    """From now on no refused change of a mode is an error in this process."""
    change_mode = os.chmod

    def change_if_allowed(*words: Any, **named: Any) -> None:
        with suppress(PermissionError):
            change_mode(*words, **named)

    os.chmod = change_if_allowed


def main() -> int | None:
    """Call the function that the first word names, with the others as its command line; returns its exit code."""
    forgive_modes()
    module, _, function = sys.argv.pop(1).partition(":")
    code: int | None = getattr(importlib.import_module(module), function)()
    return code


if __name__ == "__main__":
    sys.exit(main())
