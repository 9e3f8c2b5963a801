# SPDX-License-Identifier: BSD-3-Clause
"""Rehearsing a campaign: the same plan on a simulated machine, and the cost of the real one.

The simulator is deterministic: further launches or repetitions would give the same times.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.limits import Limits
from isochron.schemas.input.machine import Machine
from isochron.schemas.input.placement import PACKED
from isochron.schemas.input.replication import Replication
from isochron.schemas.input.site import Site
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.plan import Plan, Point
from isochron.spack_envs.declarations import load_declaration
from isochron.workflows.planning.estimate import (
    START_PER_PROCESS_S,
    START_S,
    SYNC_PER_PROCESS_S,
    Durations,
    launch_seconds,
)

#: Largest number of processes of `--quick`.
QUICK = 1024
#: The machine that is adapted to the shape of a target without further description.
GENERIC = "infiniband-fat-tree"
#: The simulated stack for a library, with its choice of algorithms, by the beginning of the stack's name.
STAND_INS = {"openmpi": "smpi-openmpi", "mpich": "smpi-mpich", "mvapich": "smpi-mvapich2", "intel-mpi": "smpi-intel"}
#: The simulated stack for all other libraries, and for process counts that the library's own cannot simulate.
FOR_ALL = "smpi-default"
#: Seconds after which a simulated launch is ended.
LAUNCH_SECONDS = 10800
#: Options of the engine in a rehearsal.
ENGINE = {
    "wait": "sleep", "timer": "clock-gettime", "stop": "reps", "warmup_reps": 1, "batch": 1,
    "min_valid": 1, "max_valid": 1, "max_reps": 4, "time_budget": None,
}  # fmt: skip
#: Where the simulated machine has one perfect clock there is nothing to synchronise.
PERFECT_CLOCK = {"clock_sync": "none", "resync_share": 0.0}


def stand_in(stack: str) -> str:
    """Return the simulated stack for a real one; a simulated one is its own."""
    if load_declaration(stack).simulator is not None:
        return stack
    return next((simulated for prefix, simulated in STAND_INS.items() if stack.startswith(prefix)), FOR_ALL)


def shaped(machine: Machine, site: Site) -> Machine:
    """Return the machine with the nodes and cores of a site, so far as those are stated."""
    stated = {"nodes": site.nodes, "cores": site.cores_per_node or machine.cores}
    return machine.model_copy(update={**stated, "name": f"{machine.name}-{stated['nodes']}x{stated['cores']}"})


def placements_of(campaign: Campaign) -> list[str]:
    """Return the placements that can be rehearsed: the nodes of a list exist on the campaign's machine only."""
    named = campaign.site.machine is not None
    return [placement for placement in campaign.placements if named or placement not in campaign.node_lists] or [PACKED]


def rehearsal_of(campaign: Campaign, machine: Machine, *, quick: bool, parallel: int) -> Campaign:
    """Return the campaign that rehearses `campaign`."""
    processes = [count for count in campaign.processes if not quick or count <= QUICK]
    stacks = list(dict.fromkeys(stand_in(campaign.declared(stack)) for stack in campaign.stacks))
    largest = [load_declaration(stack).simulator for stack in stacks]
    if all(simulator is not None and simulator.largest < max(processes) for simulator in largest):
        stacks.append(FOR_ALL)
    return Campaign(
        schema_version=1,
        name=f"{campaign.name[:50]}-{'quick-' if quick else ''}rehearsal",
        title=f"Rehearsal of: {campaign.heading}",
        description=f"Simulated on {machine.name}. {campaign.description}".strip(),
        stacks=stacks,
        operations=campaign.operations,
        sizes=campaign.sizes,
        sizes_by_operation=campaign.sizes_by_operation,
        processes=processes,
        processes_per_node=[count for count in campaign.processes_per_node if count <= max(processes)],
        placements=placements_of(campaign),
        node_lists=campaign.node_lists if campaign.site.machine is not None else {},
        replication=Replication(blocks=1, launches_per_block=1, design="random"),
        engine=campaign.engine.model_copy(update=ENGINE | (PERFECT_CLOCK if machine.clocks.perfect else {})),
        site=Site(machine=machine, nodes=machine.nodes, cores_per_node=machine.cores, parallel_blocks=parallel),
        limits=Limits(node_hours=None, launch_seconds=LAUNCH_SECONDS, retries=campaign.limits.retries),
        analysis=campaign.analysis,
        seed=campaign.seed,
    )


#: Seconds of the rehearsal's launches, and the length of a slot of every case in µs, by simulated stack and point.
Slots = Mapping[tuple[str, int], float]


@dataclass(frozen=True)
class PointCost:
    """All launches of one real stack at one point."""

    stack: str
    point: Point
    launches: int
    launch_seconds: float
    #: Cases that were not simulated, and whose time is therefore a coarse estimate.
    estimated_cases: int

    @property
    def node_hours(self) -> float:
        """Cost of all these launches."""
        return self.launches * self.launch_seconds * self.point.nodes / 3600


def real_cost(campaign: Campaign, plan: Plan, run: RunLayout) -> list[PointCost]:
    """Compute the cost of every stack and point of the real campaign; `plan`, `run`: those of the rehearsal."""
    seconds, slots = _rehearsed(run)
    launches = campaign.replication.blocks * campaign.replication.launches_per_block
    costs = []
    for point in plan.points:
        for stack in campaign.stacks:
            key = next(
                (name, point)
                for name in (stand_in(campaign.declared(stack)), FOR_ALL)
                if (name, point) in seconds or name == FOR_ALL
            )
            launch_seconds_, estimated = _launch(campaign, stack, point, seconds.get(key, 0.0), slots.get(key, {}))
            costs.append(PointCost(stack, point, launches, launch_seconds_, estimated))
    return costs


def _launch(campaign: Campaign, stack: str, point: Point, seconds: float, slots: Slots) -> tuple[float, int]:
    """Return the seconds of one real launch, and the number of its cases that are only estimated.

    The sum of: the time of the simulated launch; the real number of repetitions in slots of the simulated length; the
    start of the job with its synchronisation; and the planner's estimate for cases that were not simulated.
    """
    requested = campaign.chosen
    lacking = [case for case in requested if case not in slots]
    repetitions = sum(campaign.engine.max_reps * slots[case] / 1e6 for case in requested if case in slots)
    total = START_S + (START_PER_PROCESS_S + SYNC_PER_PROCESS_S) * point.processes + seconds + repetitions
    no_durations: Durations = {}
    total += launch_seconds(campaign, stack, point, no_durations) * len(lacking) / len(requested)
    return min(total, float(campaign.limits.launch_seconds)), len(lacking)


def _rehearsed(run: RunLayout) -> tuple[dict[tuple[str, Point], float], dict[tuple[str, Point], Slots]]:
    import pandas as pd

    launches, rows = pd.read_parquet(run.table("launches")), pd.read_parquet(run.table("measurements"))
    points = {
        row["launch_id"]: (
            row["stack"],
            Point(processes=row["processes"], processes_per_node=row["processes_per_node"], placement=row["placement"]),
        )
        for row in launches.to_dict("records")
    }
    seconds: dict[tuple[str, Point], float] = {}
    for row in launches.to_dict("records"):
        key = points[row["launch_id"]]
        seconds[key] = seconds.get(key, 0.0) + row["duration_s"]
    slots: dict[tuple[str, Point], dict[tuple[str, int], float]] = {}
    for row in rows.to_dict("records"):
        slots.setdefault(points[row["launch_id"]], {})[row["operation"], row["bytes"]] = row["slot_us"]
    return seconds, dict(slots)
