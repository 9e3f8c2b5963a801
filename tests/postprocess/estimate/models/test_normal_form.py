# SPDX-License-Identifier: BSD-3-Clause
"""Planted terms come back, and constants stay constants."""

from __future__ import annotations

import numpy as np
import pytest

from isochron.postprocess.estimate.models.normal_form import TERMS, fit, name, values

COUNTS = 2.0 ** np.arange(4, 14)


@pytest.mark.parametrize("term", TERMS, ids=name)
def test_a_planted_term_comes_back(term: tuple[float, int]) -> None:
    noise = np.exp(np.random.default_rng(1).normal(0, 0.005, len(COUNTS)))
    grows = values(term, COUNTS)
    found = fit(COUNTS, (3 + 5 * grows / grows[0]) * noise)
    assert found is not None
    assert found.terms == (term,)
    assert found.coefficients[0] == pytest.approx(5 / grows[0], rel=0.05)
    assert found.error < 0.02


def test_two_planted_terms_come_back() -> None:
    times = 4 + 6 * np.log2(COUNTS) + 1e-5 * COUNTS**2
    noise = np.exp(np.random.default_rng(1).normal(0, 0.003, len(COUNTS)))
    found = fit(COUNTS, times * noise)
    assert found is not None
    assert set(found.terms) == {(0.0, 1), (2.0, 0)}


def test_noise_about_a_constant_is_a_constant() -> None:
    rng = np.random.default_rng(2)
    forms = [fit(COUNTS, 7 * np.exp(rng.normal(0, 0.02, len(COUNTS)))) for _ in range(40)]
    assert sum(form is not None and form.terms == () for form in forms) >= 38


def test_the_error_is_that_of_points_left_out() -> None:
    times = 3 + 0.2 * COUNTS * np.exp(np.random.default_rng(3).normal(0, 0.05, len(COUNTS)))
    found = fit(COUNTS, times)
    assert found is not None
    (term,) = found.terms
    errors = []
    for index in range(len(COUNTS)):
        rest = np.arange(len(COUNTS)) != index
        design = np.stack([np.ones(len(COUNTS)), values(term, COUNTS)], axis=1)
        weighted = design[rest] / times[rest, np.newaxis]
        solution, *_ = np.linalg.lstsq(weighted, np.ones(int(rest.sum())), rcond=None)
        errors.append(1 - design[index] @ solution / times[index])
    assert found.error == pytest.approx(np.sqrt(np.mean(np.square(errors))))


def test_four_counts_are_too_few() -> None:
    assert fit(COUNTS[:4], COUNTS[:4]) is None


def test_the_text_is_readable() -> None:
    found = fit(COUNTS, 2 + 0.5 * COUNTS * np.log2(COUNTS))
    assert found is not None
    assert found.text == "2.00 + 0.500·p·log2 p"
    assert found.times(COUNTS) == pytest.approx(2 + 0.5 * COUNTS * np.log2(COUNTS))
