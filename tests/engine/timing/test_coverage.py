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
