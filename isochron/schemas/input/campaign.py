# SPDX-License-Identifier: BSD-3-Clause
"""The campaign file: its keys, and the checks that they are valid together."""

import re
from collections.abc import Callable, Iterator, Mapping

from pydantic import model_validator

from isochron.common.files import suggest
from isochron.schemas.engine.contract import WITHOUT_DATA, Fact, cases, contract, datatype_bytes, fits_datatype
from isochron.schemas.engine.contract import operation as described
from isochron.schemas.engine.groups import smallest_group
from isochron.schemas.engine.relations import CommandLine, refusal
from isochron.schemas.engine.topologies import check_groups_of_topologies, check_topologies
from isochron.schemas.input.contrasts import check_contrasts
from isochron.schemas.input.group_contrasts import check_groups, fits
from isochron.schemas.input.keys import Keys
from isochron.schemas.input.placement import PLACEMENTS, SCANNED, check_scan
from isochron.schemas.input.programs import check_npb
from isochron.schemas.input.site import check_sites
from isochron.schemas.input.spec import with_named_specs
from isochron.schemas.input.tools import check_tools
from isochron.schemas.input.turns import obstacle_to_turns


def find_mistakes(campaign: Keys) -> list[str]:
    """List all mistakes of a campaign, one line each."""
    return [message for check in CHECKS for message in _messages(check, campaign)]


def _messages(check: Callable[[Keys], None], campaign: Keys) -> Iterator[str]:
    try:
        check(campaign)
    except ValueError as error:
        yield str(error)


def _check_variants(campaign: Keys) -> None:
    for name, variant in campaign.variants.items():
        if name not in campaign.stacks:
            raise ValueError(f"variants.{name}: is not among the stacks; list it there, or remove it here")
        if variant.stack in campaign.variants:
            raise ValueError(f"variants.{name}.stack: '{variant.stack}' is a variant itself; name a stack")
        if variant.abi and (campaign.tools or campaign.npb or campaign.site.machine is not None):
            raise ValueError(
                f"variants.{name}.abi: the engine alone is built for the ABI of MPI 5; remove it, or tools, programs "
                "and site.machine"
            )


def _check_question(campaign: Keys) -> None:
    campaign.question.check(campaign.stacks, cases(campaign.operations, campaign.sizes))


def _check_sizes_by_operation(campaign: Keys) -> None:
    for operation, sizes in campaign.sizes_by_operation.items():
        if operation not in campaign.operations:
            hint = suggest(operation, campaign.operations) or "; list it there, or remove it here"
            raise ValueError(f"sizes_by_operation: '{operation}' is not among the operations{hint}")
        if operation in WITHOUT_DATA:
            raise ValueError(f"sizes_by_operation.{operation}: the operation has no size; remove it")
        unknown = next((size for size in sizes if size not in campaign.sizes), None)
        if unknown is not None:
            raise ValueError(
                f"sizes_by_operation.{operation}: {unknown} is not among `sizes`; list it there, or remove it here"
            )
        broken = next((size for size in sizes if not fits_datatype(operation, size)), None)
        if broken is not None:
            raise ValueError(
                f"sizes_by_operation.{operation}: {broken} is not a multiple of the datatype's "
                f"{datatype_bytes(operation)} bytes; remove it"
            )
    if campaign.sizes_by_operation and campaign.replication.sequential:
        raise ValueError("sizes_by_operation: not allowed with replication.sequential; remove one of the two")


def _check_points(campaign: Keys) -> None:
    for ppn in campaign.processes_per_node:
        if ppn > max(campaign.processes):
            raise ValueError(
                f"processes_per_node: {ppn} is larger than the largest of processes ({max(campaign.processes)}); "
                "remove it, or add a larger process count"
            )


def _check_compared_stacks(campaign: Keys) -> None:
    for number, other in enumerate(campaign.analysis.compare_with):
        for stack in other.stacks:
            if stack not in campaign.stacks:
                hint = suggest(stack, campaign.stacks) or f"; take one of {', '.join(campaign.stacks)}"
                raise ValueError(f"analysis.compare_with[{number}].stacks: '{stack}' is not among the stacks{hint}")


