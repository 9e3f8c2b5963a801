# SPDX-License-Identifier: BSD-3-Clause
"""The verdicts of --check-timer, from the folders of the attempts to table and report."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from isochron.postprocess.estimate.machine.clocks import TIMER_COLUMNS, timer_table, timers_in_words
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.schemas.run.provenance import read_timers
from tests.postprocess.reported import report

HEAD = "host                 clock source timer          resolution_ns  cost_ns  rate_ppm  verdict\n"
LINES = """\
{host:<20} tsc          clock-gettime            1.0     24.5       {rate}  {verdict}
{host:<20} tsc          tsc                        -        -         -  refused: the counter is not invariant
"""


def write_checks(inputs: RunInputs) -> None:
    """Two blocks on n1 and n2; on n2 the second finds a coarse timer."""
    for block, second in (("b001", "good"), ("b002", "coarse: short operations will be timer-limited")):
        folder = inputs.layout.attempt(block, 1)
        folder.mkdir(parents=True)
        text = HEAD + LINES.format(host="n1", rate="0.5", verdict="good") + "a line of the launcher\n"
        (folder / "timers.txt").write_text(text + LINES.format(host="n2", rate="-1.5", verdict=second))


def test_what_is_no_verdict_is_passed_over(tmp_path: Path) -> None:
    assert read_timers(tmp_path / "nothing") == []
    (tmp_path / "other").write_text(HEAD + "mpiexec: a word\n\x00\nn1 tsc tsc 1 2 3 splendid\n")
    assert read_timers(tmp_path / "other") == []


def test_the_worst_verdict_of_each_timer_and_node(small: RunInputs) -> None:
    assert list(timer_table(small.layout).columns) == list(TIMER_COLUMNS)
    write_checks(small)
    table = timer_table(small.layout).set_index(["host", "timer"])
    assert table["verdict"].to_dict() == {
        ("n1", "clock-gettime"): "good", ("n1", "tsc"): "refused",
        ("n2", "clock-gettime"): "coarse", ("n2", "tsc"): "refused",
    }  # fmt: skip
    assert table["checks"].eq(2).all()
    assert table.loc[("n2", "clock-gettime"), "cost_us"] == pytest.approx(0.0245)
    assert table.loc[("n2", "clock-gettime"), "rate_ppm"] == -1.5
    assert table.loc[("n1", "tsc"), ["resolution_us", "cost_us", "rate_ppm"]].isna().all()


@pytest.mark.heavy
def test_the_report_says_it(small: RunInputs) -> None:
    write_checks(small)
    report(small.layout.root)
    words = timers_in_words(timer_table(small.layout))
    assert words == "clock-gettime good on n1, coarse on n2; tsc refused"
    assert words in small.layout.report.read_text()
    assert len(pd.read_csv(small.layout.tables / "timers.csv")) == 4
