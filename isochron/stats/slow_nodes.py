# SPDX-License-Identifier: BSD-3-Clause
"""Nodes that make the jobs slower in which they are, from jobs whose sets of nodes overlap.

A collective waits for its slowest member, so a slow node does the same to every job that it is in, whatever its share
of the nodes. What a job takes (one number for each class of sizes, free of its cases) is compared between the jobs with
and those without the node: the statistic is their correlation with the node's presence. If no node is slow, jobs could
have had each other's sets of nodes: the largest statistic of all nodes and classes is compared with that after jobs
were exchanged within their strata, which keeps the familywise error whatever jobs are drawn from and however the sets
overlap (Westfall and Young 1993). A named node's effect is removed, and the next one is sought in what remains.

A node with a similar set of jobs can look slow in place of the slow one. The hypothesis that another node is the slow
one is rejected if after the removal of that node's effect (Freedman and Lane, J. Bus. Econ. Stat. 1, 1983) the named
one is still significant; the nodes of which it is not rejected are named beside it.

No test of this kind can name a node whose set of jobs the exchanges reach too often: `least_p`.
"""

from collections import Counter
from dataclasses import dataclass
from math import factorial, prod

import numpy as np
from numpy.typing import NDArray

from isochron.stats.launches import Index, Values

Mask = NDArray[np.bool_]

#: Exchanges that are drawn beside the observed order, and those that are in memory at once.
DRAWN, TOGETHER = 9_999, 500
#: Values further from the middle than so many robust standard deviations count as if they were there.
FARTHEST = 5.0
#: Statistics that differ by less are the same.
SAME = 1e-9
#: So many sets that are no rivals of the one that was named end the search for further rivals.
ENOUGH = 3


@dataclass(frozen=True)
class JobsOnNodes:
    """J jobs, of each U units (a point and its nodes), of which K classes of sizes have a logarithm; N nodes.

    `members`: (N, J, U), whether the node is in the unit. `values`: (J, U, K), NaN if missing. `strata`: (J,), jobs
    that can be exchanged: they have the same points.
    """

    members: Mask
    values: Values
    strata: Index


@dataclass(frozen=True)
class SlowNode:
    """`nodes`: those that were always in the same units; `rivals`: those that are not told from them.

    `p`: corrected over all nodes and classes. `effects`: (K,), logarithms, median of the units with it less the median
    of those without it.
    """

    nodes: tuple[int, ...]
    rivals: tuple[int, ...]
    p: float
    effects: Values


@dataclass(frozen=True)
class NodesOfJobs:
    """`slow`: in the order in which they were named. Of each node, shapes (N,) and (N, K): `alike`, the number of its
    set of units, the same for nodes that were always together; `p`, corrected; `least_p`, the smallest p that a node
    with this set of units can have, NaN if it is in every unit; `effects` as those of `SlowNode`."""

    slow: list[SlowNode]
    alike: Index
    p: Values
    least_p: Values
    effects: Values


def slow_nodes(jobs: JobsOnNodes, alpha: float, threshold: float, seed: int) -> NodesOfJobs:
    """Name nodes with a familywise error of at most `alpha`, of which the effect is `threshold` (a logarithm) at least.

    Deterministic for a seed.
    """
    sets, inverse = np.unique(jobs.members.reshape(len(jobs.members), -1), axis=0, return_inverse=True)
    alike = np.asarray(inverse, dtype=np.intp).reshape(-1)
    shape = jobs.values.shape
    least = _least_p(sets.reshape(-1, *shape[:2]), jobs.strata)
    effects = np.array([_effects(members.reshape(shape[:2]), jobs) for members in sets]).reshape(len(sets), shape[2])
    search = _Search.of(sets, jobs, seed)
    p_values, rest, level = np.ones(len(sets)), search.clipped(jobs.values), 0.0
    named: list[SlowNode] = []
    open_sets = np.isfinite(least)
    while open_sets.any():
        observed = np.where(open_sets, search.statistics(rest), -np.inf)
        p_values[open_sets] = np.maximum(level, search.p_of(observed, rest))[open_sets]
        best = int(observed.argmax())
        if p_values[best] > alpha or not (effects[best] >= threshold).any():
            break
        level, open_sets[best] = float(p_values[best]), False
        rivals = search.rivals(best, np.flatnonzero(open_sets), rest, alpha)
        together, others = np.flatnonzero(alike == best), np.flatnonzero(np.isin(alike, rivals))
        named.append(SlowNode(tuple(together.tolist()), tuple(others.tolist()), level, effects[best]))
        open_sets[rivals] = False
        rest = search.without(best, rest)
    return NodesOfJobs(named, alike, p_values[alike], least[alike], effects[alike])


