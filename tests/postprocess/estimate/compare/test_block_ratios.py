# SPDX-License-Identifier: BSD-3-Clause
"""The ratios of each block: of all other stacks over one, and only where both have a value."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from isochron.postprocess.estimate.compare.block_ratios import BLOCK_COLUMNS, block_ratios
from isochron.postprocess.ingest.inputs import CASE
from tests.postprocess.estimate.compare.sessions import BLOCKS, SessionRows, sides


def test_of_each_block_the_ratio_to_the_baseline() -> None:
    pair = sides(np.random.default_rng(1), "quiet", np.array([1.0, 1.3]))
    assert pair[1].rounds is not None
    pair[1].rounds[5, :, 1] = np.nan
    summary = pd.DataFrame([("bcast", size, 2, 2, "packed") for size in (8, 16)], columns=pd.Index(CASE))
    rows = {name: SessionRows(summary, summary.iloc[:0], None, side) for name, side in zip("ab", pair, strict=True)}
    table = block_ratios(rows, "a")
    assert list(table.columns) == list(BLOCK_COLUMNS)
    assert table[["variant", "operation", "bytes", "processes"]].to_numpy().tolist() == [
        ["b", "bcast", 8, 2], ["b", "bcast", 16, 2],
    ]  # fmt: skip
    assert [len(logs) for logs in table["logs"]] == [BLOCKS, BLOCKS - 1]
    assert np.mean(table["logs"][1]) == pytest.approx(np.log(1.3), abs=0.03)
    swapped = block_ratios(rows, "b")
    assert np.allclose(swapped["logs"][0], -np.array(table["logs"][0]))
