# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from matplotlib.figure import Figure

from isochron.postprocess.analysis.analyse import analyse, catalogue, write_figures
from isochron.postprocess.ingest.ingest import ingest
from isochron.postprocess.ingest.inputs import RunInputs, load_inputs
from isochron.postprocess.kit import svg
from isochron.postprocess.kit.drawing import figure_settings, log_axis, log_ticks, positions
from isochron.postprocess.kit.figure import MARKERS, SERIES, VARIABLES, FigureList, marks
from isochron.postprocess.kit.section import GLYPHS
from isochron.postprocess.kit.svg import themed
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.interference.table import PROBE_SERIES
from isochron.postprocess.subjects.methods.table import CLOCKS
from isochron.postprocess.subjects.results.table import SUMMARY
from isochron.postprocess.subjects.systematic.table import FIRST_CALLS
from isochron.postprocess.subjects.trust.table import TIMELINE
from tests.postprocess.changed import having
from tests.postprocess.synthetic import Spec, write_run

pytestmark = pytest.mark.heavy


def test_which_figures_there_are(demo: RunInputs) -> None:
    listed = FigureList.load(demo.layout.figures / "figures.json").figures
    assert [info.file for info in listed] == [
        "time-by-size.p4.n4.packed.svg",
        "time-by-size.p8.n4.packed.svg",
        "without-data.svg",
        "time-by-processes.4.packed.svg",
        "rse-by-bytes.svg",
        "rse-by-processes.svg",
        "timeline.svg",
        "first-calls.svg",
        "clock-synchronisation.svg",
    ]
    assert {path.name for path in demo.layout.figures.glob("*.svg")} == {info.file for info in listed}


def test_every_figure_is_whole_named_and_has_text_as_text(demo: RunInputs) -> None:
    for path in demo.layout.figures.glob("*.svg"):
        tree = ElementTree.parse(path)
        texts = ["".join(text.itertext()).strip() for text in tree.iter("{http://www.w3.org/2000/svg}text")]
        assert "openmpi-5.0" in texts
        assert any("µs" in text or "(ns)" in text or "%" in text or "call" in text for text in texts), path
        assert "<dc:date>" not in path.read_text()


def test_no_panel_is_empty(demo: RunInputs, demo_analysis: Analysis) -> None:
    with figure_settings():
        for plot in catalogue(demo, demo_analysis):
            for axes in plot.draw().axes:
                assert axes.lines or axes.containers, (plot.info.file, axes.get_title())


def test_markers_stand_at_the_medians(demo: RunInputs, demo_analysis: Analysis) -> None:
    with figure_settings():
        figure = next(catalogue(demo, demo_analysis)).draw()
    rows = demo_analysis[SUMMARY]
    chosen = rows[(rows["stack"] == "openmpi-5.0") & (rows["operation"] == "bcast") & (rows["processes"] == 4)]
    panel = next(axes for axes in figure.axes if axes.get_title(loc="left") == "bcast")
    assert np.asarray(panel.lines[0].get_ydata()) == pytest.approx(chosen["median_us"].to_numpy())


def test_a_figure_as_part_of_a_page(demo: RunInputs) -> None:
    text = (demo.layout.figures / "first-calls.svg").read_text()
    page = themed(text, "f7", "Title & more", "What it shows")
    ids = re.findall(r'\bid="([^"]+)"', page)
    assert len(ids) == len(set(ids))
    assert all(name.startswith("f7-") for name in ids)
    for target in re.findall(r'(?:url\(|href=")#([^)"]+)', page):
        assert target in ids
    assert 'role="img"' in page
    assert "Title &amp; more" in page
    assert not any(colour in page for colour in VARIABLES)
    assert "DejaVu" not in page
    ElementTree.fromstring(page)


