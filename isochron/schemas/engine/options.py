# SPDX-License-Identifier: BSD-3-Clause
"""The section `engine` of a campaign file: options of the engine, under its names.

Defaults, choices and limits are the engine's (isochron.schemas.engine.contract). Four keys differ: the engine's
default is one pass without a span and one warm-up batch, that of a campaign several passes over a span, each with a
warm-up of a stated time; and `time_budget` is only valid with `stop: time`.
"""

from typing import Annotated, Any

from pydantic import Field, GetJsonSchemaHandler, ValidationInfo, field_validator
from pydantic_core import CoreSchema

from isochron.schemas.base import Key, Section
from isochron.schemas.engine.contract import Fact, contract
from isochron.schemas.engine.option_values import find_problem


def _option(name: str, description: str, *, strict: bool = False) -> Any:
    """Declare a key with the engine's default; `{choices}` in the description become the engine's choices."""
    option = contract().option(name)
    default = option.default
    if isinstance(default, float) and default.is_integer():
        default = int(default)
    choices = ", ".join(f"`{choice}`" for choice in option.choices)
    return Field(default, strict=strict or None, description=description.replace("{choices}", choices))


class EngineOptions(Section):
    """Options of the engine."""

    scheme: str = _option("scheme", "how repetitions are started ({choices})")
    clock_sync: str = _option("clock_sync", "clock synchroniser ({choices})")
    offset: str = _option("offset", "estimator of a clock offset ({choices})")
    sync_points: int = _option("sync_points", "comparisons per pair, for `hca3` and `jk`", strict=True)
    sync_span: float = _option("sync_span", "seconds over which these comparisons are spread")
    sync_nodes: str = _option(
        "sync_nodes", "`shared`: synchronise one process per node; `flat`: every one; `auto`: one if possible"
    )
    max_drift_ppm: float = _option("max_drift_ppm", "largest drift between two clocks, for the bounds")
    sync_patience: int = _option(
        "sync_patience",
        "exchanges without a shorter round trip after which a comparison of two clocks ends",
        strict=True,
    )
    resync_share: float = _option(
        "resync_share", "share of the slot by which clocks may drift before they are synchronised again; 0: never"
    )
    timer: str = _option("timer", "timer ({choices})")
    wait: str = _option("wait", "how a process waits for its start: `spin`, or `sleep` on simulated machines")
    warmup_reps: int = _option("warmup_reps", "number of repetitions in a warm-up batch, which is never counted")
    warmup_time: float = Field(
        0.0003,
        description="seconds for which a case is warmed up at least in each pass, and until its times no longer fall; "
        "0: one batch. What precedes a repetition, and how often the operation ran in a row, is part of its time, so "
        "the same is done for every stack, alone or in turns. Not on simulated machines, nor with cold buffers",
    )
    batch: int = _option("batch", "number of repetitions under one schedule")
    operations_per_rep: int = _option(
        "operations_per_rep",
        "operations in a repetition, back to back, by which its time is divided. Loops use `batch`",
        strict=True,
    )
    stop: str = _option("stop", "rule by which a measurement ends ({choices})")
    relative_error: float = _option(
        "relative_error", "half width of the interval over the mean at which a measurement is precise enough"
    )
    min_valid: int = _option("min_valid", "with fewer valid repetitions, the verdict is `too-few-valid`")
    max_valid: int = _option("max_valid", "number of valid repetitions after which a measurement ends")
    max_reps: int = _option("max_reps", "number of repetitions, valid or not, after which a measurement ends")
    max_volume: int = _option(
        "max_volume",
        "bytes after which the repetitions of an operation at one size end, at least one repetition and in turns one "
        "per pass: max_volume / size operations, where the size of a reduce_scatter is that of the whole vector, of a "
        "burst that of its messages; 0: no limit. PMB has 41943040",
        strict=True,
    )
    time_budget: float | None = Field(None, description="seconds per operation and size, for `stop: time`")
    passes: int = Field(
        8,
        strict=True,
        description="passes over all operations and sizes in a launch, each with a share of the repetitions, so that a "
        "short disturbance affects a part of many measurements instead of all of a few; measurements that are not "
        "precise enough then have further passes; 1: one measurement after another",
    )
    pass_span: float = Field(
        0.25,
        description="seconds over which the passes are distributed, so that a launch measures for about this time; "
        "0: without pauses",
    )
    max_slot_us: int | float = _option("max_slot_us", "upper limit of the slot in µs")
    max_invalid: float = _option(
        "max_invalid", "share of a batch's repetitions that may be invalid before the slot grows"
    )
    slot_growth: float = _option("slot_growth", "factor by which the slot grows then")
    trim: float = _option("trim", "share of the repetitions that the trimmed mean omits at each end")
    confidence: float = _option("confidence", "confidence level of the intervals within one launch")
    root: int = _option("root", "root rank of the rooted operations", strict=True)
    datatype: str = _option(
        "datatype", "of the elements; derived types, in bytes: `vector:COUNT:BLOCK:STRIDE`, `indexed:LENGTH@PLACE,...`"
    )
    counts: str = _option("counts", "whether counts differ, in operations with one count per process")
    in_place: bool = _option("in_place", "use MPI_IN_PLACE if the standard has it for the operation")
    large_counts: bool = _option("large_counts", "use the calls that take MPI_Count")
    topology: str = _option("topology", "topology of neighbourhood operations")
    group_size: int = _option(
        "group_size", "processes per group of messages, for no other operations; 0: pairs, or all", strict=True
    )
    burst: Annotated[int, Key(later=True)] = _option(
        "burst",
        "messages that a process has under way to each peer at once, in `burst…`, `fan-in` and `fan-out`; "
        "transfers in `put-burst…` and `get-burst`",
        strict=True,
    )
    rma_window: Annotated[str, Key(later=True)] = _option(
        "rma_window",
        "window of one-sided operations, by MPI_Win_allocate, MPI_Win_create, MPI_Win_create_dynamic or "
        "MPI_Win_allocate_shared",
    )
    rma_sync: Annotated[str, Key(later=True)] = _option("rma_sync", "synchronisation of one-sided operations")
    threads: Annotated[int, Key(later=True)] = _option(
        "threads",
        "threads of each process, in `threads-…`; from 1 on all operations are measured with MPI_THREAD_MULTIPLE, "
        "with 0 after MPI_Init, and these not at all",
        strict=True,
    )
    groups: str = _option(
        "groups",
        "groups of processes that execute an operation at the same time; only in `contrasts`: see the key `groups`",
    )
    reduce_op: str = _option("reduce_op", "operator of reductions")
    buffered_sends: bool = _option(
        "buffered_sends", "send messages by MPI_Bsend or MPI_Ibsend from an attached buffer", strict=True
    )
    send_buffer: int = _option(
        "send_buffer",
        "with `buffered_sends`: size of the attached buffer in bytes; 0: room for the messages of two batches",
        strict=True,
    )
    overlap: bool = _option("overlap", "measure how far nonblocking operations overlap with a computation")
    check: bool = _option("check", "verify the data of every operation and size")
    buffers: str = _option("buffers", "whether the buffers of a repetition are in the cache")
    alignment: int = _option("alignment", "alignment of the buffers in bytes, a power of two")
    arrival: str = _option(
        "arrival", "arrival pattern of the processes: `none`, `ascending`, `descending`, `random:SEED`, `one-late:US`"
    )
    arrival_spread_us: float = _option("arrival_spread_us", "time from the first arrival to the last in µs")
    rank_order: str = _option(
        "rank_order", "order of the ranks that are measured: `identity`, `reverse`, `random:SEED`, `list:FILE`"
    )
    per_rank: bool = _option("per_rank", "record the start and end of every repetition on every rank")
    memory: bool = _option("memory", "record the memory used by the MPI library, step by step")
    probes: str = _option(
        "probes",
        "`record`: read the probes between batches, in less than 1 % of the time; `gate`: and repeat, "
        "in at most 30 % more time, what was measured in another regime",
    )

    @field_validator("*")
    @classmethod
    def _check_by_contract(cls, value: Fact, info: ValidationInfo) -> Fact:
        problem = "" if value is None else find_problem(contract().option(str(info.field_name)), value)
        if problem:
            raise ValueError(f"{value!r} is not valid; {problem}")
        return value

    @classmethod
    def __get_pydantic_json_schema__(cls, core: CoreSchema, handler: GetJsonSchemaHandler) -> dict[str, Any]:
        """Return the JSON schema, with the engine's choices and limits."""
        schema = handler.resolve_ref_schema(handler(core))
        for name, entry in schema["properties"].items():
            option = contract().option(name)
            if option.kind == "choice":
                entry["enum"] = option.choices
            elif option.kind in ("integer", "real"):
                for kind in entry.get("anyOf", [entry]):
                    if kind.get("type") in ("integer", "number"):
                        kind |= {"minimum": option.low, "maximum": option.high}
        return schema

    def words(self, **changes: Fact) -> dict[str, Fact]:
        """Return the options that are set, by the engine's names, with changes."""
        options = {**self.model_dump(exclude_none=True), **{name: value for name, value in changes.items() if value}}
        return {name.replace("_", "-"): value for name, value in options.items()}

    def arguments(self, **changes: Fact) -> list[str]:
        """Return the options as words of a command line, with changes; a switch is a word if it is set."""
        words = []
        for name, value in self.words(**changes).items():
            words += ([f"--{name}"] if value else []) if isinstance(value, bool) else [f"--{name}", str(value)]
        return words
