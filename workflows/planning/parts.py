# SPDX-License-Identifier: BSD-3-Clause
"""The operations and sizes that a stack measures at a point, by launch; third-party benchmarks."""

from dataclasses import dataclass, field, replace

from isochron.schemas.engine.contract import WITHOUT_DATA, cases, fits_datatype
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.group_contrasts import fits
from isochron.schemas.input.tools import IMITATIONS, Tool, is_imitation, measured_by, printed
from isochron.schemas.run.manifest import StackDeclaration
from isochron.schemas.run.plan import Point, Skipped
from isochron.workflows.planning import simulation
from isochron.workflows.planning.estimate import START_PER_PROCESS_S, START_S, Durations, launch_seconds, operation_us
from isochron.workflows.planning.timers import timer_refusal

#: Maximum repetitions of a size, and bytes beyond which both tools make fewer (IMB 2021: 1000, 40 MiB; OSU: 1000, then
#: 100). Including the barriers, a repetition takes about twice as long as the operation.
REPETITIONS, VOLUME, WITH_BARRIER = 1000, 40 * 2**20, 2.0


def tool_launches(
    campaign: Campaign, stack: StackDeclaration, point: Point, *, by_spack: bool
) -> list[tuple[str, list[str], float]]:
    """Return tool, operations and seconds of each launch. `by_spack`: whether Spack builds the programs."""
    launches: list[tuple[str, list[str], float]] = []
    for tool in _tools_of_stack(campaign, stack.stack):
        if _reason_to_skip(tool, stack, by_spack):
            continue
        measured = measured_by(tool.name, campaign.operations, point.processes)
        measured = [name for name in measured if printed(tool.name, [name], campaign.sizes)]
        groups = [measured] if tool.name == "imb" and measured else [[name] for name in measured]
        launches += [(tool.name, group, _tool_seconds(campaign, point, group)) for group in groups]
    return launches


def skipped_tools(campaign: Campaign, stack: StackDeclaration, point: Point, *, by_spack: bool) -> list[Skipped]:
    """Return the tools that cannot be launched with a stack, with the reasons."""
    reasons = {tool.name: _reason_to_skip(tool, stack, by_spack) for tool in _tools_of_stack(campaign, stack.stack)}
    return [
        Skipped(stack=stack.stack, point=point, reason=reason, tool=tool) for tool, reason in reasons.items() if reason
    ]


def _tools_of_stack(campaign: Campaign, stack: str) -> list[Tool]:
    return [tool for tool in campaign.tools if stack in (tool.stacks or campaign.stacks)]


def _reason_to_skip(tool: Tool, stack: StackDeclaration, by_spack: bool) -> str:
    """Return why a tool cannot be launched with a stack; empty if it can."""
    if tool.path is not None or tool.name in stack.tools or by_spack:
        return ""
    return (
        f"its wheels do not contain {tool.name}; give `tools: [{{name: {tool.name}, path: FOLDER}}]`, "
        f"or use --stack-source spack"
    )


