# SPDX-License-Identifier: BSD-3-Clause
"""First calls of launches: from the raw file to table, figure and section, and what was published beside them."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pandas as pd
import pytest
import yaml

from isochron.common.resources import shipped
from isochron.postprocess.ingest.ingest import ingest
from isochron.postprocess.ingest.inputs import RunInputs, load_inputs
from isochron.postprocess.kit.figure import marks
from isochron.postprocess.kit.section import Source
from isochron.postprocess.kit.table import Analysis, TableContext
from isochron.postprocess.subjects.systematic import figure as late
from isochron.postprocess.subjects.systematic.section import build_late
from isochron.postprocess.subjects.systematic.table import LATE_CALLS, first_call_errors, make_late, published
from isochron.schemas.run.next_blocks import Flagged
from isochron.schemas.run.plan import Plan
from tests.postprocess.synthetic import Spec, whole, write_run

SPEC = Spec(
    stacks=["mpich-5.0", "openmpi-5.0"], operations=["bcast", "reduce"], sizes=[8192], processes=[2],
    processes_per_node=[2], launches=3, runs=12,
)  # fmt: skip
ASKED = {"operations": ["reduce", "bcast"], "sizes": [8192], "launches": 2}


def first(times_us: float, later_us: float) -> dict[str, Any]:
    """A first call of so many µs on the slowest process, half of that on rank 0."""
    slowest, later = int(1e3 * times_us), int(1e3 * later_us)
    return {
        "calls": 10, "slowest_rank": 1, "span_first_ns": slowest + 7000, "skew_first_ns": 7000,
        "rank0_first_ns": slowest // 2, "rank0_second_ns": 5 * later, "rank0_later_ns": later,
        "slowest_first_ns": slowest, "slowest_second_ns": 2 * later, "slowest_later_ns": later,
    }  # fmt: skip


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> RunInputs:
    """A run whose second and third launches of each stack time first calls: of reduce 100 and 300 times the later."""
    run = write_run(tmp_path_factory.mktemp("late") / "run", SPEC)
    campaign = yaml.safe_load((run / "campaign.yaml").read_text()) | {"first_calls": ASKED}
    (run / "campaign.yaml").write_text(yaml.safe_dump(campaign))
    found = load_inputs(run)
    blocks = [
        block.model_copy(update={"launches": [
            launch.model_copy(update={"first_call": True, "operations": ["reduce"], "sizes": [8192]})
            if block.index > 1 else launch
            for launch in block.launches
        ]})
        for block in found.plan.blocks
    ]  # fmt: skip
    plan = found.plan.model_copy(update={"blocks": blocks})
    plan.save(found.layout.plan)
    for launch in (each for each in plan.launches if each.first_call):
        path = found.layout.launch(launch.name)
        records = [json.loads(line) for line in path.read_text().splitlines()[:-1]]
        kept = [each for each in records if each.get("operation") in (None, "reduce")]
        measured = [each for each in kept if "operation" in each]
        measured[-1]["late_initialisation"] = first(1000.0 if launch.block == 2 else 3000.0, 10.0)
        path.write_bytes(whole(kept))
    assert Plan.load(found.layout.plan) == plan
    loaded = load_inputs(run)
    ingest(loaded)
    return loaded


@pytest.fixture(scope="module")
def table(inputs: RunInputs) -> pd.DataFrame:
    return make_late(TableContext(inputs))


def made(inputs: RunInputs, table: pd.DataFrame) -> Analysis:
    """An analysis that holds this table alone."""
    return Analysis(TableContext(inputs).launches, Flagged(rows=[], points=[]), {LATE_CALLS.name: table})


def test_the_table_has_first_and_later_calls_of_each_stack(table: pd.DataFrame) -> None:
    assert list(table["stack"]) == ["mpich-5.0", "openmpi-5.0"] and set(table["operation"]) == {"reduce"}
    row = table.iloc[0]
    assert (row["launches"], row["first_us"], row["later_us"]) == (2, 2000.0, 10.0)
    assert (row["ratio"], row["ratio_min"], row["ratio_max"]) == (200.0, 100.0, 300.0)
    assert (row["ratio_to_second"], row["rank0_ratio"], row["skew_us"]) == (100.0, 100.0, 7.0)


def test_the_published_ratio_is_that_of_rank_0_to_its_second_call(table: pd.DataFrame) -> None:
    """Rank 0 takes 500 and 1500 µs first, 50 µs next: recomputed from the raw file's times."""
    row = table.iloc[0]
    names = ("rank0_ratio_to_second", "rank0_ratio_to_second_min", "rank0_ratio_to_second_max")
    assert [row[name] for name in names] == [20.0, 10.0, 30.0]
    assert (row["rank0_first_us"], row["rank0_second_us"]) == (1000.0, 50.0)
    assert "branch 0" in shipped("postprocess", "published", "mpiperf-first-calls.csv").read_text()


