# SPDX-License-Identifier: BSD-3-Clause
"""A trial of one stack at the site of a campaign: one small job, planned and driven as every campaign is."""

import shutil
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console

from isochron.common.copies import is_there
from isochron.common.files import FileError
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.contrasts import FirstCalls
from isochron.schemas.input.placement import PLACEMENTS
from isochron.schemas.input.replication import Replication
from isochron.schemas.input.variant import Variant
from isochron.schemas.run.launch_file import LaunchFile, read_launch
from isochron.schemas.run.layout import RunLayout, raw_name
from isochron.schemas.run.manifest import Manifest
from isochron.schemas.run.plan import Plan, PlannedLaunch
from isochron.schemas.run.provenance import (
    Facts,
    Provenance,
    TimerVerdict,
    read_provenance,
    read_timers,
    read_transport,
)
from isochron.schemas.run.state import BlockState
from isochron.spack_envs.stack_source import locks_of
from isochron.workflows.driving.run import AT_THE_STORE, RunOptions, drive
from isochron.workflows.planning.design import find_obstacle
from isochron.workflows.planning.plan import make_plan
from isochron.workflows.planning.points import cores_of
from isochron.workflows.runs import create_run

#: Nodes of a trial, if the site has as many.
NODES = 2
#: What is measured: nothing, a reduction, and what fills the network; a message of one packet, and a longer one.
OPERATIONS, SIZES = ["barrier", "allreduce", "alltoall"], [8, 65536]
#: Options of the engine in a trial; the rest is the campaign's.
ENGINE = {
    "stop": "reps", "warmup_reps": 1, "min_valid": 2, "max_valid": 20, "max_reps": 20, "passes": 4,
    "time_budget": None, "groups": "all", "rank_order": "identity", "buffers": "warm",
}  # fmt: skip
#: End of the name under which a stack takes turns with itself.
TWIN = "-twin"


def trial_of(campaign: Campaign, stack: str) -> Campaign:
    """Return the campaign that tries a stack: a launch alone, then two at once in turns, on the fullest two nodes.

    Where the campaign's launcher cannot start two at once, they run one after another.
    """
    twin = f"{stack[: 64 - len(TWIN)]}{TWIN}"
    declared = campaign.variants.get(stack, Variant(stack=stack))
    variants = {twin: declared} | ({stack: declared} if stack in campaign.variants else {})
    nodes = min(NODES, campaign.site.nodes)
    per_node = processes_per_node(campaign)
    apart = {"nodes": nodes, "parallel_blocks": 1, "locations": {}, "distance_ms": None, "trunk_mb_per_s": None}
    probes = {"probes": "record"} if campaign.engine.probes == "gate" else {}
    trial = Campaign(
        schema_version=1,
        name=f"doctor-{stack}"[:64],
        stacks=[stack, twin],
        variants=variants,
        operations=OPERATIONS,
        sizes=SIZES,
        processes=[nodes * per_node],
        processes_per_node=[per_node],
        placements=[name for name in campaign.placements if name in PLACEMENTS] or ["packed"],
        replication=Replication(blocks=1, launches_per_block=1, design="random", solo_rounds=0),
        first_calls=FirstCalls(operations=["allreduce"], sizes=[8], launches=1),
        engine=campaign.engine.model_copy(update=ENGINE | probes),
        site=campaign.site.model_copy(update=apart),
        limits=campaign.limits.model_copy(update={"node_hours": None, "retries": 0}),
        allow_oversubscription=campaign.allow_oversubscription,
        stack_source=campaign.stack_source,
        seed=campaign.seed,
    )
    if find_obstacle(trial) is None:
        replication = trial.replication.model_copy(update={"design": "turns"})
        trial = trial.model_copy(update={"replication": replication})
    return trial


def processes_per_node(campaign: Campaign) -> int:
    """Return how many processes a node gets in a trial: the most of the campaign that have cores, and two on one node.

    Binding is as in the campaign only if nodes are as full.
    """
    cores = cores_of(campaign)
    fitting = [count for count in campaign.processes_per_node if count <= cores or campaign.allow_oversubscription]
    return max(max(fitting, default=min(campaign.processes_per_node)), 2 if campaign.site.nodes == 1 else 1)


@dataclass(frozen=True)
class Trial:
    """What a trial left: why it or its launches failed, and the files of those that wrote one.

    `reasons`: why a launch was refused, by its name; empty: accepted. A launch that is not in it was not tried.
    """

    stack: str
    campaign: Campaign
    plan: Plan
    problems: list[str] = field(default_factory=list)
    manifest: Manifest | None = None
    reasons: dict[str, str] = field(default_factory=dict)
    files: dict[str, LaunchFile] = field(default_factory=dict)
    provenance: Provenance = field(default_factory=Provenance)
    timers: list[TimerVerdict] = field(default_factory=list)
    #: What carried the messages, as the library printed it; empty: it was not asked.
    transport: str = ""

    @property
    def alone(self) -> list[PlannedLaunch]:
        """The launches without company."""
        return [launch for launch in self.plan.launches if not launch.session]

    @property
    def together(self) -> list[PlannedLaunch]:
        """The launches in turns."""
        return [launch for launch in self.plan.launches if launch.session]

    @property
    def nodes(self) -> int:
        """The largest number of nodes of a launch."""
        return max(point.nodes for point in self.plan.points)


def try_stack(campaign: Campaign, stack: str, folder: Path, console: Console, *, quiet: bool) -> Trial:
    """Try a stack in a new run in `folder`, which the nodes must be able to read.

    Raises FileError, and KeyboardInterrupt if it was stopped.
    """
    trial = trial_of(campaign, stack)
    plan = make_plan(trial).model_copy(update={"locks": locks_of(trial)})
    shutil.rmtree(folder / trial.name, ignore_errors=True)  # of an earlier call
    run = create_run(folder, trial, plan)
    outcome = drive(run, trial, RunOptions(until_store=True), console, quiet)
    if outcome.state.state == "interrupted" and outcome.state.reason != AT_THE_STORE:
        raise KeyboardInterrupt
    return read_trial(stack, trial, plan, run, outcome.problems)


def read_trial(stack: str, trial: Campaign, plan: Plan, run: RunLayout, problems: list[str]) -> Trial:
    """Read what a trial left. What cannot be read is as if it were not there: `problems` say why."""
    attempts = sorted(path for path in run.attempts(plan.blocks[0].name).glob("[0-9]*") if path.is_dir())
    manifest = Manifest.load(run.manifest(stack)) if is_there(run.manifest(stack)) else None
    if not attempts or not (attempts[-1] / "started").exists():  # the job itself did not start
        return Trial(stack, trial, plan, problems, manifest)
    attempt = attempts[-1]
    outcome = attempt / "outcome.json"
    launches = BlockState.load(outcome).launches if is_there(outcome) else []
    files: dict[str, LaunchFile] = {}
    nodes: dict[str, Facts] = {}
    facts: Facts = {}
    for launch in plan.launches:
        provenance = read_provenance(attempt / f"{launch.name}.provenance")
        nodes |= provenance.nodes
        facts |= provenance.launch
        try:
            files[launch.name] = read_launch(attempt / raw_name(launch.name))
        except (FileError, OSError):
            continue
    return Trial(
        stack,
        trial,
        plan,
        problems,
        manifest,
        {launch.name: launch.reason for launch in launches},
        files,
        Provenance(facts, nodes),
        read_timers(attempt / "timers.txt"),
        read_transport(attempt, stack, None if manifest is None else manifest.transport),
    )
