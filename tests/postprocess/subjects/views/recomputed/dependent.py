# SPDX-License-Identifier: BSD-3-Clause
"""Intervals of the median of launches that may depend on each other, one case after another.

By docs/explanation/method.md: launches of a block that resemble each other (Fisher's F of their ranks), neighbouring
blocks that do (von Neumann's ratio of ranks), and launches in two groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import comb, exp, inf, log, sqrt
from statistics import NormalDist, fmean, median

from scipy.stats import f as fisher

#: Logarithms of the launch times of a case, in order of time.
Times = list[float]


def interval(
    times_us: Sequence[float], blocks: Sequence[int], all_cases: Sequence[Sequence[float]], confidence: float
) -> tuple[float, float]:
    """The interval in µs of the median over real launches. `all_cases`: times of all cases that they measured."""
    if len(times_us) < 2:
        return times_us[0], times_us[0]
    logs = [log(time) for time in times_us]
    at = {block: [place for place, other in enumerate(blocks) if other == block] for block in sorted(set(blocks))}
    by_block = [median(logs[place] for place in places) for places in at.values()]
    resemble, follow = do_blocks_differ(logs, list(at.values())), do_neighbours_agree(by_block)
    between = split(logs, 2)
    if between is None:
        outlier = is_one_apart_at_an_end(
            logs, [[log(time) for time in case] for case in all_cases], at[min(at)] + at[max(at)]
        )
        between = split(logs, 1) if outlier else None
    if not (resemble or follow or between is not None):
        return ordered_ends(sorted(times_us), len(times_us), confidence)
    units = by_block if resemble else logs
    low, high = ends(units, between, follow, confidence)
    return exp(min(low, median(logs))), exp(max(high, median(logs)))


def ends(units: Times, between: float | None, follow: bool, confidence: float) -> tuple[float, float]:
    """The ends from launches or blocks, worth fewer independent ones if they are in groups, or neighbours agree."""
    count = len(units)
    worth, is_known = float(count), True
    if follow or between is not None:
        level = median(units) if between is None else between
        above = [unit > level for unit in units]
        changes = sum(one != other for one, other in pairwise(above))
        part = sum(above) / count
        usual = 2 * part * (1 - part) * count
        rho = min(1.0, max(0.0, 1 - (changes / usual if usual > 0 else 0.0)))
        rho = min(1.0, rho + 2 / 3 * sqrt((1 - rho**2) / count))
        worth, is_known = count * (1 - rho) / (1 + rho), changes >= 5
    whole = max(int(worth), 1)
    if not is_known or (whole != count and reached(whole, confidence)[1] < confidence):
        worth, whole = float(count), count
    rank = max(1, int(reached(whole, confidence)[0] * count / worth))
    ordered = sorted(units)
    return ordered[rank - 1], ordered[count - rank]


def ordered_ends(ordered: Sequence[float], count: int, confidence: float) -> tuple[float, float]:
    """The binomial interval of independent values."""
    k, _ = reached(count, confidence)
    return ordered[k - 1], ordered[count - k]


def reached(count: int, confidence: float) -> tuple[int, float]:
    """The largest k for which the k-th values from both ends include the median as often as asked for, and how often.

    At least 1, where that is less often.
    """
    k = 1
    while sum(comb(count, below) for below in range(k + 1)) / 2**count < (1 - confidence) / 2:
        k += 1
    return k, 1 - 2 * sum(comb(count, below) for below in range(k)) / 2**count


def do_blocks_differ(values: Times, places_of_blocks: list[list[int]]) -> bool:
    """Whether ranks differ more between blocks than within them, at the level 0.2."""
    count, blocks = len(values), len(places_of_blocks)
    if blocks < 2 or blocks == count:
        return False
    rank = [each - (count + 1) / 2 for each in ranks(values)]
    between = sum(len(places) * fmean(rank[place] for place in places) ** 2 for places in places_of_blocks)
    within = sum(each**2 for each in rank) - between
    limit = fisher.ppf(0.8, blocks - 1, count - blocks) * (blocks - 1) / (count - blocks)
    return bool(between > limit * within)


def do_neighbours_agree(units: Times) -> bool:
    """Whether squared steps of ranks are small for their spread, at the level 0.05 of the normal approximation."""
    n = len(units)
    if n < 4:
        return False
    rank = ranks(units)
    spread = sum((each - (n + 1) / 2) ** 2 for each in rank)
    ratio = sum((one - other) ** 2 for one, other in pairwise(rank)) / spread if spread else 2.0
    variance = 4 * (n - 2) * (5 * n**2 - 2 * n - 9) / (5 * n * (n + 1) * (n - 1) ** 2)
    return ratio < 2 + NormalDist().inv_cdf(0.05) * sqrt(variance)


def ranks(values: Times) -> list[float]:
    """Ranks from 1; equal values have the mean of theirs."""
    return [sum(other < value for other in values) + (values.count(value) + 1) / 2 for value in values]


def split(values: Times, smallest: int) -> float | None:
    """The middle of the widest gap that leaves so many values on either side, if it divides them into two groups.

    It is 5 % wide at least, and wider than each group. Fewer than four values have no groups.
    """
    ordered, widest = sorted(values), (-inf, 0)
    if len(ordered) < 4:
        return None
    for below in range(smallest, len(ordered) - smallest + 1):
        gap = ordered[below] - ordered[below - 1]
        widest = max(widest, (gap, below), key=lambda each: each[0])
    gap, below = widest
    inner = max(ordered[below - 1] - ordered[0], ordered[-1] - ordered[below])
    return (ordered[below - 1] + ordered[below]) / 2 if gap >= log(1.05) and gap > inner else None


def is_one_apart_at_an_end(values: Times, all_cases: list[Times], places_at_ends: list[int]) -> bool:
    """Whether the same launch, of the first or the last block, is apart in this case and over all cases."""
    common = [median(case[place] - median(case) for case in all_cases) for place in range(len(values))]
    over_all, here = apart(common), apart(values)
    return sum(over_all) == 1 and here == over_all and any(over_all[place] for place in places_at_ends)


def apart(values: Times) -> list[bool]:
    """Which values are in the smaller of two groups."""
    middle = split(values, 1)
    if middle is None:
        return [False] * len(values)
    above = [value > middle for value in values]
    return [not each for each in above] if 2 * sum(above) > len(values) else above
