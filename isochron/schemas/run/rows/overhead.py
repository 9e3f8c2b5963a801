# SPDX-License-Identifier: BSD-3-Clause
"""The record of what the engine adds to a time (docs/reference/engine.md)."""

from __future__ import annotations

from itertools import compress
from statistics import median
from typing import Literal, Self

from pydantic import model_validator

from isochron.schemas.run.row_parts import EngineRecord, Int64

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
