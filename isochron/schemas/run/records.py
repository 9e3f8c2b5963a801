# SPDX-License-Identifier: BSD-3-Clause
"""The raw file of one launch: JSON Lines written by the engine (docs/reference/engine.md)."""

from itertools import zip_longest
from typing import Annotated, Any, Literal, Self

from pydantic import Field, TypeAdapter, model_validator

from isochron.schemas.run.record_parts import (
    Causality,
    Cold,
    Costs,
    Duration,
    EngineRecord,
    FromLast,
    Int64,
    InvalidatingRank,
    LateInitialisation,
    Overhead,
    Overlap,
    PerRank,
    RankMean,
    Startup,
    Stragglers,
    Wrong,
)
from isochron.schemas.run.turns import TurnPlan, Turns

Verdict = Literal[
    "ok", "too-few-valid", "disturbed", "unstable", "clock-limited", "timer-limited", "failed-check",
    "not-supported",
]  # fmt: skip


class Host(EngineRecord):
    """A host and its ranks (`0-3,8`)."""

    name: str
    ranks: str
    clock_source: str | None = None


class Timer(EngineRecord):
    """The timer as the engine checked it; the worst figures over the ranks, in ns."""

    name: str
    resolution_ns: float
    cost_ns: float
    monotonic: bool
    rate_ppm: float | None = None
    invariant: bool | None = None


class ProbesAtStart(EngineRecord):
    """Whether probes are read between batches, the reason if not, and their readings at the start of the launch."""

    read: bool
    why_not: str
    gates: bool = False  # whether repetitions in other regimes are rejected
    earlier_line_ns: float | None = None  # the cache line of earlier launches; None: unknown
    cache_line_pairs: Int64
    network_pairs: Int64 = 0  # of hosts whose network is read; 0 and "": one host, or an older engine
    network_by: str = ""  # `udp`: by datagrams; `mpi`: by the MPI library itself
    network_why_not: str = ""  # reason, if not by datagrams between all pairs of hosts
    reference: dict[str, float | None]


class Header(EngineRecord):
    """The launch: command, options, hosts, timer."""

    record: Literal["header"]
    schema_version: Literal[1] = Field(alias="schema")
    engine_version: str
    started_at: str
    command: list[str]
    options: dict[str, Any]
    launch: dict[str, str]
    mpi_library_version: str
    mpi_standard: str
    compiler: str
    processes: Int64
    hosts: list[Host]
    bindings: list[dict[str, str]]
    timer: Timer
    simulated: bool
    thread_level: str = ""  # single, funneled, serialized or multiple, as MPI calls them; empty: an older engine
    threads_pinned: bool | None = None  # None: without --threads
    rank_order: list[Int64] | None = None
    arrival_ns: list[Int64] | None = None
    cache_bytes: Int64 | None = None
    probes: ProbesAtStart | None = None  # None: an older engine
    startup: Startup | None = None  # None: simulated, or the launch timed its first call
    processes_began_ns: Int64 | None = None  # start of the first process, since 1970; None: not known, or as `startup`
    turns: TurnPlan | None = None  # None: the launch measured alone


class Truth(EngineRecord):
    """With synthetic clocks: the true error of every rank and its stated bound, in ns."""

    error_ns: list[float]
    bound_ns: list[float]


class Clock(EngineRecord):
    """Clock offsets after the synchronisation (`before`) and after the measurement (`after`), in ns, for `ranks`.

    The model of a rank is offset + slope · (timer - x0), each with its standard error.
    """

    record: Literal["clock"]
    phase: Literal["before", "after"]
    method: str
    estimator: str
    epoch: Int64 = 0
    by_node: bool = False
    begin_ns: Int64 | None = None
    duration_ns: Int64
    exchanges: Int64 | None = None
    ranks: list[Int64]
    x0_ns: list[Int64] = Field(default_factory=list)
    offset_ns: list[float]
    offset_se_ns: list[float] = Field(default_factory=list)
    slope_ppm: list[float] = Field(default_factory=list)
    slope_se_ppm: list[float] = Field(default_factory=list)
    bound_ns: list[float]
    error_ns: list[float]
    error_bound_ns: list[float] = Field(default_factory=list)
    truth: Truth | None = None


class Spread(EngineRecord):
    """One figure over all processes, in bytes; None if the system does not report it."""

    sum: Int64 | None
    min: Int64 | None
    median: Int64 | None
    max: Int64 | None


class MemoryStep(EngineRecord):
    """Memory of processes and hosts after one step of the MPI library's initialisation."""

    step: str
    processes: dict[str, Spread]
    hosts: list[dict[str, str | Int64 | None]]


class Memory(EngineRecord):
    """Memory of the MPI library (`--memory`); no steps for simulated processes, which share their memory."""

    record: Literal["memory"]
    steps: list[MemoryStep]


