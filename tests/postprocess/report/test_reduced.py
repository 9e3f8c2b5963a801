# SPDX-License-Identifier: BSD-3-Clause
"""What the first screen leaves to the tables where there are too many comparisons for a page."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from isochron.postprocess.subjects.answer import section as data
from isochron.postprocess.subjects.answer.charts import MAX_MAPS, maps
from isochron.postprocess.subjects.answer.section import pairs_data


def compared(points: int) -> pd.DataFrame:
    """Two pairs of stacks at so many points; at the larger ones the differences are larger."""
    return pd.DataFrame([
        {
            "operation": operation, "bytes": 8, "processes": 2 * (point + 1), "processes_per_node": 2,
            "placement": "packed", "baseline": "old", "candidate": candidate, "stack": candidate, "other": "old",
            "ratio": 1.1 + point, "ratio_low": 1.0 + point, "ratio_high": 1.2 + point, "least": 1.05 + point,
            "verdict": "slower", "family": "question" if candidate == "new" else "exploratory",
        }
        for point in range(points) for operation in ("bcast", "reduce") for candidate in ("new", "other")
    ])  # fmt: skip


def test_the_points_with_the_largest_differences_have_maps() -> None:
    table = compared(MAX_MAPS + 3)
    shown, left_out = maps(table[table["stack"] == "new"])
    assert left_out == 3
    assert [each.point.split()[0] for each in shown] == [str(2 * (3 + number + 1)) for number in range(MAX_MAPS)]
    assert maps(table[table["processes"] == 2])[1] == 0


@pytest.mark.parametrize(("share", "points"), [(2.0, 12), (0.9, 12), (0.25, 6)])
def test_data_keep_to_their_size(monkeypatch: pytest.MonkeyPatch, share: float, points: int) -> None:
    """All pairs, those of the question, and of these the largest points."""
    table, stacks = compared(12), ["old", "new", "other"]
    whole, _ = pairs_data(table, stacks, 0.05)
    most = int(share * len(whole))
    monkeypatch.setattr(data, "MOST", most)
    text, reduced = pairs_data(table, stacks, 0.05)
    kept = json.loads(text)
    assert len(text) <= most and reduced == (share < 1)
    assert set(kept["pairs"]) == ({"0 1"} if reduced else {"0 1", "0 2"})
    assert len({point for _, _, point in kept["cases"]}) >= points / 2
    assert any(point.startswith("24 ") for _, _, point in kept["cases"])
