# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

from collections.abc import Callable
from math import isnan, log
from typing import NamedTuple

import numpy as np
import pytest
from numpy.random import Generator
from numpy.typing import NDArray
from scipy import stats
from scipy.special import ndtri

from isochron.stats.tails import (
    FEWEST_UNITS,
    fewest_for_value,
    fewest_independent,
    launch_quantiles,
    pooled_quantiles,
    quantile_ranks,
)

Values = NDArray[np.float64]


class Quantile(NamedTuple):
    """Of `Quantiles` one row."""

    value: float
    low: float
    high: float
    confidence: float
    worth: float
    apart: float


def pooled(sample: Values, quantile: float, confidence: float = 0.95) -> Quantile:
    """Of a sample (launches, repetitions)."""
    times, units = sample.ravel(), np.repeat(np.arange(len(sample)), sample.shape[1])
    order = np.argsort(times)
    return only(times[order], units[order], quantile, confidence)


def only(times: Values, units: NDArray[np.intp], quantile: float, confidence: float = 0.95) -> Quantile:
    """Of one row."""
    (found,) = pooled_quantiles(times[None], units[None], (quantile,), confidence)
    return Quantile(*(float(getattr(found, name)[0]) for name in Quantile._fields))


@pytest.mark.parametrize("count", [1000, 10_000])
@pytest.mark.parametrize("quantile", [0.95, 0.99, 0.999])
def test_ranks_have_the_confidence_that_they_say(count: int, quantile: float) -> None:
    found = quantile_ranks(count, quantile, 0.95)
    if count < fewest_independent(quantile, 0.95):
        assert found is None
        return
    assert found is not None
    low, high, reached = found
    assert 1 <= low < high <= count
    assert reached == pytest.approx(
        stats.binom.cdf(high - 1, count, quantile) - stats.binom.cdf(low - 1, count, quantile)
    )
    assert 0.95 <= reached <= 0.97


def test_fewest_values_of_an_interval() -> None:
    assert [fewest_independent(quantile, 0.95) for quantile in (0.5, 0.95, 0.99, 0.999)] == [6, 71, 348, 3456]
    for quantile in (0.95, 0.99):
        assert quantile_ranks(fewest_independent(quantile, 0.95) - 1, quantile, 0.95) is None


#: Each covers p99 of independent values with a probability that does not depend on the distribution.
DISTRIBUTIONS: dict[str, tuple[Callable[[Generator, int], Values], float]] = {
    "normal": (lambda rng, n: rng.normal(10, 1, n), 10 + float(ndtri(0.99))),
    "exponential": (lambda rng, n: 5 + rng.exponential(1, n), 5 - log(0.01)),
    "Pareto, infinite variance": (lambda rng, n: 1 + rng.pareto(1.5, n), 0.01 ** (-1 / 1.5)),
    "lognormal": (lambda rng, n: rng.lognormal(0, 1, n), float(np.exp(ndtri(0.99)))),
}


@pytest.mark.parametrize("name", DISTRIBUTIONS)
@pytest.mark.parametrize("count", [1000, 10_000])
def test_exact_ranks_cover_p99_of_independent_values(name: str, count: int) -> None:
    rng, (draw, true) = np.random.default_rng(count), DISTRIBUTIONS[name]
    ranks = quantile_ranks(count, 0.99, 0.95)
    assert ranks is not None
    hits = 0
    for _ in range(1000):
        ordered = np.partition(draw(rng, count), [ranks[0] - 1, ranks[1] - 1])
        hits += bool(ordered[ranks[0] - 1] <= true <= ordered[ranks[1] - 1])
    assert 930 <= hits <= 970


def launches(rng: Generator, shape: tuple[int, int], correlation: float, between: float) -> Values:
    """Normal repetitions (launches, repetitions): autoregressive within a launch, and launches that differ."""
    values = rng.normal(0, 1, shape)
    for number in range(1, shape[1]):
        values[:, number] = correlation * values[:, number - 1] + np.sqrt(1 - correlation**2) * values[:, number]
    return values + between * rng.normal(0, 1, (shape[0], 1))


