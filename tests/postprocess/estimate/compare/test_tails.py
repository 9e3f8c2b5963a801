# SPDX-License-Identifier: BSD-3-Clause
"""Quantiles of repetitions of two stacks: what is found, in blocks and in turns, and how often wrongly."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from numpy.random import Generator

from isochron.postprocess.estimate.compare.pairs import Rules
from isochron.postprocess.estimate.compare.tails import compare_tails
from isochron.postprocess.estimate.values.tails import QUANTILES
from isochron.postprocess.ingest.ingest import ingest
from isochron.postprocess.ingest.inputs import CASE, RESULT_KEY, load_inputs
from isochron.postprocess.kit.table import TableContext
from isochron.postprocess.subjects.comparison.table import make_comparison, make_tail_comparison
from isochron.stats.tails import launch_quantiles
from tests.postprocess.synthetic import Spec, write_run

BOTH = ["openmpi-5.0", "mpich-5.0"]
RULES = Rules(threshold=0.05, confidence=0.95)
BLOCKS, CASES, REPS = 12, 4, 1000
NO_SLICES = pd.DataFrame(columns=["launch_id", "session"])


def measured(repetitions: np.ndarray) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Tails, launches and summary of both stacks, a launch of each in a block. Shape (2, BLOCKS, cases, reps)."""
    shape, count = repetitions.shape[:3], repetitions[..., 0].size
    ordered = np.sort(repetitions, axis=-1).reshape(count, -1)
    starts, counts = np.arange(count) * ordered.shape[1], np.full(count, ordered.shape[1])
    found = launch_quantiles(ordered.ravel(), starts, counts, tuple(QUANTILES.values()))
    stack, block, case = (each.ravel() for each in np.indices(shape))
    launches = pd.DataFrame({"stack": np.array(BOTH)[stack], "operation": "bcast", "bytes": 8 * (1 + case)}).assign(
        processes=4, processes_per_node=4, placement="packed", block=block, attempt=1,
        launch_id=[f"{BOTH[one]}.{number}" for one, number in zip(stack, block, strict=True)],
        median_us=np.median(ordered, axis=1), **dict(zip(QUANTILES, found.T, strict=True)),
    )  # fmt: skip
    rows = launches.drop_duplicates(RESULT_KEY)[RESULT_KEY]
    tails = rows.merge(pd.DataFrame({"quantile": list(QUANTILES), "time_us": 1.0}), how="cross")
    return tails, launches, rows.assign(verdict="ok", reliable=True)


def compared(repetitions: np.ndarray, slices: pd.DataFrame = NO_SLICES) -> pd.DataFrame:
    return compare_tails(*measured(repetitions), slices, RULES, (BOTH, [(BOTH[0], BOTH[1])]))


def test_one_per_cent_delayed_tenfold_is_found_at_p99_and_not_at_the_median(tmp_path: Path) -> None:
    spec = Spec(
        stacks=BOTH, operations=["bcast", "barrier"], sizes=[8, 1024], processes=[4], launches=12, runs=1000,
        launch_spread=0.01, delayed={"mpich-5.0": (0.01, 10.0)}, truth=lambda *_: 10.0,
        question={"baseline": "openmpi-5.0", "candidate": "mpich-5.0"},
    )  # fmt: skip
    inputs = load_inputs(write_run(tmp_path / "run", spec))
    ingest(inputs)
    context = TableContext(inputs)
    medians, table = context.get(make_comparison), context.get(make_tail_comparison)
    assert medians["verdict"].eq("equivalent").all() and len(medians) == 3
    assert list(table["quantile"]) == 3 * list(QUANTILES)
    known = table.set_index("quantile")
    assert known.loc["p95", "verdict"].eq("equivalent").all()
    assert known.loc["p99", "verdict"].eq("slower").all()
    assert known.loc["p99", "ratio_low"].gt(2).all() and known.loc["p99", "ratio_high"].lt(10).all()
    assert known.loc["p99.9", "verdict"].eq("slower").all()
    truth = 10 * np.exp(0.06 * (1.28 - 3.09))  # p90 of the delayed repetitions over p99.9 of normal ones, SD 0.06
    assert known.loc["p99.9", "ratio"].to_numpy() == pytest.approx(truth, rel=0.03)


