# SPDX-License-Identifier: BSD-3-Clause
"""Synchronisers beside each other: table, figure, report, and that their launches are no part of the results."""

from __future__ import annotations

import json

import pandas as pd
import pytest

from isochron.postprocess.__main__ import main
from isochron.postprocess.analysis.analyse import analyse
from isochron.postprocess.analysis.saved import load_analysis
from isochron.postprocess.estimate.compare.history import history
from isochron.postprocess.ingest.inputs import RunInputs, load_inputs
from isochron.postprocess.subjects.comparison.table import COMPARISON
from isochron.postprocess.subjects.contrasts.table import BOUNDS
from isochron.postprocess.subjects.guidelines.table import GUIDELINES
from isochron.postprocess.subjects.methods.figure import plots
from isochron.postprocess.subjects.methods.table import CLOCKS
from isochron.postprocess.subjects.registry import ALL_SAVED
from isochron.postprocess.subjects.results.table import SUMMARY
from isochron.postprocess.subjects.systematic.table import FIRST_CALLS
from isochron.postprocess.subjects.verdicts.table import VERDICTS
from isochron.schemas.run.plan import PlannedLaunch
from tests.postprocess.reported import report
from tests.postprocess.synthetic import whole

pytestmark = pytest.mark.heavy


def compare_hca3(inputs: RunInputs) -> RunInputs:
    """The run with one more launch of each stack and point in its first block: hca3, a barrier that takes 1 s."""
    first, *others = inputs.plan.blocks
    further = [
        launch.model_copy(
            update={"name": f"{launch.name}.hca3", "clock_sync": "hca3", "operations": ["barrier"], "sizes": [8]}
        )
        for launch in first.launches
    ]
    for launch in further:
        write_further(inputs, launch)
    block = first.model_copy(update={"launches": [*first.launches, *further]})
    inputs.plan.model_copy(update={"blocks": [block, *others]}).save(inputs.layout.plan)
    return load_inputs(inputs.layout.root)


def write_further(inputs: RunInputs, launch: PlannedLaunch) -> None:
    """Its raw file, made of that of the launch that it is a copy of; the true errors are 30 and 60 ns."""
    text = inputs.layout.launch(launch.name.removesuffix(".hca3")).read_text()
    records = []
    for record in map(json.loads, text.splitlines()):
        match record["record"]:
            case "header":
                record["launch"]["name"] = launch.name
            case "clock":
                worst = 30.0 if record["phase"] == "before" else 60.0
                truth = {"error_ns": [0.0, -worst], "bound_ns": [0.0, 900.0]}
                record |= {"method": "hca3", "duration_ns": 5_000_000_000, "truth": truth}
            case "measurement" if record["operation"] == "barrier":
                runs = len(record["time_ns"])
                record |= {"clock_sync": "hca3", "time_ns": [10**9] * runs, "valid": [True] * runs}
                record |= {"reps_valid": runs, "reps_used": runs, "invalid": {}}
                record |= {name: 1e9 for name in record if name.startswith(("m", "ci_")) and name.endswith("_ns")}
            case _:
                continue
        records.append(record)
    inputs.layout.launch(launch.name).write_bytes(whole(records))


def test_synchronisers_are_shown_and_change_no_result(small: RunInputs) -> None:
    folder = str(small.layout.root)
    assert main(["ingest", folder]) == 0
    before, past = analyse(small), history([small.layout])
    assert set(before[CLOCKS]["clock_sync"]) == {"ring"}

    again = compare_hca3(small)
    report(small.layout.root, "clock-synchronisation.")
    after = load_analysis(again.layout, ALL_SAVED)
    for results in (SUMMARY, COMPARISON, VERDICTS, FIRST_CALLS, GUIDELINES, BOUNDS):
        pd.testing.assert_frame_equal(after[results].reset_index(drop=True), before[results].reset_index(drop=True))
    pd.testing.assert_frame_equal(history([again.layout]), past)

    table = after[CLOCKS]
    assert list(table.columns) == list(CLOCKS.columns)
    assert len(table) == 2 * len(small.campaign.stacks) * len(small.plan.points)
    hca3, ring = (table[table["clock_sync"] == name] for name in ("hca3", "ring"))
    assert set(ring["errors"]) == {"verified"} and set(ring["phase_ms"]) == {12.0}
    assert set(ring["launches"]) == {small.campaign.replication.blocks}
    assert set(hca3["errors"]) == {"true"} and set(hca3["phase_ms"]) == {5000.0} and set(hca3["launches"]) == {1}
    assert hca3["error_us"].tolist() == pytest.approx([0.03] * len(hca3))
    assert hca3["error_end_us"].tolist() == pytest.approx([0.06] * len(hca3))
    assert hca3["bound_us"].tolist() == pytest.approx([0.9] * len(hca3))

    figures = json.loads((small.layout.figures / "figures.json").read_text())["figures"]
    (figure,) = [each for each in figures if each["section"] == "methods"]
    picture = (small.layout.figures / figure["file"]).read_text()
    assert all(f"{name}, {stack}" in picture or f"{stack}, {name}" in picture
               for name in ("ring", "hca3") for stack in small.campaign.stacks)  # fmt: skip
    page = small.layout.report.read_text()
    assert "<h3>Clock synchronisation</h3>" in page and "hca3, envelope" in page and figure["title"] in page
    assert (small.layout.tables / "clock-synchronisation.csv").exists()


def test_one_process_count_makes_no_figure(small: RunInputs) -> None:
    assert main(["ingest", str(small.layout.root)]) == 0
    table = analyse(small)[CLOCKS]
    assert len(list(plots(table, ""))) == 1
    assert list(plots(table[table["processes"] == 4], "")) == []
    assert list(plots(table.iloc[:0], "")) == []
