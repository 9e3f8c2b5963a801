# SPDX-License-Identifier: BSD-3-Clause
"""The names of units as they could have been, drawn once for each design of a comparison: many tests share one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from isochron.stats.launches import Values

#: How many exchanges are drawn at once.
TOGETHER = 1000
#: Units whose two names fit into the bits of a whole number; of more, no two exchanges are alike.
BITS = 62


@dataclass(frozen=True)
class Names:
    """The names of units (1: the first sample, 0: the second), dealt out again within each stratum.

    Equal designs are equal objects, and draw the same from the same generator.
    """

    names: tuple[float, ...]
    strata: tuple[tuple[int, ...], ...]

    def __call__(self, rng: Generator, count: int) -> NDArray[np.float64]:
        """Draw the names `count` times as they could have been: (count, U)."""
        names = np.array(self.names)
        drawn = np.zeros((count, len(names)))
        for units in map(list, self.strata):
            drawn[:, units] = rng.permuted(np.tile(names[units], (count, 1)), axis=1)
        return drawn


def permuted_labels(names: Values, strata: Sequence[NDArray[np.intp]]) -> Names:
    """`Names` of arrays. `strata`: the units of each."""
    return Names(tuple(names.tolist()), tuple(tuple(units.tolist()) for units in strata))


@dataclass(frozen=True)
class PermutationSample:
    """Exchanges of one group: `names[which]`, shape (number drawn, U), of which many may be alike."""

    names: NDArray[np.float64]
    which: NDArray[np.intp]


@lru_cache(maxsize=16)
def draw(groups: tuple[Names, ...], seed: int, number: int) -> tuple[PermutationSample, ...]:
    """So many exchanges of groups that are exchanged independently of each other."""
    rng = np.random.default_rng(seed)
    parts: list[list[NDArray[np.int8]]] = [[] for _ in groups]
    for start in range(0, number, TOGETHER):
        for own, exchange in zip(parts, groups, strict=True):
            own.append(exchange(rng, min(TOGETHER, number - start)).astype(np.int8))
    return tuple(_distinct(np.concatenate(own)) for own in parts)


def _distinct(names: NDArray[np.int8]) -> PermutationSample:
    if names.shape[1] > BITS:
        return PermutationSample(names.astype(np.float64), np.arange(len(names)))
    code = (names > 0) @ (1 << np.arange(names.shape[1], dtype=np.int64))
    _, first, which = np.unique(code, return_index=True, return_inverse=True)
    return PermutationSample(names[first].astype(np.float64), which)
