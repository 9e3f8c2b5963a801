# SPDX-License-Identifier: BSD-3-Clause
"""Two samples that were measured in turns: one difference for each block, and one in each regime of the machine.

In each round of a session both samples have one value of every case, measured within tens of milliseconds, so what the
machine does to both cancels. What is left of a difference varies between blocks far more than between the rounds of a
block, so a block is the unit of tests and intervals, and rounds are not.

If the samples respond to a regime of the machine by different factors, their difference has a value in each regime. The
standard candle is read in every round, without labels and values of the samples, so each round is assigned to a regime,
and a block that met both has a difference in each. Tests and intervals within a regime stay exact (Rosenbaum 2002).
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from isochron.stats.adjustment import APART, ByRegime, Inside, compare_regimes
from isochron.stats.block_correlation import widened_differences
from isochron.stats.launches import Values, known_medians, matched_columns
from isochron.stats.margin_test import beyond, bounded
from isochron.stats.multiple_tests import Matrix, Tests
from isochron.stats.shift import Places, no_shift

#: Rounds of a session in a regime from which on its median there counts.
MIN_ROUNDS = 3
#: Iterations of the median polish.
POLISH = 5

Rounds = NDArray[np.float64]


@dataclass(frozen=True)
class Differences:
    """Differences of two samples in B blocks and C cases, and the level of the candle: (B, C), NaN if there is none.

    `quiet`, `disturbed`: the differences in the rounds of that regime; `blocks`: the numbers of the blocks, (B,).
    """

    values: Matrix
    quiet: Matrix
    disturbed: Matrix
    candle: Matrix
    blocks: NDArray[np.int64]

    def of(self, blocks: NDArray[np.bool_], cases: NDArray[np.intp]) -> "Differences":
        """Return the same of some blocks and cases."""
        at = np.ix_(blocks, cases)
        return Differences(self.values[at], self.quiet[at], self.disturbed[at], self.candle[at], self.blocks[blocks])

    @property
    def of_one_regime(self) -> Matrix:
        """Of each case the differences in the regime that more blocks met, or all if they met one only. (B, C)."""
        quiet, disturbed = np.isfinite(self.quiet).sum(axis=0), np.isfinite(self.disturbed).sum(axis=0)
        both = (quiet > 0) & (disturbed > 0)
        return np.where(both, np.where(quiet >= disturbed, self.quiet, self.disturbed), self.values)

    def widened(self, factor: float) -> "Differences":
        """Return the same with differences that are `factor` times as far from their centre (`block_correlation`)."""
        values, quiet, disturbed = (
            widened_differences(each, factor) for each in (self.values, self.quiet, self.disturbed)
        )
        return Differences(values, quiet, disturbed, self.candle, self.blocks)


def differences(first: Rounds, second: Rounds, candle: Rounds, blocks: NDArray[np.int64]) -> Differences:
    """Return the differences of two samples, in all rounds and in those of a regime.

    `first`, `second`, `candle`: logarithms in rounds of the same S sessions, shape (S, R, C), NaN where a round has
    none; `blocks`: the block of each session, (S,).
    """
    quiet, disturbed = regimes_of_rounds(candle)
    values, numbers = block_differences(first, second, blocks)
    inside = [
        block_differences(np.where(_enough(regime & ~np.isnan(first - second)), first, np.nan), second, blocks)[0]
        for regime in (quiet, disturbed)
    ]
    levels, _ = block_differences(candle, np.zeros_like(candle), blocks)
    return Differences(values, inside[0], inside[1], levels, numbers)


def block_differences(first: Rounds, second: Rounds, blocks: NDArray[np.int64]) -> tuple[Matrix, NDArray[np.int64]]:
    """Return the difference of two samples in each block, shape (B, C), and the number of each block, (B,).

    `first`, `second`: values in rounds of the same S sessions, shape (S, R, C), NaN where a round has none; `blocks`:
    the block of each session, (S,). The difference in a session is the median over its rounds, so that a disturbance
    that meets only one of the two has no weight unless it lasts for half of them; in a block it is the mean over its
    sessions. NaN where no round of a block has both values.
    """
    numbers = np.unique(blocks)
    sessions = _session_medians(first - second)
    means = [_known_mean(sessions[blocks == number]) for number in numbers]
    return np.array(means).reshape(len(numbers), first.shape[2]), numbers


def _session_medians(rounds: Rounds) -> Matrix:
    """Return the medians over rounds of what is not NaN: (S, R, C) → (S, C)."""
    by_case = np.moveaxis(rounds, 1, 2)
    return known_medians(by_case.reshape(-1, rounds.shape[1])).reshape(by_case.shape[:2])


def _known_mean(values: Matrix) -> Values:
    """Return the mean of each column of what is not NaN; NaN if nothing is known."""
    known = ~np.isnan(values)
    return np.asarray(np.where(known, values, 0.0).sum(axis=0) / np.where(known.any(axis=0), known.sum(axis=0), np.nan))


def _enough(inside: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return the rounds of sessions that have enough of them: (S, R, C)."""
    return np.asarray(inside & (inside.sum(axis=1, keepdims=True) >= MIN_ROUNDS))


