# SPDX-License-Identifier: BSD-3-Clause
"""Launches of application programs in a campaign, and those that are skipped."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import product

from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.programs import refusal
from isochron.schemas.run.manifest import StackDeclaration
from isochron.schemas.run.plan import Point, ProgramRun, Skipped
from isochron.workflows.planning.estimate import START_PER_PROCESS_S, START_S, Durations, timed_as
from isochron.workflows.planning.points import sort_out

#: 10⁹ operations of a kernel at class S, W, A, B, C as NPB counts them: rounded, of its reference results.
GOPS = {
    "EP": (0.034, 0.067, 0.54, 2.1, 8.6),
    "IS": (0.0007, 0.010, 0.084, 0.34, 1.3),
    "CG": (0.067, 0.42, 1.5, 55.0, 143.0),
    "MG": (0.008, 0.49, 3.9, 18.7, 156.0),
    "FT": (0.18, 0.4, 7.1, 92.0, 396.0),
    "LU": (0.1, 9.0, 119.0, 555.0, 2040.0),
    "SP": (0.1, 14.0, 102.0, 447.0, 1819.0),
    "BT": (0.23, 7.8, 168.0, 722.0, 2877.0),
}
CLASSES = "SWABC"
#: 10⁹ operations per second and process, so that an estimate is rather too high. EP and IS count few, long operations.
RATE, RATE_OF = 0.4, {"EP": 0.02, "IS": 0.03}


@dataclass(frozen=True)
class Runnable:
    """A program of one stack at one point, and its estimated seconds."""

    stack: str
    program: ProgramRun
    seconds: float


def programs_of(
    campaign: Campaign, stacks: Iterable[StackDeclaration], cores: int, measured: Durations
) -> tuple[dict[Point, list[Runnable]], list[Skipped]]:
    """Return the programs at each point, once each, and those that a stack or a kernel cannot run."""
    npb = campaign.npb
    if npb is None:
        return {}, []
    counts = {"processes": npb.processes, "processes_per_node": npb.processes_per_node}
    alone: dict[str, object] = {"engine": campaign.engine.model_copy(update={"threads": 0}), "contrasts": {}}
    varied = campaign.model_copy(update=alone | {name: values for name, values in counts.items() if values})
    points, not_possible = sort_out(varied, list(stacks), cores)
    skipped = [item.model_copy(update={"program": "npb"}) for item in not_possible]
    running: dict[Point, list[Runnable]] = {}
    for point, names in points.items():
        for stack, kernel in product(names, npb.kernels):
            reason = refusal(kernel, point.processes)
            if reason:
                skipped.append(Skipped(stack=stack, point=point, reason=reason, program=f"npb {kernel}"))
                continue
            for problem in npb.classes:
                program = ProgramRun(name="npb", kernel=kernel, problem=problem)
                expected = measured.get((timed_as(stack, program), point))
                seconds = min(expected or npb_seconds(kernel, problem, point.processes), npb.launch_seconds)
                running.setdefault(point, []).append(Runnable(stack, program, seconds))
    return running, skipped


def npb_seconds(kernel: str, problem: str, processes: int) -> float:
    """Estimate the time in s of one launch, rather too high."""
    work = GOPS[kernel][CLASSES.index(problem)] / RATE_OF.get(kernel, RATE)
    return round(START_S + START_PER_PROCESS_S * processes + work / processes, 3)
