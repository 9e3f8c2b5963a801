# SPDX-License-Identifier: BSD-3-Clause
"""Several contrasts in one campaign: each beside the results, none among them."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from isochron.postprocess.analysis.analyse import complete
from isochron.postprocess.analysis.saved import load_analysis, save
from isochron.postprocess.formatting import numbers
from isochron.postprocess.ingest.ingest import ingest
from isochron.postprocess.ingest.inputs import load_inputs
from isochron.postprocess.ingest.store import read_table
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.contrasts.finding import operations_per_rep
from isochron.postprocess.subjects.contrasts.table import BOUNDS, CONTRASTS
from isochron.postprocess.subjects.registry import ALL_SAVED, TABLES
from isochron.schemas.run.layout import RunLayout
from tests.postprocess.conftest import SMALL
from tests.postprocess.reported import report
from tests.postprocess.synthetic import Spec, write_run

pytestmark = pytest.mark.process

WAYS: dict[str, tuple[dict[str, object], float]] = {
    "cold": ({"buffers": "cold"}, 1.5),
    "tsc": ({"timer": "tsc"}, 1.0),
    "loop": ({"scheme": "loop", "max_reps": 50}, 0.6),
}


def made(folder: Path, ways: dict[str, tuple[dict[str, object], float]]) -> RunLayout:
    spec = Spec(**{**vars(SMALL), "contrasts": ways, "launches": 12, "launch_spread": 0.005})
    return RunLayout(write_run(folder, spec))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> RunLayout:
    layout = made(tmp_path_factory.mktemp("contrasts") / "run", WAYS)
    report(layout.root, "contrast.")
    return layout


@pytest.fixture(scope="module")
def analysis(run: RunLayout) -> Analysis:
    return load_analysis(run, ALL_SAVED)


def test_each_contrast_is_set_against_the_results_of_its_stack(analysis: Analysis) -> None:
    table = analysis[CONTRASTS]
    assert table.groupby("contrast", sort=False).size().to_dict() == dict.fromkeys(WAYS, 2 * 3 * 2)
    for name, (options, factor) in WAYS.items():
        own = table[table["contrast"] == name]
        assert own["ratio"].to_numpy() == pytest.approx(factor, rel=0.06)
        assert own["within_blocks"].all()
        assert (own["ratio"] / (own["contrast_us"] / own["result_us"])).to_numpy() == pytest.approx(1.0, rel=0.06)
        verdicts = {
            "cold": {"slower"},
            "tsc": {"equivalent", "not-slower", "not-faster", "inconclusive"},
            "loop": {"faster"},
        }
        assert set(own["verdict"]) <= verdicts[name]
        assert set(own["scheme"]) == {options.get("scheme", "window")}
        assert set(own["timer"]) == {options.get("timer", "clock-gettime")}
        assert set(own["buffers"]) == {options.get("buffers", "warm")}
    assert set(table["options"]) == {"buffers: cold", "timer: tsc", "max_reps: 50, scheme: loop"}


def test_no_other_table_knows_of_contrasts(run: RunLayout, analysis: Analysis, tmp_path: Path) -> None:
    """Summary, comparison, verdicts, details …: the same numbers as without any."""
    alone = made(tmp_path / "run", {})
    ingest(load_inputs(alone.root))
    save(load_inputs(alone.root), complete(load_inputs(alone.root))[0])
    without = load_analysis(alone, ALL_SAVED)
    # of all launches, or of the contrasts
    beside = {
        "contrasts", "bounds", "systematic-errors", "provenance", "probes", "regimes", "clock-synchronisation",
        "timeline",
    }  # fmt: skip
    compared = [table for table in TABLES if table.name not in beside]
    assert len(compared) > 25
    for table in compared:
        pd.testing.assert_frame_equal(analysis[table], without[table], obj=table.name)
    assert set(analysis[BOUNDS]["contrast"]) == set(WAYS)
    assert len(read_table(run, "launches")) == 4 * len(read_table(alone, "launches"))


def test_several_operations_in_a_run_stand_beside_one(run: RunLayout, analysis: Analysis) -> None:
    """Each time says which it is; contrasts with as many as the results have no such finding."""
    (found,) = operations_per_rep(load_inputs(run.root), analysis)
    own = analysis[CONTRASTS].query("contrast == 'loop'")
    worst = own.loc[own["ratio"].idxmin()]
    times = [numbers.significant(float(worst[side])) for side in ("result_us", "contrast_us")]
    assert f"{times[0]} µs alone in a run, {times[1]} µs as one of 8 in a row. " in found.text
    assert (
        f"(contrast loop): the times of {(own['verdict'] == 'faster').sum()} of {len(own)} results differ. "
        in found.text
    )
    assert len(found.details) == len(own)
    assert found.numbers["contrast_us"] == worst["contrast_us"]


def test_each_contrast_has_a_figure_and_stands_in_the_report(run: RunLayout) -> None:
    page = run.report.read_text()
    for name in WAYS:
        assert (run.figures / f"contrast.{name}.svg").is_file()
        assert f"contrast {name}" in page
    assert "contrasts.csv" in page
