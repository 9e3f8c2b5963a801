# SPDX-License-Identifier: BSD-3-Clause
"""Two stacks at one point: their ratio in every case with its interval, and the tests that their launches allow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from isochron.postprocess.statistics.adjustment import Adjustment, adjustment
from isochron.postprocess.statistics.exact_ranks import mid_ranks
from isochron.postprocess.statistics.exchanges import exchanged_names
from isochron.postprocess.statistics.launches import Values
from isochron.postprocess.statistics.shift import Places, Shifts, arrangements, no_shift, shifts
from isochron.postprocess.statistics.step_down import Matrix, Tests, clipped
from isochron.postprocess.values.probes import PROBES

#: Fewer common blocks than this say nothing about how a ratio differs from block to block.
FEWEST_BLOCKS = 3

#: Level at which a probe differs between two stacks: it is then not used, for it may be their doing, by where their
#: processes run.
DIFFERS = 0.01

#: Strata as narrow as those at this quantile are quiet ones; one more than `WIDER` times as wide, in which the machine
#: changed, has less weight. Chosen by simulation: regimes of eight launches change within a third of blocks of four.
QUIET, WIDER = 0.3, 2.0

#: Strata of the test and of the interval: the common blocks, or all launches as one.
Strata = Literal["blocks", "launches", ""]


@dataclass(frozen=True)
class Rules:
    """What the comparison goes by."""

    threshold: float
    confidence: float
    seed: int = 1
    #: Level of the tests where it is not that of the intervals: at a look of a sequential campaign.
    level: float | None = None

    @property
    def alpha(self) -> float:
        """Level of the tests."""
        return 1 - self.confidence if self.level is None else self.level

    @property
    def margin(self) -> float:
        """The practical threshold as a difference of logarithms."""
        return float(np.log1p(self.threshold))


@dataclass(frozen=True)
class Side:
    """A stack at a point: logarithms of its launch medians in µs, (L, C), NaN where there is none; (L,) their block.

    `probes`: logarithms of what each of `PROBES` read beside them, (probes, L, C), NaN where nothing was.
    """

    logs: Matrix
    blocks: NDArray[np.int64]
    probes: Matrix | None = None


@dataclass(frozen=True)
class Pair:
    """Candidate against baseline in C cases that the same launches measured.

    `ratio`: logarithms. `within_blocks`: what the interval is of. `strata`: what the tests are of, `""` where no
    difference could be significant among `families` such pairs. `p_value`: (C,), two-sided, of no difference.
    `tests`: 2·C hypotheses, that the candidate is slower, and that it is faster, by more than the practical threshold.
    `adjustment`: of all cases; `adjusted`: the same of those whose launches a probe makes more alike.
    """

    cases: NDArray[np.intp]
    ratio: Shifts
    within_blocks: bool
    strata: Strata
    blocks: int
    p_value: Values
    tests: Tests
    adjustment: Adjustment | None = None
    adjusted: Adjusted | None = None


@dataclass(frozen=True)
class Adjusted:
    """`cases`: places in `Pair.cases`, of A cases. `ratio` and `tests` as there, after the weather is taken out."""

    cases: NDArray[np.intp]
    ratio: Shifts
    tests: Tests


def pairs(baseline: Side, candidate: Side, rules: Rules, families: int) -> Iterator[Pair]:
    """All cases that both sides have, in groups of those that the same launches have."""
    logs = np.concatenate([candidate.logs, baseline.logs])
    blocks = np.concatenate([candidate.blocks, baseline.blocks])
    names = np.repeat([1.0, 0.0], [len(candidate.blocks), len(baseline.blocks)])
    probes = None
    if baseline.probes is not None and candidate.probes is not None:
        probes = np.concatenate([candidate.probes, baseline.probes], axis=1)
    there = ~np.isnan(logs)
    patterns, group = np.unique(there, axis=1, return_inverse=True)
    for number, rows in enumerate(patterns.T):
        if (rows & (names == 1)).any() and (rows & (names == 0)).any():
            cases = np.flatnonzero(group.ravel() == number)
            own = None if probes is None else probes[:, rows][:, :, cases]
            yield _pair(cases, _Units(logs[np.ix_(rows, cases)], own, blocks[rows], names[rows]), rules, families)


@dataclass(frozen=True)
class _Units:
    """The launches of both sides that a group of cases has: (U, C), (probes, U, C) or None, (U,), (U,)."""

    logs: Matrix
    probes: Matrix | None
    blocks: NDArray[np.int64]
    names: Values


def _pair(cases: NDArray[np.intp], units: _Units, rules: Rules, families: int) -> Pair:
    """One group. All of `units.logs` are there."""
    logs, blocks, names = units.logs, units.blocks, units.names
    common = sorted(set(blocks[names == 1].tolist()) & set(blocks[names == 0].tolist()))
    whole: Places = [(np.flatnonzero(names == 1), np.flatnonzero(names == 0))]
    within: Places = [
        (np.flatnonzero((blocks == block) & (names == 1)), np.flatnonzero((blocks == block) & (names == 0)))
        for block in common
    ]
    enough = len(common) >= FEWEST_BLOCKS
    chosen: Strata = ""
    if enough and smallest_p(within) * families <= rules.alpha:
        chosen = "blocks"
    elif smallest_p(whole) * families <= rules.alpha:
        chosen = "launches"
    places = within if chosen == "blocks" or (enough and not chosen) else whole
    told = None if units.probes is None else _told(units, units.probes, places)
    return Pair(
        cases=cases,
        ratio=shifts(logs, logs, places, rules.confidence),
        within_blocks=places is within,
        strata=chosen,
        blocks=len(common),
        p_value=no_shift(logs, logs, places) if chosen else np.full(len(cases), np.nan),
        tests=_beyond((logs, logs), names, places, rules.margin),
        adjustment=told,
        adjusted=None if told is None else _adjusted(units, told, places, rules),
    )


def _told(units: _Units, probes: Matrix, places: Places) -> Adjustment:
    """What the probes say, each about its median; nothing where one differs between the stacks by more than chance."""
    usual = probes - np.median(probes, axis=1, keepdims=True)
    for each in usual:
        found = shifts(each, each, places, 1 - DIFFERS)
        each[:, (found.low > 0) | (found.high < 0)] = np.nan
    strata = [np.concatenate(each) for each in places]
    return adjustment(units.logs, usual, list(PROBES.values()), units.names, strata)


def _adjusted(units: _Units, told: Adjustment, places: Places, rules: Rules) -> Adjusted | None:
    """The cases in which a probe is used; None where there is no such case."""
    cases = np.flatnonzero(told.chosen >= 0)
    if not len(cases):
        return None
    logs, used = units.logs[:, cases], told.of(cases)
    at_zero = used.without(logs, 0.0)
    at_margins = (used.without(logs, rules.margin), used.without(logs, -rules.margin))
    return Adjusted(
        cases,
        shifts(at_zero, at_zero, places, rules.confidence, used.moves),
        _beyond(at_margins, units.names, places, rules.margin),
    )


def smallest_p(places: Places) -> float:
    """The smallest two-sided p that strata of these sizes can give."""
    return min(1.0, 2 / arrangements(tuple((len(one), len(other)) for one, other in places)))


def _beyond(sides: tuple[Matrix, Matrix], names: Values, places: Places, margin: float) -> Tests:
    """That the candidate is slower, then that it is faster, by more than `margin`: the names exchanged within strata.

    `sides`: the values of each of the two.

    Ranks where strata hold two launches or more of a stack, as in the test of no difference; of equal rank sums the
    larger difference counts more, or in a few blocks one case of a hundred could not stand out. With one launch each a
    rank is only a sign, which no more than 2^-blocks can come of: there the differences themselves are added up. A
    stratum in which the machine changed, so that its launches are far wider apart than in the quiet ones, gets less
    weight: names play no part in that.
    """
    units = [np.concatenate(each) for each in places]
    ranked = np.median([len(each) for each in units]) > 2
    scores = []
    for side, logs in zip((1.0, -1.0), sides, strict=True):
        moved = side * (logs - side * margin * names[:, None])
        scores.append(_scores(moved, names, units, ranked=bool(ranked)))
    return Tests(np.concatenate(scores, axis=1), names, exchanged_names(names, units))


def _scores(logs: Matrix, names: Values, units: list[NDArray[np.intp]], *, ranked: bool) -> Matrix:
    """Scores whose sum over the candidate's launches has standard deviation 1 when names are exchanged; (U, C)."""
    scores, variance = np.zeros_like(logs), np.zeros(logs.shape[1])
    for own in units:
        with np.errstate(invalid="ignore"):
            scores[own] = np.nan_to_num(logs[own] - logs[own].mean(axis=0), nan=0.0, posinf=0.0, neginf=0.0)
    if ranked:
        spread = np.stack([np.ptp(scores[own], axis=0) for own in units])
        widest = WIDER * np.quantile(spread, QUIET, axis=0)
        weight = np.divide(widest, spread, out=np.ones_like(spread), where=spread > widest)
        finest = 1 / (1 + max(map(len, units)))  # rank sums differ by this at least
        tie = finest / max(float(np.abs(scores).sum(axis=0).max()), np.finfo(np.float64).tiny)
        for own, each in zip(units, weight, strict=True):
            ranks = mid_ranks(scores[own]) / (len(own) + 1) - 0.5
            scores[own] = each * (ranks + tie * scores[own])
    else:
        scores = clipped(scores)
    for own in units:
        count, first = len(own), float(names[own].sum())
        variance += first * (count - first) / (count * (count - 1)) * (scores[own] ** 2).sum(axis=0)
    return np.divide(scores, np.sqrt(variance), out=np.zeros_like(scores), where=variance > 0)
