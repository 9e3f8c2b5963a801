# SPDX-License-Identifier: BSD-3-Clause
"""The search for changes of level in many series: the state up to a run, and the analysis of the next one."""

from collections import deque
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr

from isochron.stats.changes.estimates import (
    Autocorrelation,
    Clipped,
    Index,
    Persistence,
    Prior,
    Tails,
    agree,
    autocorrelation,
    p_value,
    prior,
    scores,
    together,
)
from isochron.stats.launches import Values
from isochron.stats.multiple_tests import holm

#: Values of a series from which on a change is looked for: fewer do not tell its spread.
FEWEST = 7
#: Of each series what is known of its levels; what was recent; what was found; and which values are clipped.
LASTING = ("start", "levels", "squares", "expected", "last")
RECENTLY = ("recent_series", "recent_levels", "recent_newest", "recent_before")
FOUND = ("found_series", "found_run", "found_found", "found_p_value", "found_adjusted")
SINGLE = ("single_series", "single_run", "single_p_value", "single_adjusted")
CLIPPED = ("clipped_series", "clipped_number", "clipped_value")
State: TypeAlias = Mapping[str, NDArray[Any]]


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


class Singles(NamedTuple):
    """Single values that are far from the level of their series, in order of runs. `adjusted`: for all of one run."""

    series: Index
    run: Index
    p_value: Values
    adjusted: Values


def spent(run: int | Index) -> float | Values:
    """Return the share of the significance level that may be spent with a run; the shares of all runs add up to 1."""
    return (FEWEST - 1) / ((run + 1) * run)


def joined(parts: Sequence[tuple[Any, ...]], kinds: tuple[Any, ...]) -> list[NDArray[Any]]:
    """Return the first arrays of all parts one after another, then the second ones … of these kinds."""
    none = tuple(np.empty(0, dtype=kind) for kind in kinds)
    return [np.concatenate(arrays) for arrays in zip(none, *parts, strict=True)]


def shared(away: Values, stacks: Index) -> tuple[float, float]:
    """Return the stacks' median that is nearest to 0, and the same where all medians go to one side, else 0.

    The first says how far the machine is at least from its level, and the second what of that all stacks have. NaN for
    less than two stacks. `away`: logarithms of how far each row of a run is from its level, shape (S,), NaN if that
    is not known. `stacks`: the number of each row's stack. A stack that is off by itself (`_without_changed`) hides
    nothing that the others share.
    """
    finite = ~np.isnan(away)
    medians = np.array([np.median(away[finite & (stacks == stack)]) for stack in np.unique(stacks[finite])])
    if len(medians) < 2:
        return float("nan"), float("nan")
    medians = _without_changed(medians)
    nearest = float(medians[np.abs(medians).argmin()])
    return nearest, nearest if abs(np.sign(medians).sum()) == len(medians) else 0.0


def _without_changed(medians: Values) -> Values:
    """Return the stacks' medians without one that is more than `OFF` times as far from its level as any of the rest."""
    if len(medians) <= FEWEST_OTHERS:
        return medians
    furthest = int(np.abs(medians).argmax())
    rest = np.delete(medians, furthest)
    return rest if abs(medians[furthest]) > OFF * np.abs(rest).max() else medians


#: Other stacks that have to agree if one is off by itself, and how far it is then: what a few of them share without
#: another is not the machine's.
FEWEST_OTHERS, OFF = 3, 3.0
#: Values in each half of those since a change, and for each what a p costs: 1/its share of the error budget.
HALVES = np.array([1, 2, 4, 8])
COST = np.array([5 / 4, 15.0, 15.0, 15.0])
#: Standard deviations beyond which a value counts for no more.
CLIP = 3.0
#: Values so recent that a change among them may not be found yet; and those that a row has before it has a part in
#: what all stacks share.
RECENT, SOME = 5, 3
#: No spread of logarithms is taken to be smaller: values are rounded, and simulated ones do not spread at all.
FINEST = 1e-4
#: The same of what all stacks share: how well that is known changes with what is known of the rows.
STEADIEST = 0.005
#: Variance of seven normal values over that of the same with the smallest and the largest moved to their neighbours,
#: by 400,000 draws; and its degrees of freedom.
WINSORISED, INNER = 1.913, FEWEST - 3.0


class _Usual(NamedTuple):
    """What is usual for values that are not recent: how they depend on each other, and their variance."""

    time: Autocorrelation
    variance: Prior


