# SPDX-License-Identifier: BSD-3-Clause
"""Checks that the measurements of a raw file are consistent: the engine's figures against its repetitions."""

import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, pairwise
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isochron.schemas.run.records import Measurement, Probes

#: Longest valid repetition or slot: ten days in ns, longer than any launch.
LONGEST_NS = 10 * 24 * 3600 * 10**9

#: Verdicts without disturbed repetitions in the sample: the engine gives them only after enough quiet ones.
QUIET = ("ok", "unstable", "clock-limited", "timer-limited")

#: Relative rounding error of the figures in the file.
ROUNDING = 1e-9


def row_problems(row: Measurement) -> list[str]:
    """Return the inconsistencies of a measurement, as `field: what is wrong`; none if it is consistent."""
    return [problem for check in CHECKS for problem in check(row)]


def _lengths(row: Measurement) -> Iterator[str]:
    lengths = {len(row.time_ns), len(row.local_ns), len(row.valid)}
    if len(lengths) > 1:
        yield (
            f"time_ns, local_ns and valid have {len(row.time_ns)}, {len(row.local_ns)} and "
            f"{len(row.valid)} repetitions; the numbers must be equal"
        )
    if row.overran and len(row.overran) != len(row.time_ns):
        yield f"overran: {len(row.overran)} repetitions, but {len(row.time_ns)} are listed"
    if row.reps_made != len(row.time_ns):
        yield f"reps_made: {row.reps_made}, but {len(row.time_ns)} repetitions are listed"


def _counts(row: Measurement) -> Iterator[str]:
    if row.reps_valid != sum(row.valid):
        yield f"reps_valid: {row.reps_valid}, but {sum(row.valid)} of the listed repetitions are valid"
    if row.overran and sum(row.overran) != row.invalid.get("overrun", 0):
        yield f"invalid: {row.invalid.get('overrun', 0)} overruns, but {sum(row.overran)} are listed"
    if any(valid and overran for valid, overran in zip(row.valid, row.overran, strict=False)):
        yield "valid, overran: a repetition is both; an overrun is not valid"
    if not 0 <= row.reps_used <= sum(row.in_time):
        yield f"reps_used: {row.reps_used} of {sum(row.in_time)} repetitions that started in time"
    if any(count < 0 for count in row.invalid.values()):
        yield f"invalid: {row.invalid}; counts must not be below 0"
    if row.reps_made >= 0 and sum(row.invalid.values()) > row.reps_made:
        yield f"invalid: {sum(row.invalid.values())} repetitions, but only {row.reps_made} were made"
    if row.reps_valid + sum(row.invalid.values()) != row.reps_made:
        yield (
            f"reps_valid, invalid: {row.reps_valid} valid repetitions and {sum(row.invalid.values())} others, "
            f"but {row.reps_made} were made"
        )
    if row.processes < 1 or row.bytes < 0:
        yield f"processes, bytes: {row.processes} and {row.bytes}"


def _ranges(row: Measurement) -> Iterator[str]:
    reps = zip(row.time_ns, row.local_ns, row.in_time, strict=False)
    wrong = next(
        (rep for rep in reps if rep[2] and not (0 <= rep[0] <= LONGEST_NS and 0 <= rep[1] <= LONGEST_NS)), None
    )
    if wrong is not None:
        yield f"time_ns, local_ns: {wrong[0]} and {wrong[1]} ns; times must be from 0 to {LONGEST_NS} ns"
    reps = zip(row.time_ns, row.local_ns, row.in_time, strict=False)
    wrong = next((rep for rep in reps if rep[2] and rep[1] > rep[0]), None)
    if wrong is not None:
        yield f"local_ns: {wrong[1]} in a repetition of {wrong[0]} ns; a process cannot take longer than the repetition"
    if row.start_skew_ns is not None and row.start_skew_ns < 0:
        yield f"start_skew_ns: {row.start_skew_ns}; must not be below 0"
    if not 0 <= row.slot_ns <= LONGEST_NS:
        yield f"slot_ns: {row.slot_ns}; must be from 0 to {LONGEST_NS} ns"
    if not 0 < row.confidence < 1:
        yield f"confidence: {row.confidence}; must be between 0 and 1"


