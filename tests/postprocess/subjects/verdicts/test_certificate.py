# SPDX-License-Identifier: BSD-3-Clause
"""The machine's certificate beside the verdicts of a run: what it says, of whom, and nothing where there is none."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from isochron.postprocess.estimate.machine.certificate import certificate_table
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.section import Source
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.verdicts.section import RESULT_VERDICTS, certificate
from isochron.postprocess.subjects.verdicts.table import CERTIFICATE
from isochron.schemas.run.certificate import CERTIFICATE as FILE
from isochron.schemas.run.certificate import Certificate, EffectScore, Share
from isochron.schemas.run.layout import RunLayout
from tests.postprocess.changed import having

TEN = Share(hits=9, of=10, low=0.55, high=0.997)
MADE = Certificate(
    made_at="2026-05-04T08:00:00Z", isochron_version="0.1.0", engine_version="0.1.0", hosts=["node0", "node1"],
    processor="A processor", load_average=0.5, results="/results", stacks=["mpich-5.0"], short=False, threshold=0.05,
    confidence=0.95, false_tables=Share(hits=1, of=20, low=0, high=0.216),
    false_same=Share(hits=0, of=10, low=0, high=0.26),
    false_rows=TEN, false_equivalent=TEN, covered=Share(hits=190, of=200, low=0.91, high=0.98), median_rse=0.01,
    effects=[EffectScore(effect=effect, detected=TEN, covered=TEN) for effect in (0.0, 0.05, 0.1)],
)  # fmt: skip


def of_run(folder: Path, hosts: str, engine: str = "0.1.0") -> pd.DataFrame:
    launches = pd.DataFrame({"hosts": [hosts, "node0"], "engine_version": engine})
    return certificate_table(RunLayout(folder / "results" / "c" / "r"), launches)


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """A folder of results with a certificate."""
    MADE.save(tmp_path / "results" / FILE)
    return tmp_path


def test_it_is_found_in_the_folder_of_results(results: Path) -> None:
    table = of_run(results, "node1,node0")
    assert table["effect"].tolist() == [0.0, 0.05, 0.1]
    assert table["same_hosts"].all() and table["same_engine"].all()
    assert set(table["false_high"]) == {0.216}


def test_other_hosts_and_engines_are_noted(results: Path) -> None:
    assert not of_run(results, "node0,node7")["same_hosts"].any()
    assert not of_run(results, "node0", "0.2.0")["same_engine"].any()


@pytest.mark.parametrize("text", [None, "", "{}"])
def test_without_one_that_can_be_read_there_is_none(results: Path, text: str | None) -> None:
    path = results / "results" / FILE
    path.unlink() if text is None else path.write_text(text)
    assert of_run(results, "node0").empty


@pytest.mark.heavy
def test_the_section_says_what_it_is_worth(results: Path, demo: RunInputs, demo_analysis: Analysis) -> None:
    def shown(table: pd.DataFrame) -> Source:
        return Source(demo, having(demo_analysis, {CERTIFICATE: table}).only(RESULT_VERDICTS.needs), [], [])

    assert certificate(shown(demo_analysis[CERTIFICATE])) is None
    view = certificate(shown(of_run(results, "node0")))
    assert view is not None and view.doubt == ""
    assert "compared mpich-5.0 with itself on node0 and node1 (A processor) with engine 0.1.0" in view.text
    assert "Of 20 tables, 1 had a false verdict: at most 22\u202f% of all do" in view.text
    assert "held the true ratio in 95\u202f% of 200 rows" in view.text
    assert [(row.effect, row.detected) for row in view.effects] == [("10\u202f%", "9 of 10")]
    other = certificate(shown(of_run(results, "node7", "0.2.0")))
    assert other is not None and other.doubt == "It says little of this run, which had other hosts and another engine."
