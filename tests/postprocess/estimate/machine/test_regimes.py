# SPDX-License-Identifier: BSD-3-Clause
"""Rows that a launch measured wholly in another regime than its block's other launches, and how they are told."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import pytest

from isochron.postprocess.estimate.machine.probes import REGIME_COLUMNS, regime_table
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.interference.finding import MAX_LINES, other_regimes
from isochron.postprocess.subjects.interference.table import REGIMES
from tests.postprocess.changed import having

POINT = {"processes": 2, "processes_per_node": 2, "placement": "packed"}
STACKS = ("mpich-5.0", "openmpi-5.0", "mpich-4.3")


def tables(*lines: Sequence[Sequence[float]], block: int = 1) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Rows, launches and probes of a block: of each launch, its cache lines in each of its rows."""
    rows, launches, probes = [], [], []
    for stack, of_rows in zip(STACKS, lines, strict=False):
        launch = {"launch_id": f"r.{block}.{stack}", "block": block, "attempt": 1}
        launches.append({**launch, **POINT, "stack": stack, "launch": 1})
        time = 0.0
        probes.append({"launch_id": launch["launch_id"], "operation": "", "bytes": 0, "t_s": 0.0, "cache_line_ns": 100})
        for number, values in enumerate(of_rows):
            case = {"operation": "bcast", "bytes": 8 * number}
            rows.append({**launch, **POINT, "stack": stack, **case, "verdict": "ok"})
            for value in values:
                time += 0.1
                probes.append({"launch_id": launch["launch_id"], **case, "t_s": time, "cache_line_ns": value})
    return pd.DataFrame(rows), pd.DataFrame(launches), pd.DataFrame(probes)


def test_a_row_wholly_in_another_regime_is_named() -> None:
    """Not one that met it for a part, and not one with a lone interrupted reading."""
    slow, quiet = [400.0, 420.0, 410.0], [100.0, 104.0]
    table = regime_table(*tables([quiet, slow, [400.0, 400.0, 100.0]], [quiet, [5000.0], quiet], [quiet, quiet, quiet]))
    assert list(table.columns) == list(REGIME_COLUMNS)
    (row,) = table.to_dict("records")
    assert (row["stack"], row["bytes"], row["readings"], row["block"]) == ("mpich-5.0", 8, 3, 1)
    assert row["cache_line_ns"] == pytest.approx(400.0)
    assert row["others_ns"] == pytest.approx(104.0, abs=5)


def test_a_block_in_one_regime_has_none_to_name() -> None:
    """What all launches of a block share says nothing of one of them; and what is faster than all others is named."""
    slow = [400.0, 420.0]
    assert regime_table(*tables([slow, slow], [slow, slow])).empty
    table = regime_table(*tables([slow, slow], [slow, slow], [slow, [100.0, 100.0, 90.0]]))
    assert table[["stack", "bytes"]].values.tolist() == [["mpich-4.3", 8]]
    assert table["ratio"].item() < 0.5


def test_blocks_are_apart_and_a_launch_alone_has_no_others() -> None:
    slow, quiet = [400.0, 420.0], [100.0, 104.0]
    parts = [
        tables([slow, slow], [slow, slow]),
        tables([quiet, quiet], [quiet, quiet], block=2),
        tables([slow], block=3),
    ]
    assert regime_table(*(pd.concat(frames, ignore_index=True) for frames in zip(*parts, strict=True))).empty


def test_without_others_or_readings_there_is_nothing() -> None:
    rows, launches, probes = tables([[400.0]])
    assert regime_table(rows, launches, probes).empty
    table = regime_table(rows, launches, probes.iloc[:0])
    assert table.empty and list(table.columns) == list(REGIME_COLUMNS)


@pytest.mark.heavy
def test_they_are_told_launch_by_launch(demo: RunInputs, demo_analysis: Analysis) -> None:
    table = demo_analysis[REGIMES]
    assert table.empty  # made up: whole blocks are slow
    assert other_regimes(demo, demo_analysis) == []
    row = {"stack": "mpich-5.0", "operation": "bcast", "bytes": 8, **POINT, "attempt": 1, "launch": 1, "readings": 3}
    many = pd.DataFrame([{**row, "block": block, "ratio": 4.0, "verdict": "ok"} for block in range(1, 30)] * 2)
    (finding,) = other_regimes(demo, having(demo_analysis, {REGIMES: many}))
    assert finding.text.startswith("58 results were measured wholly in another regime")
    assert "in 29 launches" in finding.text and len(finding.details) == MAX_LINES
    assert finding.details[0].startswith("mpich-5.0, block 1: 4.00× in 2 results (bcast")
