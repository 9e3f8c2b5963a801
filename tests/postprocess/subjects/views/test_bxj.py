# SPDX-License-Identifier: BSD-3-Clause
"""The views of the BXJ study on a made-up machine with its published parameters, which are fitted to it again."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from isochron.postprocess.estimate.models.coarse import PAIRWISE, Place, coarse_us
from isochron.postprocess.estimate.models.cost_models import Costs, chosen, of, table_bytes
from isochron.postprocess.estimate.models.parameters import bxj
from isochron.postprocess.ingest.inputs import RunInputs, load_inputs
from isochron.postprocess.kit.table import Table, TableContext
from isochron.postprocess.subjects.views.bxj_largest import BXJ_LARGEST, make_largest
from isochron.postprocess.subjects.views.bxj_points import BXJ_POINTS, Curve, make_points, not_run
from isochron.postprocess.subjects.views.bxj_table import (
    BXJ_CURVES,
    BXJ_MACHINE,
    BXJ_PARAMETERS,
    BXJ_PING_PONG,
    BXJ_SENDRECV,
)
from isochron.schemas.run.plan import Skipped
from isochron.spack_envs.declarations import load_declaration
from isochron.workflows.machine_file import load_machine
from tests.postprocess.estimate.models.scaled import ALGORITHMS, ALPHA, BXJ, IMB, REDUCTION, STREAM
from tests.postprocess.reported import report
from tests.postprocess.subjects.views.recomputed import RECOMPUTED, check_view
from tests.postprocess.synthetic import write_run

pytestmark = pytest.mark.heavy

KIB64 = 65536
MADE = {name: ALGORITHMS[name] for name in ("bcast", "gather", "allgather", "allreduce", "alltoall")}
#: No parameter is given: α and β come from ping-pong and sendrecv.
SPEC = replace(
    BXJ, operations=["ping-pong", "sendrecv", *MADE, "scan"], sizes=[0, 16384, KIB64],
    processes=[16, 8192], launches=3, runs=4, launch_spread=0.0, run_spread=0.0, probes=False,
    analysis={"views": ["bxj"]},
)  # fmt: skip


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunInputs:
    folder: Path = write_run(tmp_path_factory.mktemp("bxj") / "run", SPEC)
    report(folder, "bxj-", steps=("ingest", "analyse"))
    return load_inputs(folder)


def view(run: RunInputs, table: Table) -> pd.DataFrame:
    return pd.read_csv(run.layout.tables / table.file)


def by(table: pd.DataFrame, *names: str) -> dict[Any, dict[Any, Any]]:
    """Its rows by some of its columns."""
    return {tuple(row[name] for name in names): row for row in table.to_dict("records")}


@pytest.mark.parametrize("name", [name for name in RECOMPUTED if name.startswith("view-bxj-")])
def test_a_view_is_what_the_raw_files_say(run: RunInputs, name: str) -> None:
    assert check_view(run.layout.root, name)


def test_ping_pong_is_on_hockneys_line(run: RunInputs) -> None:
    """Measured, fitted and published are the same; LogGP has a byte less, LogP whole packets."""
    row = by(view(run, BXJ_PING_PONG), "processes", "processes_per_node", "bytes")[16, 8, 16384]
    time = ALPHA + 16384 / STREAM
    assert (row["latency_us"], row["fitted_us"], row["published_us"]) == pytest.approx((time,) * 3, rel=2e-3)
    assert row["one_way_mib_per_s"] == pytest.approx(16384 / 1.048576 / time, rel=2e-3)
    assert row["published_loggp_us"] == pytest.approx(time - 1 / STREAM, rel=1e-6)
    assert row["published_logp_us"] == pytest.approx(ALPHA + 255 * 64 / STREAM, rel=1e-6)


@pytest.mark.parametrize(("per_node", "printed"), [(8, (98.40, 193.60)), (12, (141.86, 280.52))])
def test_sendrecv_of_64_kib_is_in_the_range_as_printed(
    run: RunInputs, per_node: int, printed: tuple[float, float]
) -> None:
    rows = by(view(run, BXJ_SENDRECV), "processes_per_node", "bytes")
    assert [size for count, size in rows if count == per_node] == [0, 16384, KIB64]
    row = rows[per_node, KIB64]
    assert (row["published_overlap_us"], row["published_no_overlap_us"]) == pytest.approx(printed, abs=0.01)
    assert row["processes"] == 8192
    time = 3.2 + 2 * KIB64 / IMB[per_node]
    assert (row["overlap_us"] + row["no_overlap_us"]) / 2 < row["measured_us"] == pytest.approx(time, rel=2e-3)
    assert row["imb_mib_per_s"] == pytest.approx(2 * KIB64 / 1.048576 / time, rel=2e-3)
    assert row["node_imb_mib_per_s"] == pytest.approx(per_node * row["imb_mib_per_s"], rel=1e-5)
    assert row["published_imb_mib_per_s"] == bxj().facts["sendrecv_imb"][per_node]


def test_parameters_are_fitted_to_what_was_published(run: RunInputs) -> None:
    """In the source's unit; γ is set in both."""
    rows = by(view(run, BXJ_PARAMETERS), "parameters", "processes_per_node")
    for per_node, imb in ((8, 569), (12, 450)):
        for kind in ("fitted", "published"):
            row = rows[kind, per_node]
            assert row["alpha_us"] == pytest.approx(2.37, rel=2e-3)
            assert row["one_way_mib_per_s"] == pytest.approx(3183, rel=2e-3)
            assert row["imb_mib_per_s"] == pytest.approx(imb, rel=2e-3)
            assert row["reduction_mib_per_s"] == pytest.approx(2.2e9 * 32 / 2**20, rel=1e-6)
            assert row["gap_us"] == pytest.approx(64 / (3183 * 1.048576), rel=2e-3)


