# SPDX-License-Identifier: BSD-3-Clause
"""Two states of a comparison: the ratio in either, of launches and of rounds in turns."""

from __future__ import annotations

import numpy as np
import pandas as pd

from isochron.postprocess.estimate.compare.states import in_two_states, mixed_texts, ratios_in_states, state_texts


def test_a_stack_in_two_groups_is_compared_in_each_with_all_launches_of_the_other() -> None:
    candidate = np.log([[1.0, 2.0], [1.1, 2.0], [1.0, 2.0], [3.0, 2.0], [3.1, 2.0], [3.0, 2.0]])
    baseline = np.full((6, 2), np.log(1.0))
    fast, slow = ratios_in_states(np.concatenate([candidate, baseline]), np.repeat([1.0, 0.0], 6))
    assert np.allclose(np.exp([fast[0], slow[0]]), [1.0, 3.0]) and np.isnan([fast[1], slow[1]]).all()


def test_if_both_stacks_are_in_two_groups_like_is_compared_with_like() -> None:
    both = np.log(np.array([[1.2], [1.2], [1.2], [3.3], [3.3], [3.3], [1.0], [1.0], [1.0], [1.0], [3.0], [3.0]]))
    fast, slow = ratios_in_states(both, np.repeat([1.0, 0.0], 6))
    assert np.allclose(np.exp([fast[0], slow[0]]), [1.2, 1.1])


def test_the_words_are_of_launches_or_of_ratios_and_a_regime_is_told_by_itself() -> None:
    table = pd.DataFrame(
        {"fast_ratio": [1.0, 0.9, np.nan, 1.0], "slow_ratio": [3.0, 2.0, np.nan, 3.0], "in_turns": [False, True] * 2}
    ).assign(by_regime=["", "", "", "differs"])
    assert in_two_states(table).tolist() == [True, True, False, False]
    assert state_texts(table)[2] == ""
    assert mixed_texts(table)[1].startswith(
        "ratios of blocks fall into two groups, which no probe tells apart: 0.90× in "
    )
    assert state_texts(table)[0] == "1.00× in the faster group, 3.00× in the slower one"
