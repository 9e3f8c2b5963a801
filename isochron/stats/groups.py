# SPDX-License-Identifier: BSD-3-Clause
"""Detection of launches in two groups (bimodal), of which the median represents neither.

A simple criterion for a handful of launches, not a test. Groups that are reported are further apart, and of more
launches, than those that make an interval of the median invalid (`dependence`).
"""

from math import log, nan

import numpy as np
from numpy.typing import NDArray

from isochron.stats.launches import Values

#: Minimum number of values of a group.
SMALLEST = 2
#: For reported groups: minimum number of launches, and minimum distance as a ratio.
FEWEST, MIN_GAP = 6, 1.5


def lower_count(ordered: Values, least: float, fewest: int, smallest: int = SMALLEST) -> NDArray[np.intp]:
    """Return how many values are in the lower of two groups, 0 if there are no two groups.

    `ordered`: logarithms in ascending order, shape (…, L) → (…). The split is at the widest gap that leaves at least
    `smallest` values on either side. There are two groups if this gap is at least `least` and wider than each group is
    itself, in no fewer than `fewest` values.
    """
    count = ordered.shape[-1]
    if count < fewest:
        return np.zeros(ordered.shape[:-1], dtype=np.intp)
    with np.errstate(invalid="ignore"):  # a time of 0 is in no group
        steps = np.diff(ordered, axis=-1)
        lower = np.argmax(steps[..., smallest - 1 : count - smallest], axis=-1) + smallest
        low, high = value_at(ordered, lower - 1), value_at(ordered, lower)
        within = np.maximum(low - ordered[..., 0], ordered[..., -1] - high)
        return np.where((high - low >= least) & (high - low > within), lower, 0)


def gap(values: Values) -> Values:
    """Return the ratio of the two neighbouring values between which launches split into two groups, else NaN.

    `values`: shape (…, L) → (…).
    """
    low, high = _split(values)
    ratio: Values = (high / low)[()]
    return ratio


def slow(values: Values) -> NDArray[np.bool_]:
    """Mark the values in the slower of two groups; none if there are no two groups. Shape (…, L)."""
    return np.asarray(values >= _split(values)[1][..., None])


def value_at(values: Values, index: NDArray[np.intp]) -> Values:
    """Return one value of each line: (…, L) and (…) → (…)."""
    return np.take_along_axis(values, index[..., None], axis=-1)[..., 0]


def _split(values: Values) -> tuple[Values, Values]:
    """Return the largest value of the faster group and the smallest of the slower one, (…); NaN if there are none."""
    ordered = np.sort(values, axis=-1)
    with np.errstate(divide="ignore"):
        lower = lower_count(np.log(ordered), log(MIN_GAP), FEWEST)
    low, high = value_at(ordered, np.maximum(lower - 1, 0)), value_at(ordered, lower)
    return np.where(lower > 0, low, nan), np.where(lower > 0, high, nan)
