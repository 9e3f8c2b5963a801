# SPDX-License-Identifier: BSD-3-Clause
"""The campaign that rehearses another one: its plan on a simulated machine of the target's shape, each launch once.

The simulator is deterministic: a second launch, or a tenth run, would say nothing new.
"""

from __future__ import annotations

from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.limits import Limits
from isochron.schemas.input.machine import Machine
from isochron.schemas.input.placement import PACKED
from isochron.schemas.input.replication import Replication
from isochron.schemas.input.site import Site
from isochron.spack_envs.declarations import load_declaration

#: Largest number of processes of `--quick`.
QUICK = 1024
#: The machine that gets the shape of a target of which no more is known.
GENERIC = "infiniband-fat-tree"
#: What stands in for a library: its choice of algorithms, by the beginning of the stack's name.
STAND_INS = {"openmpi": "smpi-openmpi", "mpich": "smpi-mpich", "mvapich": "smpi-mvapich2", "intel-mpi": "smpi-intel"}
#: What stands in for every other one, and for all beyond the process count that theirs can be simulated at.
FOR_ALL = "smpi-default"
#: Seconds after which a simulated launch is ended.
LAUNCH_SECONDS = 10800
#: What a rehearsal tells the engine in its own way.
ENGINE = {
    "wait": "sleep", "timer": "clock-gettime", "stop": "reps", "warmup_reps": 1, "batch": 1,
    "min_valid": 1, "max_valid": 1, "max_reps": 4, "time_budget": None,
}  # fmt: skip
#: Where the simulated machine has one perfect clock there is nothing to synchronise.
PERFECT_CLOCK = {"clock_sync": "none", "resync_share": 0.0}


def stand_in(stack: str) -> str:
    """The simulated stack for a real one; a simulated one is its own."""
    if load_declaration(stack).simulator is not None:
        return stack
    return next((simulated for prefix, simulated in STAND_INS.items() if stack.startswith(prefix)), FOR_ALL)


def shaped(machine: Machine, site: Site) -> Machine:
    """The machine with the nodes and cores of a site, so far as those are stated."""
    stated = {"nodes": site.nodes, "cores": site.cores_per_node or machine.cores}
    return machine.model_copy(update={**stated, "name": f"{machine.name}-{stated['nodes']}x{stated['cores']}"})


def placements_of(campaign: Campaign) -> list[str]:
    """The placements that can be rehearsed: the nodes of a list exist on the campaign's own machine only."""
    named = campaign.site.machine is not None
    return [each for each in campaign.placements if named or each not in campaign.node_lists] or [PACKED]


def rehearsal_of(campaign: Campaign, machine: Machine, *, quick: bool, parallel: int) -> Campaign:
    """The campaign to run in the place of `campaign`."""
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
        processes=processes,
        processes_per_node=[count for count in campaign.processes_per_node if count <= max(processes)],
        placements=placements_of(campaign),
        node_lists=campaign.node_lists if campaign.site.machine is not None else {},
        replication=Replication(blocks=1, launches_per_block=1),
        engine=campaign.engine.model_copy(update=ENGINE | (PERFECT_CLOCK if machine.clocks.perfect else {})),
        site=Site(machine=machine, nodes=machine.nodes, cores_per_node=machine.cores, parallel_blocks=parallel),
        limits=Limits(node_hours=None, launch_seconds=LAUNCH_SECONDS, retries=campaign.limits.retries),
        analysis=campaign.analysis,
        seed=campaign.seed,
    )
