# SPDX-License-Identifier: BSD-3-Clause
"""What is said of what the engine adds to the values."""

from __future__ import annotations

from math import nan
from typing import Any

import pandas as pd
import pytest

from isochron.postprocess.formatting.numbers import GAP
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.contrasts.finding import operations_in_a_run
from isochron.postprocess.subjects.results.table import SUMMARY
from isochron.postprocess.subjects.trust.finding import NOT_MEASURED, overhead, overhead_text
from isochron.schemas.engine.options import EngineOptions
from isochron.schemas.run.next_blocks import Flagged

ROW: dict[str, Any] = {
    "operation": "bcast", "bytes": 8, "processes": 4, "processes_per_node": 4, "placement": "packed", "reliable": True,
    "overhead_us": 0.05, "overhead_low_us": 0.04, "overhead_high_us": 0.06,
}  # fmt: skip


def said(inputs: RunInputs, *rows: dict[str, Any]) -> str:
    return overhead_text(pd.DataFrame([{**ROW, "stack": "a", "median_us": 0.25, **row} for row in rows]), inputs)


def test_how_much_it_is_and_what_it_does_to_differences(small: RunInputs) -> None:
    """A quarter of the shorter value: 10 % are 13.3 % without it."""
    text = said(
        small,
        {"median_us": 0.2},
        {"stack": "b", "median_us": 5.0},
        {"stack": "b", "reliable": False, "overhead_us": 9.0},
    )
    assert text.startswith("The engine adds 0.050 µs [0.040; 0.060] to a time, the same for all stacks: ")
    assert "Without it 1 of 2 reliable values would be more than 10" in text
    assert f"lower, and that of a, bcast at 8{GAP}B" in text and f" by 25{GAP}% [20; 30]." in text
    assert f"stacks that are 10{GAP}% slower than that value are 13{GAP}% slower without it" in text
    assert "not known" not in text


def test_stacks_that_differ_are_named(small: RunInputs) -> None:
    """Where their intervals have no value in common."""
    ends = {"overhead_us": 0.5, "overhead_low_us": 0.4, "overhead_high_us": 0.55}
    text = said(small, {}, {"stack": "b", "median_us": 5.0, **ends})
    assert ", from 0.050 µs [0.040; 0.060] with a to 0.500 µs [0.400; 0.550] with b: " in text


def test_doubt_is_said(small: RunInputs) -> None:
    wide = {"overhead_low_us": 0.005}
    assert f"In 1 reliable value it is not known to 10{GAP}% of the value." in said(small, wide, {"median_us": 1.0})
    unknown = {"overhead_us": nan, "overhead_low_us": nan, "overhead_high_us": nan}
    assert said(small, unknown) == NOT_MEASURED
    assert said(small, {"reliable": False}) == ""
    assert said(small, {"median_us": 0.05}).count("is nothing else") == 1


@pytest.mark.parametrize(("low_us", "severity", "in_doubt"), [(0.04, "note", 0), (0.005, "warning", 1)])
def test_the_finding_warns_of_doubt_alone(small: RunInputs, low_us: float, severity: str, in_doubt: int) -> None:
    """A fifth of the value is no reason to warn; what is known to a ninth is."""
    summary = pd.DataFrame([{**ROW, "stack": "a", "median_us": 0.25, "overhead_low_us": low_us}])
    (found,) = overhead(small, Analysis(pd.DataFrame(), Flagged(rows=[], points=[]), {SUMMARY.name: summary}))
    assert (found.severity, found.numbers) == (severity, {"rows_in_doubt": in_doubt, "overhead_us": 0.05})


@pytest.mark.parametrize(
    ("options", "count"),
    [({}, 1), ({"operations_per_rep": 10}, 10), ({"scheme": "loop", "batch": 32}, 32), ({"batch": 32}, 1)],
)
def test_how_many_operations_a_run_has(options: dict[str, Any], count: int) -> None:
    assert operations_in_a_run(EngineOptions(**options)) == count
