# SPDX-License-Identifier: BSD-3-Clause
"""Node hours: the consumption of a run's attempts, the need of the next block, and whether the limit allows it.

Used is what a job really took, from its first line to the last file it wrote; waiting in a queue costs nothing.
An attempt that is under way (or was cut off and not yet looked at) counts as much as was expected of it. The
plan's estimate of what comes next is scaled by how those before compare with theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from isochron.common.files import FileError, lock
from isochron.schemas.run.block_spec import BlockSpec
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.plan import Block, Plan, PlannedLaunch
from isochron.schemas.run.state import BlockState


class OverBudget(Exception):
    """A block was not started, because it might exceed the campaign's node hours."""


@dataclass(frozen=True)
class Usage:
    """Node hours: of all finished attempts, of those without a fault, what had been expected of the latter,
    and what attempts under way may still take.
    """

    used: float
    faultless: float
    expected: float
    reserved: float

    @property
    def pace(self) -> float:
        """Real over expected so far; 1 where nothing is known."""
        return self.faultless / self.expected if self.faultless > 0 and self.expected > 0 else 1.0

    @property
    def committed(self) -> float:
        """Used, and what is under way."""
        return self.used + self.reserved * max(1.0, self.pace)

    def estimate(self, nodes: int, launches: Iterable[PlannedLaunch]) -> float:
        """Node hours of launches that are still to come, on so many nodes."""
        return self.pace * expected_hours(nodes, launches)


def expected_hours(nodes: int, launches: Iterable[PlannedLaunch]) -> float:
    """Node hours of launches as planned."""
    return nodes * sum(launch.seconds for launch in launches) / 3600


def job_hours(folder: Path, nodes: int) -> float:
    """Node hours that the job of an attempt took; 0 where none was started."""
    started = folder / "started"
    if not started.is_file():
        return 0.0
    of_job = [path for path in folder.glob("[!.]*") if path.is_file() and path.name != "outcome.json"]
    files = [path.stat().st_mtime for path in of_job]
    return nodes * (max(files) - started.stat().st_mtime) / 3600


def usage(layout: RunLayout, plan: Plan) -> Usage:
    """What all attempts of a run have cost, at every block."""
    planned = {launch.name: launch for launch in plan.launches}
    used = faultless = expected = reserved = 0.0
    for block in plan.blocks:
        for folder in layout.attempts(block.name).glob("[0-9]*"):
            outcome, spec = folder / "outcome.json", folder / "spec.json"
            try:
                if outcome.is_file():
                    state = BlockState.load(outcome)
                    used += state.node_hours
                    if state.state == "complete":
                        faultless += state.node_hours
                        expected += expected_hours(block.nodes, (planned[launch.name] for launch in state.launches))
                elif spec.is_file():
                    names = [launch.name for launch in BlockSpec.load(spec).launches]
                    hours = expected_hours(block.nodes, (planned[name] for name in names))
                    reserved += max(hours, job_hours(folder, block.nodes))
            except FileError:
                continue
    return Usage(used, faultless, expected, reserved)


@contextmanager
def within_budget(layout: RunLayout, plan: Plan, block: Block, names: list[str], limit: float | None) -> Iterator[None]:
    """Reserve node hours for launches of a block: in the context, make the attempt's spec.json.

    Raises OverBudget, and leaves the reason in `layout.over_budget`, where they may not fit under `limit`.
    """
    if limit is None:
        yield
        return
    layout.over_budget.parent.mkdir(parents=True, exist_ok=True)
    with layout.budget_lock.open("a", encoding="utf-8") as stream:
        lock(stream, wait=True)
        now = usage(layout, plan)
        need = now.estimate(block.nodes, (launch for launch in block.launches if launch.name in set(names)))
        if now.committed + need > limit:
            reason = (
                f"limits.node_hours = {limit:g}: {now.committed:.4f} node hours are used or under way, and block "
                f"{block.name} may need {need:.4f} more; raise the limit and run the same command to go on"
            )
            layout.over_budget.write_text(reason, encoding="utf-8")
            raise OverBudget(reason)
        yield
