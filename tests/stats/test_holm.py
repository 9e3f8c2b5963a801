# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from isochron.stats.holm import holm


def test_known_example() -> None:
    # 0.01·4, then 0.03·3 (twice, made monotone), 0.04·1 → 0.06.
    assert holm(np.array([0.01, 0.04, 0.03, 0.005])) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_tests_that_were_not_made_do_not_count() -> None:
    found = holm(np.array([0.02, np.nan, 0.03]))
    assert found[[0, 2]] == pytest.approx([0.04, 0.04])
    assert np.isnan(found[1])
    assert len(holm(np.empty(0))) == 0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_adjusted_values_keep_order_and_never_shrink(p_values: list[float]) -> None:
    given_values = np.array(p_values)
    found = holm(given_values)
    assert (found >= given_values).all()
    assert (found <= 1).all()
    assert (np.diff(found[np.argsort(given_values, kind="stable")]) >= 0).all()
    assert (found <= np.minimum(1, given_values * len(given_values)) + 1e-15).all()  # never worse than Bonferroni


def test_family_wise_error_under_the_null() -> None:
    rng = np.random.default_rng(2)
    false_claims = [(holm(rng.random(20)) <= 0.05).any() for _ in range(3000)]
    assert np.mean(false_claims) == pytest.approx(0.05, abs=0.012)
