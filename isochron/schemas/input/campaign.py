# SPDX-License-Identifier: BSD-3-Clause
"""The campaign file: its keys, and the checks that they are valid together."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Self

from pydantic import ValidationError, model_validator

from isochron.common.files import FileError, suggest
from isochron.schemas.engine.contract import WITHOUT_DATA, Fact, cases, contract
from isochron.schemas.engine.relations import CommandLine, refusal
from isochron.schemas.engine.topologies import check_topologies
from isochron.schemas.input.contrasts import check_contrasts
from isochron.schemas.input.keys import Keys
from isochron.schemas.input.placement import PLACEMENTS, check_scan
from isochron.schemas.input.programs import check_npb
from isochron.schemas.input.renamed import new_key, new_value
from isochron.schemas.input.tools import check_tools


def mistakes(campaign: Keys) -> list[str]:
    """List what is wrong, one line each; all checks are made."""
    return [said for check in CHECKS for said in _said(check, campaign)]


def _said(check: Callable[[Keys], None], campaign: Keys) -> Iterator[str]:
    try:
        check(campaign)
    except ValueError as error:
        yield str(error)


def _variants_are_used(campaign: Keys) -> None:
    for name, variant in campaign.variants.items():
        if name not in campaign.stacks:
            raise ValueError(f"variants.{name}: is not among the stacks; list it there, or remove it here")
        if variant.stack in campaign.variants:
            raise ValueError(f"variants.{name}.stack: '{variant.stack}' is a variant itself; name a stack")


def _question_fits(campaign: Keys) -> None:
    campaign.question.check(campaign.stacks, cases(campaign.operations, campaign.sizes))


def _sizes_of_operations_are_sizes(campaign: Keys) -> None:
    for operation, sizes in campaign.sizes_by_operation.items():
        if operation not in campaign.operations:
            hint = suggest(operation, campaign.operations) or "; list it there, or remove it here"
            raise ValueError(f"sizes_by_operation: '{operation}' is not among the operations{hint}")
        if operation in WITHOUT_DATA:
            raise ValueError(f"sizes_by_operation.{operation}: the operation has no size; remove it")
        other = next((size for size in sizes if size not in campaign.sizes), None)
        if other is not None:
            raise ValueError(
                f"sizes_by_operation.{operation}: {other} is not among `sizes`; list it there, or remove it here"
            )
    if campaign.sizes_by_operation and campaign.replication.sequential:
        raise ValueError("sizes_by_operation: not allowed with replication.sequential; remove one of the two")


def _points_exist(campaign: Keys) -> None:
    for ppn in campaign.processes_per_node:
        if ppn > max(campaign.processes):
            raise ValueError(
                f"processes_per_node: {ppn} is larger than the largest of processes ({max(campaign.processes)}); "
                "remove it, or add a larger process count"
            )


def _own_stacks_stand_beside_others(campaign: Keys) -> None:
    for number, beside in enumerate(campaign.analysis.compare_with):
        for stack in beside.stacks:
            if stack not in campaign.stacks:
                hint = suggest(stack, campaign.stacks) or f"; take one of {', '.join(campaign.stacks)}"
                raise ValueError(f"analysis.compare_with.{number}.stacks: '{stack}' is not among the stacks{hint}")


def _the_engine_takes_it(campaign: Keys) -> None:
    """Contrasts differ, and every kind of launch is one that the engine does not refuse; its words say why it would."""
    check_contrasts(campaign.engine, campaign.contrasts)
    if len(campaign.sizes) > contract().limits.sizes:
        raise ValueError(
            f"sizes: {len(campaign.sizes)} sizes, but a launch takes at most {contract().limits.sizes}; remove some"
        )
    check_topologies(campaign.operations, campaign.processes, campaign.engine.group_size)
    for options, operations, sizes in _kinds_of_launches(campaign):
        for processes in sorted(campaign.processes):
            said = refusal(CommandLine(options, processes), operations, sizes)
            if said:
                raise ValueError(_in_the_campaigns_words(said))


def _rank_list_fits(campaign: Keys) -> None:
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


def _placements_exist(campaign: Keys) -> None:
    for name, nodes in campaign.node_lists.items():
        if name in PLACEMENTS:
            raise ValueError(f"node_lists: '{name}' is the name of a built-in placement; choose another name")
        if not nodes or len(set(nodes)) < len(nodes):
            raise ValueError(f"node_lists.{name}: must name at least one node, and each once")
    for placement in campaign.placements:
        if placement not in PLACEMENTS and placement not in campaign.node_lists:
            known = ", ".join([*PLACEMENTS, *campaign.node_lists])
            raise ValueError(f"placements: unknown placement '{placement}'; known are {known} (see node_lists)")


def _scan_is_possible(campaign: Keys) -> None:
    if campaign.scan is not None:
        points = (campaign.placements, campaign.processes, campaign.processes_per_node)
        check_scan(campaign.scan, campaign.scanned_nodes, campaign.site.nodes, *points)


def _programs_are_possible(campaign: Keys) -> None:
    if campaign.npb is None:
        return
    if campaign.site.machine is not None:
        raise ValueError("programs: a simulated machine only runs the engine; remove the key")
    if campaign.scan is not None:
        raise ValueError("programs: not allowed with scan, which places every launch itself; remove one of the two")
    check_npb(campaign.npb, campaign.processes)


def _tools_measure_something(campaign: Keys) -> None:
    if campaign.tools and campaign.site.machine is not None:
        raise ValueError("tools: a simulated machine cannot run third-party programs; remove the key")
    check_tools(campaign.tools, campaign.stacks, campaign.operations, campaign.sizes, list(campaign.contrasts))


def _simulation_is_possible(campaign: Keys) -> None:
    if campaign.site.machine is None:
        return
    if campaign.site.reframe_config is not None:
        raise ValueError("site.machine: a simulated machine has no site.reframe_config; remove one of the two")
    if campaign.first_calls is not None:
        raise ValueError("first_calls: a simulated machine opens no connections at a first call; remove the key")
    if any(each.get("wait", campaign.engine.wait) != "sleep" for each in ({}, *campaign.all_contrasts.values())):
        raise ValueError(
            "engine.wait: 'spin' never ends on a simulated machine, where reading the clock takes no time; "
            "write `wait: sleep`"
        )


def _looks_can_decide(campaign: Keys) -> None:
    said = _looks(campaign) if campaign.replication.sequential else ""
    if said:
        raise ValueError(said)


def _turns_are_possible(campaign: Keys) -> None:
    if campaign.replication.design != "turns":
        return
    if campaign.site.machine is not None:
        raise ValueError("replication.design: simulated launches do not share a machine; remove `turns`")
    if len(campaign.stacks) < 2:
        raise ValueError("replication.design: one stack has nobody to take turns with; add a stack, or remove `turns`")
    if campaign.engine.probes == "gate":
        raise ValueError(
            "engine.probes: 'gate' is not allowed with replication.design: turns, since all stacks meet the same "
            "interference; write `record`"
        )


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


def _in_the_campaigns_words(said: str) -> str:
    """`--max-slot-us` is `engine.max_slot_us` in a campaign; some options are keys of their own."""
    said = said.replace("--first-call", "first_calls")
    said = re.sub(r"--(sizes|operations)\b", r"\1", said)
    return re.sub(r"--([a-z][a-z-]*)", lambda match: f"engine.{match[1].replace('-', '_')}", said)


def _looks(campaign: Keys) -> str:
    """Why a campaign cannot be sequential; empty where it can."""
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
    _variants_are_used,
    _question_fits,
    _sizes_of_operations_are_sizes,
    _points_exist,
    _own_stacks_stand_beside_others,
    _the_engine_takes_it,
    _rank_list_fits,
    _placements_exist,
    _scan_is_possible,
    _programs_are_possible,
    _tools_measure_something,
    _simulation_is_possible,
    _turns_are_possible,
    _looks_can_decide,
)


class Campaign(Keys):
    """One planned experiment: stacks × operations × sizes × processes × processes per node × placements."""

    @model_validator(mode="after")
    def _is_possible(self) -> Campaign:
        refused = mistakes(self)
        if refused:
            raise ValueError("\n".join(refused))
        return self

    @classmethod
    def of_document(cls, document: object, path: Path) -> Self:
        """Validate the campaign file of a run. Raises FileError, also if the run was measured under old names."""
        try:
            return super().of_document(document, path)
        except FileError as error:
            cause = error.__cause__
            problems = cause.errors() if isinstance(cause, ValidationError) else []
            if any(new_key(problem["loc"]) or new_value(problem["loc"], problem["input"]) for problem in problems):
                raise FileError(f"{path}: written by a version before 0.1.0; measure again") from error
            raise
