# SPDX-License-Identifier: BSD-3-Clause
"""Whether the engine's 95 % intervals cover the truth in 95 % of samples."""

import subprocess
from collections.abc import Callable
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

DRAWS = 5000
TRIM = 0.25

Array = npt.NDArray[np.float64]
Sampler = Callable[[np.random.Generator, int], Array]


def normal(generator: np.random.Generator, count: int) -> Array:
    """Location 100, scale 10."""
    return generator.normal(100.0, 10.0, count)


def contaminated(generator: np.random.Generator, count: int) -> Array:
    """A tenth of the values has ten times the scale; symmetric."""
    scale = np.where(generator.random(count) < 0.1, 100.0, 10.0)
    return 1000.0 + scale * generator.normal(0.0, 1.0, count)


def lognormal(generator: np.random.Generator, count: int) -> Array:
    """Skewed to the right, as run times are."""
    return generator.lognormal(0.0, 0.5, count)


@pytest.fixture
def program(checked: Path) -> Path:
    """The program that prints the engine's statistics of samples."""
    return checked / "tests" / "sample_statistics"


def statistics_of(program: Path, samples: Array) -> Array:
    """Rows of mean, se, ci_low, ci_high, median, median_low, median_high; shape (draws, 7)."""
    numbers = " ".join(f"{value!r}" for value in samples.ravel().tolist())
    command = [str(program), str(samples.shape[1]), str(TRIM), "0.95"]
    done = subprocess.run(command, input=numbers, capture_output=True, text=True, check=True)
    return np.array([line.split() for line in done.stdout.splitlines()], dtype=np.float64)


def covered(low: Array, high: Array, truth: float) -> float:
    """Share of the intervals that hold the truth."""
    return float(np.mean((low <= truth) & (truth <= high)))


@pytest.mark.parametrize("count", [16, 30, 100])
@pytest.mark.parametrize("sampler", [normal, contaminated, lognormal])
def test_interval_coverage(program: Path, sampler: Sampler, count: int) -> None:
    """Of the trimmed mean against the trimmed population mean, 93 to 97 % on symmetric populations."""
    generator = np.random.default_rng(20260101)
    population = np.sort(sampler(generator, 2_000_000))
    cut = int(TRIM * population.size)
    trimmed_mean = float(population[cut:-cut].mean())
    rows = statistics_of(program, sampler(generator, DRAWS * count).reshape(DRAWS, count))
    assert rows.shape == (DRAWS, 7)

    mean_share = covered(rows[:, 2], rows[:, 3], trimmed_mean)
    median_share = covered(rows[:, 5], rows[:, 6], float(np.median(population)))
    print(f"{sampler.__name__} n={count}: mean {mean_share:.3f}, median {median_share:.3f}")
    assert median_share >= 0.94  # exact and at least 95 %, less sampling error
    if sampler is lognormal:
        assert mean_share >= 0.90
    else:
        assert 0.93 <= mean_share <= 0.97


@pytest.mark.parametrize("count", [30, 100])
@pytest.mark.parametrize("rho", [0.0, 0.3, 0.6, 0.8])
def test_coverage_of_runs_that_resemble_their_neighbours(program: Path, rho: float, count: int) -> None:
    """93 to 97.5 % of the mean's intervals, though a series of 30 with 0.8 is worth three independent values."""
    generator = np.random.default_rng([count, int(10 * rho)])
    values = generator.normal(size=(DRAWS, count + 100))
    for run in range(1, count + 100):
        values[:, run] = rho * values[:, run - 1] + np.sqrt(1 - rho**2) * values[:, run]
    rows = statistics_of(program, np.exp(0.3 * values[:, 100:]))
    # The population of such a series is that of its single values, whose trimmed mean is known from many.
    population = np.sort(np.exp(0.3 * generator.normal(size=2_000_000)))
    cut = int(TRIM * population.size)
    share = covered(rows[:, 2], rows[:, 3], float(population[cut:-cut].mean()))
    print(f"autocorrelation {rho}, n={count}: {share:.3f}")
    assert 0.93 <= share <= 0.975