def test_simulated_data_says_so_in_every_figure(tmp_path_factory: pytest.TempPathFactory) -> None:
    spec = Spec(stacks=["mpich-5.0"], operations=["barrier", "bcast"], sizes=[8, 64, 512], launches=3, simulated=True)
    inputs = load_inputs(write_run(tmp_path_factory.mktemp("simulated") / "run", spec))
    ingest(inputs)
    infos = write_figures(inputs.layout, catalogue(inputs, analyse(inputs)))
    assert len(infos) == 8
    assert all("simulated" in info.title for info in infos)
    assert all("simulated" in (inputs.layout.figures / info.file).read_text() for info in infos)


def test_one_size_one_point_one_stack(tmp_path_factory: pytest.TempPathFactory) -> None:
    spec = Spec(stacks=["mpich-5.0"], operations=["bcast"], sizes=[8], processes=[4], launches=2)
    inputs = load_inputs(write_run(tmp_path_factory.mktemp("least") / "run", spec))
    ingest(inputs)
    infos = write_figures(inputs.layout, catalogue(inputs, analyse(inputs)))
    files = [info.file for info in infos]
    assert files == ["time-by-size.p4.n4.packed.svg", "timeline.svg", "first-calls.svg"]  # nothing is reliable


def test_a_sweep_is_drawn_against_processes_only(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Two sizes are no curve, and one launch has no error: what a sweep shows is not drawn once more by point."""
    sweep = Spec(stacks=["mpich-5.0"], operations=["barrier", "bcast"], sizes=[8, 64], launches=1)
    inputs = load_inputs(write_run(tmp_path_factory.mktemp("sweep") / "run", sweep))
    ingest(inputs)
    files = [info.file for info in write_figures(inputs.layout, catalogue(inputs, analyse(inputs)))]
    assert [file for file in files if file.startswith("time-")] == ["time-by-processes.4.packed.svg"]
    assert "without-data.svg" not in files


@pytest.mark.parametrize(("values", "ends"), [([4.84, 4.85], 1.1), ([4.0, 8.0], 2.0)])
def test_a_small_difference_does_not_fill_an_axis(values: list[float], ends: float) -> None:
    axes = Figure().subplots()
    axes.plot([1, 2], values)
    log_axis(axes, "y")
    low, high = axes.get_ylim()
    assert low < values[0] < values[1] < high
    assert ends * 0.999 <= high / low < 1.1 * ends


def test_nothing_measured_draws_nothing(demo: RunInputs, demo_analysis: Analysis) -> None:
    summary = demo_analysis[SUMMARY].assign(median_us=np.nan)
    empty = {table: demo_analysis[table].iloc[:0] for table in (CLOCKS, PROBE_SERIES, TIMELINE)}
    nothing = having(demo_analysis, {SUMMARY: summary, **empty})
    assert len(nothing[FIRST_CALLS])
    assert list(catalogue(demo, nothing)) == []


def test_places_are_rounded_and_texts_are_not(tmp_path: Path) -> None:
    figure = Figure()
    figure.text(0.123456, 0.5, "0.001234 µs")
    with figure_settings():
        svg.save(figure, tmp_path / "a.svg")
    text = (tmp_path / "a.svg").read_text()
    assert "0.001234 µs" in text and "<metadata" not in text
    assert not re.search(r'(?:x|y|transform)="[^"]*\.\d{3}', text)


def test_zero_bytes_have_a_place_on_the_axis() -> None:
    assert positions([0, 8, 16, 64]) == {0: 2.0, 8: 3.0, 16: 4.0, 64: 6.0}
    assert positions([0]) == {0: 0.0}


@pytest.mark.parametrize(("low", "high"), [(1, 1000), (4.1, 9.2), (95, 105), (0.002, 4000), (31, 65)])
def test_log_ticks_are_few_but_enough(low: float, high: float) -> None:
    found = log_ticks(low, high)
    assert 2 <= len(found) <= 8
    assert all(low <= tick <= high for tick in found)


def test_marks_differ_and_the_report_has_the_same() -> None:
    found = marks([f"stack-{i}" for i in range(40)])
    assert len({(mark.colour, mark.marker) for mark in found.values()}) == 40
    assert set(GLYPHS) == set(MARKERS)
    assert len(SERIES) == len(set(SERIES))
