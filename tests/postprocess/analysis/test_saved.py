# SPDX-License-Identifier: BSD-3-Clause
"""What analyse leaves is all that render needs, to the last digit."""

from __future__ import annotations

import os
import shutil
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from isochron.common.files import FileError
from isochron.postprocess.__main__ import main
from isochron.postprocess.analysis import saved
from isochron.postprocess.analysis.analyse import analyse
from isochron.postprocess.analysis.saved import load_analysis, save
from isochron.postprocess.estimate.compare import comparison
from isochron.postprocess.estimate.models import results
from isochron.postprocess.ingest.inputs import RunInputs, load_inputs
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.registry import ALL_SAVED
from isochron.postprocess.subjects.results.table import SUMMARY
from isochron.postprocess.subjects.verdicts.table import VERDICTS
from isochron.schemas.run.layout import RunLayout
from tests.postprocess.conftest import SMALL
from tests.postprocess.estimate.models.scaled import BXJ
from tests.postprocess.reported import report
from tests.postprocess.synthetic import demo_spoiler, write_run

pytestmark = pytest.mark.heavy

NAMES = frozenset(f"b00{block}.{stack}.p{p}.n4.packed.1" for block in (1, 2) for stack in SMALL.stacks for p in (4, 8))
CURVES = replace(BXJ, operations=["bcast", "scan"], processes=[16, 32, 64, 128, 256], launches=3)
SPECS = {
    "spoilt": replace(SMALL, stacks=["mpich-4.3", "openmpi-4.1"], spoiler=demo_spoiler),
    "curves without parameters": replace(CURVES, operations=["scan"], analysis={}),
    "simulated": replace(SMALL, launches=1, simulated=True),
    "nothing measured": replace(SMALL, launches=2, missing=NAMES),
}
MORE_SPECS = ("simulated", "nothing measured")


@pytest.mark.parametrize(
    "name",
    ["spoilt", "curves without parameters", *(pytest.param(each, marks=pytest.mark.slow) for each in MORE_SPECS)],
)
def test_every_frame_is_read_as_it_was_made(name: str, tmp_path: Path) -> None:
    inputs = load_inputs(write_run(tmp_path / "run", SPECS[name]))
    assert main(["ingest", str(inputs.layout.root)]) == 0
    made = analyse(inputs)
    save(inputs, made)
    assert_read_as_made(inputs, made)


def assert_read_as_made(inputs: RunInputs, made: Analysis) -> None:
    again = load_analysis(inputs.layout, ALL_SAVED)
    assert again.flagged == made.flagged
    for table in ALL_SAVED:
        pd.testing.assert_frame_equal(
            again[table].reset_index(drop=True), made[table].reset_index(drop=True), check_exact=True
        )
        if table.fixed:
            assert list(made[table].columns) == list(table.columns)


def test_render_needs_neither_raw_files_nor_what_was_measured(small: RunInputs) -> None:
    layout, folder = small.layout, str(small.layout.root)
    report(layout.root)
    before = layout.report.read_bytes()
    for path in (layout.table("measurements"), layout.table("repetitions"), *layout.launches.iterdir()):
        path.unlink()
    assert main(["render", folder]) == 0
    assert layout.report.read_bytes() == before


def test_what_is_missing_or_of_another_version_is_told(
    demo: RunInputs, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = RunLayout(shutil.copytree(demo.layout.root, tmp_path / "run", ignore=shutil.ignore_patterns("launches")))
    folder, kept = str(run.root), run.kept(SUMMARY.name)
    aside = kept.rename(tmp_path / kept.name)
    assert main(["render", folder]) == 1
    assert f"analyse {folder}` first" in capsys.readouterr().err
    aside.rename(kept)
    pd.read_parquet(kept).rename(columns={"median_us": "middle_us"}).to_parquet(kept)
    assert main(["render", folder]) == 1
    assert "columns differ from those of this version" in capsys.readouterr().err
    kept.write_text("no Parquet")
    with pytest.raises(FileError, match="analyse the run again"):
        load_analysis(run, [SUMMARY])


def test_what_was_not_asked_for_is_not_there(demo: RunInputs) -> None:
    analysis = load_analysis(demo.layout, [SUMMARY, VERDICTS])
    assert len(analysis.only([SUMMARY])[SUMMARY])
    with pytest.raises(LookupError, match="`verdicts` is needed"):
        analysis.only([SUMMARY])[VERDICTS]


@pytest.mark.process
def test_all_cores_find_what_one_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pairs, curves and tables of large campaigns are worked on by a process for each core."""
    inputs = load_inputs(write_run(tmp_path / "run", CURVES))
    assert main(["ingest", str(inputs.layout.root)]) == 0
    alone = analyse(inputs)
    save(inputs, alone)
    assert_read_as_made(inputs, alone)
    written = {path.name: path.read_bytes() for path in inputs.layout.tables.glob("*.csv")}
    for module in (comparison, results, saved):
        monkeypatch.setattr(module, "MANY", 0)
    monkeypatch.setattr(results, "TOGETHER", 3)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1})
    together = analyse(inputs)
    for table in ALL_SAVED:
        pd.testing.assert_frame_equal(together[table], alone[table], check_exact=True)
    save(inputs, together)
    assert {path.name: path.read_bytes() for path in inputs.layout.tables.glob("*.csv")} == written
