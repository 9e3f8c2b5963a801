# SPDX-License-Identifier: BSD-3-Clause
"""Pages of one file: they say what the commands say, and lead nowhere else."""

from __future__ import annotations

import re
import shutil
from base64 import b64decode
from dataclasses import replace
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from isochron.cli.main import main
from isochron.postprocess.__main__ import main as postprocess
from isochron.postprocess.estimate.compare.pooled import pooled_runs
from isochron.postprocess.estimate.history_cache.cache import Archive
from isochron.postprocess.ingest.inputs import RunInputs, load_inputs
from isochron.postprocess.report.links import EmbeddedLinks
from isochron.postprocess.report.render import standalone
from isochron.postprocess.site.differences import recorded_with
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.state import RunState
from tests.bench.archived import write_campaigns
from tests.postprocess.estimate.compare.nights import write_nights
from tests.postprocess.in_process import postprocess_in_this_process
from tests.postprocess.site.walk import RUNS, Page
from tests.postprocess.synthetic import STACKS, Spec, write_run

__all__ = ["postprocess_in_this_process"]
pytestmark = [pytest.mark.heavy, pytest.mark.usefixtures("postprocess_in_this_process")]

SPEC = Spec(
    stacks=["openmpi-5.0", "mpich-5.0", "mpich-4.3"],
    operations=["barrier", "bcast"],
    sizes=[8],
    processes=[4],
    launches=10,
    runs=8,
)
NAMES = [f"2026050{number}T080000Z-000{number}" for number in range(1, 5)]


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four complete runs of one plan; with the fourth one stack takes half as long again, and is another version."""
    folder = tmp_path_factory.mktemp("results")
    for number, run_id in enumerate(NAMES):
        speed = {"mpich-5.0": 1.95 if number == 3 else 1.3}
        run = RunLayout(write_run(folder / "synthetic" / run_id, replace(SPEC, speed=speed, seed=number)))
        RunState.load(run.state).model_copy(update={"state": "complete", "run_id": run_id}).save(run.state)
        assert postprocess(["ingest", str(run.root)]) == 0
    manifest = RunLayout(folder / "synthetic" / NAMES[3]).manifest("mpich-5.0")
    manifest.write_text(manifest.read_text().replace("5.0.2", "5.0.3"))
    return folder


def table_in(page: str, name: str) -> pd.DataFrame:
    """The CSV that a page holds under a name."""
    found = re.search(rf'href="data:text/csv;charset=utf-8;base64,([^"]+)" download="{name}"', page)
    assert found is not None
    return pd.read_csv(StringIO(b64decode(found[1]).decode()))


def assert_alone(path: Path) -> str:
    page = Page(path)
    assert [link for link in page.links if not link.startswith(("#", "data:"))] == []
    assert {link[1:] for link in page.links if link.startswith("#")} <= page.names
    assert "default-src 'none'" in page.policy and "strict-dynamic" not in page.policy
    return path.read_text()


def test_two_runs(results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "compared.html"
    runs = [str(results / "synthetic" / name) for name in (NAMES[2], NAMES[3])]
    write_nights(RunLayout(Path(runs[0])), 19)
    assert main(["compare", *runs, "--html", str(target)]) == 3
    assert "2 slower" in capsys.readouterr().out
    page = assert_alone(target)
    assert 'class="said slower">slower<' in page and "2 slower" in page
    assert len(re.findall(r'<th scope="row">mpich-5.0, ', page)) == 2
    assert "mpich-5.0 version: 5.0.2 → 5.0.3" in page
    table = table_in(page, "comparison.csv")
    assert len(table) == 6 and (table["verdict"] == "slower").sum() == 2


def test_what_is_recorded_with_a_run_and_was_not_before(results: Path) -> None:
    """Nothing with the third run, another version of a library with the fourth."""
    runs = [RunLayout(results / "synthetic" / name) for name in NAMES]
    nothing, third, fourth = recorded_with(runs, ["", *NAMES[2:]])
    assert (nothing, third) == ("", "")
    assert "mpich-5.0 version: 5.0.2 → 5.0.3 (MPI library)" in fourth


@pytest.mark.slow
def test_a_history(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_campaigns(tmp_path / "results", SPEC, 1, RUNS)
    words = ["history", "night-000", "--results", str(tmp_path / "results")]
    assert main([*words, "--html", str(tmp_path / "h.html")]) == 0
    assert "1 slower" in capsys.readouterr().out
    page = assert_alone(tmp_path / "h.html")
    assert page.count('class="course"') == 3  # two operations, one row that has changed
    assert "6.1.0 → 6.12.0" in page
    assert (table_in(page, "history.csv")["verdict"] == "slower").sum() == 1
    assert main([*words, "--html", str(tmp_path / "h.html"), "--format", "csv"]) == 2
    assert "history --html" in capsys.readouterr().err


def test_several_runs_as_one(results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target, runs = tmp_path / "pooled.html", [str(results / "synthetic" / name) for name in NAMES[:3]]
    assert main(["report", *runs, "--output", str(target)]) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0].startswith("3 runs, 6 rows: from run to run a value differs by") and said[1] == str(target)
    page = assert_alone(target)
    ratios = table_in(page, "pooled-ratios.csv").set_index(["candidate", "baseline", "operation"])
    values = table_in(page, "pooled-values.csv")
    assert len(values) == 6 and (values["runs"] == 3).all()
    assert (values["low"] < values["pooled"]).all() and (values["pooled"] < values["high"]).all()
    assert (values["next_low"] < values["low"]).all() and (values["next_high"] > values["high"]).all()
    own = ratios.xs("barrier", level="operation").iloc[0]
    stack, other = ratios.index[0][:2]
    truth = {name: 1.3 if name == "mpich-5.0" else STACKS[name][2] for name in (stack, other)}
    assert own["low"] < truth[stack] / truth[other] < own["high"]


@pytest.mark.slow
def test_one_run_is_not_several_and_other_plans_are_refused(
    results: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    runs = [results / "synthetic" / name for name in NAMES[:2]]
    other = shutil.copytree(runs[1], tmp_path / "results/synthetic" / NAMES[1])
    plan = RunLayout(other).plan
    plan.write_text(plan.read_text().replace("5a17e7", "0ther0"))
    assert main(["report", str(runs[0]), str(other), "--output", str(tmp_path / "x.html")]) == 2
    assert "measures another plan" in capsys.readouterr().err
    assert main(["report", str(runs[0]), str(runs[0]), "--output", str(tmp_path / "x.html")]) == 2
    assert "given twice" in capsys.readouterr().err
    assert main(["report", str(runs[0]), "--output", str(tmp_path / "x.html")]) == 2
    assert "report --output: only valid with several runs" in capsys.readouterr().err
    assert not (tmp_path / "x.html").exists()


@pytest.mark.slow
def test_a_run_that_differs_widens_the_estimate(results: Path) -> None:
    alike, with_other = (
        pooled_runs([load_inputs(results / "synthetic" / name) for name in names], Archive(None)).values
        for names in (NAMES[:3], NAMES[1:])
    )
    slower = (alike["stack"] == "mpich-5.0").to_numpy()
    assert (with_other["between_runs"][slower] > 0.2).all() and (alike["between_runs"] < 0.1).all()
    width = np.log(with_other["high"] / with_other["low"]) / np.log(alike["high"] / alike["low"])
    assert (width[slower] > 3).all()


@pytest.mark.heavy
def test_a_report_in_a_mail_holds_its_tables(demo: RunInputs, tmp_path: Path) -> None:
    target = tmp_path / "mailed.html"
    target.write_text(standalone(demo))
    page = assert_alone(target)
    for name in ("summary.csv", "comparison.csv"):
        pd.testing.assert_frame_equal(table_in(page, name), pd.read_csv(demo.layout.tables / name))
    names = re.findall(r'download="([^"]+)"', page)
    assert len(set(names)) == len(names) and set(names) > {path.name for path in demo.layout.tables.glob("*.csv")}
    assert main(["export", str(demo.layout.root), "--html", "--output", str(tmp_path / "again.html")]) == 0
    assert (tmp_path / "again.html").read_text() == target.read_text()


def test_no_file_outside_the_run_gets_into_a_page(tmp_path: Path) -> None:
    (tmp_path / "run/tables").mkdir(parents=True)
    for file in ("secret.csv", "run/tables/own.csv", "run/tables/own.py"):
        (tmp_path / file).write_text("a,b\n1,2\n")
    (tmp_path / "run/tables/link.csv").symlink_to(tmp_path / "secret.csv")
    links = EmbeddedLinks(tmp_path / "run")
    assert links.file("tables/own.csv") == "#" + links.held("tables/own.csv")["id"]
    for path in ("../secret.csv", "tables/link.csv", "tables/none.csv", "tables/own.py", "tables/"):
        assert (links.file(path), links.held(path)) == ("", {})
