# SPDX-License-Identifier: BSD-3-Clause
"""The rows of a raw file as arrays, and which of them may contradict themselves: `row_checks` then says how."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from operator import attrgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isochron.schemas.run.records import Measurement, Probes
from isochron.schemas.run.rows.row_checks import LONGEST_NS, QUIET, ROUNDING

Array = NDArray[Any]
Mask = NDArray[np.bool_]

#: Figures that must not decrease from left to right, where they are given.
ORDERED = (
    ("min_ns", "median_ns", "max_ns"),
    ("ci_low_ns", "mean_ns", "ci_high_ns"),
    ("median_low_ns", "median_ns", "median_high_ns"),
)
#: What is looked at closely is more than what is wrong: sums are rounded.
CLOSELY = 0.1 * ROUNDING
#: The lists of a row's probe readings.
READINGS = attrgetter(*(name for name in Probes.model_fields if name != "spent_ns"))
#: Stands for a run that is no part of a sample; sorts behind all.
NONE = np.iinfo(np.int64).max


def flat(lists: Iterable[Sequence[Any]], kind: type[np.generic]) -> Array:
    """All values of all lists, one after another. Raises OverflowError for a number that does not fit."""
    return np.fromiter(chain.from_iterable(lists), dtype=kind)


def doubtful_rows(rows: Sequence[Measurement]) -> list[Measurement]:
    """Every row that `row_checks.row_problems` has something to say about, and perhaps some others."""
    by_length: dict[int, list[Measurement]] = {}
    found: list[Measurement] = []
    for row in rows:
        if len(row.time_ns) == len(row.local_ns) == len(row.valid) == row.reps_made > 0 and _parts_fit(row):
            by_length.setdefault(row.reps_made, []).append(row)
        else:
            found.append(row)
    for length, own in by_length.items():
        found += [row for row, wrong in zip(own, _Alike(own, length).doubtful().tolist(), strict=True) if wrong]
    return found


def _parts_fit(row: Measurement) -> bool:
    """Whether passes make up the runs and no probe reading contradicts another one, told by whole lists."""
    if row.pass_reps and (sum(row.pass_reps) != row.reps_made or min(row.pass_reps) < 0):
        return False
    if row.probes is None:
        return True
    lists = READINGS(row.probes)
    runs = row.probes.reps
    ordered = all(values == sorted(values) for values in (row.probes.batch, runs, row.probes.t_ns))
    return ordered and len(set(map(len, lists))) == 1 and (not runs or (runs[0] >= 0 and runs[-1] <= row.reps_made))


class _Alike:
    """Rows with equally many runs, R × n of them."""

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
        """Of each row whether to look at it closely. Shape (R,)."""
        found = ~self._fits
        for check in (self._counts, self._ranges, self._figures, self._order, self._verdicts, self._regimes):
            for wrong in check():
                found |= wrong
        return found

    def _of(self, name: str) -> Array:
        """A figure of each row, NaN where it has none."""
        return np.array([getattr(row, name) for row in self._rows], dtype=np.float64)

    def _counts(self) -> Iterator[Mask]:
        rows = self._rows
        counts = [row.invalid.values() for row in rows]
        invalid = np.array([sum(each) for each in counts])
        valid, overran, length = self._valid.sum(axis=1), self._overran.sum(axis=1), self._time.shape[1]
        said = np.array([row.reps_valid for row in rows])
        used = np.array([row.reps_used for row in rows])
        yield said != valid
        yield (overran > 0) & (overran != np.array([row.invalid.get("overrun", 0) for row in rows]))
        yield np.array([bool(row.overran) and row.invalid.get("overrun", 0) > 0 for row in rows]) & (overran == 0)
        yield np.asarray((self._valid & self._overran).any(axis=1))
        yield (used < 0) | (used > valid + overran)
        yield np.array([min(each, default=0) < 0 for each in counts])
        yield (invalid > length) | (said + invalid != length)
        yield np.array([row.processes < 1 or row.bytes < 0 for row in rows])

    def _ranges(self) -> Iterator[Mask]:
        time, local = self._time, self._local
        bad = (time < 0) | (time > LONGEST_NS) | (local < 0) | (local > LONGEST_NS) | (local > time)
        yield np.asarray((bad & (self._valid | self._overran)).any(axis=1))
        slot, confidence = self._of("slot_ns"), self._of("confidence")
        yield self._of("start_skew_ns") < 0
        yield (slot < 0) | (slot > LONGEST_NS)
        yield ~((confidence > 0) & (confidence < 1))

    def _figures(self) -> Iterator[Mask]:
        """Median, mean and extremes against the runs that started in time, in order."""
        in_time = self._valid | self._overran
        ordered = np.sort(np.where(in_time, self._time, NONE), axis=1)
        count = in_time.sum(axis=1)
        some, every, last = count > 0, np.arange(len(ordered)), np.maximum(count - 1, 0)
        yield some == np.isnan(self._of("median_ns"))
        median = (ordered[every, last // 2].astype(np.float64) + ordered[every, (last + 1) // 2]) / 2
        cut = (count - np.array([row.reps_used for row in self._rows])) // 2
        trimmed = some & (cut >= 0) & (cut < count - cut)
        sums = np.pad(np.cumsum(np.where(ordered == NONE, 0, ordered), axis=1), ((0, 0), (1, 0)))
        begin, end = np.where(trimmed, cut, 0), np.where(trimmed, count - cut, 1)
        mean = (sums[every, end] - sums[every, begin]) / (end - begin)
        figures = {"mean_ns": mean, "min_ns": ordered[:, 0], "max_ns": ordered[every, last]}
        yield some & _apart(self._of("median_ns"), median)
        for name, true in figures.items():
            yield trimmed & _apart(self._of(name), true)

    def _order(self) -> Iterator[Mask]:
        for names in ORDERED:
            low, middle, high = (self._of(name) for name in names)
            yield (low > middle) | (middle > high) | (low > high)

    def _verdicts(self) -> Iterator[Mask]:
        """What is called `ok` although something speaks against it, as far as it can be told without its runs."""
        yield np.array(
            [
                row.wrong is not None
                or row.causality is not None
                or (row.verdict == "ok" and (row.median_ns is None or bool(row.reason) or True in row.overran))
                for row in self._rows
            ]
        )

    def _regimes(self) -> Iterator[Mask]:
        """Runs of another regime that count, or of which more are said not to count than are listed."""
        length = self._time.shape[1]
        lists = [[] if row.regimes is None else row.regimes.disturbed for row in self._rows]
        none = [False] * length
        listed = (each if len(each) == length else none for each in lists)
        disturbed = flat(listed, np.bool_).reshape(self._time.shape)
        counting = (disturbed & (self._valid | self._overran)).sum(axis=1)
        excluded = np.array([row.invalid.get("disturbed", 0) for row in self._rows])
        quiet = np.array([row.verdict in QUIET for row in self._rows])
        yield np.array([row.regimes is not None for row in self._rows]) & [len(each) != length for each in lists]
        yield (counting > 0) & ((excluded != 0) | quiet)
        yield excluded > disturbed.sum(axis=1) - counting


def _apart(value: Array, true: Array) -> Mask:
    return np.asarray(np.abs(value - true) > CLOSELY * np.maximum(1.0, np.abs(true)))