def regimes_of_rounds(candle: Rounds) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return which rounds met the quiet regime, and which a slower one: (S, R, C) each; neither if nothing was read.

    Cases differ in what the candle takes for them, so readings are relative to the case: sessions and cases are
    separated by median polish (Tukey 1977), which does not depend on how many sessions met which regime. The quiet
    regime is that of the fastest session; a round within a factor of `APART` of it met it, too.
    """
    levels = _session_medians(candle)
    case = known_medians(levels.T)
    session = np.zeros(len(levels))
    for _ in range(POLISH):
        session = known_medians(levels - case)
        case = case + known_medians((levels - case - session[:, None]).T)
    above = candle - case - np.fmin.reduce(session, initial=np.inf)
    return above <= np.log(APART), above > np.log(APART)


@dataclass(frozen=True)
class ByRegimeInTurns(ByRegime):
    """The same of blocks that measured in turns. `disturbed_tests`: as `tests`, in the disturbed regime.

    `disturbed_bounds`: as `bounds`, in the disturbed regime.
    `quiet_p`, `disturbed_p`: (R,), two-sided, of no difference in that regime. `quiet_joint` and
    `disturbed_joint`: (2, R), lower and upper ends of intervals that hold for all cases and both regimes together.
    """

    disturbed_tests: Tests
    disturbed_bounds: Tests
    quiet_p: Values
    disturbed_p: Values
    quiet_joint: Matrix
    disturbed_joint: Matrix


def by_regime_in_turns(
    units: Differences, names: Values, places: Places, margin: float, confidence: float, level: float
) -> ByRegimeInTurns | None:
    """Return shifts and tests in each regime; None if no case met both.

    `names`: 1 for the B differences, then 0 for as many zeros that they are compared with; `places`: of these; `level`:
    of all joint intervals together.
    """
    met = np.isfinite(units.quiet).any(axis=0) & np.isfinite(units.disturbed).any(axis=0)
    cases = np.flatnonzero(met)
    if not len(cases):
        return None
    quiet, disturbed = (_beside_zeros(values[:, cases]) for values in (units.quiet, units.disturbed))
    tests, bounds = (
        [tested((values, values), names, places, margin, inside) for values, inside in (quiet, disturbed)]
        for tested in (beyond, bounded)
    )
    return ByRegimeInTurns(
        cases,
        *compare_regimes(quiet, disturbed, places, margin, confidence),
        tests=tests[0],
        disturbed_tests=tests[1],
        bounds=bounds[0],
        disturbed_bounds=bounds[1],
        quiet_p=_no_shift_inside(*quiet, places),
        disturbed_p=_no_shift_inside(*disturbed, places),
        quiet_joint=_student_interval(units.quiet[:, cases], level / (2 * len(cases))),
        disturbed_joint=_student_interval(units.disturbed[:, cases], level / (2 * len(cases))),
    )


def _student_interval(values: Matrix, level: float) -> Matrix:
    """Return the ends of Student's interval of the mean of what is not NaN in each column: (B, C) → (2, C).

    Few blocks met the rarer regime: the exact tests of 7 blocks have no p below 1/128, whatever the values are, so that
    no correction for the number of cases is possible with them. NaN if a column has fewer than two values.
    """
    blocks = np.isfinite(values).sum(axis=0)
    known = np.where(blocks > 1, blocks, np.nan)
    mean = np.nansum(values, axis=0) / known
    error = np.sqrt(np.nansum((values - mean) ** 2, axis=0) / (known - 1) / known)
    half = stdtrit(known - 1, 1 - level / 2) * error
    return np.stack([mean - half, mean + half])


def _beside_zeros(values: Matrix) -> Inside:
    """Return the differences with as many zeros below, 0 for those that are not there, and which are there."""
    inside = np.tile(np.isfinite(values), (2, 1))
    return np.concatenate([np.nan_to_num(values), np.zeros_like(values)]), inside


def _no_shift_inside(values: Matrix, inside: NDArray[np.bool_], places: Places) -> Values:
    """Return the p values of `no_shift` of the values inside. (U, C) → (C,)."""
    p_values = np.full(values.shape[1], np.nan)
    for cases, units in matched_columns(inside):
        known: Places = [(one[units[one]], other[units[other]]) for one, other in places if units[one].any()]
        if known:
            p_values[cases] = no_shift(values[:, cases], values[:, cases], known)
    return p_values
