# SPDX-License-Identifier: BSD-3-Clause
"""Launches that were not accepted, by attempt: what `attempts/<block>/<n>/outcome.json` holds of them."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

import pandas as pd

from isochron.common.files import FileError
from isochron.postprocess.ingest.inputs__inputs import RunInputs
from isochron.schemas.run.layout import raw_file
from isochron.schemas.run.state import BlockState

#: Columns of `attempts.csv`.
ATTEMPT_COLUMNS = {
    "block": "block of the launch",
    "attempt": "number of the attempt at that block",
    "launch": "launch that was not accepted; empty where the attempt left no readable outcome",
    "stack": "MPI stack of that launch",
    "reason": "why it was not accepted",
    "measured": "whether the launch was measured all the same, in another attempt; false where there is no launch",
}
#: Reasons where nothing is known of the launches of an attempt.
NO_OUTCOME, UNREADABLE = "the attempt left no outcome", "the outcome of the attempt cannot be read"


def attempt_table(inputs: RunInputs, measured: Collection[str]) -> pd.DataFrame:
    """`ATTEMPT_COLUMNS`, in the plan's order of blocks. `measured`: raw files of the launches in the store."""
    stacks = {launch.name: launch.stack for launch in inputs.plan.launches}
    rows = [
        (block.name, int(folder.name), launch, stacks.get(launch, ""), reason, raw_file(launch) in measured)
        for block in inputs.plan.blocks
        for folder in _folders(inputs.layout.attempts(block.name))
        for launch, reason in _not_accepted(folder)
    ]
    return pd.DataFrame(rows, columns=pd.Index(ATTEMPT_COLUMNS))


def _folders(attempts: Path) -> list[Path]:
    """The attempts at a block, oldest first."""
    found = [path for path in attempts.glob("[0-9]*") if path.name.isdigit() and path.is_dir()]
    return sorted(found, key=lambda path: int(path.name))


def _not_accepted(folder: Path) -> Iterator[tuple[str, str]]:
    """Name and reason of each launch; one nameless line where the attempt has no outcome.

    An attempt of which neither outcome nor spec is left has been thinned out, and nothing is said of it.
    """
    path = folder / "outcome.json"
    if not path.is_file():
        if (folder / "spec.json").is_file():
            yield "", NO_OUTCOME
        return
    try:
        state = BlockState.load(path)
    except FileError:
        yield "", UNREADABLE
        return
    yield from ((launch.name, launch.reason) for launch in state.launches if not launch.accepted)
