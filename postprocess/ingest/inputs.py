# SPDX-License-Identifier: BSD-3-Clause
"""What a run folder contains beside its raw files: campaign, plan, state, manifests, refused attempts."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from isochron.common.copies import is_there
from isochron.common.files import FileError
from isochron.schemas.engine.contract import cases
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.question import QuestionPairs, asked
from isochron.schemas.run.layout import RunLayout, raw_file
from isochron.schemas.run.manifest import Manifest
from isochron.schemas.run.plan import Plan, Point
from isochron.schemas.run.state import BlockState, RunState

#: Columns that identify, and their meaning; every table is described like this.
KEYS = {
    "stack": "MPI stack",
    "operation": "operation, named as in the MPI standard",
    "bytes": "message size, as defined for the operation; 0 where it moves no data",
    "processes": "processes of the launch",
    "processes_per_node": "processes on each node",
    "placement": "how processes were placed on the nodes",
}
#: What a row of the results is: a case under one stack.
RESULT_KEY = list(KEYS)
#: What a case is: the columns that a comparison of stacks holds fixed.
CASE = RESULT_KEY[1:]
#: What needs its own launch.
POINT = RESULT_KEY[3:]
#: One allocation of a block: a block that was taken up again has several.
ALLOCATION = ["block", "attempt"]
CASE_KEYS = {name: KEYS[name] for name in CASE}


@dataclass(frozen=True)
class RunInputs:
    """Campaign, plan, state and stacks of one run."""

    layout: RunLayout
    campaign: Campaign
    plan: Plan
    state: RunState | None
    manifests: dict[str, Manifest]
    #: Earlier runs that show the spread between jobs.
    earlier: tuple[RunLayout, ...] = ()

    @property
    def asked(self) -> QuestionPairs:
        """The pairs of stacks that the campaign asks about."""
        versions = {stack: (each.mpi_library, each.mpi_version) for stack, each in self.manifests.items()}
        return asked(self.campaign.question, self.campaign.stacks, versions)

    @property
    def cases(self) -> list[tuple[str, int]]:
        """The (operation, bytes) rows of each launch, in the campaign's order."""
        return cases(self.campaign.operations, self.campaign.sizes)


def load_inputs(folder: Path, earlier: Iterable[Path] = ()) -> RunInputs:
    """Read everything but raw files and results. `earlier`: folders of earlier runs. Raises FileError."""
    if not folder.is_dir():
        raise FileError(f"{folder}: no such folder; give the folder of a run: results/<campaign>/<run-id>")
    layout = RunLayout(folder.resolve())
    campaign = Campaign.load_yaml(layout.campaign, "a run folder holds it")
    state = RunState.load(layout.state) if is_there(layout.state) else None
    manifests = {
        stack: Manifest.load(layout.manifest(stack)) for stack in campaign.stacks if is_there(layout.manifest(stack))
    }
    before = tuple(RunLayout(each.resolve()) for each in earlier)
    return RunInputs(layout, campaign, Plan.load(layout.plan), state, manifests, before)


def results_of(rows: pd.DataFrame, inputs: RunInputs) -> pd.DataFrame:
    """The launches' rows that the results rest on.

    `rows`: file of each, and whatever else.
    """
    return rows[rows["file"].isin(inputs.plan.files_of_results)]


def planned_rows(inputs: RunInputs, contrast: str = "") -> pd.DataFrame:
    """Every planned row of the results or of a contrast, in the campaign's order: RESULT_KEY and `launches_planned`."""
    campaign = inputs.campaign
    alike = Counter(
        (launch.point, launch.stack, tuple(launch.operations or ()), tuple(launch.sizes or ()))
        for launch in inputs.plan.launches
        if (launch.contrast == contrast if contrast else launch.of_results)
    )
    counts: dict[Point, Counter[tuple[str, str, int]]] = {}
    for (point, stack, operations, sizes), launches in alike.items():
        measured = cases(list(operations) or campaign.operations, list(sizes) or campaign.sizes)
        at_point = counts.setdefault(point, Counter())
        at_point.update({(stack, *case): launches for case in dict.fromkeys(measured)})
    rows = [
        (stack, *case, *point.model_dump().values(), count[key])
        for point in inputs.plan.points
        if (count := counts.get(point)) is not None
        for case in inputs.cases
        for stack in campaign.stacks
        if (key := (stack, *case)) in count
    ]
    return pd.DataFrame(rows, columns=pd.Index([*RESULT_KEY, "launches_planned"]))


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


class JobTime(NamedTuple):
    """When the job of a block began and ended, seconds since 1970, and how long it ran, by the clock of its node."""

    began: float
    ended: float
    seconds: float


def job_times(inputs: RunInputs) -> list[JobTime]:
    """Return those of every finished block, by its last attempt, in the plan's order: attempts may be thinned out."""
    times = []
    for block in inputs.plan.blocks:
        state = BlockState.load_if_readable(inputs.layout.block(block.name))
        if state is not None:
            began, ended = (datetime.fromisoformat(text).timestamp() for text in (state.started_at, state.ended_at))
            times.append(JobTime(began, ended, 3600 * state.node_hours / block.nodes or ended - began))
    return times


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
    folders = [path for path in attempts.glob("[0-9]*") if path.name.isdigit() and path.is_dir()]
    return sorted(folders, key=lambda path: int(path.name))


def _not_accepted(folder: Path) -> Iterator[tuple[str, str]]:
    """Name and reason of each launch; one nameless line where the attempt has no outcome.

    An attempt of which neither outcome nor spec is left has been thinned out, and nothing is said of it.
    """
    path = folder / "outcome.json"
    if not is_there(path):
        if (folder / "spec.json").is_file():
            yield "", NO_OUTCOME
        return
    state = BlockState.load_if_readable(path)
    if state is None:
        yield "", UNREADABLE
        return
    yield from ((launch.name, launch.reason) for launch in state.launches if not launch.accepted)
