# SPDX-License-Identifier: BSD-3-Clause
"""The exact interval of a probability (Clopper and Pearson, Biometrika 26, 1934)."""

from scipy.special import betaincinv


def clopper_pearson(hits: int, count: int, confidence: float) -> tuple[float, float]:
    """Return bounds of the probability of a hit, observed `hits` times in `count`; (0, 1) if `count` is 0."""
    tail = (1 - confidence) / 2
    return lowest(hits, count, 1 - tail), highest(hits, count, 1 - tail)


def lowest(hits: int, count: int, confidence: float) -> float:
    """Return the one-sided lower bound."""
    return float(betaincinv(hits, count - hits + 1, 1 - confidence)) if hits else 0.0


def highest(hits: int, count: int, confidence: float) -> float:
    """Return the one-sided upper bound."""
    return float(betaincinv(hits + 1, count - hits, confidence)) if hits < count else 1.0
