# SPDX-License-Identifier: BSD-3-Clause
"""Summary and tables of the demo run: columns, completeness, numbers."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from isochron.postprocess.estimate.values.launches import off
from isochron.postprocess.ingest.inputs import RESULT_KEY, RunInputs, load_inputs
from isochron.postprocess.ingest.store import read_table
from isochron.postprocess.kit.finding import FINDINGS, Findings
from isochron.postprocess.kit.table import Analysis, Table
from isochron.postprocess.subjects.comparison.table import FASTEST
from isochron.postprocess.subjects.registry import TABLES, files
from isochron.postprocess.subjects.results.table import LAUNCH_FACTORS, SCALABILITY, SUMMARY
from isochron.postprocess.subjects.systematic.table import FIRST_CALLS
from isochron.postprocess.subjects.verdicts.table import VERDICTS
from tests.postprocess.synthetic import DEMO, true_us
from tests.postprocess.synthetic import STACKS as TRUTH


def csv(demo: RunInputs, name: str) -> pd.DataFrame:
    return pd.read_csv(demo.layout.tables / name, keep_default_na=False, na_values=[""])


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_columns_are_those_that_are_described(demo: RunInputs, table: Table) -> None:
    assert all(table.columns.values())
    for file in table.files(demo.campaign):
        of_stack = [name for name in table.columns if "<stack>" in name]
        columns = [name for name in table.columns if name not in of_stack]
        columns += [name.replace("<stack>", stack) for stack in demo.campaign.stacks for name in of_stack]
        assert list(csv(demo, file).columns) == columns


def test_the_list_of_outputs_is_what_is_there(demo: RunInputs) -> None:
    assert {path.name for path in demo.layout.tables.iterdir()} == set(files(demo.campaign))


def test_summary_has_every_planned_row_once(demo: RunInputs) -> None:
    found = csv(demo, SUMMARY.file)
    assert len(found) == 5 * (5 * 4 + 1) * 2
    assert not found.duplicated(RESULT_KEY).any()
    assert found["launches_planned"].eq(10).all()
    assert found.loc[found["launches"] < 10, "stack"].unique().tolist() == ["mpich-5.0"]


def test_summary_is_near_the_truth(demo_analysis: Analysis) -> None:
    rows = demo_analysis[SUMMARY]
    truth = [true_us(r.operation, r.bytes, r.processes, TRUTH[r.stack][2:]) for r in rows.itertuples()]  # type: ignore[arg-type]
    assert (rows["median_us"] / truth).between(0.93, 1.07).all()  # one launch of ten at 40 times does not matter
    covered = (rows["median_low_us"] <= truth) & (rows["median_high_us"] >= truth)
    assert covered.mean() > 0.93


def test_summary_against_plain_pandas(demo: RunInputs, demo_analysis: Analysis) -> None:
    launches, rows = read_table(demo.layout, "launches"), read_table(demo.layout, "measurements")
    rows = rows.merge(launches[["launch_id", "stack", "processes"]], on="launch_id")
    key = {"stack": "mpich-5.0", "operation": "reduce", "bytes": 512, "processes": 8}
    own = rows.loc[(rows[list(key)] == pd.Series(key)).all(axis=1)]
    found = demo_analysis[SUMMARY].set_index(list(key)).loc[tuple(key.values())]
    assert found["median_us"] == own["median_us"].median()
    assert found["mean_us"] == pytest.approx(own["mean_us"].mean())
    assert found["rse"] == pytest.approx(own["mean_us"].sem() / own["mean_us"].mean())
    assert found["launches"] == 9


def test_verdicts_count_launches_and_runs(demo: RunInputs) -> None:
    found = csv(demo, VERDICTS.file)
    spoilt = found[(found["stack"] == "mpich-4.3") & (found["operation"] == "alltoall") & (found["processes"] == 8)]
    assert spoilt["launches_unstable"].eq(10).all()
    assert spoilt["verdict"].eq("unstable").all()
    partly = found[(found["stack"] == "mpich-5.0") & (found["bytes"] == 65536) & (found["processes"] == 4)]
    assert partly["launches_too_few_valid"].eq(2).all()
    assert partly["verdict"].eq("ok").all()
    launches = [name for name in VERDICTS.columns if name.startswith("launches_") and name != "launches_planned"]
    assert (found[launches].sum(axis=1) == found["launches"]).all()
    assert (
        found[["reps_valid", "reps_late_start", "reps_overrun", "reps_disturbed"]].sum(axis=1) == found["reps_made"]
    ).all()


def test_scalability_has_the_summarys_numbers(demo: RunInputs) -> None:
    summary = csv(demo, SUMMARY.file).set_index(RESULT_KEY)
    found = csv(demo, SCALABILITY.file_of("bcast"))
    assert list(found.columns[:4]) == ["bytes", "processes", "processes_per_node", "placement"]
    assert list(found[["bytes", "processes"]].itertuples(index=False, name=None)) == [
        (size, processes) for size in DEMO.sizes for processes in DEMO.processes
    ]
    for row in found.to_dict("records"):
        key = ("bcast", row["bytes"], row["processes"], row["processes_per_node"], row["placement"])
        for stack in demo.campaign.stacks:
            own = summary.loc[(stack, *key)]
            assert row[f"{stack}_us"] == own["median_us"]
            assert row[f"{stack}_low_us"] == own["median_low_us"]
            assert row[f"{stack}_verdict"] == own["verdict"]


def test_first_calls(demo: RunInputs) -> None:
    found = csv(demo, FIRST_CALLS.file)
    high = found[found["ratio"] > 1000]
    assert set(high["operation"]) == {"reduce"}
    assert set(high["stack"]) == {"openmpi-5.0", "openmpi-4.1"}
    assert (found["ratio_min"] <= found["ratio"]).all()


def test_fastest_is_right_wherever_it_is_established(demo_analysis: Analysis) -> None:
    table = demo_analysis[FASTEST]
    for row in table[table["state"] == "established"].itertuples():
        times = {stack: true_us(row.operation, row.bytes, row.processes, truth[2:]) for stack, truth in TRUTH.items()}  # type: ignore[arg-type]
        assert row.fastest == min(times, key=lambda stack: times[stack])
    assert (table["state"] == "established").sum() > 10


def test_the_launch_that_was_off_is_found(demo_analysis: Analysis) -> None:
    found = off(demo_analysis[LAUNCH_FACTORS])
    assert [name.split(".", 1)[1] for name in found.index] == sorted(DEMO.outliers)
    assert found.iloc[0] == pytest.approx(40, rel=0.1)


def test_findings_json(demo: RunInputs) -> None:
    findings = Findings.load(demo.layout.tables / FINDINGS).findings
    kinds = [finding.kind for finding in findings]
    assert kinds[0] == "incomplete"
    assert {"fastest", "open", "unreliable", "repeatability", "launches", "first-call"} <= set(kinds)
    assert json.loads((demo.layout.tables / FINDINGS).read_text())["schema_version"] == 1
    lacking = next(finding for finding in findings if finding.kind == "incomplete")
    assert lacking.details == sorted(DEMO.missing)


def test_only_csv_with_units(demo: RunInputs) -> None:
    """Every column with fractions of a number that is a time says so in its name."""
    found = csv(demo, SUMMARY.file)
    fractions = {name for name in found.columns if found[name].dtype == np.float64}
    without = {"median_confidence", "confidence", "rse", "mode_ratio", "adjusted_slope", "adjusted_rse"}
    assert {name for name in fractions if not name.endswith("_us")} == without


def test_inputs_need_no_state(small: RunInputs) -> None:
    small.layout.state.unlink()
    assert load_inputs(small.layout.root).state is None