def test_curves_are_the_models_with_both_parameters(run: RunInputs) -> None:
    table = view(run, BXJ_CURVES)
    found = by(table, "operation", "bytes", "processes", "processes_per_node", "algorithm")
    assert set(table["operation"]) == set(MADE)  # what has no model has no curve
    for (operation, size, processes, per_node, algorithm), row in found.items():
        model = next(each for each in of(operation) if each.algorithm == algorithm)
        rate = STREAM if model.bandwidth == "one_way" else IMB[per_node]
        time = model.time(processes, table_bytes(operation, size, processes), Costs(ALPHA, 1 / rate, 1 / REDUCTION))
        assert row["published_hockney_us"] == pytest.approx(time, rel=1e-6)
        assert row["fitted_hockney_us"] == pytest.approx(time, rel=5e-3)
        assert row["published_loggp_us"] <= row["published_hockney_us"] * (1 + 1e-6)


def test_the_largest_case_names_what_is_left_out(run: RunInputs) -> None:
    rows = by(view(run, BXJ_LARGEST), "operation", "processes_per_node")
    for operation, algorithm in MADE.items():
        row = rows[operation, 12]
        assert (row["bytes"], row["processes"]) == (KIB64, 8192)
        expected = chosen(operation, KIB64) or algorithm
        assert row["algorithm"] == expected or operation == "bcast"  # which leaves its model there
        assert row["measured_us"] > 0 and pd.isna(row["left_out"])
    assert rows["scan", 8]["left_out"] == "there is no model of it" and rows["scan", 8]["measured_us"] > 0
    assert rows["scatter", 8]["left_out"] == "not among the campaign's cases"
    assert rows["barrier", 8]["left_out"] == "it has no message size"


def test_every_point_says_how_it_was_obtained(run: RunInputs) -> None:
    """All 17 collectives at all points; what was not run is a model, with the reason."""
    table = view(run, BXJ_POINTS)
    assert table["operation"].nunique() == 17
    assert len(table) == (1 + 16 * 2) * 2 * 2  # barrier has one size
    rows = by(table, "operation", "bytes", "processes", "processes_per_node")
    assert {row["made"] for row in rows.values()} == {"measured", "model", "none"}
    for (operation, *_), row in rows.items():
        if operation in (*MADE, "scan"):
            assert row["made"] == "measured" and row["time_us"] > 0 and pd.isna(row["reason"])
        else:
            assert row["reason"] == "not among the campaign's cases" and pd.isna(row["largest_run"])
            assert row["made"] == ("none" if operation == "exscan" else "model")
    of_alltoall = rows["alltoallv", KIB64, 8192, 8]
    assert (of_alltoall["algorithm"], of_alltoall["model_of"]) == ("pairwise", "alltoall")
    time = 8191 * ALPHA + 8191 * KIB64 / IMB[8]
    assert of_alltoall["time_us"] == pytest.approx(time, rel=5e-3)


def test_a_point_that_was_not_run_has_the_plans_reason(run: RunInputs) -> None:
    skipped = Skipped(stack="mpich-5.0", point=run.plan.points[0], reason="too long", operation="gatherv", bytes=KIB64)
    changed = replace(run, plan=run.plan.model_copy(update={"skipped": [skipped]}))
    table = make_points(TableContext(changed))
    assert table.loc[table["reason"] == "too long", ["operation", "bytes"]].to_numpy().tolist() == [["gatherv", KIB64]]


