# SPDX-License-Identifier: BSD-3-Clause
"""Which measured cases stand for a call of a program: the same operation and processes, the nearest sizes."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import Any

from isochron.schemas.profile.uses import Part

#: operation, bytes, processes, processes per node, placement: CASE.
Case = tuple[str, int, int, int, str]

#: A size stands for others up to this factor away.
NEAR = 2.0


def case_of(names: Sequence[Any]) -> Case:
    """A case from the values of its columns (CASE)."""
    operation, size, processes, per_node, placement = names
    return str(operation), int(size), int(processes), int(per_node), str(placement)


def standing_for(part: Part, cases: Sequence[Case], per_node: int) -> list[tuple[int, float]]:
    """Places in `cases` and their parts, which add up to 1; empty where none stands for the calls.

    A size between two measured ones is put between them by its logarithm. `per_node`: of the program.
    """
    for operation in part.operations:
        same = [place for place, case in enumerate(cases) if (case[0], case[2]) == (operation, part.processes)]
        at_point = _at_one_point(same, cases, min(per_node, part.processes))
        found = _of_sizes(part.bytes, {cases[place][1]: place for place in at_point})
        if found:
            return found
    return []


def _at_one_point(places: list[int], cases: Sequence[Case], per_node: int) -> list[int]:
    """Those with the number of processes per node that is nearest to the program's, in the first placement of it."""
    if not places:
        return []
    best = min(places, key=lambda place: (abs(cases[place][3] - per_node), place))
    return [place for place in places if cases[place][3:] == cases[best][3:]]


def _of_sizes(size: int, places: dict[int, int]) -> list[tuple[int, float]]:
    if size in places:
        return [(places[size], 1.0)]
    below = max((each for each in places if 0 < each < size), default=None)
    above = min((each for each in places if each > size), default=None)
    near = [each for each in (below, above) if each is not None and size and 1 / NEAR <= each / size <= NEAR]
    if not near:
        return []
    if below is None or above is None:
        return [(places[near[0]], 1.0)]
    part = log(size / below) / log(above / below)
    return [(places[below], 1 - part), (places[above], part)]
