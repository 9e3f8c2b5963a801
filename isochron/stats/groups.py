# SPDX-License-Identifier: BSD-3-Clause
"""Whether launches fall into two groups: then their median stands for neither."""

from __future__ import annotations

from math import nan

import numpy as np
from numpy.typing import NDArray

from isochron.stats.launches import Values

#: Fewer launches cannot show two groups.
FEWEST = 6
#: Launches that make a group.
SMALLEST = 2
#: Groups that are closer than this are not worth a word.
MIN_GAP = 1.5


def gap(values: Values) -> Values:
    """Ratio of the two neighbouring values between which the launches split into two groups, else NaN.

    `values`: shape (…, L).
    """
    low, high = _split(values)
    ratio: Values = (high / low)[()]
    return ratio


def slow(values: Values) -> NDArray[np.bool_]:
    """Which values are in the slower of two groups; none where there are no two groups. Shape (…, L)."""
    return np.asarray(values >= _split(values)[1][..., None])


def _split(values: Values) -> tuple[Values, Values]:
    """The largest value of the faster group and the smallest of the slower one, shapes (…); NaN where there are none.

    The split is at the widest relative gap that leaves at least two
    launches on either side; they are two groups when that gap is at least 1.5 and wider than
    each group is itself (largest / smallest). A plain criterion for a handful of launches, not a test.
    """
    ordered = np.sort(values, axis=-1)
    if ordered.shape[-1] < FEWEST:
        none = np.full(ordered.shape[:-1], nan)
        return none, none
    with np.errstate(divide="ignore", invalid="ignore"):
        steps = ordered[..., 1:] / ordered[..., :-1]
        first = SMALLEST - 1 + np.argmax(steps[..., SMALLEST - 1 : steps.shape[-1] - SMALLEST + 1], axis=-1)
        low, high, widest = (
            _at(array, place) for array, place in ((ordered, first), (ordered, first + 1), (steps, first))
        )
        within = np.maximum(low / ordered[..., 0], ordered[..., -1] / high)
    two = (ordered[..., 0] > 0) & (widest >= MIN_GAP) & (widest > within)
    return np.where(two, low, nan), np.where(two, high, nan)


def _at(values: Values, place: NDArray[np.intp]) -> Values:
    return np.take_along_axis(values, place[..., None], axis=-1)[..., 0]
