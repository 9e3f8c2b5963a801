# SPDX-License-Identifier: BSD-3-Clause
"""Files from the future: a clock that was ahead when they were written has been set back since.

Snakemake compares the times of files, and refuses what it makes while an input is younger.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from isochron.common.files import file_system_time
from isochron.schemas.run.layout import RunLayout

#: What rules read or make, below the run's folder.
OF_RULES = ("campaign.yaml", "stacks/*.json", "blocks/*.json", "store/*", "tables/*", "report/*")

#: A file that was written just now may be ahead of the probe by the step of the file system's clock, in s.
STEP_S = 2.0


def settle_times(run: RunLayout) -> list[str]:
    """Give files from the future the time of now. Returns a line where there were any."""
    now = file_system_time(run.root)
    ahead = [path for path in _files(run) if path.stat().st_mtime > now + STEP_S]
    for path in ahead:
        os.utime(path, (now, now))
    return [f"{ahead[0]}: has a time in the future (was a clock set back?); set to now"] if ahead else []


def _files(run: RunLayout) -> Iterator[Path]:
    for pattern in OF_RULES:
        yield from (path for path in sorted(run.root.glob(pattern)) if path.is_file())