def test_the_published_ratio_is_beside_its_own_definition_only(inputs: RunInputs) -> None:
    """E1: the slowest process against later calls has no published ratio, rank 0 against the second call has it."""
    rows = first_call_errors(TableContext(inputs)).set_index(["stack", "quantity"]).loc["mpich-5.0"]
    slowest, rank0 = rows.loc["first call"], rows.loc["first / second call on rank 0"]
    assert (slowest["wrong_us"], slowest["right_us"], slowest["ratio"]) == (2000.0, 10.0, 200.0)
    assert pd.isna(slowest["published"])
    assert (rank0["wrong_us"], rank0["right_us"], rank0["ratio"], rank0["ratio_max"]) == (1000.0, 50.0, 20.0, 30.0)
    assert rank0["published"] == 12901 and rank0["blocks"] == 2


def test_their_times_are_no_results(inputs: RunInputs) -> None:
    rows = TableContext(inputs).rows
    assert len(rows) == 2 * 2 and rows["late_calls"].isna().all()


def test_a_campaign_without_first_calls_has_no_such_file(inputs: RunInputs) -> None:
    assert LATE_CALLS.files(inputs.campaign) == {"late-initialisation.csv": LATE_CALLS.holds}
    assert not LATE_CALLS.files(inputs.campaign.model_copy(update={"first_calls": None}))


def test_published_ratios_are_those_of_the_source() -> None:
    found = published().set_index(["operation", "library"])["ratio"]
    assert len(found) == 10 and found["reduce", "Intel MPI 4.0.0.028"] == 12901 and found["barrier"].max() == 9.01


@pytest.mark.heavy
def test_figure_and_section_show_both(inputs: RunInputs, table: pd.DataFrame) -> None:
    (plot,) = late.late_plots(table, marks(inputs.campaign.stacks), "")
    drawing = plot.draw()
    texts = [text.get_text() for legend in drawing.legends for text in legend.get_texts()]
    assert texts == ["mpich-5.0", "openmpi-5.0", "Open MPI 1.4.4", "Intel MPI 4.0.0.028"]
    (axes,) = drawing.axes
    drawn = {float(value) for line in axes.get_lines() for value in np.atleast_1d(np.asarray(line.get_xdata()))}
    assert {20.0, 6944.0, 12901.0} <= drawn and 200.0 not in drawn, "one definition for ours and the published"
    assert axes.get_xlabel() == "First call / second call, on rank 0"
    view = build_late(Source(inputs, made(inputs, table), [], []))
    assert view is not None and [row.ratio for row in view.rows] == ["200×", "200×"]
    assert [row.rank0_second for row in view.rows] == ["20.0×", "20.0×"]
    assert ("reduce", ["6\u202f944×", "12\u202f901×"]) in view.published
    assert build_late(Source(inputs, made(inputs, table.iloc[:0]), [], [])) is None
