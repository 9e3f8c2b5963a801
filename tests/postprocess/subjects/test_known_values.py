# SPDX-License-Identifier: BSD-3-Clause
"""What tables of timers, wait patterns and memory are said to show, and when they are not worth a sentence."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from isochron.postprocess.formatting import numbers
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.table import Analysis, SavedFrame
from isochron.postprocess.subjects.details.finding import growing_memory
from isochron.postprocess.subjects.details.table import GROWTH, MEMORY, growth_table
from isochron.postprocess.subjects.methods.finding import poor_timers
from isochron.postprocess.subjects.methods.table import TIMERS
from isochron.postprocess.subjects.results.table import SUMMARY
from isochron.postprocess.subjects.views.finding import wrong_patterns
from isochron.postprocess.subjects.views.mpiperf_table import MPIPERF_PATTERNS
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.next_blocks import Flagged
from tests.postprocess.synthetic import Spec, campaign_of, plan_of

SPEC = Spec(stacks=["mpich-5.0"], operations=["barrier"], processes=[8, 16, 32], processes_per_node=[8], launches=1)
INPUTS = RunInputs(RunLayout(Path("run")), campaign_of(SPEC), plan_of(SPEC), None, {})
TIMER = INPUTS.campaign.engine.timer


def analysed(frames: dict[SavedFrame, pd.DataFrame]) -> Analysis:
    return Analysis(pd.DataFrame(), Flagged(rows=[], points=[]), {table.name: frame for table, frame in frames.items()})


def timers(*lines: tuple[str, str, str, float, float]) -> Analysis:
    """Lines of host, timer, verdict, step and cost; the shortest result takes 2 µs."""
    table = pd.DataFrame(lines, columns=pd.Index(["host", "timer", "verdict", "resolution_us", "cost_us"]))
    return analysed({TIMERS: table, SUMMARY: pd.DataFrame({"median_us": [float("nan"), 50.0, 2.0]})})


def test_a_coarse_timer_is_named_with_a_better_one() -> None:
    analysis = timers(
        ("n1", TIMER, "coarse", 1.0, 0.03), ("n1", "tsc", "good", 0.001, 0.01),
        ("n1", "mpi-wtime", "good", 0.001, 0.04),
        ("n2", TIMER, "good", 0.001, 0.03), ("n2", "tsc", "refused", float("nan"), float("nan")),
        ("n2", "mpi-wtime", "good", 0.002, 0.05),
    )  # fmt: skip
    (finding,) = poor_timers(INPUTS, analysis)
    assert finding.severity == "warning"
    assert finding.text.startswith(f"The timer of this campaign, {TIMER}, is coarse on 1 node: its step is 1.00 µs")
    assert f"{numbers.percent(0.5)} of the shortest result" in finding.text
    assert finding.text.endswith(
        "Write `engine: {timer: mpi-wtime}` instead: a step of 0.002 µs, and 0.050 µs for a reading."
    )


def test_a_good_timer_is_not_worth_a_sentence_and_a_slow_one_may_have_no_better() -> None:
    assert poor_timers(INPUTS, timers(("n1", TIMER, "good", 0.001, 0.03), ("n1", "tsc", "coarse", 1.0, 0.01))) == []
    (finding,) = poor_timers(INPUTS, timers(("n1", TIMER, "slow", 0.001, 0.8), ("n1", "tsc", "coarse", 1.0, 0.01)))
    assert "is slow on 1 node" in finding.text
    assert finding.text.endswith("No other timer that was tested is good on all nodes.")


def patterns(*lines: tuple[str, int, str, float]) -> Analysis:
    """Lines of operation, processes, timer and time as it reads."""
    rows: list[dict[str, Any]] = []
    for operation, processes, timer, read in lines:
        true = 0.0 if operation == "wait-pattern-null" else float(processes)
        rows.append(
            {
                "operation": operation, "processes": processes, "processes_per_node": 8, "placement": "packed",
                "timer": timer, "scheme": "window", "true_us": true, "t_us": read, "off_us": read - true,
            }
        )  # fmt: skip
    return analysed({MPIPERF_PATTERNS: pd.DataFrame(rows)})


def test_wait_patterns_say_by_how_much_each_timer_is_off() -> None:
    (finding,) = wrong_patterns(
        INPUTS,
        patterns(
            ("wait-pattern-null", 16, "tsc", 0.9),
            ("wait-pattern-up", 16, "tsc", 16.2),
            ("wait-pattern-up", 16, "gettimeofday", 17.6),
            ("wait-pattern-up", 8, "gettimeofday", 8.8),
        ),
    )
    assert finding.text.startswith("2 of 3 times of wait patterns, which are known, are read as more than 5")
    assert "With tsc they are off by 0.20 µs in the median, from 0.20 to 0.20 µs" in finding.text
    assert "With gettimeofday they are off by 1.2 µs in the median, from 0.80 to 1.6 µs" in finding.text
    assert finding.text.endswith("16.0 µs with 16 processes, reads as 17.6 µs with gettimeofday (window).")
    assert finding.numbers["largest_off_us"] == pytest.approx(1.6)


def test_wait_patterns_that_read_as_they_are_need_no_sentence() -> None:
    """An empty pattern reads as what the engine adds: that has its own place in the report."""
    read = patterns(("wait-pattern-null", 16, "tsc", 3.0), ("wait-pattern-up", 16, "tsc", 16.7))
    assert wrong_patterns(INPUTS, read) == []


def memory(per_process: float, bend: float = 0.0) -> Analysis:
    """10 MiB and so much for each process of the launch, after two steps; the middle point is `bend` off."""
    rows = [
        {
            "stack": "mpich-5.0", "processes": count, "processes_per_node": 8, "placement": "packed", "step": step,
            "figure": figure, "mean_mib": 10 + per_process * count + bend * (count == 16) + 5 * (figure == "rss"),
        }
        for step in ("init", "comm-dup") for figure in ("rss", "pss") for count in (8, 16, 32)
    ]  # fmt: skip
    table = pd.DataFrame(rows)
    return analysed({MEMORY: table, GROWTH: growth_table(table)})


def test_memory_that_grows_is_extrapolated() -> None:
    (finding,) = growing_memory(INPUTS, memory(0.5))
    assert finding.text.startswith("With mpich-5.0 each process takes 512 KiB more (pss, after comm-dup) for every")
    assert "it is 266 MiB with 512 processes, 2.08 GiB on a node with 8: by a line through 3 points" in finding.text
    assert finding.numbers["expected_mib"] == pytest.approx(266)


def test_memory_that_does_not_grow_beyond_its_scatter_needs_no_sentence() -> None:
    assert growing_memory(INPUTS, memory(0.0)) == []
    assert growing_memory(INPUTS, memory(0.001)) == []
    assert growing_memory(INPUTS, memory(0.05, bend=6.0)) == []