def delays(rng: Generator, world: str) -> np.ndarray:
    """Repetitions of two stacks that do not differ, (2, BLOCKS, CASES, REPS).

    `independent`; `launches` differ as wholes by 5 %, and in their share of delayed repetitions; `blocks` meet regimes
    in which the machine delays none, 1 % or 5 % of them; `bursts` of 50 delayed repetitions are met by few launches.
    """
    shape = (2, BLOCKS, CASES, REPS)
    logs = rng.normal(0, 0.06, shape)
    if world == "launches":
        logs += rng.normal(0, 0.05, (2, BLOCKS, 1, 1))
        logs += np.log(10) * (rng.random(shape) < rng.exponential(0.01, (2, BLOCKS, 1, 1)))
    elif world == "blocks":
        logs += np.log(10) * (rng.random(shape) < rng.choice([0, 0.01, 0.05], (1, BLOCKS, 1, 1)))
    elif world == "bursts":
        logs[..., :50] += np.log(10) * (rng.random((2, BLOCKS, CASES, 1)) < 0.2)
    return np.exp(logs)


def test_launches_of_a_session_are_compared_with_each_other(tmp_path: Path) -> None:
    """What a block does to both launches of its session is in no ratio, whatever it does to the quantiles."""
    repetitions = delays(np.random.default_rng(1), "independent")
    repetitions *= np.linspace(1, 9, BLOCKS)[:, None, None]
    repetitions[1] *= 1.5
    sessions = [(f"{stack}.{block}", f"b{block}") for stack in BOTH for block in range(BLOCKS)]
    table = compared(repetitions, pd.DataFrame(sessions, columns=["launch_id", "session"]))
    assert table["in_turns"].all() and table["blocks"].eq(BLOCKS).all()
    assert table["verdict"].eq("slower").all() and table["ratio"].between(1.3, 1.7).all()


def test_a_quantile_that_launches_of_one_side_lack_is_not_compared() -> None:
    repetitions = delays(np.random.default_rng(1), "independent")[..., :100]
    tails, launches, summary = measured(repetitions)
    asked = (BOTH, [(BOTH[0], BOTH[1])])
    assert set(compare_tails(tails, launches, summary, NO_SLICES, RULES, asked)["quantile"]) == {"p95", "p99"}
    launches.loc[launches["stack"] == BOTH[0], "p99"] = np.nan
    assert set(compare_tails(tails, launches, summary, NO_SLICES, RULES, asked)["quantile"]) == {"p95"}
    launches[list(QUANTILES)] = np.nan
    empty = compare_tails(tails, launches, summary, NO_SLICES, RULES, asked)
    assert not len(empty) and {*CASE, "quantile", "verdict"} <= set(empty.columns)


@pytest.mark.slow
@pytest.mark.parametrize("world", ["independent", "launches", "blocks", "bursts"])
def test_stacks_that_do_not_differ_rarely_seem_to(world: str) -> None:
    """Tables with a false `slower` or `faster`: without any difference, and with one at the practical threshold."""
    rng, tables = np.random.default_rng(3), 400
    false = at_limit = 0
    for _ in range(tables):
        repetitions = delays(rng, world)
        false += compared(repetitions)["verdict"].isin(["slower", "faster"]).any()
        repetitions[1] *= 1.05
        at_limit += compared(repetitions)["verdict"].eq("slower").any()
    print(f"{world}: {false} and {at_limit} of {tables} tables")
    assert false <= 0.05 * tables and at_limit <= 0.07 * tables