def _check_engine(campaign: Keys) -> None:
    """Check that contrasts differ, and that the engine accepts the options of every kind of launch."""
    check_contrasts(campaign.engine, campaign.contrasts)
    if len(campaign.sizes) > contract().limits.sizes:
        raise ValueError(
            f"sizes: {len(campaign.sizes)} sizes, but a launch takes at most {contract().limits.sizes}; remove some"
        )
    check_topologies(campaign.operations, campaign.processes, campaign.engine.group_size)
    check_groups(campaign.groups, campaign.engine.groups, campaign.contrasts, campaign.processes)
    for options, operations, sizes in _kinds_of_launches(campaign):
        for processes in sorted(campaign.processes):
            groups = str(options["groups"])
            if not fits(groups, processes):
                continue
            check_groups_of_topologies(operations, groups, smallest_group(groups, processes) or processes)
            selected = campaign.sizes_by_operation if sizes is campaign.sizes else {}
            problem = refusal(CommandLine(options, processes), operations, sizes, selected)
            if problem:
                raise ValueError(_translate_options(problem))
        _check_threads(operations, options)


def _check_threads(operations: list[str], options: Mapping[str, Fact]) -> None:
    named = [name for name in operations if described(name).threads]
    if named and not options["threads"]:
        raise ValueError(f"engine.threads: {named[0]} needs threads; write for example 2, or remove it from operations")


def _check_rank_list(campaign: Keys) -> None:
    if not campaign.rank_list:
        return
    if not campaign.engine.rank_order.startswith("list:"):
        raise ValueError("rank_list: only valid with `engine.rank_order: list:FILE`; remove it")
    count = len(campaign.rank_list)
    if sorted(campaign.rank_list) != list(range(count)):
        raise ValueError(f"engine.rank_order: the file must list the ranks 0 to {count - 1}, each once")
    if campaign.processes != [count]:
        raise ValueError(
            f"engine.rank_order: the file lists {count} ranks, so `processes` can only be [{count}]; "
            "make a campaign for each process count"
        )


def _check_placements(campaign: Keys) -> None:
    for name, nodes in campaign.node_lists.items():
        if name in PLACEMENTS:
            raise ValueError(f"node_lists: '{name}' is the name of a built-in placement; choose another name")
        if not nodes or len(set(nodes)) < len(nodes):
            raise ValueError(f"node_lists.{name}: must name at least one node, and each once")
    for placement in campaign.placements:
        if placement not in PLACEMENTS and placement not in campaign.node_lists:
            names = ", ".join([*PLACEMENTS, *campaign.node_lists])
            raise ValueError(
                f"placements: unknown placement '{placement}'; choose from {names}, or define it in node_lists"
            )


def _check_sites(campaign: Keys) -> None:
    scanned = [SCANNED] if campaign.scan is not None else []
    check_sites(campaign.site, campaign.node_lists, [*campaign.placements, *scanned])


def _check_scan(campaign: Keys) -> None:
    if campaign.scan is not None:
        points = (campaign.placements, campaign.processes, campaign.processes_per_node)
        check_scan(campaign.scan, campaign.scanned_nodes, campaign.site.nodes, *points)


def _check_programs(campaign: Keys) -> None:
    if campaign.npb is None:
        return
    if campaign.site.machine is not None:
        raise ValueError("programs: a simulated machine only runs the engine; remove the key")
    if campaign.scan is not None:
        raise ValueError("programs: not allowed with scan, which places every launch itself; remove one of the two")
    check_npb(campaign.npb, campaign.processes)


def _check_tools(campaign: Keys) -> None:
    if campaign.tools and campaign.site.machine is not None:
        raise ValueError("tools: a simulated machine cannot run third-party programs; remove the key")
    check_tools(campaign.tools, campaign.stacks, campaign.operations, campaign.sizes, list(campaign.contrasts))