def _least_p(sets: Mask, strata: Index) -> Values:
    """Return the share of exchanges that give a set of units, (S, J, U), one of the sets of its kind: (S,).

    Exchanges give a set every arrangement of its jobs within strata equally often.
    """
    kinds = []
    for members in sets:
        of_stratum = [Counter(map(tuple, members[strata == stratum].tolist())) for stratum in np.unique(strata)]
        kinds.append(tuple(frozenset(counted.items()) for counted in of_stratum))
    alike = Counter(kinds)
    least = np.full(len(sets), np.nan)
    for place, kind in enumerate(kinds):
        counts = [[count for _, count in stratum] for stratum in kind]
        arrangements = prod(factorial(sum(numbers)) // prod(map(factorial, numbers)) for numbers in counts)
        if arrangements > 1:
            least[place] = alike[kind] / arrangements
    return least


def _effects(members: Mask, jobs: JobsOnNodes) -> Values:
    """Return (K,), NaN if all units or none have the node."""
    away = np.where(np.isfinite(jobs.values), _centred(jobs.values, jobs.strata), np.nan)
    effects = np.full(away.shape[2], np.nan)
    for place in range(away.shape[2]):
        there, elsewhere = (side[np.isfinite(side)] for side in (away[members, place], away[~members, place]))
        if len(there) and len(elsewhere):
            effects[place] = np.median(there) - np.median(elsewhere)
    return effects


def _centred(values: Values, strata: Index) -> Values:
    """Return values less their mean by stratum and unit, 0 where they are missing. Shape (J, U, …)."""
    away = np.zeros(values.shape)
    for stratum in np.unique(strata):
        rows = np.flatnonzero(strata == stratum)
        known = np.isfinite(values[rows])
        there = np.where(known, values[rows], 0.0)
        mean = there.sum(axis=0) / np.maximum(known.sum(axis=0), 1)
        away[rows] = np.where(known, there - mean, 0.0)
    return away


@dataclass(frozen=True)
class _Search:
    """`presence`: (S, J·U), the sets less their means, of length 1; `orders`: (number drawn, J), jobs exchanged."""

    sets: Mask
    presence: Values
    strata: Index
    orders: Index

    @classmethod
    def of(cls, sets: Mask, jobs: JobsOnNodes, seed: int) -> "_Search":
        """Return the search over these sets of units, (S, J·U)."""
        shape = (*jobs.values.shape[:2], len(sets))
        presence = _centred(sets.T.reshape(shape).astype(np.float64), jobs.strata).reshape(-1, len(sets)).T
        rng = np.random.default_rng(seed)
        orders = np.tile(np.arange(shape[0]), (DRAWN, 1))
        for stratum in np.unique(jobs.strata):
            rows = np.flatnonzero(jobs.strata == stratum)
            orders[:, rows] = rng.permuted(orders[:, rows], axis=1)
        return cls(sets, _of_length_one(presence, axis=1), jobs.strata, orders)

    def clipped(self, values: Values) -> Values:
        """Return (J, U, K): what is far away, as a job in another regime is, does not hide the others."""
        away = _centred(values, self.strata)
        for place in range(away.shape[2]):
            known = np.isfinite(values[:, :, place])
            limit = FARTHEST * 1.4826 * float(np.median(np.abs(away[known, place]))) if known.any() else 0.0
            if limit > 0:
                away[:, :, place] = np.clip(away[:, :, place], -limit, limit)
        return np.where(np.isfinite(values), _centred(away, self.strata), 0.0)

    def statistics(self, rest: Values) -> Values:
        """Return the largest correlation over classes of each set: (S,)."""
        columns = rest.reshape(-1, rest.shape[2])
        return np.asarray((self.presence @ _of_length_one(columns, axis=0)).max(axis=1))

    def p_of(self, observed: Values, rest: Values) -> Values:
        """Return the share of exchanges, the observed order among them, whose largest statistic is as large: (S,)."""
        jobs, units, classes = rest.shape
        scaled = _of_length_one(rest.reshape(-1, classes), axis=0).reshape(rest.shape)
        largest = np.empty(len(self.orders))
        for first in range(0, len(self.orders), TOGETHER):
            order = self.orders[first : first + TOGETHER]
            exchanged = scaled[order].transpose(1, 2, 0, 3).reshape(jobs * units, -1)
            statistics = (self.presence @ exchanged).reshape(len(self.presence), len(order), classes)
            largest[first : first + TOGETHER] = statistics.max(axis=(0, 2))
        reached = len(largest) - np.searchsorted(np.sort(largest), observed - SAME)
        return np.asarray((1 + reached) / (1 + len(largest)))

    def without(self, one: int, rest: Values) -> Values:
        """Return what remains if the effect of a set is removed; a set that is faster than the others has none."""
        columns = rest.reshape(-1, rest.shape[2])
        effect = np.maximum(self.presence[one] @ columns, 0.0)
        return np.asarray((columns - np.outer(self.presence[one], effect)).reshape(rest.shape))

    def rivals(self, best: int, others: Index, rest: Values, alpha: float) -> list[int]:
        """Return the sets, of those that share a unit with the best, without whose effect it is not significant.

        The set that takes most from the best is tried first; after `ENOUGH` that are no rivals none is expected.
        """
        near = others[(self.sets[others] & self.sets[best]).any(axis=1)].tolist()
        remains = [(float(self.statistics(self.without(other, rest))[best]), other) for other in near]
        rivals, rejected = [], 0
        for observed, other in sorted(remains):
            if self.p_of(np.array([observed]), self.without(other, rest))[0] > alpha:
                rivals.append(other)
            else:
                rejected += 1
            if rejected == ENOUGH:
                break
        return rivals


def _of_length_one(vectors: Values, axis: int) -> Values:
    length = np.sqrt((vectors**2).sum(axis=axis, keepdims=True))
    return np.asarray(np.divide(vectors, length, out=np.zeros(vectors.shape), where=length > SAME))
