# SPDX-License-Identifier: BSD-3-Clause
"""Whether the engine's 95 % intervals cover the truth in 95 % of samples."""

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

DRAWS = 5000
#: Values in which a population's location is known to a hundredth of an interval's width.
POPULATION = 500_000
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


@pytest.fixture(scope="module")  # so one process of pytest-xdist has these tests, and no other waits for the build
def program(checked: Path) -> Path:
    """The program that prints the engine's statistics of samples."""
    return checked / "tests" / "sample_statistics"


def statistics_of(program: Path, samples: Array, passes: Sequence[int] = ()) -> Array:
    """Rows of mean, se, ci_low, ci_high, median, median_low, median_high and whether from passes; shape (draws, 8).

    `passes`: the values of each pass; without, all are of one.
    """
    numbers = " ".join(f"{value!r}" for value in samples.ravel().tolist())
    command = [str(program), ",".join(map(str, passes or samples.shape[1:])), str(TRIM), "0.95"]
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
    population = np.sort(sampler(generator, POPULATION))
    cut = int(TRIM * population.size)
    trimmed_mean = float(population[cut:-cut].mean())
    rows = statistics_of(program, sampler(generator, DRAWS * count).reshape(DRAWS, count))
    assert rows.shape == (DRAWS, 8)

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
    population = np.sort(np.exp(0.3 * generator.normal(size=POPULATION)))
    cut = int(TRIM * population.size)
    share = covered(rows[:, 2], rows[:, 3], float(population[cut:-cut].mean()))
    print(f"autocorrelation {rho}, n={count}: {share:.3f}")
    assert 0.93 <= share <= 0.975


#: Passes of a launch with the most runs, as they were before all were batches, and as they are.
FORMER = [8] * 6 + [56]
MOST = [8] * 13
#: Passes that rows have whatever their precision is.
FIRST = {"demonstration": 7, "default": 5}
#: Of the trimmed mean and of the median, against the middle of the passes' levels, which are symmetric.
LEVEL, RELATIVE_ERROR = 1000.0, 0.05


def launches(generator: np.random.Generator, draws: int, passes: Sequence[int], spread: float) -> Array:
    """Runs (draws, sum of passes) whose passes have levels that spread, around which runs resemble their neighbours."""
    found = []
    for count in passes:
        level = LEVEL * (1.0 + spread * generator.normal(size=(draws, 1)))
        runs = generator.normal(size=(draws, count))
        for run in range(1, count):
            runs[:, run] = 0.3 * runs[:, run - 1] + np.sqrt(1 - 0.3**2) * runs[:, run]
        found.append(level * (1.0 + 0.05 * runs))
    return np.concatenate(found, axis=1)


def ended(program: Path, runs: Array, passes: Sequence[int], first: int) -> Array:
    """What launches come to that end with the first pass after which they are precise enough, as the engine's do."""
    found, goes_on = np.zeros((len(runs), 8)), np.arange(len(runs))
    for count in range(first, len(passes) + 1):
        if not goes_on.size:
            break
        found[goes_on] = statistics_of(program, runs[goes_on][:, : sum(passes[:count])], passes[:count])
        now = found[goes_on]
        goes_on = goes_on[(now[:, 3] - now[:, 2]) / 2 > RELATIVE_ERROR * now[:, 0]]
    return found


def shares(rows: Array) -> tuple[float, float]:
    """Of the intervals of the mean and of the median, how many hold the truth."""
    return covered(rows[:, 2], rows[:, 3], LEVEL), covered(rows[:, 5], rows[:, 6], LEVEL)


@pytest.mark.parametrize("spread", [0.05, 0.1, 0.2])
def test_runs_do_not_know_how_far_passes_differ(program: Path, spread: float) -> None:
    """Where it started: with half of the runs in the last pass, an interval from runs covers about 60 %."""
    rows = statistics_of(program, launches(np.random.default_rng(1), 1000, FORMER, spread))
    print(f"passes differ by {spread:.0%}: {shares(rows)}")
    assert max(shares(rows)) < 0.8


@pytest.mark.parametrize("name", FIRST)
@pytest.mark.parametrize(
    ("spread", "draws"),
    [(0.05, 400), (0.2, 400), *(pytest.param(spread, 5000, marks=pytest.mark.slow) for spread in (0, 0.05, 0.1, 0.2))],
)
def test_coverage_of_launches_whose_passes_differ(program: Path, name: str, spread: float, draws: int) -> None:
    """Both intervals hold the truth in 93 to 97 % of launches; these end when precise enough, or at the limit."""
    generator = np.random.default_rng([draws, int(100 * spread), len(name)])
    rows = ended(program, launches(generator, draws, MOST, spread), MOST, FIRST[name])
    print(f"{name}, passes differ by {spread:.0%}: {shares(rows)}")
    assert (rows[:, 7] == 1).all()
    error = 3 * np.sqrt(0.05 * 0.95 / draws)
    assert all(0.93 - error <= share <= 0.97 + error for share in shares(rows))
