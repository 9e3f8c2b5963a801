# SPDX-License-Identifier: BSD-3-Clause
"""NPB in figures and report: what is drawn is what the tables say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.drawing import figure_settings
from isochron.postprocess.kit.section import Source
from isochron.postprocess.kit.svg import save
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.npb import figure as nodes
from isochron.postprocess.subjects.npb import figure as npb
from isochron.postprocess.subjects.npb.results import beside_published, npb_table
from isochron.postprocess.subjects.npb.section import View, build
from isochron.postprocess.subjects.npb.table import NPB, NPB_PUBLISHED, node_table
from isochron.schemas.run.next_blocks import Flagged
from tests.postprocess.subjects.npb.made import inputs, stored

RATES = {(1, 1): 100.0, (1, 2): 190.0, (1, 4): 300.0, (2, 2): 150.0, (2, 4): 240.0}


def made(folder: Path) -> tuple[RunInputs, pd.DataFrame]:
    """LU at class A at five points, on four nodes."""
    npb = {"kernels": ["LU"], "classes": ["A"], "processes": [1, 2, 4], "processes_per_node": [1, 2]}
    own = inputs(folder, {**npb, "node_map": [["n1", "n2"], ["n3", "n4"]], "compare_with": ["ekss-npb"]})
    rows: list[dict[str, Any]] = [
        {
            "kernel": "LU", "npb_class": "A", "processes_per_node": per_node, "processes": processes,
            "seconds": 119.0e3 / rate, "mops_total": rate,
            "hosts": ",".join(f"n{1 + rank // per_node}" for rank in range(processes)),
        }
        for (per_node, processes), rate in RATES.items()
    ]  # fmt: skip
    return own, stored(rows)


def test_the_section_has_a_row_for_each_point_and_the_machine_beside(tmp_path: Path) -> None:
    own, launches = made(tmp_path)
    table = npb_table(launches, own)
    frames = {NPB.name: table, NPB_PUBLISHED.name: beside_published(table, own)}
    source = Source(own, Analysis(pd.DataFrame(), Flagged.model_construct(), frames), [], [])
    view = build(source)
    assert isinstance(view, View)
    (part,) = view.parts
    assert part.title == "LU, class A" and "30 %" in part.share
    rows = {(int(row.per_node), int(row.processes)): row for row in part.rows}
    assert set(rows) == set(RATES)
    assert rows[1, 4].cells[1:] == ["300.0", "", "75.00", "75.00", "3.00", "0.750"]
    assert rows[2, 4].cells[-2:] == ["2.40", "0.600"]
    (machine,) = view.machines
    assert machine.title == "EKSS-1 by NPB 2.3" and "2001" in machine.source
    assert machine.text.startswith("5 cases on both machines")
    assert len(machine.rows) == 1 + 3 + 4 + 16 + 1, "a row for each map of nodes"
    assert [row[3] for row in machine.rows if row[1] == "2 at 1/node"] == [
        "1: 21.. .... .... ....", "2: 2..2 .... .... ....", "3: 2... .... .... ...2",
    ]  # fmt: skip
    assert {row[3] for row in machine.rows if row[1] == "4 at 2/node"} == {"1"}, "that drawing is not known"


def test_without_programs_there_is_no_section(tmp_path: Path) -> None:
    own = inputs(tmp_path, {"kernels": ["EP"], "classes": ["S"]}, programs=None)
    empty = npb_table(stored([]), own)
    frames = {NPB.name: empty, NPB_PUBLISHED.name: beside_published(empty, own)}
    assert build(Source(own, Analysis(pd.DataFrame(), Flagged.model_construct(), frames), [], [])) is None
    assert not list(npb.npb_plots(empty, frames[NPB_PUBLISHED.name], ""))


@pytest.mark.heavy
def test_figures_show_the_curves_and_the_nodes(tmp_path: Path) -> None:
    own, launches = made(tmp_path)
    table = npb_table(launches, own)
    plots = [*npb.npb_plots(table, beside_published(table, own), ""), *nodes.node_plots(node_table(launches, own), "")]
    assert [plot.info.file for plot in plots] == [
        "npb-mops-total.svg", "npb-speed-up.svg", "npb-efficiency.svg", "npb-published-mops-per-processor.1.svg",
        "npb-published-mops-total.1.svg", "npb-nodes.svg",
    ]  # fmt: skip
    texts = {}
    for plot in plots:
        with figure_settings():
            save(plot.draw(), tmp_path / plot.info.file)
        texts[plot.info.file] = (tmp_path / plot.info.file).read_text()
    for curve in ("openmpi-5.0, 1/node", "openmpi-5.0, 2/node"):
        assert curve in texts["npb-speed-up.svg"] and curve in texts["npb-efficiency.svg"]
    for column in ("mops-per-processor", "mops-total"):
        text = texts[f"npb-published-{column}.1.svg"]
        assert "LU A" in text and "EKSS-1 by NPB 2.3, 1/node" in text
    drawing = texts["npb-nodes.svg"]
    assert drawing.count(">n4<") == len(RATES), "every node is on every map"
    used = sum(4 if (per, count) == (1, 4) else -(-count // per) for per, count in RATES)
    assert drawing.count(">1<") + drawing.count(">2<") == used


def test_published_totals_have_the_range_over_maps(tmp_path: Path) -> None:
    own, launches = made(tmp_path)
    beside = beside_published(npb_table(launches, own), own)
    sides = npb.both_sides(beside, "EKSS-1", "mops_total").set_index(["side", "curve", "processes"])
    theirs = sides.loc[("theirs", "EKSS-1, 2/node", 2)]
    assert (theirs["low"], theirs["value"], theirs["high"]) == (108.76, pytest.approx(126.25), 129.79)
    ours = sides.loc[("ours", "openmpi-5.0, 1/node", 4)]
    assert (ours["low"], ours["value"], ours["high"]) == (300.0, 300.0, 300.0)
