# SPDX-License-Identifier: BSD-3-Clause
"""Two samples by the values of one regime of the machine, where a probe that they have no part in shows two.

Where the samples differ by how much a regime slows them down, no slope takes that out, and a shift over both regimes is
the answer to no question. Which values are left out is known without names and without values: names are exchanged, and
the interval is inverted, as before; a test given a covariate stays exact (Rosenbaum 2002).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from isochron.postprocess.statistics.launches import Values
from isochron.postprocess.statistics.rows import alike_columns
from isochron.postprocess.statistics.shift import Places, Shifts, shifts
from isochron.postprocess.statistics.step_down import Matrix

#: Readings that are further apart than this factor are of two regimes: the engine's own gate.
APART = 2.0
#: The regime is that of the reading at this quantile: the quiet one, unless it is rarer.
LEVEL = 0.3
#: One regime is used where it makes the interval at most so wide as all values do: with less to gain chance would
#: choose, and what it chose would cover less often than it says.
NARROWER = 0.5


def of_one_regime(probe: Matrix, level: Values | None = None) -> NDArray[np.bool_]:
    """Which values met it, in each case. `probe`: logarithms, (U, C). All of them where a reading is not known.

    `level`: (C,), the reading of the regime, where it is not to be found in these readings.
    """
    known = np.isfinite(probe).all(axis=0)
    readings = np.where(known, probe, 0.0)
    if level is None:
        level = np.quantile(readings, LEVEL, axis=0, method="lower")
    return np.asarray(~known | (np.abs(readings - level) <= np.log(APART)))


def narrower(
    values: Matrix, inside: NDArray[np.bool_], places: Places, all_values: Shifts
) -> tuple[NDArray[np.intp], Shifts]:
    """The cases in which the values inside decide more than all do, and the shifts with theirs in their place.

    `values`, `inside`: (U, C).
    """
    estimate, low, high = all_values.estimate.copy(), all_values.low.copy(), all_values.high.copy()
    better = []
    for cases, units in by_what_is_inside(inside):
        parts = [(one[units[one]], other[units[other]]) for one, other in places]
        left: Places = [(one, other) for one, other in parts if len(one) and len(other)]
        if not left:
            continue
        own = values[:, cases]
        found = shifts(own, own, left, all_values.confidence)
        if found.confidence < all_values.confidence:
            continue
        gained = found.high - found.low <= NARROWER * (high - low)[cases]
        at = cases[gained]
        estimate[at], low[at], high[at] = found.estimate[gained], found.low[gained], found.high[gained]
        better.append(at)
    return np.concatenate([np.empty(0, dtype=np.intp), *better]), Shifts(estimate, low, high, all_values.confidence)


def by_what_is_inside(inside: NDArray[np.bool_]) -> Iterator[tuple[NDArray[np.intp], NDArray[np.bool_]]]:
    """The cases with values outside, by which these are: (cases,), (U,)."""
    split = np.flatnonzero(~inside.all(axis=0))
    for cases, units in alike_columns(inside[:, split]):
        yield split[cases], units
