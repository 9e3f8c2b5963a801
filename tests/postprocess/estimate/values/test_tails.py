# SPDX-License-Identifier: BSD-3-Clause
"""Quantiles of repetitions from the store: which repetitions count, and what the tables say of them."""

from __future__ import annotations

import numpy as np
import pytest

from isochron.postprocess.__main__ import main
from isochron.postprocess.estimate.values import tails
from isochron.postprocess.estimate.values.tails import QUANTILES, TAILS_IN_SUMMARY, repetitions_of
from isochron.postprocess.ingest.inputs import RESULT_KEY, RunInputs
from isochron.postprocess.ingest.store import read_table
from isochron.postprocess.kit.table import TableContext
from isochron.postprocess.subjects.results.table import make_quantiles, make_summary, make_tails, make_values


@pytest.fixture
def context(small: RunInputs) -> TableContext:
    assert main(["ingest", str(small.layout.root)]) == 0
    return TableContext(small)


def test_repetitions_are_those_of_their_launch_in_order(context: TableContext) -> None:
    found = repetitions_of(context.inputs.layout, context.used)
    stored = read_table(context.inputs.layout, "repetitions")
    stored = stored[stored["valid"] | stored["overran"]]
    for row, start, count in zip(context.used.to_dict("records"), found.starts, found.counts, strict=True):
        own = (stored[["launch_id", "operation", "bytes"]] == [row["launch_id"], row["operation"], row["bytes"]]).all(
            axis=1
        )
        assert found.times[start : start + count].tolist() == sorted(stored.loc[own, "time_us"])


def test_the_summary_has_the_values_of_the_tails(context: TableContext) -> None:
    summary, table = context.get(make_summary), context.get(make_tails)
    assert context.get(make_values).equals(summary.drop(columns=list(TAILS_IN_SUMMARY)))
    assert len(table) == len(QUANTILES) * len(summary)
    p95 = table[table["quantile"] == "p95"].merge(summary, on=RESULT_KEY)
    assert np.array_equal(p95["time_us"], p95["p95_us"], equal_nan=True) and p95["p95_us"].notna().any()
    known = table[table["time_us"].notna()]
    assert ((known["min_us"] <= known["time_us"]) & (known["time_us"] <= known["max_us"])).all()
    assert (table["reason"] != "").all(), "four launches of twelve repetitions have no interval"
    assert table.loc[table["quantile"] == "p99.9", "time_us"].isna().all()


def test_tails_are_the_same_for_results_that_are_too_large_to_be_taken_together(
    context: TableContext, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A single result may have more repetitions than results that are sorted together."""
    together = context.get(make_tails)
    monkeypatch.setattr(tails, "TOGETHER", 5)
    assert TableContext(context.inputs).get(make_tails).equals(together)


def test_a_launch_with_few_repetitions_has_no_quantile(context: TableContext) -> None:
    _, launches = context.get(make_quantiles)
    assert len(launches) == len(context.used) and launches[list(QUANTILES)].isna().all(axis=None)