@pytest.mark.parametrize("shape", [(10, 100), (10, 1000)])
@pytest.mark.parametrize(("correlation", "between"), [(0.0, 0.0), (0.5, 0.0), (0.0, 0.2)])
def test_p99_of_launches_is_covered_although_repetitions_depend(
    shape: tuple[int, int], correlation: float, between: float
) -> None:
    rng, true, covered = np.random.default_rng(shape[1]), float(ndtri(0.99)) * np.sqrt(1 + between**2), []
    for _ in range(400):
        found = pooled(launches(rng, shape, correlation, between), 0.99)
        if not isnan(found.low):
            covered.append(found.low <= true <= found.high)
    assert len(covered) > 250
    assert 0.90 < np.mean(covered) < 0.995  # 93 to 97 % within three standard errors of so few


def test_exact_ranks_alone_would_not_cover_dependent_repetitions() -> None:
    rng, ranks, hits = np.random.default_rng(5), quantile_ranks(10_000, 0.99, 0.95), 0
    assert ranks is not None
    for _ in range(200):
        ordered = np.sort(launches(rng, (10, 1000), 0.5, 0.2).ravel())
        hits += bool(ordered[ranks[0] - 1] <= ndtri(0.99) * np.sqrt(1.04) <= ordered[ranks[1] - 1])
    assert hits < 160


def test_launches_that_differ_a_lot_have_no_interval() -> None:
    rng = np.random.default_rng(6)
    found = [pooled(launches(rng, (10, 1000), 0.0, 1.0), 0.99) for _ in range(50)]
    assert sum(each.apart for each in found) >= 48
    assert all(isnan(each.low) and not isnan(each.value) for each in found if each.apart)


def test_few_launches_or_few_repetitions_have_no_interval() -> None:
    rng = np.random.default_rng(7)
    few = pooled(rng.normal(size=(FEWEST_UNITS - 1, 1000)), 0.99)
    assert isnan(few.low) and isnan(few.worth)
    short = pooled(rng.normal(size=(20, 14)), 0.99)
    assert isnan(short.low) and 1 < short.worth <= 280
    assert not isnan(pooled(rng.normal(size=(20, 14)), 0.95).low)


@pytest.mark.parametrize("seed", range(20))
def test_quantiles_lie_within_the_repetitions_and_their_intervals(seed: int) -> None:
    rng = np.random.default_rng(seed)
    sample = np.round(rng.lognormal(size=(12, int(rng.integers(1, 200)))), int(rng.integers(0, 3)))
    for quantile in (0.95, 0.99, 0.999):
        found = pooled(sample, quantile)
        assert sample.min() <= found.value <= sample.max()
        if not isnan(found.low):
            assert sample.min() <= found.low <= found.value <= found.high <= sample.max()


def test_equal_times_have_an_interval_without_width() -> None:
    found = pooled(np.full((10, 100), 3.0), 0.99)
    assert (found.value, found.low, found.high) == (3.0, 3.0, 3.0)
    assert found.worth == pytest.approx(1000)


def test_launches_have_the_same_weight_whatever_their_number_of_repetitions() -> None:
    times, units = np.concatenate([np.full(900, 1.0), np.full(100, 2.0)]), np.repeat([0, 1], [900, 100])
    assert only(times, units, 0.6).value == 2.0


def test_quantiles_of_each_launch_are_those_of_harrell_and_davis() -> None:
    rng = np.random.default_rng(8)
    long, short = np.sort(rng.lognormal(size=100)), np.sort(rng.lognormal(size=20))
    found = launch_quantiles(
        np.concatenate([long, short]), np.array([0, 100, 100]), np.array([100, 0, 20]), (0.95, 0.99)
    )
    expected = float(np.ravel(stats.mstats.hdquantiles(long, [0.99]))[0])
    assert found[0, 1] == pytest.approx(expected)
    assert found[2, 0] == pytest.approx(float(np.ravel(stats.mstats.hdquantiles(short, [0.95]))[0]))
    assert np.isnan(found[1]).all() and isnan(found[2, 1])
    assert [fewest_for_value(each) for each in (0.95, 0.99, 0.999)] == [14, 69, 693]
