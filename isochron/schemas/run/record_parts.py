# SPDX-License-Identifier: BSD-3-Clause
"""Parts of a measurement record that only some launches have (docs/reference/engine.md), in ns."""

from __future__ import annotations

from itertools import compress
from statistics import median
from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from isochron.schemas.base import Record

#: A whole number as the engine has them; more digits than that are no number of its.
Int64 = Annotated[int, Field(ge=-(2**63), lt=2**63)]

#: A time that has passed by a steady clock, in ns.
Duration = Annotated[int, Field(ge=0, lt=2**63)]


class EngineRecord(Record):
    """A line of the raw file, or a part of it. A newer engine may add fields; those are not refused."""

    model_config = ConfigDict(extra="ignore", frozen=True, allow_inf_nan=False)


class InvalidatingRank(EngineRecord):
    """A rank and how many runs it spoiled."""

    rank: Int64
    late_start: Int64
    overrun: Int64


class RankMean(EngineRecord):
    """The mean duration of a run on each process that takes part: mean, least and most of these (IMB's t_avg, …)."""

    avg_ns: float
    min_ns: float
    max_ns: float


class FromLast(EngineRecord):
    """With arrivals: what remains once the last process has come, and statistics as of the row."""

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
    """Cold buffers: sets in the ring and its bytes, to touch all of it, and the first runs on each set."""

    sets: Int64
    ring_bytes: Int64
    first_touch_ns: Int64
    first_use_ns: float | None


class LateInitialisation(EngineRecord):
    """The first call of a launch (`--first-call`), the second, and the median of `calls` later ones.

    Of rank 0, and of the slowest process of each call, by their own clocks; span and skew of the first call by the
    clocks as they were synchronised since.
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
    """A host, or a rank on it, that is late or overruns significantly more often than the rest: in how many batches."""

    host: str
    rank: Int64 | None = None
    late_start: Int64
    overrun: Int64
    late_start_p: float | None
    overrun_p: float | None


class Stragglers(EngineRecord):
    """Who was named, of so many batches."""

    batches: Int64
    ranks: list[Named]
    hosts: list[Named]


class PerRank(EngineRecord):
    """Start and end of every run on every rank of MPI_COMM_WORLD, from the run's first start on.

    Of each run `begin_ns` is that first start, after the one of the first run; `slot_ns` its slot, 0 without slots; and
    `into_slot_ns` how long after the begin of the slot it was. Of an older engine these are empty.
    `operations_ns`: what each operation of the last loop took on each rank; none: no loop, or an older engine.
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
    """A computation alone, the operation with it in between, and the share of the operation that it hid."""

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
    """Messages of a row that arrived before they were sent: how many, by how much, and whose clock is furthest off."""

    violations: Int64
    worst_ns: Int64 | None = None
    rank: Int64 | None = None
    error_ns: Int64 | None = None


#: Times that are divided by the operations of a run are whole nanoseconds, one by one.
ROUNDED_NS = 1.0


class Overhead(EngineRecord):
    """What the engine adds to a time: an empty operation, measured as a row is, in every pass over the rows.

    From the first start on it is what the engine adds at most, from the last start on what it adds at least.
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
    def _is_what_its_runs_say(self) -> Self:
        """The medians are those of the runs that started in time."""
        lists = (self.time_ns, self.from_last_ns, self.valid, self.overran)
        if {len(each) for each in lists} != {self.reps_made}:
            raise ValueError("reps_made: differs from the length of the lists of the overhead")
        if any(least > most for least, most in zip(self.from_last_ns, self.time_ns, strict=True)):
            raise ValueError("from_last_ns: larger than time_ns of the overhead")
        in_time = [valid or late for valid, late in zip(self.valid, self.overran, strict=True)]
        for name, times in (("", self.time_ns), ("from_last_", self.from_last_ns)):
            low, middle, high = (getattr(self, f"{name}median_{end}ns") for end in ("low_", "", "high_"))
            kept = list(compress(times, in_time))
            if kept and (middle is None or abs(median(kept) - middle) > ROUNDED_NS or not _is_interval(low, high)):
                raise ValueError(f"{name}median_ns: is not the median of the overhead runs")
        return self


def _is_interval(low: float | None, high: float | None) -> bool:
    """Whether these are the ends of one, or there is none, as of a single run."""
    if low is None or high is None:
        return low is None and high is None
    return low <= high
