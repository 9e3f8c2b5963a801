# SPDX-License-Identifier: BSD-3-Clause
"""From the plan to the command of each launch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from isochron.ground.resources import shipped
from isochron.reframe_checks.launch.launchers import launcher_commands
from isochron.reframe_checks.launch.program import Programs, program_command
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.machine import Clocks
from isochron.schemas.input.placement import rank_hosts
from isochron.schemas.run.block_spec import BlockSpec, LaunchSpec, StackSpec, TimerCheck
from isochron.schemas.run.manifest import Manifest
from isochron.schemas.run.plan import Block, Plan, PlannedLaunch

#: Says what a node is; it is read where the launch starts, so the nodes must see this file, as they must the engine.
NODE_FACTS = shipped("reframe_checks", "launch", "node_facts.sh")


def describers(manifest: Manifest, launch: PlannedLaunch, campaign: Campaign) -> dict[str, list[str]]:
    """What starts one process on each node of a launch, by the launcher's name; none where the job's own node is it."""
    return {} if campaign.site.nodes == 1 and not launch.hosts else one_each(manifest, launch)


def one_each(manifest: Manifest, launch: PlannedLaunch) -> dict[str, list[str]]:
    """What starts one process on each node of a launch, by the launcher's name."""
    point = launch.point.model_copy(update={"processes": launch.point.nodes, "processes_per_node": 1})
    return launcher_commands(manifest.launcher, point, launch.stack, named_hosts=bool(launch.hosts))


def timer_check(
    launches: Sequence[PlannedLaunch], manifests: Mapping[str, Manifest], campaign: Campaign
) -> TimerCheck | None:
    """Every timer on every node that the launches use, by the stack of the one with most nodes."""
    if campaign.site.machine is not None or not launches:
        return None
    widest = max(launches, key=lambda launch: launch.point.nodes)
    point, manifest = widest.point, manifests[widest.stack]
    hosts = rank_hosts(widest.hosts, point.placement, point.processes, point.processes_per_node) if widest.hosts else []
    return TimerCheck(
        stack=widest.stack,
        rank_hosts=list(dict.fromkeys(hosts)),
        launchers=one_each(manifest, widest),
        program=[manifest.engine, "--check-timer", "--timer", campaign.engine.timer],
    )


def engine_options(campaign: Campaign, launch: PlannedLaunch | None = None) -> list[str]:
    """What the campaign and the plan of a launch say to the engine; the names are the engine's."""
    operations, sizes = campaign.operations, campaign.sizes
    if launch is not None:
        operations, sizes = launch.operations or operations, launch.sizes or sizes
    words = ["--operations", ",".join(operations), "--sizes", ",".join(map(str, sizes))]
    if campaign.site.machine is not None and not campaign.site.machine.clocks.perfect:
        words += ["--test-clock", _clock_words(campaign.site.machine.clocks)]
    engine = campaign.engine_of(launch.contrast if launch is not None else "").model_dump(exclude_none=True)
    if launch is not None:
        engine["clock_sync"] = launch.clock_sync or engine["clock_sync"]
        engine["first_call"] = launch.first_call
    for name, value in engine.items():
        option = f"--{name.replace('_', '-')}"
        words += ([option] if value else []) if isinstance(value, bool) else [option, str(value)]
    return words


def _clock_words(clocks: Clocks) -> str:
    """The clocks of a simulated machine in the engine's words: one clock a node."""
    values = {
        "seed": clocks.seed,
        "offset-s": clocks.offset_s,
        "drift-ppm": clocks.drift_ppm,
        "noise-ns": clocks.noise_us * 1000,
        "node": 1,
    }
    return ",".join(f"{name}={value:g}" for name, value in values.items())


def launch_spec(
    launch: PlannedLaunch,
    manifest: Manifest,
    campaign: Campaign,
    *,
    run_id: str,
    cores: int,
    attempt: Path,
    programs: Programs | None = None,
) -> LaunchSpec:
    """The command of one launch. `programs`: those that were built with its stack."""
    point = launch.point
    hosts = rank_hosts(launch.hosts, point.placement, point.processes, point.processes_per_node) if launch.hosts else []
    oversubscribed = point.processes_per_node > cores
    header = {
        "name": launch.name,
        "run_id": run_id,
        "campaign": campaign.name,
        "stack": launch.stack,
        "mpi_library": manifest.mpi_library,
        "mpi_version": manifest.mpi_version,
        "processes_per_node": point.processes_per_node,
        "nodes": point.nodes,
        "placement": point.placement,
        "block": launch.block,
        "launch": launch.launch,
        "attempt": int(attempt.name),
        "oversubscribed": str(oversubscribed).lower(),
    }
    runs = (
        engine_command(launch, manifest, campaign, header, attempt)
        if launch.program is None
        else program_command(launch, programs, campaign, header, attempt)
    )
    return LaunchSpec(
        name=launch.name,
        stack=launch.stack,
        processes=point.processes,
        processes_per_node=point.processes_per_node,
        nodes=point.nodes,
        placement=point.placement,
        cases=launch.cases(campaign.operations, campaign.sizes),
        rank_hosts=hosts,
        launchers=launcher_commands(
            manifest.launcher, point, launch.stack, oversubscribed=oversubscribed, named_hosts=bool(hosts)
        ),
        describers=describers(manifest, launch, campaign),
        **runs,
    )


def engine_command(
    launch: PlannedLaunch, manifest: Manifest, campaign: Campaign, header: Mapping[str, object], attempt: Path
) -> dict[str, Any]:
    """Fields of a LaunchSpec: the engine. `--append-header` comes last, so that the job can add to it."""
    facts = {**header, "engine_sha256": manifest.engine_sha256}
    if launch.contrast:
        facts["contrast"] = launch.contrast
    if manifest.simulation:
        facts["simulation"] = manifest.simulation
    program = [
        manifest.engine,
        *engine_options(campaign, launch),
        "--expect-ranks",
        str(launch.point.processes),
        "--expect-hosts",
        str(launch.point.nodes),
        "--output",
        str(attempt / f"{launch.name}.jsonl"),
        "--append-header",
        *(f"{key}={value}" for key, value in facts.items()),
    ]
    return {"program": program}


def block_spec(
    block: Block,
    plan: Plan,
    campaign: Campaign,
    manifests: Mapping[str, Manifest],
    *,
    run_id: str,
    attempt: Path,
    without: Iterable[str] = (),
    programs: Mapping[str, Programs] | None = None,
) -> BlockSpec:
    """All launches of a block but those that are measured already. `programs`: of the stacks that have any."""
    done = set(without)
    launches = [launch for launch in block.launches if launch.name not in done]
    return BlockSpec(
        block=block.name,
        attempt=str(attempt),
        nodes=block.nodes,
        processes_per_node=max(launch.point.processes_per_node for launch in block.launches),
        launch_seconds=campaign.limits.launch_seconds,
        hosts=block.hosts,
        launcher=campaign.site.launcher,
        queue_hours=campaign.limits.queue_hours,
        stacks={
            stack: StackSpec(
                environment=manifest.environment,
                engine=manifest.engine,
                engine_sha256=manifest.engine_sha256,
                mpi_version=manifest.mpi_version,
            )
            for stack, manifest in manifests.items()
        },
        launches=[
            launch_spec(
                launch,
                manifests[launch.stack],
                campaign,
                run_id=run_id,
                cores=plan.cores_per_node,
                attempt=attempt,
                programs=(programs or {}).get(launch.stack),
            )
            for launch in launches
        ],
        timer_check=timer_check(launches, manifests, campaign),
    )
