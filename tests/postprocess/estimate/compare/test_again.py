# SPDX-License-Identifier: BSD-3-Clause
"""Intervals for further runs: they hold for the mean over many runs, whatever deviations runs have in common."""

from __future__ import annotations

import shutil
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from isochron.postprocess.estimate.compare.again import (
    CLAIMS,
    LATEST,
    earlier_comparisons,
    half_widths,
    holds_again,
    note_again,
    turned_to,
)
from isochron.postprocess.ingest.inputs import RunInputs, load_inputs
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.manifest import Manifest
from isochron.schemas.run.outputs import record_outputs
from isochron.stats.launches import Values

STACKS = ["mpich-1", "mpich-2", "openmpi-1", "openmpi-2", "intel-1"]
LIBRARIES = {stack: stack.split("-")[0] for stack in STACKS}
PAIRS = list(combinations(STACKS, 2))
POINT = {"processes": 2, "processes_per_node": 2, "placement": "packed"}
CASES = [(operation, size) for operation in ("bcast", "reduce", "alltoall") for size in (8, 64, 1024, 4096, 65536)]


def run_of(logs: Values, half_width: float) -> pd.DataFrame:
    """The comparisons of a run. `logs`: (stacks, cases), logarithms of the times that it has."""
    rows = [
        {"baseline": one, "candidate": other, "operation": operation, "bytes": size, **POINT, "ratio": ratio}
        for one, other in PAIRS
        for (operation, size), ratio in zip(
            CASES, np.exp(logs[STACKS.index(other)] - logs[STACKS.index(one)]), strict=True
        )
    ]
    table = pd.DataFrame(rows).assign(in_turns=True)
    return table.assign(ratio_low=table["ratio"] * np.exp(-half_width), ratio_high=table["ratio"] * np.exp(half_width))


def deviations(random: np.random.Generator, spread: float, common: float) -> Values:
    """What a run adds to the logarithms of times: a part in `common` to all cases of a stack, the rest each its own."""
    shape = (len(STACKS), len(CASES))
    of_stack, of_case = random.normal(0, spread, (shape[0], 1)), random.standard_t(4, shape) * spread / np.sqrt(2)
    return np.asarray(np.sqrt(common) * of_stack + np.sqrt(1 - common) * of_case, dtype=np.float64)


def ratios(times: Values, pairs: list[tuple[str, str]]) -> Values:
    """Logarithms of the ratios of these pairs in every case and run, (pairs · cases, runs). `times`: of each run."""
    places = [(STACKS.index(one), STACKS.index(other)) for one, other in pairs]
    return np.concatenate([times[:, other] - times[:, one] for one, other in places], axis=1).T


@pytest.mark.parametrize("runs", [2, 3, 6])
@pytest.mark.parametrize("common", [0.0, 0.5, 0.9])
@pytest.mark.parametrize(("versions", "contrasts"), [(True, 2), (False, 4)])
def test_it_covers_the_mean_over_many_runs(runs: int, common: float, versions: bool, contrasts: int) -> None:
    """The ratio is 1 over many runs: at least 95 % less two standard errors over 200 campaigns of these intervals.

    The standard error is that between campaigns, since comparisons of one share their runs. At most 5 % of those of the
    next run are disjoint from them.
    """
    pairs = [pair for pair in PAIRS if (LIBRARIES[pair[0]] == LIBRARIES[pair[1]]) == versions]
    random, covered, disjoint = np.random.default_rng([runs, int(10 * common), contrasts]), [], []
    for _ in range(200):
        logs = ratios(np.array([deviations(random, 0.02, common) for _ in range(runs + 1)]), pairs)
        before, after = (half_widths(each, contrasts, 0.95) for each in (logs[:, :runs], logs))
        covered.append((np.abs(logs[:, 0]) <= before).mean())
        disjoint.append((np.abs(logs[:, 0] - logs[:, runs]) > before + after).mean())
    assert np.mean(covered) >= 0.95 - 2 * np.std(covered) / np.sqrt(len(covered))
    assert np.mean(disjoint) <= 0.05


def test_few_ratios_know_their_spread_from_all_of_them() -> None:
    """Fewer ratios than show how their variances differ: one variance of all."""
    random = np.random.default_rng(1)
    inside = [(np.abs(logs[:, 0]) <= half_widths(logs, 6, 0.95)).mean() for logs in random.normal(0, 1, (1000, 6, 3))]
    assert 0.95 <= np.mean(inside) <= 0.985
    assert np.isnan(half_widths(np.zeros((3, 1)), 1, 0.95)).all()
    assert (half_widths(np.zeros((3, 2)), 1, 0.95) == 0).all()


def test_one_run_knows_nothing_of_further_ones() -> None:
    """Nor does an earlier run that measured in another way; the interval is never narrower than that of the run."""
    random = np.random.default_rng(2)
    table = run_of(deviations(random, 0.02, 0.5), 0.01)
    for earlier in ([], [table.assign(in_turns=False)], [table.assign(processes=4)]):
        alone = note_again(table, earlier, LIBRARIES, 0.95)
        assert alone["again_low"].isna().all() and alone["again_high"].isna().all()
        assert (alone["again_runs"] == 1).all()
    same = note_again(table, [table], LIBRARIES, 0.95)
    assert np.allclose(same["again_low"], same["ratio_low"]) and np.allclose(same["again_high"], same["ratio_high"])
    wide = table.assign(ratio_low=0.0, ratio_high=np.inf)
    assert note_again(wide, [table], LIBRARIES, 0.95)["again_low"].isna().all()


