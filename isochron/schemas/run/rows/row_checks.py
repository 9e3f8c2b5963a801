# SPDX-License-Identifier: BSD-3-Clause
"""Whether a row of a raw file agrees with itself: the engine's own figures against the runs that it lists."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator
from itertools import pairwise

from isochron.schemas.run.records import Measurement

#: Longest run or slot that is taken for one: ten days in ns, beyond any launch.
LONGEST_NS = 10 * 24 * 3600 * 10**9

#: Verdicts after which no disturbed run counts: the engine asks for enough quiet ones before them.
QUIET = ("ok", "unstable", "clock-limited", "timer-limited")

#: A median in the file has been rounded to the digits that JSON keeps.
ROUNDING = 1e-9


def row_problems(row: Measurement) -> list[str]:
    """Every way in which the row contradicts itself, as `field: what is wrong`; none where it agrees."""
    return [problem for check in CHECKS for problem in check(row)]


def _lengths(row: Measurement) -> Iterator[str]:
    lengths = {len(row.time_ns), len(row.local_ns), len(row.valid)}
    if len(lengths) > 1:
        yield (
            f"time_ns, local_ns and valid have {len(row.time_ns)}, {len(row.local_ns)} and {len(row.valid)} runs; "
            "they must agree"
        )
    if row.overran and len(row.overran) != len(row.time_ns):
        yield f"overran: {len(row.overran)} runs, but {len(row.time_ns)} are listed"
    if row.reps_made != len(row.time_ns):
        yield f"reps_made: {row.reps_made}, but {len(row.time_ns)} runs are listed"


def _counts(row: Measurement) -> Iterator[str]:
    if row.reps_valid != sum(row.valid):
        yield f"reps_valid: {row.reps_valid}, but {sum(row.valid)} of the listed runs are valid"
    if row.overran and sum(row.overran) != row.invalid.get("overrun", 0):
        yield f"invalid: {row.invalid.get('overrun', 0)} overruns, but {sum(row.overran)} of the listed runs overran"
    if any(valid and overran for valid, overran in zip(row.valid, row.overran, strict=False)):
        yield "valid, overran: a run is both; a run that overran is not valid"
    if not 0 <= row.reps_used <= sum(row.in_time):
        yield f"reps_used: {row.reps_used} of {sum(row.in_time)} runs that started in time"
    if any(count < 0 for count in row.invalid.values()):
        yield f"invalid: {row.invalid}; counts must not be below 0"
    if row.reps_made >= 0 and sum(row.invalid.values()) > row.reps_made:
        yield f"invalid: {sum(row.invalid.values())} runs, but only {row.reps_made} were made"
    if row.reps_valid + sum(row.invalid.values()) != row.reps_made:
        yield (
            f"reps_valid, invalid: {row.reps_valid} valid runs and {sum(row.invalid.values())} others, "
            f"but {row.reps_made} were made"
        )
    if row.processes < 1 or row.bytes < 0:
        yield f"processes, bytes: {row.processes} and {row.bytes}"


def _ranges(row: Measurement) -> Iterator[str]:
    runs = zip(row.time_ns, row.local_ns, row.in_time, strict=False)
    bad = next((run for run in runs if run[2] and not (0 <= run[0] <= LONGEST_NS and 0 <= run[1] <= LONGEST_NS)), None)
    if bad is not None:
        yield f"time_ns, local_ns: a run of {bad[0]} and {bad[1]} ns; times must be from 0 to {LONGEST_NS} ns"
    runs = zip(row.time_ns, row.local_ns, row.in_time, strict=False)
    bad = next((run for run in runs if run[2] and run[1] > run[0]), None)
    if bad is not None:
        yield f"local_ns: {bad[1]} of a run of {bad[0]} ns; a process cannot take longer than the run"
    if row.start_skew_ns is not None and row.start_skew_ns < 0:
        yield f"start_skew_ns: {row.start_skew_ns}; must not be below 0"
    if not 0 <= row.slot_ns <= LONGEST_NS:
        yield f"slot_ns: {row.slot_ns}; must be from 0 to {LONGEST_NS} ns"
    if not 0 < row.confidence < 1:
        yield f"confidence: {row.confidence}; must be between 0 and 1"


def _sample(row: Measurement) -> list[int]:
    """The runs that the statistics are of, in order."""
    return sorted(time for time, in_time in zip(row.time_ns, row.in_time, strict=False) if in_time)


def _differ(value: float | None, true: float) -> bool:
    return value is not None and abs(value - true) > ROUNDING * max(1.0, abs(true))


def _median(row: Measurement) -> Iterator[str]:
    times = _sample(row)
    if row.median_ns is None:
        if times:
            yield f"median_ns: missing, but {len(times)} runs started in time"
        if row.verdict == "ok":
            yield "verdict: ok without a median"
        return
    if not times:
        yield f"median_ns: {row.median_ns} without a run that started in time"
        return
    median = statistics.median(times)
    if _differ(row.median_ns, median):
        yield f"median_ns: {row.median_ns}, but the median of the listed runs that started in time is {median}"


def _figures(row: Measurement) -> Iterator[str]:
    """Mean and extremes, as they follow from the runs; as many are trimmed as `reps_used` says."""
    times = _sample(row)
    cut = (len(times) - row.reps_used) // 2
    if not times or not 0 <= cut < len(times) - cut:
        return
    mean = statistics.fmean(times[cut : len(times) - cut])
    for name, true in (("mean_ns", mean), ("min_ns", times[0]), ("max_ns", times[-1])):
        if _differ(getattr(row, name), true):
            yield f"{name}: {getattr(row, name)}, but by the listed runs it is {true}"


def _verdict(row: Measurement) -> Iterator[str]:
    """What the engine never calls ok."""
    if row.verdict != "failed-check" and row.wrong is not None:
        yield f"verdict: {row.verdict}, but the data were wrong"
    if row.verdict == "ok" and row.causality is not None and row.causality.violations > 0:
        yield f"verdict: ok, but {row.causality.violations} messages arrived before they were sent"
    if row.verdict == "ok" and row.reason:
        yield f"verdict: ok, but with a reason: {row.reason}"


def _overruns(row: Measurement) -> Iterator[str]:
    """`ok` says that the figures do not depend on how long the longest runs were: so many are trimmed."""
    runs = list(zip(row.time_ns, row.valid, row.in_time, strict=False))
    longest = max((time for time, valid, _ in runs if valid), default=0)
    longer = sum(time > longest for time, valid, in_time in runs if in_time and not valid)
    cut = (sum(row.in_time) - row.reps_used) // 2
    if row.verdict == "ok" and longer > cut > 0:
        yield f"verdict: ok, but {longer} runs overran and were longer than all others, and only {cut} are trimmed"


def _order(row: Measurement) -> Iterator[str]:
    """What must not decrease from left to right, where it is given."""
    for names in (("min_ns", "median_ns", "max_ns"), ("ci_low_ns", "mean_ns", "ci_high_ns"),
                  ("median_low_ns", "median_ns", "median_high_ns")):  # fmt: skip
        given = [(name, value) for name in names if (value := getattr(row, name)) is not None]
        slack = ROUNDING * max((abs(value) for _, value in given), default=0.0)
        for (left, low), (right, high) in pairwise(given):
            if low > high + slack:
                yield f"{left}: {low}, above {right} {high}"


def _probes(row: Measurement) -> Iterator[str]:
    """Readings stand in the order of time, each after a batch of the row."""
    probes = row.probes
    if probes is None:
        return
    lists = {name: values for name, values in probes if isinstance(values, list)}
    if len({len(values) for values in lists.values()}) > 1:
        yield f"probes: {', '.join(f'{len(values)} {name}' for name, values in lists.items())}; they must agree"
    for name in ("batch", "reps", "t_ns"):
        if any(left > right for left, right in pairwise(lists[name])):
            yield f"probes.{name}: {lists[name]}; must not decrease"
    if any(not 0 <= runs <= row.reps_made for runs in probes.reps):
        yield f"probes.reps: {probes.reps}, but {row.reps_made} runs were made"


def _regimes(row: Measurement) -> Iterator[str]:
    """What was made in another regime does not count, unless the verdict tells of too few others, or goes before."""
    disturbed = row.regimes.disturbed if row.regimes is not None else []
    excluded = row.invalid.get("disturbed", 0)
    if row.regimes is not None and len(disturbed) != row.reps_made:
        yield f"regimes.disturbed: {len(disturbed)} runs, but {row.reps_made} were made"
    counting = sum(off and in_time for off, in_time in zip(disturbed, row.in_time, strict=False))
    if counting and (excluded or row.verdict in QUIET):
        yield f"regimes.disturbed: {counting} runs that count, and the verdict is {row.verdict}"
    if excluded > sum(disturbed) - counting:
        left = sum(disturbed) - counting
        yield f"invalid: {excluded} disturbed runs, but {left} of the listed runs are marked so"


def _passes(row: Measurement) -> Iterator[str]:
    if row.pass_reps and (sum(row.pass_reps) != row.reps_made or min(row.pass_reps) < 0):
        yield f"pass_reps: {list(row.pass_reps)}, but {row.reps_made} runs were made"


CHECKS: tuple[Callable[[Measurement], Iterator[str]], ...] = (
    _lengths,
    _counts,
    _ranges,
    _median,
    _order,
    _figures,
    _verdict,
    _overruns,
    _probes,
    _regimes,
    _passes,
)
