# SPDX-License-Identifier: BSD-3-Clause
"""Parts of a measurement record that only some launches have (docs/reference/engine.md), in ns."""

from itertools import compress
from statistics import median
from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from isochron.schemas.base import Record

#: An integer of the engine.
Int64 = Annotated[int, Field(ge=-(2**63), lt=2**63)]

#: A duration by a steady clock, in ns.
Duration = Annotated[int, Field(ge=0, lt=2**63)]


class EngineRecord(Record):
    """A line of the raw file, or a part of it. A newer engine may add fields; they are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False)


class StartupStep(EngineRecord):
    """A step of the start of a launch: durations over all processes, and the time until all of them have done it."""

    min_ns: Duration
    median_ns: float
    max_ns: Duration
    all_ns: Int64


class Startup(EngineRecord):
    """The start of a launch. `loading`: from the start of the processes on; None if the system does not tell it."""

    loading: StartupStep | None
    init: StartupStep
    first_message: StartupStep
    first_barrier: StartupStep


class InvalidatingRank(EngineRecord):
    """A rank and the number of repetitions that it invalidated."""

    rank: Int64
    late_start: Int64
    overrun: Int64


class RankMean(EngineRecord):
    """Mean, minimum and maximum over the active processes of the mean duration of a repetition (IMB's t_avg, …).

    `zero_ns`: that of process 0 of the measured communicator; None if it is idle, and in records of an older engine.
    """

    avg_ns: float
    min_ns: float
    max_ns: float
    zero_ns: float | None = None


class FromLast(EngineRecord):
    """With arrivals: times from the last arrival on, with the statistics of a measurement."""

    time_ns: list[Int64]
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
    autocorrelation: float | None = None


class Cold(EngineRecord):
    """Cold buffers: number of sets, bytes of the ring, time to touch all of it, time of the first use of a set."""

    sets: Int64
    ring_bytes: Int64
    first_touch_ns: Int64
    first_use_ns: float | None


class LateInitialisation(EngineRecord):
    """The first call of a launch (`--first-call`), the second, and the median of `calls` later ones.

    On rank 0, and on the slowest process of each call, by their local clocks; span and skew of the first call by the
    clocks as synchronised afterwards.
    """

    calls: Int64
    rank0_first_ns: Int64
    rank0_second_ns: Int64
    rank0_later_ns: Int64
    slowest_first_ns: Int64
    slowest_second_ns: Int64
    slowest_later_ns: Int64
    slowest_rank: Int64
    span_first_ns: Int64
    skew_first_ns: Int64


class Named(EngineRecord):
    """A host, or a rank on it, that is late or overruns significantly more often than others; counts of batches."""

    host: str
    rank: Int64 | None = None
    late_start: Int64
    overrun: Int64
    late_start_p: float | None
    overrun_p: float | None


class Stragglers(EngineRecord):
    """The stragglers among ranks and hosts, and the number of batches."""

    batches: Int64
    ranks: list[Named]
    hosts: list[Named]


class PerRank(EngineRecord):
    """Start and end of every repetition on every rank of MPI_COMM_WORLD, relative to the first start of the repetition.

    For each repetition, `begin_ns` is its first start, relative to that of the first repetition; `slot_ns` its slot, 0
    without slots; `into_slot_ns` the time from the beginning of the slot to the first start. Empty for an older engine.
    `operations_ns`: time of each operation of the last loop on each rank; None: no loop, or an older engine.
    """

    start_ns: list[list[Int64]]
    end_ns: list[list[Int64]]
    begin_ns: list[Int64] = Field(default_factory=list)
    slot_ns: list[Int64] = Field(default_factory=list)
    into_slot_ns: list[Int64] = Field(default_factory=list)
    operations_ns: list[list[Int64]] | None = None


class Costs(EngineRecord):
    """A basic item: one reading of the timer (DT), a barrier (DB), and the item without both."""

    timer_ns: float | None
    barrier_ns: float | None
    cost_ns: float | None


class Overlap(EngineRecord):
    """Time of a computation, time of the operation with the computation, and hidden share of the operation."""

    compute_ns: float
    total_ns: float
    overlap: float


class Wrong(EngineRecord):
    """The first wrong element."""

    rank: Int64
    element: Int64
    expected: float
    found: float


class Causality(EngineRecord):
    """Messages that arrived before they were sent: number, largest violation, and the rank with the largest error."""

    violations: Int64
    worst_ns: Int64 | None = None
    rank: Int64 | None = None
    error_ns: Int64 | None = None


#: Rounding error of times that are divided by the operations of a repetition, in ns.
ROUNDED_NS = 1.0


class Overhead(EngineRecord):
    """Measurement overhead: the time of an empty operation, measured in every pass like the others.

    From the first start on it is an upper bound of the overhead, from the last start on a lower bound.
    """

    record: Literal["overhead"]
    operations_per_rep: Int64
    reps_made: Int64
    reps_valid: Int64
    pass_reps: list[Int64]
    time_ns: list[Int64]
    from_last_ns: list[Int64]
    valid: list[bool]
    overran: list[bool]
    confidence: float
    median_ns: float | None
    median_low_ns: float | None
    median_high_ns: float | None
    from_last_median_ns: float | None
    from_last_median_low_ns: float | None
    from_last_median_high_ns: float | None

    @model_validator(mode="after")
    def _check_medians(self) -> Self:
        """Check the medians against the repetitions that started in time."""
        lists = (self.time_ns, self.from_last_ns, self.valid, self.overran)
        if {len(values) for values in lists} != {self.reps_made}:
            raise ValueError("reps_made: differs from the length of the lists of the overhead")
        if any(low > high for low, high in zip(self.from_last_ns, self.time_ns, strict=True)):
            raise ValueError("from_last_ns: larger than time_ns of the overhead")
        in_time = [valid or late for valid, late in zip(self.valid, self.overran, strict=True)]
        for name, times in (("", self.time_ns), ("from_last_", self.from_last_ns)):
            low, middle, high = (getattr(self, f"{name}median_{end}ns") for end in ("low_", "", "high_"))
            sample = list(compress(times, in_time))
            if sample and (middle is None or abs(median(sample) - middle) > ROUNDED_NS or not _is_interval(low, high)):
                raise ValueError(f"{name}median_ns: is not the median of the repetitions of the overhead")
        return self


def _is_interval(low: float | None, high: float | None) -> bool:
    """Return True if these are the ends of an interval, or both are missing, as for a single repetition."""
    if low is None or high is None:
        return low is None and high is None
    return low <= high
