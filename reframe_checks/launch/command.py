# SPDX-License-Identifier: BSD-3-Clause
"""From the plan to the command of each launch."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from isochron.common.resources import shipped
from isochron.reframe_checks.launch.launchers import OWN, launcher_commands
from isochron.reframe_checks.launch.tools import Built, line, loaded_before, npb_program
from isochron.reframe_checks.launch.turns import Turn, candle_specs, turns_of
from isochron.schemas.engine.contract import cases
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.machine import Clocks
from isochron.schemas.input.placement import rank_hosts
from isochron.schemas.input.session_memory import session_bytes
from isochron.schemas.input.tools import printed
from isochron.schemas.run.block_spec import BlockSpec, LaunchSpec, StackSpec, TimerCheck
from isochron.schemas.run.layout import RunLayout, raw_name
from isochron.schemas.run.manifest import Manifest
from isochron.schemas.run.plan import Block, Plan, PlannedLaunch, Point
from isochron.schemas.run.provenance import TRANSPORT
from isochron.schemas.run.tools import Programs

#: Script that records a node's properties; the nodes must be able to read it, like the engine.
NODE_FACTS = shipped("reframe_checks", "launch", "node_facts.sh")

#: Share of a launch's time limit for its turns, the rest being for its start and end; seconds that a turn has at least.
TURNS_SHARE, MIN_TURN_SECONDS = 0.5, 0.02


def describers(manifest: Manifest, launch: PlannedLaunch, campaign: Campaign) -> dict[str, list[str]]:
    """Return the commands that start one process per node, by launcher; none if only the job's node is used."""
    if campaign.site.nodes == 1 and not launch.hosts:
        return {}
    commands = one_per_node(manifest, launch)
    # the launcher in an image starts processes on this node only, and nodes are described outside
    return {name: words for name, words in commands.items() if not (name == OWN and manifest.container)}


def one_per_node(manifest: Manifest, launch: PlannedLaunch) -> dict[str, list[str]]:
    """Return the commands that start one process per node of a launch, by the launcher's name."""
    point = launch.point.model_copy(update={"processes": launch.point.nodes, "processes_per_node": 1})
    return _commands(manifest, point, named_hosts=bool(launch.hosts))


def _commands(
    manifest: Manifest, point: Point, *, threads: int = 1, oversubscribed: bool = False, named_hosts: bool = False
) -> dict[str, list[str]]:
    """Return the commands that start a launch, by the launcher's name. That of a library in an image is inside."""
    commands = launcher_commands(
        manifest.launcher,
        point,
        manifest.stack,
        threads=threads,
        oversubscribed=oversubscribed,
        named_hosts=named_hosts,
    )
    return {name: [*(manifest.inside if name == OWN else []), *words] for name, words in commands.items()}


def timer_check(
    launches: Sequence[PlannedLaunch], manifests: Mapping[str, Manifest], campaign: Campaign
) -> TimerCheck | None:
    """Return the check of every timer on all nodes, by the stack of the launch with most nodes."""
    if campaign.site.machine is not None or not launches:
        return None
    widest = max(launches, key=lambda launch: launch.point.nodes)
    point, manifest = widest.point, manifests[widest.stack]
    hosts = rank_hosts(widest.hosts, point.placement, point.processes, point.processes_per_node) if widest.hosts else []
    return TimerCheck(
        stack=widest.stack,
        rank_hosts=list(dict.fromkeys(hosts)),
        launchers=one_per_node(manifest, widest),
        program=[manifest.engine, "--check-timer", "--timer", campaign.engine.timer],
    )


#: Options of the engine with which it measures as little as possible.
LEAST = [
    "--operations", "barrier", "--wait", "sleep", "--stop", "reps", "--min-valid", "1", "--max-reps", "1",
    "--probes", "off",
]  # fmt: skip


def transport_checks(
    launches: Iterable[LaunchSpec], manifests: Mapping[str, Manifest], attempt: Path
) -> list[LaunchSpec]:
    """Return for each stack whose library can print its transport its widest launch, with variables that make it so.

    The variables are set by the command of each rank, so that they are visible in an image and nowhere else.
    """
    widest: dict[str, LaunchSpec] = {}
    for launch in launches:
        if launch.processes > (widest[launch.stack].processes if launch.stack in widest else 0):
            widest[launch.stack] = launch
    checks = []
    for stack, launch in widest.items():
        report, name = manifests[stack].transport, f"{TRANSPORT}-{stack}"
        if report is not None:
            settings = [f"{variable}={value}" for variable, value in report.environment.items()]
            engine = [manifests[stack].engine, *LEAST, "--output", str(attempt / raw_name(name))]
            update = {"name": name, "program": ["env", *settings, *engine], "describers": {}, "cases": []}
            checks.append(launch.model_copy(update=update))
    return checks


