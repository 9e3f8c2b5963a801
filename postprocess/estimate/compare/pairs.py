# SPDX-License-Identifier: BSD-3-Clause
"""Two stacks at one point: their launches as matrices, the ratio in every case with its interval, and the tests."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from isochron.common.detectable import MIN_BLOCKS, smallest_p
from isochron.postprocess.estimate.compare.rows import Side
from isochron.postprocess.estimate.compare.states import ratios_in_states
from isochron.postprocess.estimate.values.launches import CANDLE, PROBES, REGIMES_OF
from isochron.stats.adjustment import Adjustment, ByRegime, adjustment, by_regime, met, quiet_level
from isochron.stats.block_correlation import (
    block_correlation,
    differences_of_blocks,
    share_between,
    widened,
    widened_shifts,
    widening,
)
from isochron.stats.launches import Values, known_medians, matched_columns
from isochron.stats.margin_test import beyond, bounded
from isochron.stats.multiple_tests import Matrix, Tests
from isochron.stats.parts import SHARE, apart
from isochron.stats.shift import Places, Shifts, no_shift, shifts, sizes_by_operation
from isochron.stats.turns import Differences, by_regime_in_turns, differences

#: Level at which a probe differs between two stacks: it is then not used, for it may be their doing, by where their
#: processes run.
DIFFERS = 0.01

#: The launches' common part is told apart where that gains in this part of the cases: all of them pay for it.
MOST = 0.5

#: Strata of the test and of the interval: the common blocks, or all launches as one.
Strata = Literal["blocks", "launches", ""]


@dataclass(frozen=True)
class Rules:
    """What the comparison goes by."""

    threshold: float
    confidence: float
    seed: int = 1
    #: Level of the tests where it is not that of the intervals: in an interim analysis.
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
class Pair:
    """Candidate against baseline in C cases that the same launches measured.

    `ratio`: logarithms. `within_blocks`: what the interval is of; `in_turns`: whether of
    differences between rounds that both sides measured in turns. `strata`: what the tests are of, `""` where no
    difference could be significant among `families` such pairs. `p_value`: (C,), two-sided, of no difference.
    `tests`: 2·C hypotheses, that the candidate is slower, and that it is faster, by more than the practical threshold;
    `bounds`: likewise, that it is not slower, and that it is not faster, by more.
    `common`: (C,), whether ratio and tests are of the launches' common part and of the case's own. `states`: (C,)
    twice, logarithms of the ratio in the faster and in the slower of two states (`states.py`). `adjustment`: of all
    cases; `adjusted`: the same of those whose launches a probe makes more alike; `regimes`: of those whose launches met
    two regimes. `correlation`: of neighbouring blocks, NaN if it is not known or blocks are not compared; intervals and
    tests are widened by it.
    """

    cases: NDArray[np.intp]
    ratio: Shifts
    within_blocks: bool
    strata: Strata
    blocks: int
    p_value: Values
    tests: Tests
    bounds: Tests
    common: NDArray[np.bool_]
    states: tuple[Values, Values]
    adjustment: Adjustment | None = None
    adjusted: "Adjusted | None" = None
    regimes: ByRegime | None = None
    in_turns: bool = False
    correlation: float = np.nan


@dataclass(frozen=True)
class Adjusted:
    """`cases`: places in `Pair.cases`, of A cases. The others as there, after what a probe explains by a slope.

    `regimes`: of those of the A cases, by their places here, whose launches met two.
    """

    cases: NDArray[np.intp]
    ratio: Shifts
    tests: Tests
    bounds: Tests
    regimes: ByRegime | None


def pairs(baseline: Side, candidate: Side, rules: Rules, families: int, points: int = 1) -> Iterator[Pair]:
    """All cases that both sides have, in groups of those that the same launches have.

    `points`: how many share what a pair of stacks has of the level; 0 if the two sides were measured by the same
    launches, so that what all cases of a launch have in common is on both.
    """
    turns = differences_in_turns(baseline, candidate)
    if turns is not None:
        zeros = np.where(np.isnan(turns.values), np.nan, 0.0)
        baseline, candidate = Side(zeros, turns.blocks), Side(turns.values, turns.blocks)
    logs = np.concatenate([candidate.logs, baseline.logs])
    blocks = np.concatenate([candidate.blocks, baseline.blocks])
    names = np.repeat([1.0, 0.0], [len(candidate.blocks), len(baseline.blocks)])
    if len(set(names)) < 2:
        return
    probes = None
    if baseline.probes is not None and candidate.probes is not None:
        probes = np.concatenate([candidate.probes, baseline.probes], axis=1)
    correlation = _correlation(logs, names, blocks, turns, probes)
    groups = [
        (cases, rows)
        for cases, rows in matched_columns(~np.isnan(logs))
        if (rows & (names == 1)).any() and (rows & (names == 0)).any()
    ]
    for cases, rows in groups:
        point_probes = None if probes is None else probes[:, rows][:, :, cases]
        point_turns = None if turns is None else turns.of(rows[names == 1], cases)
        units = _Units(logs[np.ix_(rows, cases)], point_probes, blocks[rows], names[rows], point_turns)
        yield _pair(cases, units, rules, families, points * len(groups), correlation)


def _correlation(
    logs: Matrix, names: Values, blocks: NDArray[np.int64], turns: Differences | None, probes: Matrix | None
) -> float:
    """Return the correlation of the differences of neighbouring blocks, of all cases together.

    A change of regime is no such correlation, because regimes are compared by themselves. So in turns it is that of the
    regime that more blocks met, and of launches that of cases that met one only. It is at most the share of the
    variance that several launches in a block do not explain.
    """
    if turns is not None:
        return block_correlation(turns.of_one_regime)
    values = differences_of_blocks(logs, names, blocks)
    if probes is not None:
        of_regimes = probes[[name in REGIMES_OF for name in PROBES]]
        regimes = met(of_regimes, quiet_level(of_regimes))
        values[:, regimes.quiet.any(axis=0) & regimes.disturbed.any(axis=0)] = np.nan
    correlation = block_correlation(values)
    return correlation if np.isnan(correlation) else min(correlation, share_between(logs, names, blocks))


def differences_in_turns(baseline: Side, candidate: Side) -> Differences | None:
    """The differences in each block; None if in no turns.

    Launches of one side that had no company of the other have no part in the ratio.
    """
    if baseline.rounds is None or candidate.rounds is None or baseline.sessions is None or candidate.sessions is None:
        return None
    common, ours, theirs = np.intersect1d(candidate.sessions, baseline.sessions, return_indices=True)
    ours, theirs = ours[common >= 0], theirs[common >= 0]
    if not len(ours):
        return None
    rounds = candidate.rounds[ours]
    candle = np.full_like(rounds, np.nan) if candidate.candle is None else candidate.candle[ours]
    return differences(rounds, baseline.rounds[theirs], candle, candidate.blocks[ours])


@dataclass(frozen=True)
class _Units:
    """The launches of both sides that a group of cases has: (U, C), (probes, U, C) or None, (U,), (U,).

    `turns`: if they measured in turns, what the logarithms are of: the differences, and zeros as the baseline's.
    """

    logs: Matrix
    probes: Matrix | None
    blocks: NDArray[np.int64]
    names: Values
    turns: Differences | None


def _pair(cases: NDArray[np.intp], units: _Units, rules: Rules, families: int, groups: int, correlation: float) -> Pair:
    """One group of so many of a pair of stacks. All of `units.logs` are there."""
    logs, blocks, names = units.logs, units.blocks, units.names
    in_turns = units.turns is not None
    common = sorted(set(blocks[names == 1].tolist()) & set(blocks[names == 0].tolist()))
    whole: Places = [(np.flatnonzero(names == 1), np.flatnonzero(names == 0))]
    within: Places = [
        (np.flatnonzero((blocks == block) & (names == 1)), np.flatnonzero((blocks == block) & (names == 0)))
        for block in common
    ]
    enough = len(common) >= MIN_BLOCKS
    chosen: Strata = ""
    if enough and smallest_p(sizes_by_operation(within)) * families <= rules.alpha:
        chosen = "blocks"
    elif smallest_p(sizes_by_operation(whole)) * families <= rules.alpha and not in_turns:
        chosen = "launches"
    places = within if chosen == "blocks" or (enough and not chosen) or in_turns else whole
    level = rules.alpha / (families * max(groups, 1))
    correlation = correlation if places is within else np.nan
    factor = widening(correlation, len(common), rules.confidence)
    fitted, adjusted, regimes = _under_interference(units, places, rules, level, factor)
    logs = widened(logs, names, places, factor)
    ratio = shifts(logs, logs, places, rules.confidence)
    plain = Pair(
        cases=cases,
        ratio=ratio,
        within_blocks=places is within,
        strata=chosen,
        blocks=len(common),
        p_value=no_shift(logs, logs, places) if chosen else np.full(len(cases), np.nan),
        tests=beyond((logs, logs), names, places, rules.margin),
        bounds=bounded((logs, logs), names, places, rules.margin),
        common=np.zeros(len(cases), dtype=bool),
        states=ratios_in_states(units.logs, names),
        adjustment=fitted,
        adjusted=adjusted,
        regimes=regimes,
        in_turns=in_turns,
        correlation=correlation,
    )
    if chosen != "blocks" or not groups or not np.isfinite(logs).all():
        return plain
    if smallest_p(sizes_by_operation(places)) > (1 - SHARE) * min(level, 1 - rules.confidence):
        return plain
    return _apart(plain, replace(units, logs=logs), places, rules, level)


def _apart(plain: Pair, units: _Units, places: Places, rules: Rules, level: float) -> Pair:
    """The pair with the launches' common part told apart, at a level, if that is to decide more in most of its cases.

    A case is slower by more than the threshold where its own part is slower by more than what the lower end of the
    common part's interval leaves of the threshold, and not slower where it is below what the upper end leaves.
    """
    parts = apart(units.logs, places)
    stack_gains = parts.gains(units.logs, units.names, places, rules.confidence)
    if stack_gains.mean() < MOST:
        return plain
    ratio = parts.shifts(places, rules.confidence)
    least, most = (parts.own + end * units.names[:, None] for end in parts.bounds(places, level))
    tests = beyond((least, most), units.names, places, rules.margin)
    bounds = bounded((most, least), units.names, places, rules.margin)
    both = np.tile(stack_gains, 2)
    return replace(
        plain,
        ratio=Shifts(
            estimate=np.where(stack_gains, ratio.estimate, plain.ratio.estimate),
            low=np.where(stack_gains, ratio.low, plain.ratio.low),
            high=np.where(stack_gains, ratio.high, plain.ratio.high),
            confidence=min(ratio.confidence, plain.ratio.confidence),
        ),
        p_value=np.where(stack_gains, parts.no_shift(units.names, places, rules.confidence), plain.p_value),
        tests=_instead(plain.tests, tests, both, level),
        bounds=_instead(plain.bounds, bounds, both, level),
        common=stack_gains,
    )


def _instead(plain: Tests, apart: Tests, where: NDArray[np.bool_], level: float) -> Tests:
    """The plain tests, and where told those of the own part: a share of the level is spent on the common one."""
    return replace(
        plain,
        scores=np.where(where, apart.scores, plain.scores),
        alone=np.where(where, apart.alone / (1 - SHARE), plain.alone),
        spent=SHARE * level,
    )


def _of_the_machine(probes: Matrix, places: Places) -> Matrix:
    """The probes, NaN if one differs between the stacks by more than chance: that may be their doing.

    Where processes run is a matter of the launch, so it is the median over its cases that is looked at.
    """
    usable_probes = probes.copy()
    for each in usable_probes:
        launches = known_medians(each)[:, None]
        differences = shifts(launches, launches, places, 1 - DIFFERS)
        if differences.low[0] > 0 or differences.high[0] < 0:
            each[:] = np.nan
    return usable_probes


def _told(units: _Units, probes: Matrix, places: Places) -> Adjustment:
    """What the probes say, each about its median."""
    usual = probes - np.median(probes, axis=1, keepdims=True)
    strata = [np.concatenate(each) for each in places]
    return adjustment(units.logs, usual, list(PROBES.values()), units.names, strata)


def _under_interference(
    units: _Units, places: Places, rules: Rules, level: float, factor: float
) -> tuple[Adjustment | None, Adjusted | None, ByRegime | None]:
    """What probes or the standard candle make of the values: a slope, the values adjusted by it, and the regimes.

    `level`: what the cases have of the level; `factor`: by which correlated blocks widen their intervals.
    """
    if units.turns is not None:
        fitted = _fitted_to_candle(units, units.turns.candle, places)
        turns = units.turns.widened(factor)
        regimes = by_regime_in_turns(turns, units.names, places, rules.margin, rules.confidence, level)
        return fitted, _adjusted(units, None, fitted, places, rules, factor), regimes
    if units.probes is None:
        return None, None, None
    probes = _of_the_machine(units.probes, places)
    states, fitted = probes[[name in REGIMES_OF for name in PROBES]], _told(units, probes, places)
    return fitted, _adjusted(units, states, fitted, places, rules, factor), _regimes(units, states, places, rules)


def _fitted_to_candle(units: _Units, candle: Matrix, places: Places) -> Adjustment:
    """What the standard candle says of a difference: a slope of either sign, 0 at its usual level.

    The difference is the value of the candidate in a block, so the covariate is there, too, and 0 at the baseline.
    `candle`: (B, C).
    """
    usual = candle - np.median(candle, axis=0)
    covariates = np.concatenate([usual, np.zeros_like(usual)])[None]
    strata = [np.concatenate(stratum) for stratum in places]
    fitted = adjustment(units.logs, covariates, [0.0], units.names, strata)
    return replace(fitted, chosen=np.where(fitted.chosen >= 0, list(PROBES).index(CANDLE), -1))


def _adjusted(
    units: _Units, states: Matrix | None, fitted: Adjustment, places: Places, rules: Rules, factor: float
) -> Adjusted | None:
    """The cases in which a probe is used; None if there is no such case. `states`: as of `_regimes`; None: in turns.

    `factor`: as of `_under_interference`.
    """
    cases = np.flatnonzero(fitted.chosen >= 0)
    if not len(cases):
        return None
    logs, fitted = units.logs[:, cases], fitted.of(cases)
    at_zero = fitted.without(logs)
    upper, lower = (
        widened(fitted.without(logs, side * rules.margin), units.names, places, factor) for side in (1.0, -1.0)
    )
    ratio = widened_shifts(shifts(at_zero, at_zero, places, rules.confidence, fitted.moves), factor)
    regimes = None if states is None else _regimes(replace(units, logs=at_zero), states[:, :, cases], places, rules)
    tests, bounds = (tested((upper, lower), units.names, places, rules.margin) for tested in (beyond, bounded))
    return Adjusted(cases, ratio, tests, bounds, regimes)


def _regimes(units: _Units, states: Matrix, places: Places, rules: Rules) -> ByRegime | None:
    """What each regime says, if `states`, the probes that tell one regime from another, show two: (P, U, C)."""
    return by_regime(units.logs, units.names, states, places, rules.margin, rules.confidence)
