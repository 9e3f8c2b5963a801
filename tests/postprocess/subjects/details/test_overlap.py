# SPDX-License-Identifier: BSD-3-Clause
"""The figure of overlap: a curve for each operation and size, at the shares that were hidden."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from isochron.postprocess.kit.figure import marks
from isochron.postprocess.subjects.details.figure import plots
from isochron.postprocess.subjects.details.table import OVERLAP_COLUMNS

SHARES = [0.0, 0.5, 1.0, 2.0]


def table(processes: int) -> pd.DataFrame:
    rows = [
        {
            "stack": stack, "operation": operation, "bytes": size, "processes": processes, "processes_per_node": 2,
            "placement": "packed", "share": share, "launches": 3, "compute_us": 9 * share, "total_us": 9.0,
            "overlap": hidden * share / 2, "overlap_min": 0.4 * hidden * share, "overlap_max": 0.6 * hidden * share,
        }
        for stack, hidden in (("mpich-5.0", 0.5), ("openmpi-5.0", 1.0))
        for operation, size in (("ibcast", 8), ("ibcast", 65536), ("ibarrier", 0))
        for share in SHARES
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=list(OVERLAP_COLUMNS))


def test_a_figure_for_each_point_with_a_curve_for_each_stack() -> None:
    rows = pd.concat([table(2), table(4)], ignore_index=True)
    drawn = list(plots(rows, marks(["mpich-5.0", "openmpi-5.0"]), ""))
    assert [each.info.file for each in drawn] == ["overlap.p2.n2.packed.svg", "overlap.p4.n2.packed.svg"]
    assert {each.info.section for each in drawn} == {"details"}
    panels = drawn[0].draw().axes
    assert [axes.get_title(loc="left") or axes.get_title() for axes in panels] == [
        "ibcast, 8\u202fB", "ibcast, 64\u202fKiB", "ibarrier",
    ]  # fmt: skip
    curves = [np.asarray(line.get_xydata()) for line in panels[0].lines if line.get_linewidth() == 0.8]
    assert [curve[:, 0].tolist() for curve in curves] == [SHARES, SHARES]
    assert curves[1][:, 1].tolist() == pytest.approx([0, 25, 50, 100])


def test_nothing_is_drawn_of_nothing() -> None:
    assert not list(plots(pd.DataFrame(columns=list(OVERLAP_COLUMNS)), {}, ""))