class Probes(EngineRecord):
    """Probe readings between the batches of a measurement, lists of equal length; each is the worst of all processes.

    `batch`: the counted batch before the reading, from 0 (-1: before the first); `reps`: completed repetitions of the
    measurement; `t_ns`: time since the start of the launch. `spent_ns`: time of all readings.
    """

    spent_ns: Int64
    batch: list[Int64]
    reps: list[Int64]
    t_ns: list[Int64]
    cache_line_ns: list[float | None]
    compute_ns: list[float | None]
    copy_gbs: list[float | None]
    switches: list[float | None]
    waited_ns: list[float | None]
    steal_ns: list[float | None]
    frequency_mhz: list[float | None]
    network_us: list[float | None]

    @model_validator(mode="before")
    @classmethod
    def _add_network(cls, document: Any) -> Any:
        """Add missing readings of the network: an older engine did not have this probe."""
        if isinstance(document, dict) and isinstance(document.get("t_ns"), list):
            return {"network_us": [None] * len(document["t_ns"]), **document}
        return document


class Regimes(EngineRecord):
    """With `--probes gate`: the regimes of the machine in which the repetitions of a measurement were made.

    A cache line above `limit_ns` belongs to another regime than the quiet one of the launch, in which it takes
    `quiet_ns`. `disturbed`: for each repetition, whether it was made in another regime; `disturbed_ns`: the cache line
    then; `extra_ns`: time for waiting and for rejected repetitions.
    """

    quiet_ns: float | None
    limit_ns: float | None
    disturbed_ns: float | None
    extra_ns: Int64
    disturbed: list[bool]


class Measurement(EngineRecord):
    """One operation at one size: repetitions and the engine's statistics, in ns.

    `solo_measurement`: the same case measured again by a launch in turns, when the other residents had ended; it is
    never a result of the launch.
    """

    record: Literal["measurement", "solo_measurement"]
    operation: str
    bytes: Int64
    processes: Int64
    groups: str = "all"  # value of --groups; "all": also an older engine
    group_count: Int64 = 1
    active: Int64 | None = None  # processes in groups; None: an older engine, and all
    scheme: str
    epoch: Int64 = 0
    clock_sync: str
    timer: str
    datatype: str = ""
    root: Int64 | None = None
    operations_per_rep: Int64 = 1
    counts: str = ""
    bytes_moved: Int64 | None = None
    messages: Int64 | None = None  # of bursts
    reps_made: Int64
    pass_reps: tuple[Int64, ...] = ()  # repetitions of each pass; empty: an older engine, or not measured
    reps_valid: Int64
    reps_used: Int64
    invalid: dict[str, Int64]
    invalid_by_rank: list[InvalidatingRank]
    slot_ns: Int64
    first_call_ns: Int64 | None
    second_call_ns: Int64 | None
    time_ns: list[Int64]
    local_ns: list[Int64]
    valid: list[bool]
    overran: tuple[bool, ...] = ()  # not valid, but started in time; empty: an older engine, which omitted them
    start_skew_ns: float | None
    rank_mean: RankMean | None = None  # None: no repetition started in time, or an older engine
    mean_ns: float | None
    se_ns: float | None
    ci_low_ns: float | None
    ci_high_ns: float | None
    confidence: float
    median_ns: float | None
    median_low_ns: float | None
    median_high_ns: float | None
    min_ns: float | None
    max_ns: float | None
    autocorrelation: float | None = None  # of neighbouring repetitions; absent: an older engine, for which it was 0
    interval_basis: Literal["passes", "reps"] = "reps"  # the units of the intervals; absent: an older engine
    from_last: FromLast | None = None
    cold: Cold | None = None
    late_initialisation: LateInitialisation | None = None
    stragglers: Stragglers | None = None
    per_rank: PerRank | None = None
    wrong: Wrong | None = None
    costs: Costs | None = None
    overlap: list[Overlap] = Field(default_factory=list)
    causality: Causality | None = None
    clock_error_ns: float | None
    clock_rank: Int64 | None = None
    clock_bound_ns: float | None = None
    verdict: Verdict
    reason: str = ""
    regimes: Regimes | None = None  # None: without gating
    probes: Probes | None = None  # None: no reading during the measurement, or an older engine

    @property
    def in_time(self) -> list[bool]:
        """For each repetition, whether it started in time, which makes it part of the sample."""
        return [valid or late for valid, late in zip_longest(self.valid, self.overran, fillvalue=False)]


class Footer(EngineRecord):
    """The end of a complete file; a launch without it was interrupted.

    `file_crc32` is of all bytes before that member, which is the last. Files of earlier versions have `crc32`, of the
    bytes before the footer.
    """

    record: Literal["footer"]
    records: Int64
    crc32: str | None = Field(None, pattern=r"^[0-9a-f]{8}$")
    elapsed_ns: Duration
    finalize_ns: Duration | None = None  # of MPI_Finalize on rank 0; None: simulated, or not of MPI
    own_messages: Int64 | None = None  # of the engine, in a simulated launch; and bytes of its buffers
    mapped_bytes: Int64 | None = None
    network_lost: Int64 | None = None  # pairs of hosts whose readings were stopped, if by datagrams
    file_crc32: str | None = Field(None, pattern=r"^[0-9a-f]{8}$")

    @model_validator(mode="after")
    def _has_a_checksum(self) -> Self:
        if (self.crc32 is None) == (self.file_crc32 is None):
            raise ValueError("has not one checksum, file_crc32")
        return self


AnyRecord = Header | Clock | Memory | Measurement | Overhead | Turns | Footer
RECORD: TypeAdapter[AnyRecord] = TypeAdapter(Annotated[AnyRecord, Field(discriminator="record")])
