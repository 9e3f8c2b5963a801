# SPDX-License-Identifier: BSD-3-Clause
"""The keys of the campaign file."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, Field, field_validator

from isochron.schemas.base import Key, Section, no_doubles, select_keys
from isochron.schemas.engine.contract import ROOTED, cases, checked_operations, contract, operation
from isochron.schemas.engine.options import EngineOptions
from isochron.schemas.input.analysis import Analysis
from isochron.schemas.input.contrasts import ContrastOptions, FirstCalls
from isochron.schemas.input.group_contrasts import check_grouping, group_contrasts
from isochron.schemas.input.limits import Hooks, Limits
from isochron.schemas.input.placement import PACKED, SCANNED, Scan
from isochron.schemas.input.programs import Npb, Programs
from isochron.schemas.input.question import Question
from isochron.schemas.input.replication import Count, Remeasure, Replication, interim_blocks
from isochron.schemas.input.site import Site
from isochron.schemas.input.size import Size, expand_sizes
from isochron.schemas.input.spec import Listed, Name
from isochron.schemas.input.tools import Tools, imitated, imitations, is_imitation
from isochron.schemas.input.variant import Variant

NodeName = Annotated[str, Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")]

#: What relates the clocks of the processes to each other.
ClockSync = Literal["linear", "ring", "tree", "hca3", "jk"]


class Keys(Section):
    """The keys of the file, checked individually, and properties derived from them."""

    schema_version: Literal[1] = Field(1, alias="schema", description="version of the file format")
    name: Name = Field(description="name of the campaign and of its folder under `results/`")
    title: Annotated[str, Key(measures=False)] = Field(
        "", description="title of the report; default: the name of the campaign"
    )
    description: Annotated[str, Key(measures=False)] = Field(
        "", description="one or two sentences for readers of the report"
    )
    stacks: list[Listed] = Field(
        min_length=1,
        description="MPI stacks: names (`spack_envs/`), versions of a library (`mpich@4.0.3`; `mpich@4.*`: the newest "
        "that begins with 4), installed ones (`prefix:/opt/mpich-4.2`, `module:mpich/4.2`, "
        "`container:apptainer /images/mpich.sif`), those that Spack builds (`spack:openmpi@5.0.8 ~cuda fabrics=ofi`), "
        "or any of these under a name of your own (`old: mpich@4.0.3`)",
    )
    variants: dict[Name, Variant] = Field(
        default={},
        description="stacks under further names, for `stacks`: each is a `stack` whose launches (not its build) have "
        "the variables in `environment`, or, with `abi: true`, whose engine is built for the ABI of MPI 5",
    )
    operations: list[str] = Field(
        min_length=1,
        description="operations, named as in the MPI standard but in lower case, and `wait-pattern-…`; with a derived "
        "datatype in place of `engine.datatype`, at the sizes that are multiples of it: `bcast@vector-32` "
        f"({', '.join(f'`{named.name}`' for named in contract().named_datatypes)})",
    )
    sizes: Annotated[list[Size], BeforeValidator(expand_sizes)] = Field(
        min_length=1,
        description="message sizes in bytes, as `bytes` is defined for each operation; a range is `MIN:MAX:xFACTOR` or "
        "`MIN:MAX:+STEP`",
    )
    sizes_by_operation: dict[str, Annotated[list[Size], BeforeValidator(expand_sizes), Field(min_length=1)]] = Field(
        default={},
        description="the subset of `sizes` at which an operation is measured; operations not listed are measured at "
        "all sizes. A launch measures all its operations at all its sizes, so other combinations need further launches",
    )
    processes: list[Count] = Field(min_length=1, description="numbers of processes")
    processes_per_node: list[Count] = Field(min_length=1, description="numbers of processes per node")
    placements: list[Name] = Field(
        default=[PACKED],
        min_length=1,
        description="which rank runs where: `packed`, `round-robin`, `reversed`, `random`, or a name in `node_lists`",
    )
    node_lists: dict[Name, list[NodeName]] = Field(
        default={},
        description="named lists of nodes, each of which is a placement: packed, on these nodes in this order",
    )
    scan: Scan | None = Field(
        None,
        description="`nodes`: repeat every launch on each node of an allocation; `pairs`: on each pair of them; the "
        "nodes are `site.nodes` of the scheduler's choice, or those of `node_lists.scan`",
    )
    replication: Replication = Replication()
    engine: EngineOptions = EngineOptions()
    rank_list: list[int] = Field(
        default=[], description="order of the ranks; read from the file of `engine.rank_order: list:FILE`"
    )
    contrasts: dict[Name, ContrastOptions] = Field(
        default={},
        description="further ways to measure each point, each with the options of `engine` that differ (scheme, "
        "timer, buffers …); reported separately from the results",
    )
    groups: list[Annotated[str, AfterValidator(check_grouping)]] = Field(
        default=[],
        description="groupings of the processes, each a contrast in which every group executes the operation at the "
        "same time as the others, in its own communicator: `node`, `halves`, `strided:N` (N groups, rank modulo N), "
        "`size:N` (N consecutive ranks each; what is left over waits), `active:N` (the first N processes alone, the "
        "others wait)",
    )
    compare_clock_syncs: list[ClockSync] = Field(
        default=[],
        description="synchronisers to compare: the first block has a further launch per stack, point and synchroniser, "
        "of the first operation at the first size; not part of the results",
    )
    first_calls: FirstCalls | None = Field(
        None,
        description="`operations` and `sizes` whose very first call is timed, in `launches` (5) launches per stack and "
        "point, directly after MPI_Init; not part of the results",
    )
    programs: Programs | None = Field(
        None,
        description="application programs, launched in the same blocks: `npb`, the NAS Parallel Benchmarks; not part "
        "of the results",
    )
    tools: Tools = Field(
        default=[],
        description="third-party benchmarks, launched in the same blocks: names, or mappings with `name`, `path` and "
        "`stacks`; each adds contrasts that start repetitions as the tool does (`imb-barrier`, "
        "`imb-loop`; `osu-barrier`, `osu-loop`)",
    )
    site: Site = Site()
    limits: Annotated[Limits, Key(measures=False)] = Limits()
    remeasure: Annotated[Remeasure, Key(measures=False)] = Remeasure()
    hooks: Annotated[Hooks, Key(measures=False)] = Hooks()
    analysis: Annotated[Analysis, Key(measures=False)] = Analysis()
    question: Annotated[Question, Key(measures=False, judges=True)] = Question()
    stack_source: Literal["auto", "wheels", "spack"] = Field(
        "auto",
        description="where the stacks come from: `wheels` (PyPI wheels), `spack`, or `auto` (Spack if installed, "
        "else the wheels)",
    )
    allow_oversubscription: bool = Field(
        False, description="allow more processes than cores for stacks that yield while they wait"
    )
    seed: int = Field(1, ge=0, strict=True, description="seed of the random order of the launches")

    _no_doubles = field_validator(
        "stacks",
        "operations",
        "sizes",
        "processes",
        "processes_per_node",
        "placements",
        "groups",
        "compare_clock_syncs",
    )(no_doubles)

    @field_validator("operations")
    @classmethod
    def _check_operations(cls, values: list[str]) -> list[str]:
        return checked_operations(values)

    @property
    def chosen(self) -> list[tuple[str, int]]:
        """The cases, (operation, bytes), that are measured at each point."""
        every = cases(self.operations, self.sizes)
        return [
            case
            for case in every
            if case[0] not in self.sizes_by_operation or case[1] in self.sizes_by_operation[case[0]]
        ]

    @property
    def scanned_nodes(self) -> int:
        """Number of nodes that a scan compares."""
        return len(self.node_lists.get(SCANNED, [])) or self.site.nodes

    def declared(self, stack: str) -> str:
        """Return the stack that one of `stacks` is: that of a variant, else itself."""
        return self.variants[stack].stack if stack in self.variants else stack

    def varied(self, stack: str, variables: Mapping[str, str]) -> Variant:
        """Return a variant of one of `stacks` that has these variables beside those that it has already."""
        base = self.variants.get(stack)
        environment = base.environment if base is not None else {}
        return Variant(stack=self.declared(stack), environment={**environment, **variables})

    @property
    def all_contrasts(self) -> dict[str, ContrastOptions]:
        """The engine options that each contrast changes, by its name, including those of groupings and of tools."""
        return {
            **self.contrasts,
            **group_contrasts(self.groups),
            **imitations(self.tools, self.operations, self.engine),
        }

    def engine_of(self, contrast: str) -> EngineOptions:
        """Return the engine's options of a contrast; those of the results if it is empty."""
        changes = self.all_contrasts[contrast] if contrast else {}
        return EngineOptions.model_validate(self.engine.model_dump() | changes)

    def threads_of(self, contrast: str) -> int:
        """Return the threads of each process in the launches of a contrast; of the results if it is empty."""
        return max(1, self.engine_of(contrast).threads)

    @property
    def most_threads(self) -> int:
        """The most threads that a process has in any launch."""
        return max(map(self.threads_of, ("", *self.all_contrasts)))

    def operations_of(self, contrast: str) -> list[str]:
        """Return what a contrast can measure: of rotating roots rooted operations only, of tools what those measure.

        Without threads no operations of threads.
        """
        if is_imitation(contrast, self.tools):
            return imitated(contrast, self.operations)
        engine = self.engine_of(contrast)
        names = self.operations if engine.threads else [name for name in self.operations if not operation(name).threads]
        return [name for name in names if engine.scheme != "rotating-root" or name in ROOTED]

    @property
    def npb(self) -> Npb | None:
        """The NAS Parallel Benchmarks of the campaign."""
        return self.programs.npb if self.programs is not None else None

    @property
    def interim_blocks(self) -> list[int]:
        """Blocks after which a sequential campaign has an interim analysis; empty if it is not sequential."""
        replication, alpha = self.replication, 1 - self.analysis.confidence
        if not replication.sequential:
            return []
        return interim_blocks(replication.blocks, replication.units_per_block, len(self.stacks), alpha)

    @property
    def measuring(self) -> dict[str, Any]:
        """The keys that affect the measurement: runs with equal values of them measure the same."""
        return select_keys(self, lambda key: key.measures or (key.judges and self.replication.sequential))

    @property
    def deciding(self) -> dict[str, Any]:
        """The keys that affect the measurement or the verdicts, and thereby the values of a run."""
        return select_keys(self, lambda key: key.measures or key.judges)

    @property
    def heading(self) -> str:
        """The title, or the name if there is no title."""
        return self.title or self.name