def engine_options(campaign: Campaign, launch: PlannedLaunch | None = None, turn: Turn | None = None) -> list[str]:
    """Return the engine's options for a launch, from campaign and plan."""
    operations, sizes = campaign.operations, campaign.sizes
    if launch is not None:
        operations, sizes = launch.operations or operations, launch.sizes or sizes
    args = ["--operations", ",".join(operations), "--sizes", ",".join(map(str, sizes))]
    if campaign.site.machine is not None and not campaign.site.machine.clocks.perfect:
        args += ["--test-clock", _clock_option(campaign.site.machine.clocks)]
    engine = campaign.engine_of(launch.contrast if launch is not None else "")
    if turn is not None:
        engine = engine.model_copy(update={"pass_span": None})  # rounds follow each other at once
    if launch is None:
        return args + engine.arguments()
    return args + engine.arguments(clock_sync=launch.clock_sync, first_call=launch.first_call)


def _probe_history_options(attempt: Path, launch: PlannedLaunch, campaign: Campaign) -> list[str]:
    """Return the option for the file of probe readings of earlier launches: one per point, for all blocks."""
    if campaign.engine_of(launch.contrast).probes != "gate":
        return []
    point = launch.point
    run = RunLayout(attempt.parent.parent.parent)
    name = f"{point.processes}-{point.processes_per_node}-{point.placement}"
    return ["--probe-history", str(run.probe_history(name))]


def _clock_option(clocks: Clocks) -> str:
    """Format the clocks of a simulated machine as an option of the engine: one clock per node."""
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
    programs: Programs | Built | None = None,
    turn: Turn | None = None,
) -> LaunchSpec:
    """Return the command of one launch. `programs`: those of its third-party benchmark, if any."""
    point = launch.point
    hosts = rank_hosts(launch.hosts, point.placement, point.processes, point.processes_per_node) if launch.hosts else []
    threads = 1 if launch.tool or launch.program else campaign.threads_of(launch.contrast)
    oversubscribed = point.processes_per_node * threads > cores
    header = _header(launch, manifest, campaign, run_id, attempt, oversubscribed)
    return LaunchSpec(
        name=launch.name,
        stack=launch.stack,
        processes=point.processes,
        processes_per_node=point.processes_per_node,
        nodes=point.nodes,
        placement=point.placement,
        cases=_cases(launch, campaign),
        rank_hosts=hosts,
        cores_per_process=1 if oversubscribed else threads,
        launchers=_commands(manifest, point, threads=threads, oversubscribed=oversubscribed, named_hosts=bool(hosts)),
        describers=describers(manifest, launch, campaign),
        **_program(launch, manifest, campaign, attempt, header, programs, turn),
    )


def _program(
    launch: PlannedLaunch,
    manifest: Manifest,
    campaign: Campaign,
    attempt: Path,
    header: Mapping[str, str],
    programs: Programs | Built | None,
    turn: Turn | None,
) -> dict[str, Any]:
    """Return the program of a launch: the engine, NPB, or a third-party benchmark."""
    if isinstance(programs, Built):
        return npb_program(launch, programs, campaign, attempt, header)
    if programs is not None:
        return _tool_program(launch, programs, campaign, attempt, header)
    return _engine_program(launch, manifest, campaign, attempt, header, turn)


def _cases(launch: PlannedLaunch, campaign: Campaign) -> list[tuple[str, int]]:
    """Return the cases that the launch must measure."""
    if launch.tool == "osu":
        return printed("osu", launch.operations, launch.sizes or campaign.sizes)
    return launch.cases(campaign.operations, campaign.sizes)


def _header(
    launch: PlannedLaunch, manifest: Manifest, campaign: Campaign, run_id: str, attempt: Path, oversubscribed: bool
) -> dict[str, str]:
    """Return the properties of a launch that are known before it starts."""
    point = launch.point
    header: dict[str, object] = {
        "name": launch.name,
        "run_id": run_id,
        "campaign": campaign.name,
        "stack": launch.stack,
        "mpi_library": manifest.mpi_library,
        "mpi_version": manifest.mpi_version,
        "engine_sha256": manifest.engine_sha256,
        "processes_per_node": point.processes_per_node,
        "nodes": point.nodes,
        "placement": point.placement,
        "block": launch.block,
        "launch": launch.launch,
        "attempt": int(attempt.name),
        "oversubscribed": str(oversubscribed).lower(),
    }
    if launch.contrast:
        header["contrast"] = launch.contrast
    if manifest.simulation:
        header["simulation"] = manifest.simulation
    if manifest.container is not None:
        header |= {"image": manifest.container.image, "image_digest": manifest.container.digest}
    return {key: str(value) for key, value in header.items()}


