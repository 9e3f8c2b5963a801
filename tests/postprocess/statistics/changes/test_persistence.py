# SPDX-License-Identifier: BSD-3-Clause
"""How much values resemble the one before: what is taken is rather too large, but a series keeps a level."""

from __future__ import annotations

import numpy as np

from isochron.postprocess.statistics.changes.autocorrelation import LARGEST, USUAL, Persistence


def test_deviations_that_stay_as_they_are_are_taken_for_the_most_persistent() -> None:
    known = Persistence()
    for away in np.random.default_rng(0).standard_normal((200, 5)):
        known.add(away, away)
    assert known.rho == LARGEST


def test_what_is_not_known_is_taken_for_more_than_usual_and_much_that_is_known_for_what_it_is() -> None:
    known = Persistence()
    assert USUAL < known.rho < LARGEST
    for before, after in np.random.default_rng(1).standard_normal((500, 2, 20)):
        known.add(before, after)
    assert 0 < known.rho < 0.1
