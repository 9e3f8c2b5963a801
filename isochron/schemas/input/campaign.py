# SPDX-License-Identifier: BSD-3-Clause
"""The campaign file: what a person writes to say what is to be measured."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import BeforeValidator, Field, field_validator, model_validator

from isochron.ground.files import did_you_mean
from isochron.schemas.engine.contract import Fact, contract
from isochron.schemas.engine.operations import OPERATIONS, ROOTED
from isochron.schemas.engine.options import EngineOptions
from isochron.schemas.engine.relations import CommandLine, refusal
from isochron.schemas.input.analysis import Analysis
from isochron.schemas.input.contrasts import ContrastOptions, check_contrasts
from isochron.schemas.input.limits import Hooks, Limits
from isochron.schemas.input.placement import PACKED, PLACEMENTS
from isochron.schemas.input.repetition import Count, Doubt, Repetition, early_looks
from isochron.schemas.input.scan import SCANNED, Scan, check_scan
from isochron.schemas.input.site import Site
from isochron.schemas.input.size import Size, expand_sizes
from isochron.schemas.input.variant import Name, Variant
from isochron.schemas.section import Section, told_together

NodeName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]

#: What relates the clocks of the processes to each other.
ClockSync = Literal["linear", "ring", "tree", "hca3", "jk"]


class Campaign(Section):
    """One planned experiment: stacks × operations × sizes × processes × processes per node × placements."""

    schema_version: Literal[1] = Field(1, alias="schema")
    name: Name
    title: str = Field("", description="title of the report; default: the name of the campaign")
    description: str = Field("", description="one or two sentences for readers of the report")
    stacks: list[Name] = Field(min_length=1)
    variants: dict[Name, Variant] = Field(
        default={},
        description="further names of stacks, for `stacks`: each a `stack` with the variables `environment` in its "
        "launches (never in its build)",
    )
    operations: list[str] = Field(min_length=1)
    sizes: Annotated[list[Size], BeforeValidator(expand_sizes)] = Field(
        min_length=1,
        description="message sizes in bytes, as `bytes` is defined for each operation; a range is `MIN:MAX:xFACTOR` or "
        "`MIN:MAX:+STEP`",
    )
    processes: list[Count] = Field(min_length=1)
    processes_per_node: list[Count] = Field(min_length=1)
    placements: list[Name] = Field(default=[PACKED], min_length=1)
    node_lists: dict[Name, list[NodeName]] = Field(
        default={},
        description="named lists of nodes, each of which is a placement: packed, on these nodes in this order",
    )
    scan: Scan | None = Field(
        None,
        description="`nodes`: repeat every launch on each node of an allocation; `pairs`: on each pair of them; the "
        "nodes are `site.nodes` of the scheduler's choice, or those of `node_lists.scan`",
    )
    repetition: Repetition = Repetition()
    engine: EngineOptions = EngineOptions()
    rank_list: list[int] = Field(
        default=[], description="order of the ranks; read from the file of `engine.rank_order: list:FILE`"
    )
    contrast: Literal["round-time", "barrier", "loop", "rotating-root"] | None = None
    contrasts: dict[Name, ContrastOptions] = Field(
        default={},
        description="further ways to measure each point, each with the options of `engine` that differ: a scheme, "
        "timer, buffers …; compared with the results, never mixed with them",
    )
    clock_syncs: list[ClockSync] = Field(
        default=[],
        description="synchronisers to compare: the first block has a further launch per stack, point and synchroniser, "
        "of the first operation at the first size; its times are not part of the results",
    )
    site: Site = Site()
    limits: Limits = Limits()
    doubt: Doubt = Doubt()
    hooks: Hooks = Hooks()
    analysis: Analysis = Analysis()
    route: Literal["auto", "registry", "spack"] = "auto"
    allow_oversubscription: bool = Field(
        False, description="let stacks that yield run more processes than there are cores"
    )
    seed: int = Field(1, ge=0, strict=True, description="seed of the random order of the launches")

    @field_validator("stacks", "operations", "sizes", "processes", "processes_per_node", "placements", "clock_syncs")
    @classmethod
    def _no_doubles(cls, values: list[object]) -> list[object]:
        twice = next((value for value, count in Counter(values).items() if count > 1), None)
        if twice is not None:
            raise ValueError(f"{twice} is listed twice; list it once")
        return values

    @field_validator("operations")
    @classmethod
    def _known_operations(cls, values: list[str]) -> list[str]:
        unknown = [value for value in values if value not in OPERATIONS]
        hints = [did_you_mean(value, OPERATIONS) or f"; known are {', '.join(OPERATIONS)}" for value in unknown]
        if unknown:
            raise ValueError(
                "\n".join(f"unknown operation '{a}'{hint}" for a, hint in zip(unknown, hints, strict=True))
            )
        return values

    @model_validator(mode="after")
    @told_together
    def _variants_are_used(self) -> Campaign:
        for name, variant in self.variants.items():
            if name not in self.stacks:
                raise ValueError(f"variants.{name}: is not among the stacks; list it there, or take it out here")
            if variant.stack in self.variants:
                raise ValueError(f"variants.{name}.stack: '{variant.stack}' is a variant itself; name a stack")
        return self

    @model_validator(mode="after")
    @told_together
    def _points_exist(self) -> Campaign:
        for ppn in self.processes_per_node:
            if ppn > max(self.processes):
                raise ValueError(
                    f"processes_per_node: {ppn} is larger than the largest of processes ({max(self.processes)}); "
                    "take it out or add a larger process count"
                )
        return self

    @model_validator(mode="after")
    @told_together
    def _own_stacks_stand_beside_others(self) -> Campaign:
        for number, beside in enumerate(self.analysis.beside):
            for stack in beside.stacks:
                if stack not in self.stacks:
                    hint = did_you_mean(stack, self.stacks) or f"; take one of {', '.join(self.stacks)}"
                    raise ValueError(f"analysis.beside.{number}.stacks: '{stack}' is not among the stacks{hint}")
        return self

    @model_validator(mode="after")
    @told_together
    def _the_engine_takes_it(self) -> Campaign:
        """Every kind of launch is one that the engine does not refuse; its own words say why it would."""
        check_contrasts(self.engine, self.contrasts, self.contrast)
        if len(self.sizes) > contract().limits.sizes:
            raise ValueError(f"sizes: {len(self.sizes)} sizes, and {contract().limits.sizes} are the most in a launch")
        for options, operations, sizes in self._kinds_of_launches():
            for processes in sorted(self.processes):
                said = refusal(CommandLine(options, processes), operations, sizes)
                if said:
                    raise ValueError(_in_the_campaigns_words(said))
        return self

    def _kinds_of_launches(self) -> Iterator[tuple[dict[str, Fact], list[str], list[int]]]:
        """Options, operations and sizes of the results, of the contrasts, and of further synchronisers."""
        yield self.engine.words(), self.operations, self.sizes
        for name in self.all_contrasts:
            engine = self.engine_of(name)
            yield engine.words(), self.operations_of(name), self.sizes
        for clock_sync in self.clock_syncs:
            yield self.engine.words(clock_sync=clock_sync), self.operations[:1], self.sizes[:1]

    @model_validator(mode="after")
    @told_together
    def _rank_list_fits(self) -> Campaign:
        if not self.rank_list:
            return self
        if not self.engine.rank_order.startswith("list:"):
            raise ValueError("rank_list: goes with `engine.rank_order: list:FILE` only; take it out")
        count = len(self.rank_list)
        if sorted(self.rank_list) != list(range(count)):
            raise ValueError(f"engine.rank_order: the file must list the ranks 0 to {count - 1}, each once")
        if self.processes != [count]:
            raise ValueError(
                f"engine.rank_order: the file lists {count} ranks, so `processes` can only be [{count}]; "
                "make a campaign for each process count"
            )
        return self

    @model_validator(mode="after")
    @told_together
    def _placements_exist(self) -> Campaign:
        for name, nodes in self.node_lists.items():
            if name in PLACEMENTS:
                raise ValueError(f"node_lists: '{name}' is the name of a built-in placement; choose another name")
            if not nodes or len(set(nodes)) < len(nodes):
                raise ValueError(f"node_lists.{name}: must name at least one node, and each once")
        for placement in self.placements:
            if placement not in PLACEMENTS and placement not in self.node_lists:
                known = ", ".join([*PLACEMENTS, *self.node_lists])
                raise ValueError(f"placements: unknown placement '{placement}'; known are {known} (see node_lists)")
        return self

    @model_validator(mode="after")
    @told_together
    def _scan_is_possible(self) -> Campaign:
        if self.scan is not None:
            points = (self.placements, self.processes, self.processes_per_node)
            check_scan(self.scan, self.scanned_nodes, self.site.nodes, *points)
        return self

    @property
    def scanned_nodes(self) -> int:
        """Nodes that a scan compares."""
        return len(self.node_lists.get(SCANNED, [])) or self.site.nodes

    @model_validator(mode="after")
    @told_together
    def _simulation_is_possible(self) -> Campaign:
        if self.site.machine is None:
            return self
        if self.site.reframe_config is not None:
            raise ValueError("site.machine: a simulated machine has no site.reframe_config; remove one of the two")
        if any(each.get("wait", self.engine.wait) != "sleep" for each in ({}, *self.all_contrasts.values())):
            raise ValueError(
                "engine.wait: 'spin' never ends on a simulated machine, where reading the clock takes no time; "
                "write `wait: sleep`"
            )
        return self

    def declared(self, stack: str) -> str:
        """The stack that one of `stacks` is: that of a variant, else itself."""
        return self.variants[stack].stack if stack in self.variants else stack

    @property
    def all_contrasts(self) -> dict[str, ContrastOptions]:
        """What each contrast changes of the engine's options, by name; `contrast` names itself."""
        short: dict[str, ContrastOptions] = {} if self.contrast is None else {self.contrast: {"scheme": self.contrast}}
        return {**short, **self.contrasts}

    def engine_of(self, contrast: str) -> EngineOptions:
        """The engine's options of a contrast; of the results where it is empty."""
        changes = self.all_contrasts[contrast] if contrast else {}
        return EngineOptions.model_validate(self.engine.model_dump() | changes)

    def operations_of(self, contrast: str) -> list[str]:
        """What a contrast can measure: only rooted operations have a root to rotate."""
        rotates = self.engine_of(contrast).scheme == "rotating-root"
        return [name for name in self.operations if not rotates or name in ROOTED]

    @model_validator(mode="after")
    @told_together
    def _looks_can_decide(self) -> Campaign:
        said = refuse_looks(self) if self.repetition.sequential else ""
        if said:
            raise ValueError(said)
        return self

    @model_validator(mode="after")
    def _tell_together(self) -> Campaign:
        return self.tell_together()

    @property
    def early_looks(self) -> list[int]:
        """Blocks after which a sequential campaign is looked at before its end; empty where it is not sequential."""
        repetition, alpha = self.repetition, 1 - self.analysis.confidence
        if not repetition.sequential:
            return []
        return early_looks(repetition.blocks, repetition.launches_per_block, len(self.stacks), alpha)

    @property
    def heading(self) -> str:
        """The title, or the name where there is none."""
        return self.title or self.name


def _in_the_campaigns_words(said: str) -> str:
    """`--max-slot-us` is `engine.max_slot_us` in a campaign; sizes and operations are keys of their own."""
    said = re.sub(r"--(sizes|operations)\b", r"\1", said)
    return re.sub(r"--([a-z][a-z-]*)", lambda match: f"engine.{match[1].replace('-', '_')}", said)


def refuse_looks(campaign: Campaign) -> str:
    """Why a campaign cannot be sequential; empty where it can."""
    repetition = campaign.repetition
    if campaign.site.machine is not None:
        return "repetition.sequential: a simulated launch is the same each time; take it out"
    if len(campaign.stacks) < 2:
        return "repetition.sequential: with one stack there is nothing to decide; take it out"
    if campaign.doubt.rounds:
        return "doubt.rounds: a sequential campaign goes on where rows are in doubt; take doubt.rounds out"
    if not campaign.early_looks:
        return (
            f"repetition.sequential: {repetition.blocks} × {repetition.launches_per_block} launches decide nothing "
            "before all are there; raise repetition.blocks, or take it out"
        )
    return ""