def test_what_was_not_simulated_message_by_message_is_coarse(run: RunInputs) -> None:
    """As if it had been run by smpi-default on machine bxj: reasons and errors stay; scan has been run."""
    machine, simulator = load_machine("bxj", Path()), load_declaration("smpi-default").simulator
    assert simulator is not None
    argv = ["smpirun", *(f"--cfg={option}" for option in simulator.options)]
    launcher = run.manifests["mpich-5.0"].launcher.model_copy(update={"argv": argv})
    manifests = {"mpich-5.0": run.manifests["mpich-5.0"].model_copy(update={"launcher": launcher})}
    site = run.campaign.site.model_copy(update={"machine": machine})
    changed = replace(run, campaign=run.campaign.model_copy(update={"site": site}), manifests=manifests)
    context = TableContext(changed)
    rows = by(make_points(context), "operation", "bytes", "processes", "processes_per_node")
    made = {name: rows[name, KIB64, 8192, 8]["made"] for name in ("alltoallv", "exscan", "scan", "gatherv", "alltoall")}
    assert made == {
        "alltoallv": "coarse", "exscan": "coarse", "scan": "measured", "gatherv": "model", "alltoall": "measured",
    }  # fmt: skip
    pairwise = coarse_us(PAIRWISE, machine, Place(8192, 8, "packed"), KIB64)
    for name in ("alltoallv", "alltoall"):
        assert rows[name, KIB64, 8192, 8]["coarse_us"] == pairwise
    assert (rows["alltoallv", KIB64, 8192, 8]["time_us"], rows["alltoallv", KIB64, 8192, 8]["reason"]) == (
        pairwise, "not among the campaign's cases",
    )  # fmt: skip
    largest = by(make_largest(context), "operation", "processes_per_node")
    assert (largest["alltoallv", 8]["measured_us"], largest["alltoallv", 8]["made"]) == (pairwise, "coarse")
    assert largest["alltoall", 8]["made"] == "measured"


def test_a_coarse_simulation_has_its_error_where_the_curve_was_simulated() -> None:
    curve = Curve(
        "scan", KIB64, {256: 1.0, 512: 1.1, 1024: 1.2}, bxj().parameters(8), lambda processes: processes / 512
    )
    line = not_run(curve, 2048)
    assert (line["made"], line["time_us"], line["largest_run"], line["second_run"]) == ("coarse", 4.0, 1024, 512)
    assert (line["largest_factor"], line["second_factor"]) == pytest.approx((0.6, 1.1))


def test_a_model_has_the_error_that_it_has_where_the_curve_was_run() -> None:
    """Run to 1024 processes, 1.1 and 1.2 times as long as pairwise; 2048 is the model, and names both."""
    parameters = bxj().parameters(8)
    curve = Curve("alltoallv", KIB64, {}, parameters)
    (pairwise,) = [model for model in of("alltoall") if model.algorithm == "pairwise"]
    factors = {256: 1.0, 512: 1.1, 1024: 1.2}
    curve.times[1] = 5.0  # no model has a time of one process
    curve.times.update({count: factor * curve.modelled(pairwise, count) for count, factor in factors.items()})
    line = not_run(curve, 2048)
    assert (line["made"], line["algorithm"]) == ("model", "pairwise")
    assert (line["largest_run"], line["second_run"]) == (1024, 512)
    assert (line["largest_factor"], line["second_factor"]) == pytest.approx((1.2, 1.1))
    assert line["time_us"] == pytest.approx(2047 * (2.37 + KIB64 / (569 * 1.048576)), rel=1e-6)


def test_machine_and_figures(run: RunInputs) -> None:
    facts = by(pd.read_csv(run.layout.tables / BXJ_MACHINE.file), "fact")
    assert facts["cores of a node",]["bxj"] == "12" and facts["cores of a node",]["here"] == "8"
    listed = json.loads((run.layout.figures / "figures.json").read_text())["figures"]
    files = {each["file"] for each in listed if each["section"] == "views-bxj"}
    for per_node in (8, 12):
        assert f"bxj-messages.mpich-5.0.{per_node}.packed.svg" in files
        numbered = {f"bxj-collectives.mpich-5.0.{per_node}.packed.{number}.svg" for number in (1, 2)}
        assert numbered <= files
