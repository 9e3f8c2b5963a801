# SPDX-License-Identifier: BSD-3-Clause
"""Sentences of MPIPerf on the wait patterns against times that are known: n µs, and none."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from isochron.postprocess.subjects.published.checks import AGREES, DIFFERS, INCONCLUSIVE
from isochron.postprocess.subjects.published.quantity import Margins, select
from isochron.postprocess.subjects.published.table import outcomes_of
from isochron.schemas.input.published_findings import findings_path, load_findings, quantities

SENTENCES = {sentence.name: sentence for sentence in load_findings(findings_path("mpiperf")).sentences}
NAMES = {"up": "wait-pattern", "down": "wait-pattern-down", "null": "wait-pattern-null"}


def pattern(name: str, processes: int, off_us: float, spread_us: float, timer: str) -> dict[str, Any]:
    """A row of `view-mpiperf-wait-patterns`: what a timer that is off by so much reads."""
    true = 0.0 if name == "null" else float(processes)
    return {
        "stack": "a", "operation": f"wait-pattern-{name}", "bytes": 0, "processes": processes, "placement": "packed",
        "processes_per_node": processes, "scheme": "window", "buffers": "warm", "timer": timer, "true_us": true,
        "t_us": true + off_us, "t_min_us": true + off_us - spread_us, "t_max_us": true + off_us + spread_us,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "off_us", "spread_us", "outcome"),
    [
        ("up", 0.1, 0.01, AGREES),  # 48.1 µs instead of 48
        ("up", 6.0, 0.01, DIFFERS),  # 12 % more
        ("down", 0.1, 0.01, AGREES),
        ("down", -6.0, 0.01, DIFFERS),
        ("down", 4.8, 0.5, INCONCLUSIVE),  # from 9 to 11 % more
        ("null", 0.06, 0.01, AGREES),
        ("null", 8.0, 0.1, DIFFERS),  # what gettimeofday read in the study
        ("null", 1.0, 0.2, INCONCLUSIVE),
    ],
)
@pytest.mark.parametrize("timer", ["tsc", "clock-gettime"])
def test_a_right_timer_reads_what_a_wait_pattern_takes(
    name: str, off_us: float, spread_us: float, outcome: str, timer: str
) -> None:
    sentence = SENTENCES[NAMES[name]]
    rows = pd.DataFrame([pattern(name, 48, off_us, spread_us, timer), pattern(name, 48, 9.0, 0.1, "gettimeofday")])
    tables = [select(quantity, rows, exact=False) for quantity in quantities(sentence.check)]
    assert [result.outcome for _, result in outcomes_of(sentence, tables, Margins(0.05, 0.1))] == [outcome]