def test_what_a_new_version_has_not_shown_its_neighbours_have() -> None:
    """A stack without an earlier run takes the spread of the other comparisons of its kind."""
    random = np.random.default_rng(3)
    table, earlier = (run_of(deviations(random, 0.02, 0.0), 0.001) for _ in range(2))
    earlier = earlier[(earlier[["baseline", "candidate"]] != "intel-1").all(axis=1)]
    found = note_again(table, [earlier], LIBRARIES, 0.95)
    new = (found[["baseline", "candidate"]] == "intel-1").any(axis=1)
    assert (found.loc[new, "again_runs"] == 1).all() and (found.loc[~new, "again_runs"] == 2).all()
    half = np.log(found["again_high"] / found["again_low"]) / 2
    assert half[new].nunique() >= 1 and half[new].min() > 0.03
    assert half[new].round(9).nunique() == 1


def test_a_claim_holds_again_where_its_interval_shows_the_same() -> None:
    """Both ways round alike."""
    table = pd.DataFrame(
        [
            ("slower", 1.06, 1.3, True),
            ("slower", 1.04, 1.3, False),
            ("faster", 0.7, 0.94, True),
            ("faster", 0.7, 0.97, False),
            ("equivalent", 0.97, 1.04, True),
            ("equivalent", 0.97, 1.06, False),
            ("not-slower", 0.5, 1.04, True),
            ("not-slower", 0.5, 1.06, False),
            ("not-faster", 0.96, 2.0, True),
            ("not-faster", 0.94, 2.0, False),
            ("inconclusive", 0.97, 1.04, False),
            ("slower", np.nan, np.nan, False),
        ],
        columns=pd.Index(["verdict", "again_low", "again_high", "expected"]),
    ).assign(baseline="a", candidate="b")
    assert (holds_again(table, 0.05) == table["expected"]).all()
    assert set(CLAIMS) == set(table["verdict"]) - {"inconclusive"}
    back = turned_to(table[["verdict"]].assign(stack="a"), table)
    forth = turned_to(table[["verdict"]].assign(stack="b"), table)
    assert np.allclose(back["again_low"], 1 / table["again_high"], equal_nan=True)
    assert forth["again_high"].equals(table["again_high"])


def results_with(small_report: RunInputs, folder: Path, *runs: str) -> list[RunLayout]:
    """Runs of these names, all alike, of one campaign, whose libraries are known by their hashes."""
    for name in runs:
        shutil.copytree(small_report.layout.root, folder / "small" / name)
        for stack in small_report.campaign.stacks:
            of_library(RunLayout(folder / "small" / name).manifest(stack), "0" * 64)
        record_outputs(RunLayout(folder / "small" / name))
    return [RunLayout(folder / "small" / name) for name in runs]


def of_library(path: Path, sha256: str) -> None:
    path.chmod(0o644)
    Manifest.load(path).model_copy(update={"library_sha256": {"/opt/lib/libmpi.so": sha256}}).save(path)


def pairs_of(tables: list[pd.DataFrame]) -> list[int]:
    return [len(table[["baseline", "candidate"]].drop_duplicates()) for table in tables]


def test_earlier_runs_are_those_of_the_campaign_whose_tables_are_as_recorded(
    small_report: RunInputs, tmp_path: Path
) -> None:
    first, changed, gone, now, later = results_with(small_report, tmp_path, "a", "b", "c", "d", "e")
    shutil.copytree(first.root, tmp_path / "other" / "a")
    assert pairs_of(earlier_comparisons(load_inputs(now.root))) == [1, 1, 1]
    table = pd.read_parquet(changed.kept("comparison"))
    changed.kept("comparison").chmod(0o644)
    table.assign(ratio=2 * table["ratio"]).to_parquet(changed.kept("comparison"), index=False)
    gone.kept("comparison").unlink()
    (only,) = earlier_comparisons(load_inputs(now.root))
    assert only["ratio"].tolist() == table["ratio"].tolist()
    assert len(earlier_comparisons(load_inputs(later.root))) == 2 and earlier_comparisons(load_inputs(first.root)) == []


def test_a_stack_that_had_another_library_is_not_compared(small_report: RunInputs, tmp_path: Path) -> None:
    same, other, now = results_with(small_report, tmp_path, "a", "b", "c")
    stack = load_inputs(now.root).campaign.stacks[0]
    of_library(other.manifest(stack), "1" * 64)
    assert pairs_of(earlier_comparisons(load_inputs(now.root))) == [1]
    assert same.manifest(stack).is_file()


def test_the_newest_of_many_runs_count(small_report: RunInputs, tmp_path: Path) -> None:
    names = [f"{number:02}" for number in range(LATEST + 3)]
    *_, now = results_with(small_report, tmp_path, *names)
    assert len(earlier_comparisons(load_inputs(now.root))) == LATEST