def _sample(row: Measurement) -> list[int]:
    """Return the times of the sample, in order."""
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
        yield f"median_ns: {row.median_ns} without a repetition that started in time"
        return
    median = statistics.median(times)
    if _differ(row.median_ns, median):
        yield f"median_ns: {row.median_ns}, but the median of the listed repetitions that started in time is {median}"


def _figures(row: Measurement) -> Iterator[str]:
    """Check mean and extremes against the repetitions, trimmed to `reps_used` of them."""
    times = _sample(row)
    cut = (len(times) - row.reps_used) // 2
    if not times or not 0 <= cut < len(times) - cut:
        return
    mean = statistics.fmean(times[cut : len(times) - cut])
    for name, true in (("mean_ns", mean), ("min_ns", times[0]), ("max_ns", times[-1])):
        if _differ(getattr(row, name), true):
            yield f"{name}: {getattr(row, name)}, but the listed repetitions give {true}"


def _verdict(row: Measurement) -> Iterator[str]:
    """Check that a measurement with a fault is not `ok`."""
    if row.verdict != "failed-check" and row.wrong is not None:
        yield f"verdict: {row.verdict}, but the data were wrong"
    if row.verdict == "ok" and row.causality is not None and row.causality.violations > 0:
        yield f"verdict: ok, but {row.causality.violations} messages arrived before they were sent"
    if row.verdict == "ok" and row.reason:
        yield f"verdict: ok, but with a reason: {row.reason}"


def _overruns(row: Measurement) -> Iterator[str]:
    """Check that the trimmed mean of an `ok` measurement does not depend on the times of overruns."""
    reps = list(zip(row.time_ns, row.valid, row.in_time, strict=False))
    longest = max((time for time, valid, _ in reps if valid), default=0)
    longer = sum(time > longest for time, valid, in_time in reps if in_time and not valid)
    cut = (sum(row.in_time) - row.reps_used) // 2
    if row.verdict == "ok" and longer > cut > 0:
        yield f"verdict: ok, but {longer} overruns were longer than all other repetitions, and only {cut} are trimmed"


def _order(row: Measurement) -> Iterator[str]:
    """Check the order of figures that must not decrease from left to right."""
    for names in (("min_ns", "median_ns", "max_ns"), ("ci_low_ns", "mean_ns", "ci_high_ns"),
                  ("median_low_ns", "median_ns", "median_high_ns")):  # fmt: skip
        figures = [(name, value) for name in names if (value := getattr(row, name)) is not None]
        slack = ROUNDING * max((abs(value) for _, value in figures), default=0.0)
        for (left, low), (right, high) in pairwise(figures):
            if low > high + slack:
                yield f"{left}: {low}, above {right} {high}"


def _probes(row: Measurement) -> Iterator[str]:
    """Check that the readings of the probes are in order of time."""
    probes = row.probes
    if probes is None:
        return
    lists = {name: values for name, values in probes if isinstance(values, list)}
    if len({len(values) for values in lists.values()}) > 1:
        yield f"probes: {', '.join(f'{len(values)} {name}' for name, values in lists.items())}; must be equal"
    for name in ("batch", "reps", "t_ns"):
        if any(left > right for left, right in pairwise(lists[name])):
            yield f"probes.{name}: {lists[name]}; must not decrease"
    if any(not 0 <= reps <= row.reps_made for reps in probes.reps):
        yield f"probes.reps: {probes.reps}, but {row.reps_made} repetitions were made"


def _regimes(row: Measurement) -> Iterator[str]:
    """Check that disturbed repetitions are excluded, unless the verdict reports too few others or has precedence."""
    disturbed = row.regimes.disturbed if row.regimes is not None else []
    excluded = row.invalid.get("disturbed", 0)
    if row.regimes is not None and len(disturbed) != row.reps_made:
        yield f"regimes.disturbed: {len(disturbed)} repetitions, but {row.reps_made} were made"
    counting = sum(off and in_time for off, in_time in zip(disturbed, row.in_time, strict=False))
    if counting and (excluded or row.verdict in QUIET):
        yield f"regimes.disturbed: {counting} repetitions in the sample, but the verdict is {row.verdict}"
    if excluded > sum(disturbed) - counting:
        remaining = sum(disturbed) - counting
        yield f"invalid: {excluded} disturbed repetitions, but {remaining} of the listed ones are marked"


