# SPDX-License-Identifier: BSD-3-Clause
"""The launches of other benchmarks: IMB has one for all its operations, OSU has a program for each."""

from __future__ import annotations

from isochron.schemas.engine.operations import cases
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.launches.tools import Tool, measured_by, printed
from isochron.schemas.run.manifest import StackDeclaration
from isochron.schemas.run.plan import Point, Skipped
from isochron.workflows.planning.estimate import START_PER_PROCESS_S, START_S, operation_us

#: Repetitions of a size at most, and bytes after which both tools make fewer (IMB 2021: 1000, 40 MiB; OSU: 1000, then
#: 100); with the barriers between them a repetition takes about twice the operation.
REPETITIONS, VOLUME, WITH_BARRIER = 1000, 40 * 2**20, 2.0


def planned_launches(
    campaign: Campaign, stack: StackDeclaration, point: Point, *, by_spack: bool
) -> list[tuple[str, list[str], float]]:
    """Tool, operations and seconds of each launch. `by_spack`: whether Spack builds the programs."""
    found: list[tuple[str, list[str], float]] = []
    for tool in _of_stack(campaign, stack.stack):
        if _why_not(tool, stack, by_spack):
            continue
        measured = measured_by(tool.name, campaign.operations, point.processes)
        measured = [name for name in measured if printed(tool.name, [name], campaign.sizes)]
        groups = [measured] if tool.name == "imb" and measured else [[name] for name in measured]
        found += [(tool.name, group, _seconds(campaign, point, group)) for group in groups]
    return found


def left_out(campaign: Campaign, stack: StackDeclaration, point: Point, *, by_spack: bool) -> list[Skipped]:
    """The tools that have no launch with a stack, and why."""
    reasons = {tool.name: _why_not(tool, stack, by_spack) for tool in _of_stack(campaign, stack.stack)}
    return [
        Skipped(stack=stack.stack, point=point, reason=reason, tool=tool) for tool, reason in reasons.items() if reason
    ]


def _of_stack(campaign: Campaign, stack: str) -> list[Tool]:
    return [tool for tool in campaign.tools if stack in (tool.stacks or campaign.stacks)]


def _why_not(tool: Tool, stack: StackDeclaration, by_spack: bool) -> str:
    """Why a tool cannot be launched with a stack; empty where it can."""
    if tool.path is not None or tool.name in stack.tools or by_spack:
        return ""
    return (
        f"its wheels do not contain {tool.name}; give `tools: [{{name: {tool.name}, path: FOLDER}}]`, "
        f"or use --stack-source spack"
    )


def _seconds(campaign: Campaign, point: Point, operations: list[str]) -> float:
    """Expected time in s of one launch, by the coarse model of the engine's launches."""
    total = START_S + START_PER_PROCESS_S * point.processes
    for operation, size in cases(operations, campaign.sizes):
        repetitions = min(REPETITIONS, max(1, VOLUME // size)) if size else REPETITIONS
        total += repetitions * WITH_BARRIER * operation_us(operation, size, point.processes) / 1e6
    return round(min(total, campaign.limits.launch_seconds), 3)
