# SPDX-License-Identifier: BSD-3-Clause
"""The guidelines that a campaign can test: at every size of the operation, with the sizes that were measured."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from isochron.postprocess.estimate.guidelines.rules__table import GUIDELINES, Guideline

#: An operation at a size, and how often it is called.
Call = tuple[str, int, int]


@dataclass(frozen=True)
class Instance:
    """`operation` at `size` must take no longer than all of `calls` together."""

    kind: str
    operation: str
    size: int
    calls: tuple[Call, ...]


def instances(measured: Mapping[str, list[int]], processes: int) -> Iterator[Instance]:
    """All that can be tested at a number of processes. `measured`: sizes of each operation.

    Where the other way needs a size that was not measured, the next larger one stands in for it: padding it up to that
    is still a way to the result, so the guideline still holds. Monotony and split are between neighbouring sizes, for
    the others follow from those.
    """
    for guideline in GUIDELINES:
        for size in measured.get(guideline.operation, []):
            calls = _calls(guideline, size, processes, measured)
            if calls:
                yield Instance("other way", guideline.operation, size, calls)
    for operation, found in measured.items():
        sizes = sorted(size for size in found if size > 0)
        for smaller, larger in pairwise(sizes):
            yield Instance("monotony", operation, smaller, ((operation, larger, 1),))
            yield Instance("split", operation, larger, ((operation, smaller, -(-larger // smaller)),))


def _calls(
    guideline: Guideline, size: int, processes: int, measured: Mapping[str, list[int]]
) -> tuple[Call, ...] | None:
    """The parts with measured sizes; None where one was not measured at that size or above."""
    calls = []
    for part in guideline.parts:
        enough = [other for other in measured.get(part.operation, []) if other >= part.scale(size, processes)]
        if not enough:
            return None
        calls.append((part.operation, min(enough), 1))
    return tuple(calls)