def _tool_seconds(campaign: Campaign, point: Point, operations: list[str]) -> float:
    """Estimate the time in s of one launch, by the coarse model of the engine's launches."""
    total = START_S + START_PER_PROCESS_S * point.processes
    for operation, size in cases(operations, campaign.sizes):
        repetitions = min(REPETITIONS, max(1, VOLUME // size)) if size else REPETITIONS
        total += (
            repetitions * WITH_BARRIER * operation_us(operation, size, point.processes, campaign.engine.burst) / 1e6
        )
    return round(min(total, campaign.limits.launch_seconds), 3)


@dataclass(frozen=True)
class Part:
    """What one launch measures: every pair of its operations and sizes (empty: all), in about `seconds`.

    `contrast`: one of the campaign's contrasts; `clock_sync`: one of its `compare_clock_syncs`; both empty: the
    results. `first_call`: whether it measures `first_calls`. `tool`: one of its tools, instead of the engine.
    """

    seconds: float
    operations: list[str] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    contrast: str = ""
    clock_sync: str = ""
    first_call: bool = False
    tool: str = ""

    @property
    def of_results(self) -> bool:
        """Whether its times are part of the results."""
        return not (self.contrast or self.clock_sync or self.first_call or self.tool)


def parts_of(
    campaign: Campaign, stack: StackDeclaration, point: Point, measured: Durations, *, by_spack: bool = False
) -> tuple[list[Part], list[Skipped]]:
    """Return the launches that make up one measurement of a stack at a point, and what is skipped.

    `by_spack`: whether Spack builds the programs of the campaign's tools.
    """
    parts, skipped = _parts(campaign, stack, point, measured)
    launches = tool_launches(campaign, stack, point, by_spack=by_spack)
    by_tools = {(tool, operation) for tool, operations, _ in launches for operation in operations}
    for name in campaign.all_contrasts:
        if is_imitation(name, campaign.tools):
            tool = IMITATIONS[name][0]
            if not any((tool, operation) in by_tools for operation in campaign.operations_of(name)):
                continue
        further, not_measured = contrast_parts(campaign, name, stack, point, measured)
        parts, skipped = parts + further, skipped + not_measured
    parts += [Part(seconds, operations, tool=tool) for tool, operations, seconds in launches]
    return parts, skipped + skipped_tools(campaign, stack, point, by_spack=by_spack)


def contrast_parts(
    campaign: Campaign, contrast: str, stack: StackDeclaration, point: Point, measured: Durations
) -> tuple[list[Part], list[Skipped]]:
    """Return the launches with the options of a contrast, and what is skipped only with these."""
    operations = campaign.operations_of(contrast)
    if not operations:
        return [], []
    engine = campaign.engine_of(contrast)
    refused = timer_refusal(campaign, engine.timer) if engine.timer != campaign.engine.timer else ""
    if not fits(engine.groups, point.processes):
        refused = f"{point.processes} processes are too few for these groups"
    if refused:
        case = {"stack": stack.stack, "point": point, "reason": f"contrasts.{contrast}: {refused}"}
        return [], [Skipped(operation=operation, bytes=size, **case) for operation, size in campaign.chosen]
    plain_parts, not_measured = _parts(
        campaign.model_copy(update={"engine": engine, "operations": operations}), stack, point, measured
    )
    names = [part.operations or (operations if operations != campaign.operations else []) for part in plain_parts]
    parts = [replace(part, operations=ops, contrast=contrast) for part, ops in zip(plain_parts, names, strict=True)]
    skipped_anyway = {(item.operation, item.bytes) for item in _parts(campaign, stack, point, measured)[1]}
    return parts, [
        item.model_copy(update={"reason": f"contrasts.{contrast}: {item.reason}"})
        for item in not_measured
        if (item.operation, item.bytes) not in skipped_anyway
    ]


def further_syncs(campaign: Campaign, stack: StackDeclaration, point: Point) -> tuple[list[Part], list[Skipped]]:
    """Return one launch per synchroniser to compare, except the campaign's, and those that cannot be simulated."""
    operations, sizes = campaign.operations[:1], campaign.sizes[:1]
    parts, skipped = [], []
    for name in campaign.compare_clock_syncs:
        if name == campaign.engine.clock_sync:
            continue
        varied = campaign.model_copy(update={
            "engine": campaign.engine.model_copy(update={"clock_sync": name}), "operations": operations, "sizes": sizes
        })  # fmt: skip
        plain_parts, not_measured = _parts(varied, stack, point, {})
        parts += [replace(part, operations=operations, sizes=sizes, clock_sync=name) for part in plain_parts]
        skipped += [
            Skipped(stack=stack.stack, point=point, reason=item.reason, clock_sync=name) for item in not_measured
        ]
    return parts, skipped


def first_calls(campaign: Campaign, stack: StackDeclaration, point: Point) -> list[Part]:
    """Return the launches that time first calls: `first_calls.launches` for each of its operations and sizes."""
    if campaign.first_calls is None:
        return []
    parts = []
    for operation, size in campaign.first_calls.cases:
        single_case = {"operations": [operation], "sizes": [size]}
        seconds = launch_seconds(campaign.model_copy(update=single_case), stack.stack, point, {})
        parts.append(Part(seconds, [operation], [size], first_call=True))
    return parts * campaign.first_calls.launches


def _parts(
    campaign: Campaign, stack: StackDeclaration, point: Point, measured: Durations
) -> tuple[list[Part], list[Skipped]]:
    """Return the launches of the results, and what is skipped."""
    if stack.simulator is None and not campaign.sizes_by_operation:
        return [Part(launch_seconds(campaign, stack.stack, point, measured))], []
    if stack.simulator is None:
        return [_real_part(campaign, stack, point, *product) for product in products(campaign, campaign.chosen)], []
    not_simulated = simulation.skipped_cases(campaign, stack.stack, point)
    skipped = [item for item in not_simulated if (item.operation, item.bytes) in campaign.chosen]
    excluded = {(item.operation, item.bytes) for item in skipped}
    simulated = [case for case in campaign.chosen if case not in excluded]
    parts = []
    for operations, sizes in products(campaign, simulated):
        part_cases = cases(operations or campaign.operations, sizes or campaign.sizes)
        parts.append(Part(simulation.launch_seconds(campaign, stack.simulator, point, part_cases), operations, sizes))
    return parts, skipped


def _real_part(
    campaign: Campaign, stack: StackDeclaration, point: Point, operations: list[str], sizes: list[int]
) -> Part:
    """Return a launch of some operations and sizes; earlier durations are of other launches, so the model is used."""
    changes = {"operations": operations or campaign.operations, "sizes": sizes or campaign.sizes}
    return Part(launch_seconds(campaign.model_copy(update=changes), stack.stack, point, {}), operations, sizes)


def products(campaign: Campaign, selected: list[tuple[str, int]]) -> list[tuple[list[str], list[int]]]:
    """Return the selected cases as pairs of lists of which every combination is selected; empty lists: all.

    The engine measures the product of its two lists, so sizes with the same operations share a launch. It omits sizes
    that a datatype does not fit. Operations without data are in the first pair.
    """
    if selected == cases(campaign.operations, campaign.sizes):
        return [([], [])]
    sizes_by_operation: dict[tuple[str, ...], list[int]] = {}
    for size in campaign.sizes:
        if any(case_size == size and name not in WITHOUT_DATA for name, case_size in selected):
            named = tuple(name for name in campaign.operations if _may_have(name, size, selected))
            sizes_by_operation.setdefault(named, []).append(size)
    first = {name for name in campaign.operations if name in WITHOUT_DATA and (name, 0) in selected}
    pairs = []
    for operations, sizes in sizes_by_operation.items() or [((), campaign.sizes[:1])]:
        listed = [name for name in operations if any((name, size) in selected for size in sizes)]
        names = [name for name in campaign.operations if name in first or name in listed]
        first = set()
        if names:
            pairs.append((names, sizes))
    return pairs


def _may_have(name: str, size: int, selected: list[tuple[str, int]]) -> bool:
    """Return True if a launch of a size may list an operation with data: it is selected, or the engine omits it."""
    if fits_datatype(name, size):
        return name not in WITHOUT_DATA and (name, size) in selected
    return any(operation == name for operation, _ in selected)
