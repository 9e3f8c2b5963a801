# SPDX-License-Identifier: BSD-3-Clause
"""The shared memory by which the launches of a session take turns: its name, and what killed processes leave behind."""

from __future__ import annotations

from pathlib import Path

#: Where the engine has it on each node, and how its names begin (segment.c).
FOLDER, PREFIX = Path("/dev/shm"), "isochron-turns-"


def segment_name(run_id: str, attempt: Path, session: str) -> str:
    """Return the engine's `--turns` for a session: no two attempts meet in one segment."""
    return f"{run_id}-{attempt.parent.name}-{attempt.name}-{session}"


def remove_segments(run_id: str, block: str) -> None:
    """Remove the segments of a block on this machine, none of whose launches runs any more."""
    for path in FOLDER.glob(f"{PREFIX}{run_id}-{block}-*"):
        path.unlink(missing_ok=True)