class Search:
    """What is known of all series up to a run. Values of a series are numbered without gaps."""

    def __init__(
        self, values: Values, stacks: Index, alpha: float, known: State | None = None, machine: bool = False
    ) -> None:
        """`values`: (T, S), NaN if there is none; `stacks`: (S,); `known`: the `state` of a search in the first;
        `machine`: this is the one series of what all stacks share."""
        self._given = given = ~np.isnan(values.T)
        self._alpha, self._stacks, self._of_machine = alpha, stacks, machine
        self._finest = STEADIEST if machine else FINEST
        self._counts = np.cumsum(given, axis=1)
        self._runs = np.argsort(~given, axis=1, kind="stable")
        logs = np.log(np.take_along_axis(values.T, self._runs, axis=1))
        self._values = Clipped(np.nan_to_num(logs - logs[:, :1]))
        #: By run, how far the machine is from its level, and what was taken from all values.
        self._machine = np.tile([np.nan, 0.0], (len(values), 1))
        #: Of the level that lasts: its first value. Of those before it: squares of deviations. The newest deviation.
        self._start = np.zeros(len(given), dtype=np.intp)
        self._levels = np.ones(len(given), dtype=np.intp)
        self._squares, self._expected, self._last = np.zeros((3, len(given)))
        self._tails, self._persistence = Tails(), Persistence()
        self._recent: deque[tuple[Index, Index, Values, Values]] = deque()
        self._found: list[tuple[Index, Index, Index, Values, Values]] = []
        self._single: list[tuple[Index, Index, Values, Values]] = []
        first = self._resume(known) if known is not None and int(known["searched"]) >= FEWEST else 0
        for run in range(max(first, FEWEST - 1), len(values)):
            self._analyse_run(run)

    @property
    def changes(self) -> Changes:
        """Every change up to now."""
        return Changes(*joined(self._found, (np.intp, np.intp, np.intp, np.float64, np.float64)))

    @property
    def singles(self) -> Singles:
        """Single values that were far from their level, and no change then."""
        return Singles(*joined(self._single, (np.intp, np.intp, np.float64, np.float64)))

    @property
    def machine(self) -> Values:
        """By run, how far the machine is from its level (logarithm); NaN if there are less than two stacks."""
        return self._machine[:, 0]

    @property
    def state(self) -> State:
        """What has to be known to go on with further runs."""
        return {
            "searched": np.array(self._given.shape[1]),
            "machine": self._machine,
            **{name: getattr(self, f"_{name}") for name in LASTING},
            "tails": self._tails.known,
            "persistence": self._persistence.known,
            "recent_count": np.array([len(series) for series, *_ in self._recent], dtype=np.intp),
            **dict(zip(RECENTLY, joined([*self._recent], (np.intp, np.intp, np.float64, np.float64)), strict=True)),
            **dict(zip(FOUND, self.changes, strict=True)),
            **dict(zip(SINGLE, self.singles, strict=True)),
            **dict(zip(CLIPPED, self._values.clipped(), strict=True)),
        }

    def _resume(self, known: State) -> int:
        """Go on from there; returns how many runs have been searched."""
        searched = int(known["searched"])
        self._machine[:searched] = known["machine"]
        self._values.values -= self._machine[self._runs, 1]
        for name in LASTING:
            getattr(self, f"_{name}")[: len(known[name])] = known[name]
        self._tails, self._persistence = Tails(known["tails"]), Persistence(known["persistence"])
        ends = np.cumsum(known["recent_count"])[:-1]
        parts = (np.split(known[name], ends) for name in RECENTLY)
        self._recent = deque(zip(*parts, strict=True)) if len(known["recent_count"]) else deque()
        found, single, clipped = (tuple[Any, ...](known[name] for name in names) for names in (FOUND, SINGLE, CLIPPED))
        self._found, self._single = [found], [single]
        self._values.resume(*clipped)
        return searched

    def _analyse_run(self, run: int) -> None:
        """Search for changes in the series that have a value in this run, with the values up to it."""
        if run == FEWEST - 1:
            self._begin()
        else:
            self._share(run, self._shared(run))
        series = np.flatnonzero(self._given[:, run])
        end = self._counts[series, run]
        self._add(series[end <= FEWEST], end[end <= FEWEST])
        series, end = series[end >= FEWEST], end[end >= FEWEST]
        if not len(series):
            return
        usual = self._usual(series, end)
        newest, alone = self._newest(series, end, usual)
        p_values, weighted, half = self._evidence(series, end, usual)
        adjusted = np.minimum(1.0, holm(weighted) / spent(run))
        hit = adjusted <= self._alpha
        stretches = np.transpose([series, self._start[series], end - 2 * half, end])[hit]
        place = np.array([self._values.step(*map(int, stretch)) for stretch in stretches], dtype=np.intp)
        at, now = self._runs[series[hit], place], np.full(len(series), run)
        self._found.append((series[hit], at, now[hit], p_values[hit], adjusted[hit]))
        corrected = holm(alone)
        single = ~hit & (corrected <= self._alpha)
        self._single.append((series[single], now[single], alone[single], corrected[single]))
        for one, first, last in zip(*map(np.ndarray.tolist, (series[hit], place, end[hit])), strict=True):
            self._begin_level(one, first, last, usual)
        fresh = ~hit & (end > FEWEST)
        self._remember(series[fresh], newest[fresh])
        self._last[series[hit]] = 0.0

    def _begin(self) -> None:
        """The first runs together: a row's level is the median of its values."""
        first = np.where(self._given[:, :FEWEST], 0.0, np.nan)
        series, runs = np.nonzero(self._given[:, :FEWEST])
        first[series, runs] = self._values.values[series, self._counts[series, runs] - 1]
        first = first[(enough := np.isfinite(first).sum(axis=1) > SOME)]
        away = first - np.nanmedian(first, axis=1, keepdims=True) if len(first) else first
        for run in range(FEWEST):
            self._share(run, shared(away[:, run], self._stacks[enough]))
        for run in range(FEWEST - 1):
            series = np.flatnonzero(self._given[:, run])
            self._add(series, self._counts[series, run])

    def _shared(self, run: int) -> tuple[float, float]:
        """Return what all stacks share of a run, by how far their rows are from their levels."""
        series = np.flatnonzero(self._given[:, run])
        end = self._counts[series, run]
        series, end = series[end > SOME], end[end > SOME]
        level = self._values.mean(series, self._start[series], end - 1)
        return shared(self._values.values[series, end - 1] - level, self._stacks[series])

    def _share(self, run: int, machine: tuple[float, float]) -> None:
        """Subtract the deviation that all stacks share from the values of a run; if it is unknown, its usual value."""
        nearest, common = machine
        if np.isnan(nearest):
            known = self._machine[:run][~np.isnan(self._machine[:run, 0]), 1][-FEWEST:]
            common = float(np.median(known)) if len(known) else 0.0
        self._machine[run] = nearest, common
        series = np.flatnonzero(self._given[:, run])
        self._values.values[series, self._counts[series, run] - 1] -= common

    def _add(self, series: Index, end: Index) -> None:
        """The newest of at most `FEWEST` values; the last of them tells which of all are far away."""
        self._values.append(series, end - 1, self._values.values[series, end - 1])
        series = series[end == FEWEST]
        if not len(series):
            return
        first = self._values.values[series, :FEWEST]
        ordered = np.sort(first, axis=1)
        middle, inner = ordered[:, FEWEST // 2, None], np.clip(first, ordered[:, 1:2], ordered[:, -2:-1])
        variance, freedom = (
            np.maximum(inner.var(axis=1, ddof=1) * WINSORISED, self._finest**2),
            np.full(len(series), INNER),
        )
        common = prior(variance, freedom)
        spread = np.sqrt(common.moderated(variance, freedom))[:, None]
        counted = np.clip(first, middle - CLIP * spread, middle + CLIP * spread)
        for one, values in zip(series, counted, strict=True):
            self._values.replace(one, 0, values)
        self._tails.add(scores((first - middle) / spread, INNER + common.freedom))
        number = np.arange(1, FEWEST)
        before = np.cumsum(counted, axis=1)[:, :-1] / number
        away = (counted[:, 1:] - before) / (spread * np.sqrt(1 + 1 / number))
        for one, other in zip(away.T, away.T[1:], strict=False):
            self._persistence.add(one, other)
        self._last[series] = away[:, -1]

    def _usual(self, series: Index, end: Index) -> _Usual:
        start = self._start[series]
        last = np.maximum(start, np.maximum(FEWEST - 1, end - RECENT))
        lasting = start < last
        squares = self._squares[series] + self._values.squares(series, start, np.maximum(last, start + 1))
        time = autocorrelation(self._persistence.rho, int(end.max()))
        expected = self._expected[series] + time.of_squares(last - start)
        freedom = time.effective(np.maximum(1.0, last - self._levels[series] + 1 - lasting))
        return _Usual(time, prior(np.maximum(squares / expected, self._finest**2), freedom))

    def _variance(self, series: Index, place: Index, usual: _Usual) -> tuple[Values, Values]:
        """Of the values before `place`, and its degrees of freedom."""
        start = self._start[series]
        squares = self._squares[series] + self._values.squares(series, start, place)
        expected = self._expected[series] + usual.time.of_squares(place - start)
        freedom = usual.time.effective(np.maximum(1.0, place - self._levels[series]))
        variance = np.maximum(squares / np.maximum(expected, FINEST), self._finest**2)
        return usual.variance.moderated(variance, freedom), freedom + usual.variance.freedom

    def _newest(self, series: Index, end: Index, usual: _Usual) -> tuple[Values, Values]:
        """Score and p of the newest values by themselves; from now on they count for no more than `CLIP`."""
        start, one = self._start[series], np.array(1)
        before = end - 1 - start
        level = self._values.mean(series, start, end - 1)
        variance, freedom = self._variance(series, end - 1, usual)
        spread = np.sqrt(variance * (usual.time.of_mean[before] + 1 - 2 * usual.time.between(before, one)))
        away = (self._values.values[series, end - 1] - level) / spread
        fresh = end > FEWEST
        counted = level + np.clip(away, -CLIP, CLIP) * spread
        self._values.append(series[fresh], end[fresh] - 1, counted[fresh])
        # A night of the machine is told each time, however many there were.
        alone = 2 * stdtr(freedom if self._of_machine else np.minimum(freedom, self._tails.freedom), -np.abs(away))
        return np.sign(away) * scores(away, freedom), alone

    def _evidence(self, series: Index, end: Index, usual: _Usual) -> tuple[Values, Values, Index]:
        """Of each series p of the likeliest number of values since a change, times its cost, and half that number."""
        rows, start, stop = series[:, None], self._start[series][:, None], end[:, None]
        place = np.maximum(stop - 2 * HALVES, start + 1)
        tested = (place == stop - 2 * HALVES) & (place >= FEWEST - 2)
        half = np.where(tested, HALVES, 1)
        level = self._values.mean(rows, start, place)
        variance, freedom = self._variance(rows, place, usual)
        new_variance, level_variance = usual.time.of_mean[half], usual.time.of_mean[place - start]
        spread = np.sqrt(variance * (new_variance + level_variance))
        older, newer = (
            (self._values.mean(rows, stop - number * half, stop - (number - 1) * half) - level) / spread
            for number in (2, 1)
        )
        for away, number in ((older, 2), (newer, 1)):
            away[:, 0] = (self._values.values[series, end - number] - level[:, 0]) / spread[:, 0]
        tested &= agree(older, newer)
        for away in (older, newer):
            away[:, 0] = np.sign(away[:, 0]) * scores(away[:, 0], self._tails.freedom)
        resemblance = (usual.time.between(half, half) + level_variance) / (new_variance + level_variance)
        p_values = np.where(tested, p_value(together(older, newer), resemblance, freedom), 1.0)
        weighted = p_values * COST
        every, best = np.arange(len(series)), weighted.argmin(axis=1)
        return p_values[every, best], weighted[every, best], HALVES[best]

    def _begin_level(self, series: int, place: int, end: int, usual: _Usual) -> None:
        """The level of a series lasts from `place` on: its values count as they lie about the new one."""
        one, stop, start = np.array([series]), np.array([place]), self._start[[series]]
        spread = np.sqrt(self._variance(one, stop, usual)[0])
        self._squares[one] += self._values.squares(one, start, stop)
        self._expected[one] += usual.time.of_squares(stop - start)
        self._start[series] = place
        self._levels[series] += 1
        values = self._values.values[series, place:end]
        middle = np.median(values)
        self._values.replace(series, place, np.clip(values, middle - CLIP * spread, middle + CLIP * spread))

    def _remember(self, series: Index, newest: Values) -> None:
        """Deviations become part of what is usual when no change was found for some runs after them."""
        self._recent.append((series, self._levels[series], newest, self._last[series]))
        self._last[series] = newest
        if len(self._recent) > RECENT:
            series, levels, newest, before = self._recent.popleft()
            same = self._levels[series] == levels
            self._tails.add(newest[same])
            self._persistence.add(*(np.clip(away[same], -CLIP, CLIP) for away in (before, newest)))
