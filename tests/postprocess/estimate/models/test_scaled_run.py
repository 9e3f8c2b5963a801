# SPDX-License-Identifier: BSD-3-Clause
"""A made-up run over many process counts, through tables, figures, findings and report."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from math import log2
from pathlib import Path

import pandas as pd
import pytest
from matplotlib.collections import PolyCollection

from isochron.postprocess.analysis.analyse import catalogue
from isochron.postprocess.analysis.saved import load_analysis
from isochron.postprocess.estimate.models.departures import REASONS
from isochron.postprocess.formatting import numbers
from isochron.postprocess.ingest.inputs import RunInputs, load_inputs
from isochron.postprocess.kit.drawing import figure_settings
from isochron.postprocess.kit.finding import FINDINGS
from isochron.postprocess.kit.table import Table
from isochron.postprocess.subjects.guidelines.table import GUIDELINES
from isochron.postprocess.subjects.registry import ALL_SAVED, files
from isochron.postprocess.subjects.scaling.table import (
    MODEL_DEPARTURES,
    MODEL_PARAMETERS,
    MODEL_POINTS,
    MODELS,
    SCALING,
)
from isochron.schemas.run.plan import Point
from tests.postprocess.estimate.models.scaled import ALGORITHMS, ALPHA, BXJ, FACTOR, IMB, LEAVES, STREAM, truth
from tests.postprocess.report.test_report import Page
from tests.postprocess.reported import report
from tests.postprocess.synthetic import Spec, write_run

pytestmark = pytest.mark.heavy


def broken_gather(operation: str, size: int, point: Point) -> float:
    """At 64 processes gather takes twice as long as allgather."""
    time = truth(operation, size, point)
    return 2 * truth("allgather", size, point) if operation == "gather" and point.processes == 64 else time


SMALL = replace(
    BXJ, operations=["bcast", "gather", "allgather", "scan"], processes=[16, 64, 1024, 4096, 8192],
    processes_per_node=[8], launches=10, runs=6, truth=broken_gather,
)  # fmt: skip


def made(spec: Spec, folder: Path) -> RunInputs:
    """The run of a spec, reported; with its figures of scaling."""
    run = write_run(folder / "run", spec)
    report(run, "scaling.")
    return load_inputs(run)


@pytest.fixture(scope="module")
def scaled(tmp_path_factory: pytest.TempPathFactory) -> RunInputs:
    return made(SMALL, tmp_path_factory.mktemp("scaled"))


def csv(inputs: RunInputs, name: str) -> pd.DataFrame:
    return pd.read_csv(inputs.layout.tables / name, keep_default_na=False, na_values=[""])


ALL = [MODELS, MODEL_DEPARTURES, MODEL_POINTS, MODEL_PARAMETERS, SCALING, GUIDELINES]


@pytest.mark.parametrize("table", ALL, ids=lambda table: table.name)
def test_tables_have_the_columns_that_are_described(scaled: RunInputs, table: Table) -> None:
    assert list(csv(scaled, table.file).columns) == list(table.columns)
    assert all(table.columns.values())
    assert {path.name for path in scaled.layout.tables.iterdir()} == set(files(scaled.campaign))


def test_models_say_what_was_put_in(scaled: RunInputs) -> None:
    found = csv(scaled, MODELS.file).set_index(["operation", "bytes"])
    assert len(found) == 8
    for operation in ("bcast", "allgather"):
        algorithms = [found.loc[(operation, 128), name] for name in ("algorithm", "also_fit")]
        assert ALGORITHMS[operation] in algorithms
    assert found.loc[("bcast", 16384), "leaves_at"] == LEAVES
    assert found.loc[("bcast", 16384), "leaves_factor"] == pytest.approx(FACTOR, rel=0.03)
    assert found["leaves_at"].notna().sum() == 1
    assert found.loc[("scan", 128), "normal_form"].endswith("·p")
    assert pd.isna(found.loc[("scan", 128), "algorithm"])


def test_the_finding_names_the_departure_in_words(scaled: RunInputs) -> None:
    findings = json.loads((scaled.layout.tables / FINDINGS).read_text())["findings"]
    (scaling,) = [each for each in findings if each["kind"] == "scaling"]
    counts = {"curves": 6, "curves_follow": 5, "curves_leave": 1, "curves_apart": 0, "curves_slower": 1}
    assert scaling["numbers"] == counts
    assert "bcast at 16\u202fKiB is 4." in scaling["text"]
    assert "× slower than its model, binomial tree, at 8192 processes, and leaves it at 4096." in scaling["text"]
    (guidelines,) = [each for each in findings if each["kind"] == "guidelines"]
    assert guidelines["severity"] == "result"
    assert guidelines["numbers"]["guidelines_violated"] == 2
    assert "gather at" in guidelines["text"]
    assert "allgather" in guidelines["text"]


def test_figures_have_a_panel_for_each_curve(scaled: RunInputs) -> None:
    listed = [plot.info for plot in catalogue(scaled, load_analysis(scaled.layout, ALL_SAVED))]
    (info,) = [each for each in listed if each.section == "scalability"]
    assert info.file == "scaling.8.packed.svg"
    text = (scaled.layout.figures / info.file).read_text()
    for word in ("bcast, 16", "allgather, 128", "scan, 128", "Processes", "Time (µs)", "mpich-5.0"):
        assert word in text
    assert not any(each.file.startswith("time-by-processes") for each in listed)  # the same markers once more


def test_the_band_is_the_nearest_model_and_the_departure_is_marked(scaled: RunInputs) -> None:
    analysis = load_analysis(scaled.layout, ALL_SAVED)
    drawn = next(plot for plot in catalogue(scaled, analysis) if plot.info.section == "scalability")
    with figure_settings():
        panels = {axes.get_title(loc="left"): axes for axes in drawn.draw().axes}
    bcast = panels["bcast, 16\u202fKiB"]
    (band,) = [each for each in bcast.collections if isinstance(each, PolyCollection)]
    edges = band.get_paths()[0].vertices[:, 1]
    points = analysis[MODEL_POINTS]
    own = points[(points["operation"] == "bcast") & (points["bytes"] == 16384)]
    model = own.loc[own["algorithm"] == "binomial tree", "model_us"]
    assert edges.min() == pytest.approx(model.min() / 1.25)
    assert edges.max() == pytest.approx(model.max() * 1.25)
    ends = [line.get_xdata() for line in bcast.lines if len(line.get_xdata()) == 2]
    assert any(log2(1024) < left == right < log2(LEAVES) for left, right in ends)
    assert not any(isinstance(each, PolyCollection) for each in panels["scan, 128\u202fB"].collections)


def test_times_over_processes_have_their_efficiency(scaled: RunInputs) -> None:
    found = csv(scaled, SCALING.file).set_index(["operation", "bytes", "processes"]).sort_index()
    own = found.loc[("bcast", 16384, 8192)]
    assert own["model_efficiency"] == pytest.approx(own["fastest_model_us"] / own["median_us"])
    points = csv(scaled, MODEL_POINTS.file).set_index(["operation", "bytes", "processes"])
    assert own["fastest_model_us"] == points.loc[("bcast", 16384, 8192), "model_us"].min()
    first = found.loc[("scan", 128, 16), "median_us"]
    assert found.loc[("scan", 128, 8192), "weak_efficiency"] == pytest.approx(
        first / found.loc[("scan", 128, 8192), "median_us"]
    )
    assert found.loc["scan", "model_efficiency"].isna().all()
    section = scaled.layout.report.read_text()
    section = section[section.index('<table class="scaling"><caption>bcast') :]
    section = section[: section.index("</table>")]
    assert re.findall(r'<th scope="col">(\d+)</th>', section) == [str(count) for count in SMALL.processes]
    cells = re.findall(r'class="value">([^<]*)</span><span class="efficiency">([^<]*)<', section)
    assert cells == [
        (numbers.significant(row.median_us), numbers.percent(row.model_efficiency))
        for row in found.loc["bcast"].sort_values(["bytes", "processes"]).itertuples()
    ]


def test_the_report_has_both_sections_and_their_tables(scaled: RunInputs) -> None:
    source = scaled.layout.report.read_text()
    page = Page(source)
    assert page.faults == []
    for name in ("scalability", "guidelines"):
        assert page.having("section", id=name)
        assert page.having("a", href=f"#{name}")
    section = source[source.index('<section id="scalability"') : source.index('<section id="guidelines"')]
    assert section.count("<svg") == 1
    for word in (
        "Parameters of the models", "given in the campaign file", "× slower</span> at 8192", "from 4096 on",
        "4096, 2.", "8192 processes, 8 per node",
    ):  # fmt: skip
        assert word in section
    assert section.count(REASONS["bandwidth"][1:]) == 1
    assert "Violated guidelines" in source
    regions = page.having("div", role="region")
    assert len(regions) == len({region["aria-label"] for region in regions})


def test_nothing_appears_where_it_does_not_apply(tmp_path: Path) -> None:
    inputs = made(replace(SMALL, processes=[16, 64], operations=["barrier"], launches=3, truth=None), tmp_path)
    text = inputs.layout.report.read_text()
    for word in ('id="scalability"', 'id="guidelines"', "#scalability", "#guidelines", "models.csv"):
        assert word not in text
    assert not (inputs.layout.tables / MODELS.file).exists()
    assert not len(csv(inputs, GUIDELINES.file))


def test_without_parameters_there_are_fitted_forms_only(tmp_path: Path) -> None:
    inputs = made(replace(SMALL, operations=["bcast"], sizes=[128], analysis={}, launches=3), tmp_path)
    text = inputs.layout.report.read_text()
    assert "no parameters are known" in text
    assert "No parameters of cost models are known; only the fitted forms are given." in text
    assert "Departures from the models" not in text
    (figure,) = inputs.layout.figures.glob("scaling.*.svg")
    assert "bcast, 128" in figure.read_text()


def test_parameters_come_from_the_campaigns_own_messages(tmp_path: Path) -> None:
    spec = replace(
        SMALL, operations=["ping-pong", "sendrecv", "bcast"], processes_per_node=[1, 8], analysis={}, launches=3,
        launch_spread=0.003, run_spread=0.003, truth=truth,
    )  # fmt: skip
    inputs = made(spec, tmp_path)
    found = csv(inputs, MODEL_PARAMETERS.file).set_index("processes_per_node").loc[8]
    assert found["alpha_us"] == pytest.approx(ALPHA, rel=0.02)
    assert found["one_way_mb_per_s"] == pytest.approx(STREAM, rel=0.02)
    assert found["imb_mb_per_s"] == pytest.approx(IMB[8], rel=0.02)
    curves = csv(inputs, MODELS.file)
    assert set(curves["operation"]) == {"sendrecv", "bcast"}  # ping-pong is between two processes
    assert curves.loc[curves["leaves_at"].notna(), "leaves_at"].tolist() == [LEAVES, LEAVES]
    text = inputs.layout.report.read_text()
    assert "ping-pong between two nodes" in text
    assert "not given" in text


def test_simulated_models_say_so(tmp_path: Path) -> None:
    inputs = made(replace(SMALL, operations=["bcast"], sizes=[128], launches=1, simulated=True), tmp_path)
    (figure,) = inputs.layout.figures.glob("scaling.*.svg")
    assert "simulated" in figure.read_text()
    assert csv(inputs, MODELS.file)["algorithm"].tolist() == ["binomial tree"]
