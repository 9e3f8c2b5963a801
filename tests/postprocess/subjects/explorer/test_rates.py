# SPDX-License-Identifier: BSD-3-Clause
"""Bandwidth and efficiency of every row, against closed forms."""

from __future__ import annotations

from math import nan

import pandas as pd
import pytest

from isochron.postprocess.ingest.inputs import RESULT_KEY, RunInputs
from isochron.postprocess.subjects.explorer.table import RATES, rate_table
from isochron.postprocess.subjects.results.table import SUMMARY


def row(
    operation: str, size: int, processes: int, median: float, *, per_node: int = 2, reliable: bool = True
) -> dict[str, object]:
    key = dict(zip(RESULT_KEY, ("mpich-5.0", operation, size, processes, per_node, "packed"), strict=True))
    ends = {"median_us": median, "median_low_us": median * 0.9, "median_high_us": median * 1.2}
    return key | ends | {"reliable": reliable}


def rates(rows: list[dict[str, object]], moved: float = nan) -> pd.DataFrame:
    summary = pd.DataFrame(rows)
    return rate_table(summary[RESULT_KEY].assign(bytes_moved=moved, messages=nan), summary)


def test_the_bandwidth_is_of_the_message_where_none_is_defined_and_of_what_moves_where_one_is() -> None:
    (line,) = rates([row("bcast", 1000, 4, 4.0)]).to_dict("records")
    assert (line["bytes_counted"], line["mb_per_s"]) == (1000, 250.0)
    assert (line["mb_per_s_low"], line["mb_per_s_high"]) == pytest.approx((1000 / 4.8, 1000 / 3.6))
    (line,) = rates([row("ping-pong", 1000, 2, 4.0)], moved=2000).to_dict("records")
    assert line["mb_per_s"] == 250.0, "half of there and back, in half of the time"
    (line,) = rates([row("barrier", 0, 4, 4.0)]).to_dict("records")
    assert pd.isna(line["bytes_counted"]) and pd.isna(line["mb_per_s"])


def test_the_efficiency_is_the_time_with_the_fewest_reliable_processes_over_the_time() -> None:
    lines = [
        row("bcast", 8, 2, 1.0, reliable=False),
        row("bcast", 8, 4, 2.0),
        row("bcast", 8, 8, 4.0),
        row("bcast", 8, 8, 8.0, per_node=4),
        row("ping-pong", 8, 4, 2.0),
        row("ping-pong", 8, 8, 2.0),
    ]
    found = rates(lines)
    assert found["fewest_processes"].tolist()[:3] == [4, 4, 4]
    assert found["weak_efficiency"].tolist()[:3] == [2.0, 1.0, 0.5]
    assert found["weak_efficiency_low"].tolist()[1:3] == pytest.approx([1.0, 1.8 / 4.8])
    assert found["weak_efficiency_high"].tolist()[1:3] == pytest.approx([1.0, 2.4 / 3.6])
    assert found["weak_efficiency"].tolist()[3:] == pytest.approx([nan] * 3, nan_ok=True), "no curve"


def test_on_one_node_the_processes_per_node_may_differ() -> None:
    found = rates([row("bcast", 8, 2, 1.0), row("bcast", 8, 4, 2.0, per_node=4)])
    assert found["weak_efficiency"].tolist() == [1.0, 0.5]


@pytest.mark.heavy
def test_every_row_of_the_summary_is_there(demo: RunInputs) -> None:
    found, summary = (pd.read_csv(demo.layout.tables / table.file) for table in (RATES, SUMMARY))
    assert found[RESULT_KEY].equals(summary[RESULT_KEY])
    assert found["time_us"].equals(summary["median_us"])
