# SPDX-License-Identifier: BSD-3-Clause
"""A slow job in a history is named as that, and no library with it; a library that changed is named, and no other."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from isochron.cli.main import main
from isochron.postprocess.__main__ import main as postprocess
from isochron.postprocess.estimate.history_cache.series import machine_lines, row_lines
from isochron.postprocess.ingest.inputs import RESULT_KEY
from isochron.postprocess.site.campaign_history import tell
from isochron.postprocess.site.discovery import campaigns
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.state import RunState
from isochron.stats.changes.change_point import continued
from tests.postprocess.in_process import postprocess_in_this_process
from tests.postprocess.synthetic import Spec, write_run

__all__ = ["postprocess_in_this_process"]
pytestmark = [pytest.mark.heavy, pytest.mark.usefixtures("postprocess_in_this_process")]

STACKS = ["a", "b", "c", "d"]
SIZES = [8 * 4**step for step in range(10)]
ROWS = pd.DataFrame([(stack, "bcast", size, 8, 4, "packed") for stack in STACKS for size in SIZES], columns=RESULT_KEY)
SMALL = (ROWS["bytes"] <= 2**14).to_numpy()
RUNS = 24
#: Standard deviations of logarithms: of a value, of what a job does to small messages, and to those of one stack.
VALUE_SD, JOB_SD, STACK_SD = 0.02, 0.04, 0.02


def archive(seed: int) -> np.ndarray:
    """Values of runs of one job each, without any change: (runs, rows)."""
    rng = np.random.default_rng(seed)
    job = rng.normal(0, JOB_SD, (RUNS, 1)) + np.repeat(rng.normal(0, STACK_SD, (RUNS, len(STACKS))), len(SIZES), axis=1)
    return 10 * np.exp(rng.normal(0, VALUE_SD, (RUNS, len(ROWS))) + np.where(SMALL, job, 0.0))


def planted(kind: str, seed: int) -> np.ndarray:
    values = archive(seed)
    if "slow job" in kind:
        values[-1, SMALL] *= 1.4
    if "slow jobs" in kind:
        values[-2, SMALL] *= 1.3
    if "library" in kind:
        values[-4:, (ROWS["stack"] == "b").to_numpy()] *= 1.25
    if "configuration" in kind:
        values[-1, (ROWS["stack"] == "b").to_numpy()] *= 2
    return values


def named(values: np.ndarray) -> tuple[set[str], bool]:
    """The stacks that are blamed for what lasts or is unconfirmed, and whether the newest job or the machine is."""
    found, _ = continued(values, ROWS["stack"].factorize()[0], 0.05, None)
    lines, machine = row_lines(values, ROWS, found, 1.05), machine_lines(found, 1.05)
    of_all = lines["whose"] == "machine"
    newest = (machine["run"] >= RUNS - 2).any() or (lines.loc[of_all, "run"] >= RUNS - 2).any()
    return set(ROWS["stack"].iloc[lines.loc[~of_all, "series"]]), bool(newest)


#: What is planted, the stack that is to be named, and whether a slow job is.
KINDS = [
    ("nothing", set(), False),
    ("slow job", set(), True),
    ("slow jobs", set(), True),
    ("library", {"b"}, False),
    ("configuration", {"b"}, False),
    ("slow job, library", {"b"}, True),
    ("slow job, configuration", {"b"}, True),
]


def outcomes(kind: str, stacks: set[str], archives: int) -> tuple[int, int, int]:
    """Of archives those with a false name, with all true names, and with a slow job."""
    results = [named(planted(kind, seed)) for seed in range(archives)]
    false = sum(not blamed <= stacks for blamed, _ in results)
    return false, sum(stacks <= blamed for blamed, _ in results), sum(slow for _, slow in results)


@pytest.mark.parametrize(("kind", "stacks", "slow"), KINDS)
def test_what_is_planted_is_named_and_nothing_else(kind: str, stacks: set[str], slow: bool) -> None:
    false, true, jobs = outcomes(kind, stacks, 10)
    assert false <= 2 and true >= 9
    assert jobs >= 9 if slow else jobs <= 2


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "stacks", "slow"), KINDS)
def test_false_names_are_rare(kind: str, stacks: set[str], slow: bool) -> None:
    archives = 400
    false, true, jobs = outcomes(kind, stacks, archives)
    print(f"{kind}: of {archives} archives {false} have a false name, {true} the true ones, {jobs} a slow job")
    assert false <= binom.ppf(0.999, archives, 0.05) and true >= 0.9 * archives
    assert jobs >= 0.9 * archives if slow else jobs <= binom.ppf(0.999, archives, 0.05)


SPEC = Spec(
    stacks=["openmpi-5.0", "mpich-5.0", "mpich-4.3"], operations=["bcast", "reduce"], sizes=[8, 512, 65536, 2**20],
    processes=[4], launches=5, runs=6, launch_spread=0.01, probes=False,
)  # fmt: skip
NIGHTS = 10


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The newest of ten runs was in a job that was slow in small messages."""
    folder = tmp_path_factory.mktemp("results")
    cases = [(stack, operation, size) for stack in SPEC.stacks for operation in SPEC.operations for size in (8, 512)]
    slow = dict.fromkeys(cases, 1.5)
    for night in range(1, NIGHTS + 1):
        spec = replace(SPEC, seed=200 + night, planted=slow if night == NIGHTS else {})
        run = RunLayout(write_run(folder / "synthetic" / f"202605{night:02d}T013000Z-0001", spec))
        RunState.load(run.state).model_copy(update={"state": "complete"}).save(run.state)
        assert postprocess(["ingest", str(run.root)]) == 0
    newest = RunLayout(folder / "synthetic" / f"202605{NIGHTS:02d}T013000Z-0001")
    newest.tables.mkdir(exist_ok=True)
    (newest.tables / "job-list.csv").write_text('job,small_ratio,large_ratio,hosts\n4711,1.01,,"n1,n2"\n4712,0.9,,n3\n')
    return folder


def test_the_table_names_the_slow_job_and_no_library(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["history", "synthetic", "--results", str(results), "--strict"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    newest = f"202605{NIGHTS:02d}T013000Z-0001"
    assert f"slow job (all stacks), not a library: in {newest} (most in job 4711) all stacks take" in printed
    assert "mpich" not in printed and "openmpi" not in printed


def test_the_page_names_the_slow_job_and_no_library(results: Path) -> None:
    (campaign,) = campaigns([results])
    history = tell(campaign)
    (line,) = history.nights[NIGHTS - 1]
    assert line.startswith("slow job (all stacks), not a library: all stacks take")
    assert history.sentence.startswith("Unchanged in the last 10 runs, of 10. Newest run: slow job (all stacks)")
    assert "off in the newest run" not in history.sentence
