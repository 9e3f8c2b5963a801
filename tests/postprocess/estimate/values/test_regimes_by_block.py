# SPDX-License-Identifier: BSD-3-Clause
"""Two groups of launches that are whole blocks, of other stacks too, are regimes of the machine."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from isochron.postprocess.estimate.values import intervals as regimes
from isochron.postprocess.ingest.inputs import RESULT_KEY
from isochron.stats.groups import gap

CASE = ("barrier", 0, 2, 2, "packed")


def rows_of(times: dict[str, list[float]], per_block: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Summary and launches of one case, `times` of the launches of each stack in their order."""
    rows = [
        (stack, *CASE, 1 + index // per_block, 1, time)
        for stack, own in times.items()
        for index, time in enumerate(own)
    ]
    summary = pd.DataFrame(
        [(stack, *CASE, gap(np.array(own))) for stack, own in times.items()],
        columns=pd.Index([*RESULT_KEY, "mode_ratio"]),
    )
    return summary, pd.DataFrame(rows, columns=pd.Index([*RESULT_KEY, "block", "attempt", "median_us"]))


def test_regimes_are_groups_that_are_whole_blocks() -> None:
    shared = [0.16, 0.17, 0.48, 0.47, 0.16, 0.16, 0.49, 0.48]
    assert regimes.by_block(*rows_of({"a": shared, "b": [2 * time for time in shared]}, 2)) == [True, True]
    steady = [1.0] * 8
    assert regimes.by_block(*rows_of({"a": shared, "b": shared, "c": steady}, 2)) == [True, True, False]
    assert regimes.by_block(*rows_of({"a": shared, "c": steady}, 2)) == [False, False]  # one stack alone
    assert regimes.by_block(*rows_of({"a": shared, "b": shared[1:] + shared[:1]}, 2)) == [False, False]
    assert regimes.by_block(*rows_of({"c": steady}, 2)) == [False]


@pytest.mark.heavy
def test_own_groups_are_hardly_ever_taken_for_blocks() -> None:
    rng = np.random.default_rng(1)
    times = [{stack: rng.choice([0.16, 0.48], 20).tolist() for stack in "abcde"} for _ in range(50)]
    assert not any(any(regimes.by_block(*rows_of(each, 2))) for each in times)
