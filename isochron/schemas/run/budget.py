# SPDX-License-Identifier: BSD-3-Clause
"""Node hours: the consumption of a run's attempts, the need of the next block, and whether the limit allows it.

A job is charged from the first line of its script to the last file that it wrote; waiting in a queue costs nothing.
An attempt under way (or interrupted and not yet examined) is charged with its estimate. The plan's estimates of
launches to come are scaled by the ratio of real to estimated time so far.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from isochron.common.copies import is_there
from isochron.common.files import FileError, lock
from isochron.schemas.run.block_spec import BlockSpec
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.plan import Block, Plan, PlannedLaunch
from isochron.schemas.run.state import BlockState


class OverBudget(Exception):
    """A block was not started, because the run could exceed the campaign's node hours."""


@dataclass(frozen=True)
class Usage:
    """Node hours of a run.

    `used`: by all finished attempts; `faultless`: by those without a fault; `expected`: the estimate of the latter;
    `reserved`: what attempts under way may still use.
    """

    used: float
    faultless: float
    expected: float
    reserved: float

    @property
    def pace(self) -> float:
        """The ratio of real to estimated time; 1 if no attempt has finished."""
        return self.faultless / self.expected if self.faultless > 0 and self.expected > 0 else 1.0

    @property
    def committed(self) -> float:
        """Node hours used and under way."""
        return self.used + self.reserved * max(1.0, self.pace)

    def estimate(self, nodes: int, launches: Iterable[PlannedLaunch]) -> float:
        """Estimate the node hours of launches to come on N nodes."""
        return self.pace * expected_hours(nodes, launches)


def expected_hours(nodes: int, launches: Iterable[PlannedLaunch]) -> float:
    """Return the planned node hours of launches."""
    return nodes * sum(launch.seconds for launch in launches) / 3600


def job_hours(folder: Path, nodes: int) -> float:
    """Return the node hours that the job of an attempt used; 0 if none was started."""
    started = folder / "started"
    if not started.is_file():
        return 0.0
    paths = [path for path in folder.glob("[!.]*") if path.is_file() and path.name != "outcome.json"]
    times = [path.stat().st_mtime for path in paths]
    return nodes * (max(times) - started.stat().st_mtime) / 3600


def usage(layout: RunLayout, plan: Plan) -> Usage:
    """Sum the node hours of all attempts of a run."""
    planned = {launch.name: launch for launch in plan.launches}
    used = faultless = expected = reserved = 0.0
    for block in plan.blocks:
        for folder in layout.attempts(block.name).glob("[0-9]*"):
            outcome, spec = folder / "outcome.json", folder / "spec.json"
            try:
                if is_there(outcome):
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
    """Reserve node hours for launches of a block; the attempt's spec.json is written in the context.

    Raises OverBudget, and writes the reason to `layout.over_budget`, if they may exceed `limit`.
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
                f"{block.name} may need {need:.4f} more; raise the limit and run the same command again"
            )
            layout.over_budget.write_text(reason, encoding="utf-8")
            raise OverBudget(reason)
        yield
