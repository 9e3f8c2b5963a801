# SPDX-License-Identifier: BSD-3-Clause
"""A run against the one before it: as a command, and as what tells the hook of a regression."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from isochron.cli.main import main
from isochron.postprocess.__main__ import main as postprocess
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.state import RunState
from isochron.workflows.driving.hooks import call_hooks
from tests.postprocess.estimate.compare.nights import write_nights
from tests.postprocess.synthetic import Spec, write_run

pytestmark = pytest.mark.process

STACKS = ["openmpi-5.0", "mpich-5.0", "mpich-4.3"]
SPEC = Spec(
    stacks=STACKS, operations=["barrier", "bcast"], sizes=[8], processes=[4], launches=10, runs=12, launch_spread=0.01
)
FIRST, SECOND = "20260504T080000Z-0001", "20260505T080000Z-0002"


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Two complete runs, and 19 before; in the second one stack is half as fast again."""
    folder = tmp_path_factory.mktemp("results")
    for run_id, spec in ((FIRST, SPEC), (SECOND, replace(SPEC, speed={"mpich-5.0": 1.95}, seed=8))):
        run = RunLayout(write_run(folder / "synthetic" / run_id, spec))
        RunState.load(run.state).model_copy(update={"state": "complete"}).save(run.state)
        assert postprocess(["ingest", str(run.root)]) == 0
    write_nights(RunLayout(folder / "synthetic" / FIRST), 19)
    yield folder


def compare(results: Path, *words: str) -> int:
    return main(["compare", *words, "--results", str(results)])


def test_slower_is_exit_3_and_stands_first(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert compare(results, "synthetic") == 3
    said = capsys.readouterr().out
    assert f"{SECOND} against {FIRST}: 2 slower" in said
    lines = [line for line in said.splitlines() if line.startswith(("mpich", "openmpi"))]
    assert [line.split()[:3] for line in lines] == [["mpich-5.0", "barrier", "0"], ["mpich-5.0", "bcast", "8"]]
    assert all(line.rstrip().endswith("slower") for line in lines)


def test_the_newer_run_is_no_night_before_the_older_one(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folders = [str(results / "synthetic" / run_id) for run_id in (SECOND, FIRST)]
    assert compare(results, *folders, "--format", "json") == 0
    rows = json.loads(capsys.readouterr().out)
    assert len(rows) == 6 and {row["nights"] for row in rows} == {20}, "without the candidate itself"


def test_without_enough_nights_it_says_what_is_missing(
    results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for run_id in (FIRST, SECOND):
        shutil.copytree(results / "synthetic" / run_id, tmp_path / "synthetic" / run_id)
    assert compare(tmp_path, "synthetic", "--strict") == 5
    said = capsys.readouterr().out.splitlines()
    assert said[0].endswith("6 inconclusive")
    assert said[1:] == [
        "  6 inconclusive: 1 of 19 nights with these libraries: by how much nights differ is not known; 18 more, or "
        "see history"
    ]


def test_what_cannot_be_told_has_an_exit_code_of_its_own(
    results: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told = {"equivalent": 0, "faster": 0, "inconclusive": 5, "missing": 5, "new": 5, "slower": 3}
    for verdict, code in told.items():
        rows = [{"verdict": verdict, "reason": ""}]
        monkeypatch.setattr("isochron.cli.results.compare.compare_runs", lambda *_, rows=rows: rows)
        assert compare(results, "synthetic", "--strict", "--quiet", "--format", "json") == code
        assert compare(results, "synthetic", "--quiet", "--format", "json") == (3 if code == 3 else 0)


def test_without_an_earlier_run(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert compare(results, str(min((results / "synthetic").glob("2*")))) == 2
    assert "the campaign has no older complete run" in capsys.readouterr().err
    assert compare(results, "synthetic", "synthetic", "synthetic") == 2
    assert "3 runs were given" in capsys.readouterr().err


def test_the_hook_of_a_regression_is_told_what_is_slower(results: Path) -> None:
    run = RunLayout(results / "synthetic" / SECOND)
    run.logs.mkdir(exist_ok=True)
    document = yaml.safe_load(run.campaign.read_text())
    document["hooks"] = {"on_regression": 'printf "%s" "$ISOCHRON_EVENT $ISOCHRON_RUN_ID $ISOCHRON_DETAILS"'}
    campaign = Campaign.model_validate(document)
    assert call_hooks(run, campaign, RunState.load(run.state), []) == []
    told = (run.logs / "hook-regression.log").read_text()
    assert told.startswith(f"regression {SECOND} mpich-5.0 barrier 0 B p4.n4.packed: slower, 1.")
    assert len(told.splitlines()) == 2
