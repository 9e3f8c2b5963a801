# SPDX-License-Identifier: BSD-3-Clause
"""Slow jobs of one campaign: named for what they were, seldom where there is none, and never for one label."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom

from isochron.stats.launches import Index, Values
from isochron.stats.slow_jobs import FEWEST_JOBS, OddJob, odd_jobs

ALPHA, CASES = 0.05, 6
#: Standard deviations: of a block, of what a job does to one label, of a launch, and of a value.
BLOCK, LABEL, LAUNCH, VALUE = 0.02, 0.02, 0.02, 0.01


def measured(
    rng: np.random.Generator, jobs: int, of_job: int, labels: int, spread: float = 0.0
) -> tuple[Values, Values, Index]:
    """Logarithms of times of jobs and of their blocks, and the job of each block. `spread`: between jobs."""
    shape = (jobs * of_job, labels, CASES)
    shifts = rng.normal(0, spread, (jobs, 1, 1)) + rng.normal(0, LABEL, (jobs, labels, 1))
    blocks = rng.normal(3, 1, (1, labels, CASES)) + np.repeat(shifts, of_job, axis=0) + rng.normal(0, VALUE, shape)
    blocks += rng.normal(0, BLOCK if of_job > 1 else 0, (len(blocks), 1, 1)) + rng.normal(0, LAUNCH, (*shape[:2], 1))
    return medians(blocks, jobs), blocks, np.repeat(np.arange(jobs), of_job)


def medians(blocks: Values, jobs: int) -> Values:
    return np.asarray(np.median(blocks.reshape(jobs, -1, *blocks.shape[1:]), axis=1))


def named(
    seed: int, jobs: int, of_job: int, labels: int, spread: float = 0.0, slow: float = 1.0, changed: float = 1.0
) -> list[OddJob]:
    """The jobs that are named; the last one is slow, in it label 1 changed as well."""
    _, blocks, job_of_block = measured(np.random.default_rng(seed), jobs, of_job, labels, spread)
    blocks[-of_job:] += np.log(slow)
    blocks[-of_job:, 1] += np.log(changed)
    return odd_jobs(medians(blocks, jobs), blocks, job_of_block, ALPHA)


#: Jobs, blocks of each, labels, and the spread between jobs.
DESIGNS = [(2, 2, 5, 0.0), (3, 1, 4, 0.0), (3, 3, 2, 0.0), (4, 3, 5, 0.0), (5, 2, 4, 0.0), (10, 1, 2, 0.04),
           (20, 1, 4, 0.04)]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("changed", [1.0, 2.0])
@pytest.mark.parametrize(("jobs", "of_job", "labels", "spread"), DESIGNS)
def test_false_names_are_rare(jobs: int, of_job: int, labels: int, spread: float, changed: float) -> None:
    runs = 1000
    false = sum(bool(named(seed, jobs, of_job, labels, spread, changed=changed)) for seed in range(runs))
    print(f"{jobs} jobs of {of_job} blocks, {labels} labels, one times {changed}: {false} of {runs} runs name a job")
    assert false <= binom.ppf(0.999, runs, ALPHA)


@pytest.mark.parametrize(("jobs", "of_job", "labels", "spread"), DESIGNS)
def test_a_slow_job_is_named_with_its_ratio_and_no_other(jobs: int, of_job: int, labels: int, spread: float) -> None:
    right, other, runs = 0, 0, 100
    for seed in range(runs):
        odd = {line.job: line for line in named(seed, jobs, of_job, labels, spread, slow=1.4)}
        other += bool(set(odd) - {jobs - 1})
        if jobs - 1 in odd:
            right += odd[jobs - 1].ratio == pytest.approx(1.4, abs=0.25) and odd[jobs - 1].p_value <= ALPHA
    assert right >= 90 and other <= 12


def test_a_fast_job_of_three_makes_no_other_slow() -> None:
    for seed in range(20):
        (line,) = named(seed, 3, 3, 4, slow=1 / 1.4)
        assert line.job == 2 and line.ratio == pytest.approx(1 / 1.4, abs=0.1)


@pytest.mark.parametrize("jobs", [3, FEWEST_JOBS + 3])
def test_a_label_that_changed_in_a_job_is_no_slow_job_and_hides_none(jobs: int) -> None:
    assert sum(bool(named(seed, jobs, 2, 4, changed=2.0)) for seed in range(40)) <= 6
    both = [named(seed, jobs, 2, 4, slow=1.4, changed=2.0) for seed in range(40)]
    assert sum(jobs - 1 in [line.job for line in odd] for odd in both) >= 36


def test_one_label_one_job_and_jobs_without_common_cases_show_nothing() -> None:
    assert named(1, 6, 2, 2, slow=3.0)
    _, blocks, job_of_block = measured(np.random.default_rng(1), 6, 2, 2)
    blocks[-2:] += 1
    assert odd_jobs(medians(blocks, 6)[:, :1], blocks[:, :1], job_of_block, ALPHA) == []
    assert odd_jobs(medians(blocks[-2:], 1), blocks[-2:], np.zeros(2, dtype=np.intp), ALPHA) == []
    blocks[-2:, :, 1:], blocks[:-2, :, 0] = np.nan, np.nan
    assert all(line.job != 5 for line in odd_jobs(medians(blocks, 6), blocks, job_of_block, ALPHA))


def test_two_slow_jobs_of_four_are_not_told_from_two_fast_ones() -> None:
    _, blocks, job_of_block = measured(np.random.default_rng(2), 4, 2, 4)
    blocks[-4:] += 0.5
    assert odd_jobs(medians(blocks, 4), blocks, job_of_block, ALPHA) == []


def test_one_bad_block_of_two_is_no_slow_job() -> None:
    _, blocks, job_of_block = measured(np.random.default_rng(3), 3, 2, 4)
    blocks[-1] += 0.5
    assert odd_jobs(medians(blocks, 3), blocks, job_of_block, ALPHA) == []