def _engine_program(
    launch: PlannedLaunch,
    manifest: Manifest,
    campaign: Campaign,
    attempt: Path,
    header: Mapping[str, str],
    turn: Turn | None,
) -> dict[str, Any]:
    """Return the engine with its options. `--append-header` is last, so that the job can append to it.

    The time limit of a launch in turns is that of its session.
    """
    point = launch.point
    program = [
        manifest.engine,
        *engine_options(campaign, launch, turn),
        "--expect-ranks",
        str(point.processes),
        "--expect-hosts",
        str(point.nodes),
        "--output",
        str(attempt / raw_name(launch.name)),
        *_probe_history_options(attempt, launch, campaign),
        "--append-header",
        *(f"{key}={value}" for key, value in header.items()),
    ]
    if turn is None:
        return {"program": program}
    return {
        "program": program,
        "session": launch.session,
        "turn": [*turn.words, "--turn-time", f"{_turn_seconds(campaign, launch, turn):.3f}"],
        "session_mib": -(-session_bytes(campaign, point.processes, point.processes_per_node, turn.count) // 2**20),
        "launch_seconds": turn.limit_s(campaign.limits.launch_seconds),
    }


def _turn_seconds(campaign: Campaign, launch: PlannedLaunch, turn: Turn) -> float:
    """Return the share of the launch's time that one turn has, so that no stack on a busy machine takes that of all."""
    launch_cases = cases(launch.operations or campaign.operations, launch.sizes or campaign.sizes)
    turns = (campaign.engine.passes + turn.solo_rounds) * len(launch_cases)
    return max(TURNS_SHARE * campaign.limits.launch_seconds / turns, MIN_TURN_SECONDS)


def _tool_program(
    launch: PlannedLaunch, programs: Programs, campaign: Campaign, attempt: Path, header: Mapping[str, str]
) -> dict[str, Any]:
    """Return the program of a third-party benchmark, with the library that counts its processes."""
    command = line(launch, programs, launch.sizes or campaign.sizes, attempt)
    return {
        "program": [command.program, *command.words],
        "tool": launch.tool,
        "loaded_before": loaded_before(programs, attempt, launch),
        "program_sha256": programs.programs[launch.operations[0]].sha256,
        "facts": dict(header),
        "files": command.files,
    }


def _stack_spec(manifest: Manifest) -> StackSpec:
    """Return what the launches of a stack need."""
    container = manifest.container
    return StackSpec(
        environment=manifest.environment,
        engine=manifest.engine,
        engine_sha256=manifest.engine_sha256,
        mpi_version=manifest.mpi_version,
        mpi_library_version=manifest.mpi_library_version,
        libraries=manifest.library_sha256,
        pmi=manifest.launcher.pmi or "",
        transport=manifest.transport,
        inside=manifest.inside,
        inside_rank=container.words(manifest.environment, rank=True) if container is not None else [],
        image_digest=container.digest if container is not None else "",
        image_check=container.check if container is not None else [],
    )


def block_spec(
    block: Block,
    plan: Plan,
    campaign: Campaign,
    manifests: Mapping[str, Manifest],
    *,
    run_id: str,
    attempt: Path,
    without: Iterable[str] = (),
    programs: Mapping[tuple[str, str], Programs] = MappingProxyType({}),
    npb: Mapping[str, Built] = MappingProxyType({}),
    candle: Path | None = None,
) -> BlockSpec:
    """Return the launches of a block that are not measured. `programs`: by stack and tool; `npb`: by stack.

    `candle`: the program of the standard candle; None: sessions have none.
    """
    done = set(without)
    launches = [launch for launch in block.launches if launch.name not in done]
    turns = turns_of(launches, campaign, attempt, candle=candle is not None)
    specs = [
        launch_spec(
            launch,
            manifests[launch.stack],
            campaign,
            run_id=run_id,
            cores=plan.cores_per_node,
            attempt=attempt,
            programs=npb[launch.stack] if launch.program else programs.get((launch.stack, launch.tool)),
            turn=turns.get(launch.name),
        )
        for launch in launches
    ]
    in_images = {
        stack: Path(manifest.engine).with_name(candle.name)
        for stack, manifest in manifests.items()
        if candle is not None and manifest.container is not None
    }
    return BlockSpec(
        block=block.name,
        attempt=str(attempt),
        nodes=block.nodes,
        processes_per_node=max(launch.point.processes_per_node for launch in block.launches),
        cores_per_process=max((spec.cores_per_process for spec in specs), default=1),
        cores_per_node=plan.cores_per_node,
        launch_seconds=campaign.limits.launch_seconds,
        hosts=block.hosts,
        launcher=campaign.site.launcher,
        queue_hours=campaign.limits.queue_hours,
        stacks={stack: _stack_spec(manifest) for stack, manifest in manifests.items()},
        launches=specs,
        candles=candle_specs(specs, turns, campaign, attempt, candle, in_images) if candle is not None else [],
        timer_check=timer_check(launches, manifests, campaign),
        transport_checks=transport_checks(specs, manifests, attempt),
    )