def _passes(row: Measurement) -> Iterator[str]:
    if row.pass_reps and (sum(row.pass_reps) != row.reps_made or min(row.pass_reps) < 0):
        yield f"pass_reps: {list(row.pass_reps)}, but {row.reps_made} repetitions were made"


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


Array = NDArray[Any]
Mask = NDArray[np.bool_]

#: Figures that must not decrease from left to right, where they are given.
ORDERED = (
    ("min_ns", "median_ns", "max_ns"),
    ("ci_low_ns", "mean_ns", "ci_high_ns"),
    ("median_low_ns", "median_ns", "median_high_ns"),
)
#: Tolerance of the fast checks: smaller than `ROUNDING`, because sums are rounded.
CLOSELY = 0.1 * ROUNDING
#: The lists of a measurement's probe readings.
READINGS = attrgetter(*(name for name in Probes.model_fields if name != "spent_ns"))
#: Time of a repetition outside the sample; greater than all others.
NONE = np.iinfo(np.int64).max


def flat(lists: Iterable[Sequence[Any]], kind: type[np.generic]) -> Array:
    """Return all values of all lists, one after another. Raises OverflowError for a number that does not fit."""
    return np.fromiter(chain.from_iterable(lists), dtype=kind)


def doubtful_rows(rows: Sequence[Measurement]) -> list[Measurement]:
    """Return the measurements that may be inconsistent: all that `row_problems` reports, and perhaps some others."""
    by_length: dict[int, list[Measurement]] = {}
    doubtful: list[Measurement] = []
    for row in rows:
        if len(row.time_ns) == len(row.local_ns) == len(row.valid) == row.reps_made > 0 and _parts_fit(row):
            by_length.setdefault(row.reps_made, []).append(row)
        else:
            doubtful.append(row)
    for length, alike in by_length.items():
        doubtful += [row for row, wrong in zip(alike, _Alike(alike, length).doubtful().tolist(), strict=True) if wrong]
    return doubtful


def _parts_fit(row: Measurement) -> bool:
    """Return True if the passes add up to the repetitions and the probe readings are in order."""
    if row.pass_reps and (sum(row.pass_reps) != row.reps_made or min(row.pass_reps) < 0):
        return False
    if row.probes is None:
        return True
    lists = READINGS(row.probes)
    reps = row.probes.reps
    ordered = all(values == sorted(values) for values in (row.probes.batch, reps, row.probes.t_ns))
    return ordered and len(set(map(len, lists))) == 1 and (not reps or (reps[0] >= 0 and reps[-1] <= row.reps_made))