def _check_simulation(campaign: Keys) -> None:
    if campaign.site.machine is None:
        return
    if campaign.site.reframe_config is not None:
        raise ValueError("site.machine: a simulated machine has no site.reframe_config; remove one of the two")
    if campaign.first_calls is not None:
        raise ValueError("first_calls: a simulated machine opens no connections at a first call; remove the key")
    if any(options.get("threads", campaign.engine.threads) for options in ({}, *campaign.all_contrasts.values())):
        raise ValueError("engine.threads: the processes of a simulated machine have no threads; remove the key")
    if any(options.get("wait", campaign.engine.wait) != "sleep" for options in ({}, *campaign.all_contrasts.values())):
        raise ValueError(
            "engine.wait: 'spin' never ends on a simulated machine, where reading the clock takes no time; "
            "write `wait: sleep`"
        )


def _check_sequential(campaign: Keys) -> None:
    problem = _sequential_problem(campaign) if campaign.replication.sequential else ""
    if problem:
        raise ValueError(problem)


def _check_turns(campaign: Keys) -> None:
    obstacle = obstacle_to_turns(campaign) if campaign.replication.design == "turns" else None
    if obstacle is not None:
        raise ValueError(f"replication.design: {obstacle.reason}; {obstacle.remedy}")


def _kinds_of_launches(campaign: Keys) -> Iterator[tuple[dict[str, Fact], list[str], list[int]]]:
    """Options, operations and sizes of the results, of the contrasts, and of further synchronisers."""
    yield campaign.engine.words(), campaign.operations, campaign.sizes
    for name in campaign.all_contrasts:
        engine = campaign.engine_of(name)
        yield engine.words(), campaign.operations_of(name), campaign.sizes
    for clock_sync in campaign.compare_clock_syncs:
        yield campaign.engine.words(clock_sync=clock_sync), campaign.operations[:1], campaign.sizes[:1]
    for operation, size in campaign.first_calls.cases if campaign.first_calls else []:
        yield {**campaign.engine.words(), "first-call": True}, [operation], [size]


def _translate_options(message: str) -> str:
    """Replace options of the engine by keys of a campaign: `--max-slot-us` by `engine.max_slot_us`."""
    message = message.replace("--first-call", "first_calls")
    message = re.sub(r"--(sizes|operations)\b", r"\1", message)
    return re.sub(r"--([a-z][a-z-]*)", lambda match: f"engine.{match[1].replace('-', '_')}", message)


def _sequential_problem(campaign: Keys) -> str:
    """Return why a campaign cannot be sequential; empty if it can."""
    replication = campaign.replication
    if campaign.site.machine is not None:
        return "replication.sequential: simulated launches do not vary; remove the key"
    if len(campaign.stacks) < 2:
        return "replication.sequential: one stack cannot be compared; add a stack, or remove the key"
    if campaign.remeasure.rounds:
        return "remeasure.rounds: not allowed with replication.sequential, which continues by itself; remove one"
    if not campaign.interim_blocks:
        return (
            f"replication.sequential: {replication.blocks} × {replication.launches_per_block} launches are too few for "
            "an early decision; raise replication.blocks, or remove the key"
        )
    return ""


CHECKS = (
    _check_variants,
    _check_question,
    _check_sizes_by_operation,
    _check_points,
    _check_compared_stacks,
    _check_engine,
    _check_rank_list,
    _check_placements,
    _check_sites,
    _check_scan,
    _check_programs,
    _check_tools,
    _check_simulation,
    _check_turns,
    _check_sequential,
)


class Campaign(Keys):
    """One planned experiment: stacks × operations × sizes × processes × processes per node × placements."""

    @model_validator(mode="before")
    @classmethod
    def _name_specs(cls, document: object) -> object:
        return with_named_specs(document)

    @model_validator(mode="after")
    def _check_all(self) -> "Campaign":
        problems = find_mistakes(self)
        if problems:
            raise ValueError("\n".join(problems))
        return self
