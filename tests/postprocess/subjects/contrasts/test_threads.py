# SPDX-License-Identifier: BSD-3-Clause
"""The price of MPI_THREAD_MULTIPLE is told of a contrast that differs in nothing else."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from isochron.postprocess.analysis.saved import load_analysis
from isochron.postprocess.ingest.inputs import load_inputs
from isochron.postprocess.subjects.contrasts.finding import price_of_threads, prices
from isochron.postprocess.subjects.contrasts.table import CONTRASTS
from isochron.postprocess.subjects.registry import ALL_SAVED
from tests.postprocess.conftest import SMALL
from tests.postprocess.reported import report
from tests.postprocess.synthetic import Spec, write_run


@pytest.mark.process
def test_the_level_alone_has_a_price(tmp_path: Path) -> None:
    ways: dict[str, tuple[dict[str, object], float]] = {
        "level": ({"threads": 1}, 1.5),
        "both": ({"threads": 1, "buffers": "cold"}, 2.0),
    }
    spec = Spec(**{**vars(SMALL), "contrasts": ways, "launches": 12, "launch_spread": 0.005})
    run = write_run(tmp_path / "run", spec)
    report(run, "contrast.")
    inputs = load_inputs(run)
    analysis = load_analysis(inputs.layout, ALL_SAVED)
    (found,) = price_of_threads(inputs, analysis)
    own = analysis[CONTRASTS].query("contrast == 'level'")
    assert found.numbers["contrast"] == "level" and found.numbers["price"] == pytest.approx(1.5, rel=0.06)
    assert found.numbers["rows_that_differ"] == found.numbers["rows"] == len(own) == len(found.details)
    assert f"changes the time of {len(own)} of {len(own)} results" in found.text
    assert "MPI_THREAD_MULTIPLE, which contrast level is about" in inputs.layout.report.read_text()


def test_a_contrast_without_the_level_has_the_inverse() -> None:
    rows = pd.DataFrame(
        {"ratio": [0.5], "ratio_low": [0.4], "ratio_high": [0.8], "result_us": [2.0], "contrast_us": [1.0]}
    )
    names = ["price", "price_low", "price_high", "with_us", "without_us"]
    assert prices(rows, with_level=False)[names].to_numpy().tolist() == [[2.0, 1.25, 2.5, 2.0, 1.0]]
    assert prices(rows, with_level=True)[names].to_numpy().tolist() == [[0.5, 0.4, 0.8, 1.0, 2.0]]