class _Alike:
    """R measurements with n repetitions each."""

    def __init__(self, rows: Sequence[Measurement], length: int) -> None:
        self._rows = rows
        shape = (len(rows), length)
        none = [False] * length
        self._time = flat((row.time_ns for row in rows), np.int64).reshape(shape)
        self._local = flat((row.local_ns for row in rows), np.int64).reshape(shape)
        self._valid = flat((row.valid for row in rows), np.bool_).reshape(shape)
        fits = [len(row.overran) in (0, length) for row in rows]
        overran = (row.overran or none if fit else none for row, fit in zip(rows, fits, strict=True))
        self._overran = flat(overran, np.bool_).reshape(shape)
        self._fits = np.array(fits)

    def doubtful(self) -> Mask:
        """Return which measurements need to be checked one by one. Shape (R,)."""
        mask = ~self._fits
        for check in (self._counts, self._ranges, self._figures, self._order, self._verdicts, self._regimes):
            for wrong in check():
                mask |= wrong
        return mask

    def _figure(self, name: str) -> Array:
        """Return a figure of each measurement, NaN if it has none."""
        return np.array([getattr(row, name) for row in self._rows], dtype=np.float64)

    def _counts(self) -> Iterator[Mask]:
        rows = self._rows
        counts = [row.invalid.values() for row in rows]
        invalid = np.array([sum(values) for values in counts])
        valid, overran, length = self._valid.sum(axis=1), self._overran.sum(axis=1), self._time.shape[1]
        reps_valid = np.array([row.reps_valid for row in rows])
        used = np.array([row.reps_used for row in rows])
        yield reps_valid != valid
        yield (overran > 0) & (overran != np.array([row.invalid.get("overrun", 0) for row in rows]))
        yield np.array([bool(row.overran) and row.invalid.get("overrun", 0) > 0 for row in rows]) & (overran == 0)
        yield np.asarray((self._valid & self._overran).any(axis=1))
        yield (used < 0) | (used > valid + overran)
        yield np.array([min(values, default=0) < 0 for values in counts])
        yield (invalid > length) | (reps_valid + invalid != length)
        yield np.array([row.processes < 1 or row.bytes < 0 for row in rows])

    def _ranges(self) -> Iterator[Mask]:
        time, local = self._time, self._local
        wrong = (time < 0) | (time > LONGEST_NS) | (local < 0) | (local > LONGEST_NS) | (local > time)
        yield np.asarray((wrong & (self._valid | self._overran)).any(axis=1))
        slot, confidence = self._figure("slot_ns"), self._figure("confidence")
        yield self._figure("start_skew_ns") < 0
        yield (slot < 0) | (slot > LONGEST_NS)
        yield ~((confidence > 0) & (confidence < 1))

    def _figures(self) -> Iterator[Mask]:
        """Median, mean and extremes against the repetitions that started in time, in order."""
        in_time = self._valid | self._overran
        ordered = np.sort(np.where(in_time, self._time, NONE), axis=1)
        count = in_time.sum(axis=1)
        some, every, last = count > 0, np.arange(len(ordered)), np.maximum(count - 1, 0)
        yield some == np.isnan(self._figure("median_ns"))
        median = (ordered[every, last // 2].astype(np.float64) + ordered[every, (last + 1) // 2]) / 2
        cut = (count - np.array([row.reps_used for row in self._rows])) // 2
        trimmed = some & (cut >= 0) & (cut < count - cut)
        sums = np.pad(np.cumsum(np.where(ordered == NONE, 0, ordered), axis=1), ((0, 0), (1, 0)))
        begin, end = np.where(trimmed, cut, 0), np.where(trimmed, count - cut, 1)
        mean = (sums[every, end] - sums[every, begin]) / (end - begin)
        figures = {"mean_ns": mean, "min_ns": ordered[:, 0], "max_ns": ordered[every, last]}
        yield some & _apart(self._figure("median_ns"), median)
        for name, true in figures.items():
            yield trimmed & _apart(self._figure(name), true)

    def _order(self) -> Iterator[Mask]:
        for names in ORDERED:
            low, middle, high = (self._figure(name) for name in names)
            yield (low > middle) | (middle > high) | (low > high)

    def _verdicts(self) -> Iterator[Mask]:
        """Check that a measurement with a fault is not `ok`, as far as this does not need its repetitions."""
        yield np.array(
            [
                row.wrong is not None
                or row.causality is not None
                or (row.verdict == "ok" and (row.median_ns is None or bool(row.reason) or True in row.overran))
                for row in self._rows
            ]
        )

    def _regimes(self) -> Iterator[Mask]:
        """Check the disturbed repetitions: excluded from the sample, and at least as many listed as excluded."""
        length = self._time.shape[1]
        lists = [[] if row.regimes is None else row.regimes.disturbed for row in self._rows]
        none = [False] * length
        listed = (flags if len(flags) == length else none for flags in lists)
        disturbed = flat(listed, np.bool_).reshape(self._time.shape)
        counting = (disturbed & (self._valid | self._overran)).sum(axis=1)
        excluded = np.array([row.invalid.get("disturbed", 0) for row in self._rows])
        quiet = np.array([row.verdict in QUIET for row in self._rows])
        yield np.array([row.regimes is not None for row in self._rows]) & [len(flags) != length for flags in lists]
        yield (counting > 0) & ((excluded != 0) | quiet)
        yield excluded > disturbed.sum(axis=1) - counting


def _apart(value: Array, true: Array) -> Mask:
    return np.asarray(np.abs(value - true) > CLOSELY * np.maximum(1.0, np.abs(true)))
