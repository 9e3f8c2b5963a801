# SPDX-License-Identifier: BSD-3-Clause
"""Labels that changed between jobs: found whatever the jobs do to all, and seldom where none changed."""

from __future__ import annotations

import numpy as np
import pytest

from isochron.stats.changed_labels import FEWEST_LABELS, changed_labels
from isochron.stats.launches import Values

#: Standard deviations of public data: what a job does to all labels, and to one of them.
JOB, LABEL = 0.2, 0.05


def measured(rng: np.random.Generator, jobs: int, labels: int, cases: int = 6) -> Values:
    """Logarithms of times; what a job does to a label is nearly the same in all its cases."""
    levels = rng.normal(3, 1, (1, labels, cases))
    of_job = rng.normal(0, JOB, (jobs, 1, cases))
    return levels + of_job + rng.normal(0, LABEL, (jobs, labels, 1)) + rng.normal(0, 0.01, (jobs, labels, cases))


@pytest.mark.parametrize(("jobs", "labels"), [(2, 4), (2, 13), (3, 6), (10, 6)])
def test_where_nothing_changed_seldom_anything_is_found(jobs: int, labels: int) -> None:
    rng = np.random.default_rng([jobs, labels])
    found = [bool(changed_labels(measured(rng, jobs, labels), 0.05)) for _ in range(400)]
    assert np.mean(found) <= 0.08


@pytest.mark.parametrize(("jobs", "changed"), [(2, [1]), (3, [0]), (4, [2, 3]), (6, [1, 3, 5])])
@pytest.mark.parametrize("labels", [[3], [0, 5, 7]])
def test_labels_that_take_twice_the_time_are_found_with_their_jobs(
    jobs: int, changed: list[int], labels: list[int]
) -> None:
    rng = np.random.default_rng([jobs, *labels])
    right = 0
    for _ in range(100):
        values = measured(rng, jobs, 12)
        values[np.ix_(changed, labels)] += np.log(2)
        found = changed_labels(values, 0.05)
        rest = [job for job in range(jobs) if job not in changed]
        right += [(each.label, each.longer, each.shorter) for each in found] == [
            (label, changed, rest) for label in labels
        ]
        assert all(each.ratio == pytest.approx(2, rel=0.25) for each in found if each.label in labels)
    assert right >= 90


def test_a_slow_job_is_no_change_of_its_labels() -> None:
    rng = np.random.default_rng(5)
    values = measured(rng, 3, 8)
    values[1] += np.log(3)
    assert changed_labels(values, 0.001) == []


def test_few_labels_and_missing_values_give_nothing() -> None:
    values = measured(np.random.default_rng(1), 2, FEWEST_LABELS - 1)
    values[1, 0] += 5
    assert changed_labels(values, 0.05) == []
    values = measured(np.random.default_rng(1), 2, 8)
    values[1, 0] += 5
    values[0, 3:] = np.nan
    assert changed_labels(values, 0.05) == []
