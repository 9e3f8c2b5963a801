# SPDX-License-Identifier: BSD-3-Clause
"""What a search has found in many series, and the names of what it knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from isochron.stats.changes.clipped import Index
from isochron.stats.launches import Values

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
    """The share of the error budget that may be spent with a run; of all from the first look on they add up to 1."""
    return (FEWEST - 1) / ((run + 1) * run)


def joined(parts: Sequence[tuple[Any, ...]], kinds: tuple[Any, ...]) -> list[NDArray[Any]]:
    """The first arrays of all parts one after another, then the second ones … of these kinds."""
    none = tuple(np.empty(0, dtype=kind) for kind in kinds)
    return [np.concatenate(each) for each in zip(none, *parts, strict=True)]
