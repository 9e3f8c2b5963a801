# SPDX-License-Identifier: BSD-3-Clause
"""Tests of the guidelines: ratio with its interval, verdict, and what to call instead.

The two operations of a guideline are compared as two stacks are (`compare.pairs`): exactly, by ranks within blocks.
Both are measured by the same launches, so the effect of a launch on all its results is removed from both first. Its
effect on these two alone remains in both: it makes their difference smaller than labels permuted within a block do, so
the test is conservative. Launches that measured in turns have all cases in each round, within tens of milliseconds, so
the two are compared round by round, and nothing has to be removed; the standard candle assigns each round to a regime.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from isochron.postprocess.estimate.compare.interference import REGIME_COLUMNS, holds, no_regimes, note_regimes
from isochron.postprocess.estimate.compare.pairs import Pair, Rules, pairs
from isochron.postprocess.estimate.compare.rows import Rows, Side, rows_of
from isochron.postprocess.estimate.guidelines.rules import Instance, instances
from isochron.postprocess.formatting import numbers
from isochron.postprocess.ingest.inputs import KEYS, POINT, RESULT_KEY
from isochron.stats.launches import Values, known_medians
from isochron.stats.multiple_tests import Matrix, Tests, step_down

#: Columns of `guidelines.csv`: every guideline that could be tested.
GUIDELINE_COLUMNS = {
    **KEYS,
    "kind": "`other way` to the same result, `monotony` (a smaller message), or `split` (several smaller messages)",
    "other": "what the operation must not be slower than",
    "instead": "the operations of that, one after the other, separated by ` + `",
    "launches": "launches that measured both sides",
    "operation_us": "median over these launches",
    "other_us": "the same for the other side, with the times of a launch added up",
    "ratio": "operation / other, above 1 it is slower: as the ratio of two stacks, after what a launch did to "
    "all its rows is taken out; of launches in turns, of their rounds",
    "ratio_low": "lower end of its exact interval: the factors that the rank test does not reject",
    "ratio_high": "upper end of that interval",
    **REGIME_COLUMNS,
    "test": "what the sides are exchanged in: `blocks`, or `launches` for all of them; empty where neither test can be "
    "significant",
    "p_adjusted": "p value of a ratio beyond the practical threshold, corrected over the whole table",
    "verdict": "`violated` (significant, the whole interval above the practical threshold, and so in the quiet regime, "
    "too, where launches met two), `kept` (the interval is below the threshold) or `open`",
}

#: Rows of a launch, beside those of a guideline, from which on their median says what the launch did to all.
MIN_ROWS = 3


@dataclass(frozen=True)
class Sides:
    """Both sides of I guidelines: launch medians (µs), (L, I), NaN if a launch lacks one of them; (L,) its block.

    `level`: what the launch did to all its other rows (logarithm), (L, I). `operation_read`, `other_read`: what each of
    `PROBES` read beside them, (P, L, I), None if no probes were read. `operation_rounds`, `other_rounds`: medians of
    each round of launches in turns (µs), (L, R, I), and `sessions`, as in `Side`; `candle`: logarithms of what the
    standard candle took for the operation in these rounds, (L, R, I). None without turns.
    """

    operation: Matrix
    other: Matrix
    level: Matrix
    blocks: NDArray[np.int64]
    operation_read: Matrix | None
    other_read: Matrix | None
    operation_rounds: NDArray[np.float64] | None
    other_rounds: NDArray[np.float64] | None
    sessions: NDArray[np.int64] | None
    candle: NDArray[np.float64] | None

    def pair(self) -> tuple[Side, Side]:
        """The operation and the other side as a comparison has them."""
        return (
            self._side(self.operation, self.operation_read, self.operation_rounds),
            self._side(self.other, self.other_read, self.other_rounds),
        )

    def _side(self, times: Matrix, read: Matrix | None, rounds: NDArray[np.float64] | None) -> Side:
        probes, round_logs = (None if each is None else np.log(each) for each in (read, rounds))
        return Side(np.log(times) - self.level, self.blocks, probes, round_logs, self.sessions, self.candle)


def guidelines(
    rows: pd.DataFrame, summary: pd.DataFrame, rules: Rules, slices: pd.DataFrame | None = None
) -> pd.DataFrame:
    """`GUIDELINE_COLUMNS`. `rows`: usable rows of launches, with RESULT_KEY, ALLOCATION, launch_id, median_us.

    `PROBES` are in `rows` if they were read; `summary`: RESULT_KEY and reliable; `slices`: of launches in turns.
    """
    reliable = summary[summary["reliable"]]
    stack_rows = rows_of(reliable, rows.merge(reliable[list(KEYS)], on=list(KEYS)), slices)
    tables: list[pd.DataFrame] = []
    tested: list[_Tested] = []
    for place, launches in _launches(stack_rows):
        measured: dict[str, list[int]] = {}
        for operation, size in launches.columns:
            measured.setdefault(operation, []).append(size)
        made = [each for each in instances(measured, place["processes"]) if launches.has(each)]
        if made:
            numbers_, tests = _compared(launches.sides(made), rules, sum(len(each) for each in tables))
            tested += tests
            tables.append(_named(made).assign(**place, **numbers_))
    if not tables:
        return pd.DataFrame(columns=list(GUIDELINE_COLUMNS))
    table = pd.concat(tables, ignore_index=True).assign(p_adjusted=1.0, quiet_slower=np.nan)
    for column in ("p_adjusted", "quiet_slower"):
        family = [each for each in tested if each.column == column]
        for each, p_values in zip(family, step_down([each.tests for each in family], rules.seed), strict=True):
            table.loc[each.lines, column] = p_values
    return table.assign(verdict=_judge(table, rules))[list(GUIDELINE_COLUMNS)]


def _judge(table: pd.DataFrame, rules: Rules) -> list[str]:
    """The verdicts. A significant ratio whose interval reaches below the threshold claims nothing."""
    held, factor = holds(table, rules.alpha, 1 + rules.threshold), 1 + rules.threshold
    significant = (table["test"] != "") & (table["p_adjusted"] <= rules.alpha) & (table["ratio_low"] > factor)
    kept = (table["ratio_high"] <= factor) & (held.equal | (table["quiet_high"] <= factor))
    verdicts: list[str] = np.select(
        [significant & held.slower, kept], ["violated", "satisfied"], "inconclusive"
    ).tolist()
    return verdicts


def _launches(stack_rows: Mapping[str, Rows]) -> "Iterator[tuple[dict[str, Any], _Launches]]":
    """The launches of each stack at each point, and the columns that name both."""
    for stack, rows in stack_rows.items():
        for point, point_rows in rows.launches.groupby(POINT, sort=False):
            cases = pd.MultiIndex.from_frame(point_rows[["operation", "bytes"]]).unique()
            yield {"stack": stack, **dict(zip(POINT, point, strict=True))}, _Launches.of(rows.at(point, cases), cases)


@dataclass(frozen=True)
class _Launches:
    """The launches of a stack at a point: launch medians (µs), (L, rows), NaN if a launch has none.

    `columns`: the place of each operation and size; `level`: what a launch did to each row (logarithm), less what it
    usually did; `read` (P, L, rows), `rounds` (µs, (L, R, rows)), `sessions` and `candle` (L, R, rows): as in `Sides`.
    """

    columns: dict[tuple[str, int], int]
    blocks: NDArray[np.int64]
    medians: Matrix
    level: Matrix
    read: Matrix | None
    rounds: NDArray[np.float64] | None
    sessions: NDArray[np.int64] | None
    candle: NDArray[np.float64] | None

    @classmethod
    def of(cls, side: Side, cases: pd.MultiIndex) -> "_Launches":
        """`side`: the launches of one stack at one point; `cases`: its columns, (operation, bytes)."""
        columns = {case: number for number, case in enumerate(cases)}
        logs = np.where(np.isfinite(side.logs), side.logs, np.nan)
        read, rounds = (None if each is None else np.exp(each) for each in (side.probes, side.rounds))
        level = logs - known_medians(logs.T)
        return cls(columns, side.blocks, np.exp(side.logs), level, read, rounds, side.sessions, side.candle)

    def has(self, made: Instance) -> bool:
        """Return True if any launch has all of it."""
        return bool(np.isfinite(self.medians[:, self._places(made)]).all(axis=1).any())

    def _places(self, made: Instance) -> list[int]:
        return [self.columns[case] for case in ((made.operation, made.size), *(call[:2] for call in made.calls))]

    def sides(self, made: list[Instance]) -> Sides:
        """Both sides of guidelines; times are added up. Of several readings of a probe it is the largest."""
        places = [self._places(each) for each in made]
        first, calls = [own[0] for own in places], [own[1:] for own in places]
        operation = self.medians[:, first]
        added = [self.medians[:, own] @ _times(each) for each, own in zip(made, calls, strict=True)]
        other = np.stack(added, axis=1)
        lacking = ~(np.isfinite(operation) & np.isfinite(other))
        operation[lacking], other[lacking] = np.nan, np.nan
        level = np.stack([self._level(own) for own in places], axis=1)
        read, largest, rounds, other_rounds = None, None, None, None
        if self.read is not None:
            read = self.read[..., first]
            largest = np.stack([self.read[..., own].max(axis=-1) for own in calls], axis=-1)
        if self.rounds is not None:
            rounds = self.rounds[..., first]
            other_rounds = np.stack(
                [self.rounds[..., own] @ _times(each) for each, own in zip(made, calls, strict=True)], axis=-1
            )
        candle = None if self.candle is None else self.candle[..., first]
        return Sides(operation, other, level, self.blocks, read, largest, rounds, other_rounds, self.sessions, candle)

    def _level(self, rows: list[int]) -> Values:
        """What each launch did to all rows but its own, (L,); 0 if it has too few others."""
        others = np.delete(self.level, rows, axis=1)
        if others.shape[1] < MIN_ROWS:
            return np.zeros(len(others))
        enough = np.isfinite(others).sum(axis=1) >= MIN_ROWS
        return np.where(enough, known_medians(others), 0.0)


def _times(made: Instance) -> Values:
    """How often each call of the other side is made."""
    return np.array([float(times) for *_, times in made.calls])


@dataclass(frozen=True)
class _Tested:
    """Hypotheses of some guidelines, the lines that they are of, and the column of their p values: its family."""

    tests: Tests
    lines: NDArray[np.intp]
    column: str


def _compared(sides: Sides, rules: Rules, first: int) -> tuple[dict[str, Any], list[_Tested]]:
    """The columns of numbers, and the tests. `first`: the line of the first of the guidelines."""
    count = sides.operation.shape[1]
    columns: dict[str, Any] = {name: np.full(count, np.nan) for name in ("ratio", "ratio_low", "ratio_high")}
    columns |= no_regimes(count) | {"test": np.full(count, "", dtype=object)}
    columns["launches"] = np.isfinite(sides.operation).sum(axis=0)
    columns["operation_us"], columns["other_us"] = (known_medians(side.T) for side in (sides.operation, sides.other))
    tested = []
    one, other = sides.pair()
    for pair in pairs(other, one, rules, families=1, points=0):
        at = pair.cases
        columns["ratio"][at], columns["test"][at] = np.exp(pair.ratio.estimate), pair.strata
        columns["ratio_low"][at], columns["ratio_high"][at] = np.exp(pair.ratio.low), np.exp(pair.ratio.high)
        if pair.regimes is not None:
            note_regimes(columns, at, pair.regimes)
        tested += _tested(pair, first)
    return columns, tested


def _tested(pair: Pair, first: int) -> list[_Tested]:
    """That the operation is slower: over all launches, and in the quiet regime."""
    tested = [_Tested(_slower(pair.tests), first + pair.cases, "p_adjusted")]
    if pair.regimes is not None:
        quiet = first + pair.cases[pair.regimes.cases]
        tested.append(_Tested(_slower(pair.regimes.tests), quiet, "quiet_slower"))
    return tested


def _slower(tests: Tests) -> Tests:
    """The first half of the hypotheses."""
    half = tests.scores.shape[1] // 2
    return replace(tests, scores=tests.scores[:, :half], alone=tests.alone[:half])


def _named(made: list[Instance]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "operation": [each.operation for each in made],
            "bytes": [each.size for each in made],
            "kind": [each.kind for each in made],
            "other": [" + ".join(_call(*call) for call in each.calls) for each in made],
            "instead": [" + ".join(operation for operation, *_ in each.calls) for each in made],
        }
    )


@lru_cache(maxsize=100_000)
def _call(operation: str, size: int, times: int) -> str:
    """`3 × bcast 8 KiB`."""
    text = f"{operation} {numbers.size(size)}" if size else operation
    return f"{times} × {text}" if times > 1 else text


#: Columns of `advice.csv`, the largest gain first.
ADVICE_COLUMNS = {
    "stack": KEYS["stack"],
    "operation": "operation that is slower than it must be",
    **{name: KEYS[name] for name in POINT},
    "kind": "`other way`, `monotony` (send a larger message) or `split` (send several smaller ones)",
    "instead": "what to call instead: operations, one after the other; with its size where that is what differs",
    "sizes": "message sizes at which that is faster, in bytes, separated by semicolons",
    "times_min": "by what factor it is faster, at least: the smallest of the medians over launches",
    "times_max": "the largest of them",
    "times_low": "the smallest lower end of their intervals",
}


def advice(table: pd.DataFrame) -> pd.DataFrame:
    """`ADVICE_COLUMNS`. `table`: `GUIDELINE_COLUMNS`."""
    broken = table[table["verdict"] == "violated"]
    if not len(broken):
        return pd.DataFrame(columns=list(ADVICE_COLUMNS))
    best = broken.loc[broken.groupby(RESULT_KEY, sort=False)["ratio"].idxmax()]
    best = best.assign(instead=best["instead"].where(best["kind"] == "other way", best["other"]))
    keys = ["stack", "operation", *POINT, "kind", "instead"]
    largest = best.sort_values("bytes", kind="stable").groupby(keys, sort=False, as_index=False)
    merged = largest.agg(
        sizes=("bytes", lambda sizes: ";".join(map(str, sizes))),
        times_min=("ratio", "min"),
        times_max=("ratio", "max"),
        times_low=("ratio_low", "min"),
    )
    return merged.sort_values("times_max", ascending=False, kind="stable", ignore_index=True)[list(ADVICE_COLUMNS)]
