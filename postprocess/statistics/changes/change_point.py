# SPDX-License-Identifier: BSD-3-Clause
"""Where the levels of many series changed, looked for again with every run that is added.

With run t, each series is asked whether its 1, 2, 3, 4, 6 … 21 most recent values lie on another level than all values
before them, back to its last change. The statistic is the difference of the two means of logarithms over its standard
deviation, and p that of Student's t. What it rests on:

- *Spread.* The variance within all levels of a series so far, which the other series moderate (Smyth 2004): so a
  single run is enough to see a change, and with 20,000 series too. A change of level leaves the relative spread alone.
- *Dependence in time.* Values resemble the one before (autoregressive, order one). ρ is that of all series together,
  plus two thirds of a standard error of one series: series that share their runs may know it no better.
- *Tails.* Never lighter than those of the series themselves: t has the kurtosis of all their deviations so far.
- *Dependence between series* may be any: Holm's correction assumes none.

The error budget α is for all series, places and runs to come. Run t may spend 6/(t·(t-1)) of it, which from run 7 on
add up to 1 (Lan and DeMets 1983), and each number of values after a change its share of that (`COST`). Run t is judged
by what was known then, so that what was found stays found. What is usual (moderation, tails) is learnt from values that
are at least five runs old: in younger ones there may be changes that are not found yet. A permutation of runs would
assume less, but the newest of 40 runs has only 40 places: no p is below 1/40, and no budget over runs can be kept.

- G. K. Smyth: Linear Models and Empirical Bayes Methods …, Statistical Applications in Genetics 3 (1), 2004.
- K. K. G. Lan, D. L. DeMets: Discrete Sequential Boundaries for Clinical Trials, Biometrika 70, 1983.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from isochron.postprocess.statistics.changes.autocorrelation import Autocorrelation, autocorrelation, cautious
from isochron.postprocess.statistics.changes.moderated import Prior, prior
from isochron.postprocess.statistics.changes.running import Index, Running
from isochron.postprocess.statistics.changes.tails import Tails, deleted, scores
from isochron.postprocess.statistics.holm import holm
from isochron.postprocess.statistics.launches import Values

#: Values of a series from which on a change is looked for: fewer do not tell its spread.
FEWEST = 7
#: Values since a change after which it is looked for, and for each what a p costs: 1/its share of the error budget. The
#: n-th has a share of 1/n, and together they have 1. Any place up to the last may be named as that of the change.
AFTER = np.array([1, 2, 3, 4, 6, 8, 11, 15, 21])
LONGEST = int(AFTER[-1])
COST = np.full(LONGEST + 1, np.inf)
COST[AFTER] = np.arange(1, len(AFTER) + 1) * (1 / np.arange(1, len(AFTER) + 1)).sum()
#: Values so recent that a change among them may not be found yet.
RECENT = 5
#: No spread of logarithms is taken to be smaller: values are rounded, and simulated ones do not spread at all.
FINEST = 1e-4
#: No p is taken to be smaller.
SMALLEST = 1e-300
#: Of each series what is known of its levels; what was recent; and what was found: the parts of a `State`.
LASTING = ("start", "levels", "squares", "expected", "apart", "pairs")
RECENTLY = ("recent_series", "recent_levels", "recent_newest")
FOUND = ("found_series", "found_run", "found_found", "found_p_value", "found_adjusted")
State: TypeAlias = Mapping[str, NDArray[Any]]
#: Smaller statistics are never significant: p is 1.
WORTH = 2.5


class Changes(NamedTuple):
    """The changes found, in the order in which they were: arrays with one element for each.

    `series`: its column in the values. `run`: row of the first value on the new level. `found`: row of the value that
    made it certain. `p_value`: of this series, place and run alone. `adjusted`: for all series, places and runs.
    """

    series: Index
    run: Index
    found: Index
    p_value: Values
    adjusted: Values


class _Usual(NamedTuple):
    """What is usual for values that are not recent: how they depend on each other, and their variance."""

    time: Autocorrelation
    variance: Prior


class _Evidence(NamedTuple):
    """Of each series: p, the same times 1/its share of places, values after the change, score of the newest value."""

    p_value: Values
    weighted: Values
    after: Index
    newest: Values


def changes(values: Values, alpha: float) -> Changes:
    """Changes of level with a probability of at most `alpha` that there is any where there is none in truth.

    `values`: shape (T, S), positive, in order of time; NaN where a series has none. The first seven of a series are
    looked at together.
    """
    return continued(values, alpha, None)[0]


def continued(values: Values, alpha: float, known: State | None) -> tuple[Changes, State]:
    """The same, and what to go on from when there are more runs: only these are then looked at.

    `known`: what was returned for the first rows of `values`, by the same `alpha`, None where nothing was. Series that
    have come since stand behind the others, and have no value in those rows.
    """
    search = _Search(values, alpha)
    first = search.resume(known) if known is not None else 0
    for run in range(max(first, FEWEST - 1), len(values)):
        search.look(run)
    return search.found(), search.state()


class _Places(NamedTuple):
    """Of S series: start and end of the lasting level; numbers of values asked for; place of a change: (S, places).

    `squares`: sum of squared deviations within all levels, were there a change at that place.
    """

    rows: Index
    start: Index
    stop: Index
    asked: Index
    place: Index
    squares: Values


class _Search:
    """What is known of all series up to a run. Values of a series are numbered without gaps."""

    def __init__(self, values: Values, alpha: float) -> None:
        given = ~np.isnan(values.T)
        self._alpha = alpha
        self._given = given
        self._counts: Index = np.cumsum(given, axis=1)
        self._runs = np.argsort(~given, axis=1, kind="stable")
        logs = np.log(np.take_along_axis(values.T, self._runs, axis=1))
        self._logs: Values = np.nan_to_num(logs - logs[:, :1])
        self._sums = Running(self._logs)
        #: Of the level that lasts: its first value. Of those before it: squares and products of deviations.
        self._start = np.zeros(len(given), dtype=np.intp)
        self._levels = np.ones(len(given), dtype=np.intp)
        self._squares, self._expected = np.zeros((2, len(given)))
        self._apart, self._pairs = np.zeros((2, 2, len(given)))
        self._tails = Tails()
        self._recent: deque[tuple[Index, Index, Values]] = deque()
        self._found: list[tuple[Index, Index, Index, Values, Values]] = []

    def found(self) -> Changes:
        """Every change up to now."""
        return Changes(*_joined(self._found, (np.intp, np.intp, np.intp, np.float64, np.float64)))

    def state(self) -> State:
        """What has to be known of all runs so far to go on with further ones."""
        return {
            "looked": np.array(self._given.shape[1]),
            **{name: getattr(self, f"_{name}") for name in LASTING},
            "tails": self._tails.known,
            "recent_count": np.array([len(series) for series, *_ in self._recent], dtype=np.intp),
            **dict(zip(RECENTLY, _joined([*self._recent], (np.intp, np.intp, np.float64)), strict=True)),
            **dict(zip(FOUND, self.found(), strict=True)),
        }

    def resume(self, known: State) -> int:
        """Go on from there; returns how many runs have been looked at."""
        for name in LASTING:
            own = getattr(self, f"_{name}")
            own[..., : known[name].shape[-1]] = known[name]
        self._tails = Tails(known["tails"])
        ends = np.cumsum(known["recent_count"])[:-1]
        parts = (np.split(known[name], ends) for name in RECENTLY)
        self._recent = deque(zip(*parts, strict=True)) if len(known["recent_count"]) else deque()
        found: Any = tuple(known[name] for name in FOUND)
        self._found = [found]
        return int(known["looked"])

    def look(self, run: int) -> None:
        """Look for changes in the series that have a value in this run, with the values up to it."""
        end = self._counts[:, run]
        series = np.flatnonzero(self._given[:, run] & (end >= FEWEST))
        if not len(series):
            return
        end = end[series]
        places = self._places(series, end)
        usual = self._usual(series, end, places)
        if self._tails.unknown:
            self._tails.add(deleted(self._logs[series, : FEWEST - 1], usual.variance, usual.time, FINEST))
        evidence = self._evidence(places, usual)
        share = (FEWEST - 1) / ((run + 1) * run)
        adjusted = np.minimum(1.0, holm(evidence.weighted) / share)
        hit = adjusted <= self._alpha
        place = end[hit] - evidence.after[hit]
        at = self._runs[series[hit], place]
        self._found.append((series[hit], at, np.full(len(at), run), evidence.p_value[hit], adjusted[hit]))
        self._begin_level(series[hit], place, usual.time)
        self._remember(series[~hit], evidence.newest[~hit])

    def _usual(self, series: Index, end: Index, places: _Places) -> _Usual:
        start = self._start[series]
        last = np.maximum(start, np.maximum(FEWEST - 1, end - RECENT))
        lasting = start < last
        squares = self._squares[series] + self._sums.squares(series, start, np.maximum(last, start + 1))
        time = autocorrelation(self._rho(places, float(end.mean())), int(end.max()))
        expected = self._expected[series] + time.of_squares(last - start)
        freedom = time.effective(np.maximum(1.0, last - self._levels[series] + 1 - lasting))
        return _Usual(time, prior(np.maximum(squares / expected, FINEST**2), freedom))

    def _rho(self, places: _Places, count: float) -> float:
        """The smallest over all places: where all levels change at one, it is not the change that makes ρ large.

        From differences within levels, each series in units of its spread. `count`: values of a series.
        """
        rows, start, stop, _, place, squares = places
        weights = np.where(squares > 0, 1 / np.maximum(squares, FINEST**2), 0.0)
        apart = []
        for lag in (1, 2):
            sums = self._sums.differences(rows, start, place, lag) + self._sums.differences(rows, place, stop, lag)
            pairs = np.maximum(0, place - start - lag) + np.maximum(0, stop - place - lag)
            total = ((self._apart[lag - 1, rows] + sums) * weights).sum(axis=0)
            apart.append(total / np.maximum(1, ((self._pairs[lag - 1, rows] + pairs) * (squares > 0)).sum(axis=0)))
        return min(cautious(first, second, count) for first, second in zip(*map(np.ndarray.tolist, apart), strict=True))

    def _places(self, series: Index, end: Index) -> _Places:
        rows, start, stop = series[:, None], self._start[series][:, None], end[:, None]
        asked = np.arange(1, min(LONGEST, int((stop - start).max()) - 1) + 1)
        place = np.maximum(stop - asked, start + 1)
        squares = self._squares[rows] + self._sums.squares(rows, start, place) + self._sums.squares(rows, place, stop)
        return _Places(rows, start, stop, asked, place, squares)

    def _evidence(self, places: _Places, usual: _Usual) -> _Evidence:
        rows, start, stop, asked, place, squares = places
        before, after = place - start, stop - place
        difference = self._sums.mean(rows, place, stop) - self._sums.mean(rows, start, place)
        expected = self._expected[rows] + usual.time.of_squares(before) + usual.time.of_squares(after)
        own = usual.time.effective((stop - self._levels[rows] - 1).astype(np.float64))
        variance = usual.variance.moderated(np.maximum(squares / expected, FINEST**2), own)
        statistic = np.abs(difference) / np.sqrt(variance * usual.time.of_difference(before, after))
        known = own + usual.variance.freedom
        freedom = np.minimum(known, self._tails.freedom(np.minimum(before, after)))
        worth = statistic > WORTH
        p_values = np.ones(statistic.shape)
        p_values[worth] = 2 * stdtr(freedom[worth], -statistic[worth])
        weighted = np.maximum(p_values, SMALLEST) * COST[asked]
        every, best = np.arange(len(rows)), weighted.argmin(axis=1)
        likeliest = after[every, statistic.argmax(axis=1)]
        return _Evidence(p_values[every, best], weighted[every, best], likeliest, scores(statistic[:, 0], known[:, 0]))

    def _begin_level(self, series: Index, place: Index, time: Autocorrelation) -> None:
        stretch = (series, self._start[series], place)
        self._squares[series] += self._sums.squares(*stretch)
        for lag in (1, 2):
            self._apart[lag - 1, series] += self._sums.differences(*stretch, lag)
            self._pairs[lag - 1, series] += np.maximum(0, place - self._start[series] - lag)
        self._expected[series] += time.of_squares(place - self._start[series])
        self._start[series] = place
        self._levels[series] += 1

    def _remember(self, series: Index, newest: Values) -> None:
        """Deviations become part of what is usual when no change was found for some runs after them."""
        self._recent.append((series, self._levels[series], newest))
        if len(self._recent) > RECENT:
            series, levels, old = self._recent.popleft()
            self._tails.add(old[self._levels[series] == levels])


def _joined(parts: Sequence[tuple[Any, ...]], kinds: tuple[Any, ...]) -> list[NDArray[Any]]:
    """The first arrays of all parts one after another, then the second ones … of these kinds."""
    none = tuple(np.empty(0, dtype=kind) for kind in kinds)
    return [np.concatenate(each) for each in zip(none, *parts, strict=True)]
