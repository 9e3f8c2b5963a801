# SPDX-License-Identifier: BSD-3-Clause
"""Figure 12 of MPIPerf: the RSE of MPI_Barrier over ten launches against the number of processes."""

from __future__ import annotations

import itertools
from pathlib import Path

import pandas as pd
import pytest

from isochron.postprocess.kit.drawing import figure_settings
from isochron.postprocess.subjects.views.mpiperf_figure import rse_plots
from isochron.postprocess.subjects.views.mpiperf_table import RSE_COLUMNS, rse_table
from isochron.workflows.campaign_file import load_campaign

CAMPAIGN = Path(__file__).parents[4] / "workflows" / "campaigns" / "mpiperf.yaml"
#: As many settings as the campaign's results and contrasts have.
SETTINGS = [
    ("window", "clock-gettime", "warm"),
    ("rotating-root", "clock-gettime", "warm"),
    ("window", "clock-gettime", "cold"),
    ("barrier", "clock-gettime", "warm"),
    ("loop", "clock-gettime", "warm"),
    ("window", "gettimeofday", "warm"),
    ("window", "mpi-wtime", "warm"),
]


def made(operations: list[str], stacks: list[str]) -> pd.DataFrame:
    """`RSE_COLUMNS` of two process counts, all `SETTINGS`."""
    keys = itertools.product(stacks, operations, (2, 4), SETTINGS)
    rows = [
        {"stack": stack, "operation": operation, "bytes": 0, "processes": processes, "processes_per_node": processes,
         "placement": "packed", "scheme": scheme, "timer": timer, "buffers": buffers, "launches": 10, "mean_us": 1.0,
         "rse": 0.01 * processes}
        for stack, operation, processes, (scheme, timer, buffers) in keys
    ]  # fmt: skip
    return pd.DataFrame(rows)[list(RSE_COLUMNS)]


def test_the_campaign_has_a_barrier_in_ten_launches() -> None:
    campaign = load_campaign(CAMPAIGN)
    assert "barrier" in campaign.operations and len(campaign.processes) > 1
    assert campaign.replication.blocks * campaign.replication.launches_per_block == 10


def test_rse_is_s_by_m_and_the_root_of_ten() -> None:
    """Ten launches at 1 to 10 µs: M = 5.5, s² = Σ(t - M)²/9 = 82.5/9."""
    key = {"stack": "a", "operation": "barrier", "bytes": 0, "processes": 4, "processes_per_node": 4,
           "placement": "packed", "scheme": "window", "timer": "tsc", "buffers": "warm"}  # fmt: skip
    (row,) = rse_table(pd.DataFrame([key | {"t_us": float(time)} for time in range(1, 11)])).to_dict("records")
    assert row["launches"] == 10 and row["mean_us"] == 5.5
    assert row["rse"] == pytest.approx((82.5 / 9) ** 0.5 / 5.5 / 10**0.5)


def test_each_stack_has_a_figure_against_processes_and_panels_keep_their_height() -> None:
    """Seven lines in a figure, not fourteen; three rows of a legend make the figure higher, not the panels lower."""
    with figure_settings():
        plots = list(rse_plots(made(["barrier", "bcast"], ["mpich-5.0", "openmpi-5.0"]), ""))
        assert [plot.info.file for plot in plots] == ["mpiperf-rse.mpich-5.0.svg", "mpiperf-rse.openmpi-5.0.svg"]
        few = made(["barrier", "bcast"], ["mpich-5.0"]).drop_duplicates(["operation", "processes"])
        heights = []
        for plot in (*plots, next(rse_plots(few, ""))):
            figure = plot.draw()
            figure.draw_without_rendering()
            heights.append(figure.axes[0].get_position().height * figure.get_figheight())
            assert figure.get_supxlabel() == "Processes"
            assert [axes.get_title("left") for axes in figure.axes] == ["barrier", "bcast"]
        assert [len(plot.draw().legends[0].get_texts()) for plot in plots] == [7, 7]
    assert min(heights) > 0.9 * max(heights)
