# SPDX-License-Identifier: BSD-3-Clause
"""Clocks whose truth is known: what a synchroniser finds, what it states, and whether a false clock is seen."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.engine.simulator import cluster, records_on, simulate, simulated_records
from tests.engine.support import rows_of

SYNCHRONISERS = ["linear", "ring", "tree", "hca3", "jk"]
ESTIMATORS = ["min-rtt", "envelope"]
MODELS_DRIFT = {"hca3", "jk"}

#: Offsets within 1 s, rates within 50 ppm, 0.2 us of exponential noise at every reading, 10 s between the two looks.
CLOCKS = "seed=1,offset-s=1,drift-ppm=50,noise-ns=200,pause-s=10"
SHORT = ["--operations", "wait-pattern-null", "--max-reps", "10", "--max-valid", "10", "--sync-nodes", "flat"]

Records = list[dict[str, Any]]


def clocks_of(records: Records) -> Records:
    return [record for record in records if record["record"] == "clock"]


def worst(clock: dict[str, Any]) -> int:
    """The largest true error of any rank, in ns."""
    return max(map(abs, clock["truth"]["error_ns"]))


def share_within(clock: dict[str, Any]) -> float:
    """Share of the ranks whose true error is within the stated bound."""
    truth = clock["truth"]
    pairs = list(zip(truth["error_ns"], truth["bound_ns"], strict=True))
    return sum(abs(error) <= bound for error, bound in pairs) / len(pairs)


def synchronise(engine: Path, folder: Path, processes: int, sync: str, *words: str, clocks: str = CLOCKS) -> Records:
    """A launch that synchronises, waits and measures next to nothing; its clock records."""
    words = (*SHORT, "--clock-sync", sync, "--test-clock", clocks, *words)
    return clocks_of(records_on(cluster(processes), engine, folder, *words, timeout=1500))


def check_recovery(engine: Path, folder: Path, processes: int, sync: str, estimator: str) -> int:
    """Within the bound in 99 % of the ranks, at once and after 10 s; prints a row of docs/validation.md.

    Returns the largest true error after 10 s, in ns.
    """
    before, after = synchronise(engine, tmp_path_of(folder, sync), processes, sync, "--offset", estimator)
    assert len(before["truth"]["error_ns"]) == processes
    cells = [processes, sync, estimator, f"{before['duration_ns'] / 1e6:.1f}"]
    for clock in (before, after):
        bound = max(clock["truth"]["bound_ns"])
        cells += [f"{worst(clock) / 1e3:.2f}", f"{bound / 1e3:.1f}", f"{100 * share_within(clock):.1f}"]
    print("|", " | ".join(map(str, cells)), "|")
    assert share_within(before) >= 0.99, sync
    assert share_within(after) >= 0.99, sync
    return worst(after)


@pytest.mark.parametrize("patience", [5, 400])
def test_a_comparison_ends_when_nothing_better_comes(simulated_engine: Path, tmp_path: Path, patience: int) -> None:
    """Of two processes: more exchanges than --sync-patience asks for without a better one, ten times that at most."""
    words = ["--sync-patience", str(patience), "--offset", "min-rtt"]
    before = synchronise(simulated_engine, tmp_path, 2, "ring", *words)[0]
    assert patience < before["exchanges"] <= 10 * patience


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_recovered_within_the_bound(simulated_engine: Path, tmp_path: Path, estimator: str) -> None:
    """And 10 s later the models with drift are a hundred times closer than those without."""
    errors = {sync: check_recovery(simulated_engine, tmp_path, 4, sync, estimator) for sync in SYNCHRONISERS}
    with_drift = max(errors[sync] for sync in MODELS_DRIFT)
    assert 100 * with_drift < min(errors[sync] for sync in set(SYNCHRONISERS) - MODELS_DRIFT)


@pytest.mark.slow
@pytest.mark.parametrize("estimator", ESTIMATORS)
@pytest.mark.parametrize("sync", SYNCHRONISERS)
@pytest.mark.parametrize("processes", [64, 256, 1024])
def test_recovered_at_scale(simulated_engine: Path, tmp_path: Path, processes: int, sync: str, estimator: str) -> None:
    check_recovery(simulated_engine, tmp_path, processes, sync, estimator)


@pytest.mark.parametrize("processes", [2, 3, pytest.param(5, marks=pytest.mark.slow), 7])
@pytest.mark.parametrize("sync", SYNCHRONISERS)
def test_any_number_of_processes(simulated_engine: Path, tmp_path: Path, sync: str, processes: int) -> None:
    """Also where it is no power of two; rank 0 is the reference and has neither error nor bound."""
    for clock in synchronise(simulated_engine, tmp_path, processes, sync, "--sync-span", "0.05"):
        assert share_within(clock) == 1
        assert clock["truth"]["error_ns"][0] == clock["truth"]["bound_ns"][0] == 0


def tmp_path_of(folder: Path, name: str) -> Path:
    """A folder of that name in folder."""
    (folder / name).mkdir()
    return folder / name


def test_hca3_takes_log_p_rounds(simulated_engine: Path, tmp_path: Path) -> None:
    """One span a round: log2 p rounds, and one more where p is no power of two; jk takes one span at any size."""
    span_ns = 0.1e9
    for processes, rounds in [(4, 2), (8, 3), (12, 4)]:
        folder = tmp_path_of(tmp_path, str(processes))
        clock = synchronise(simulated_engine, folder, processes, "hca3", "--sync-span", "0.1", "--sync-points", "10")[0]
        assert clock["duration_ns"] == pytest.approx(rounds * span_ns, rel=0.05)
    clock = synchronise(simulated_engine, tmp_path, 12, "jk", "--sync-span", "0.1", "--sync-points", "10")[0]
    assert span_ns <= clock["duration_ns"] <= 2 * span_ns


def test_a_long_span_beats_a_short_one(simulated_engine: Path, tmp_path: Path) -> None:
    """With as many points, both the slope's standard error and the error after 10 s are smaller."""
    found = {}
    for span in ("0.01", "1"):
        after = synchronise(simulated_engine, tmp_path_of(tmp_path, span), 16, "hca3", "--sync-span", span)[1]
        found[span] = (worst(after), max(after["slope_se_ppm"]))
    assert 20 * found["1"][0] < found["0.01"][0]
    assert 50 * found["1"][1] < found["0.01"][1]


def test_no_slope_where_there_is_none(simulated_engine: Path, tmp_path: Path) -> None:
    """Without drift few slopes are significant; those left out are 0 and not some small number."""
    clocks = "seed=5,offset-s=1,noise-ns=200,pause-s=10"
    before, after = synchronise(simulated_engine, tmp_path, 32, "jk", clocks=clocks)
    slopes = before["slope_ppm"][1:]
    assert slopes.count(0) >= 0.8 * len(slopes)
    assert share_within(after) >= 0.96


def test_a_node_shares_its_clock(simulated_engine: Path, tmp_path: Path) -> None:
    """Leaders alone are synchronised where the ranks of a node read one clock; that they do is checked by messages."""
    words = [*SHORT[:-2], "--clock-sync", "hca3", "--test-clock"]
    for node in (0, 1):
        records = simulated_records(
            simulated_engine, tmp_path_of(tmp_path, str(node)), 16, *words, f"{CLOCKS},node={node}"
        )
        before, after = clocks_of(records)
        assert before["by_node"] is (node == 1)
        assert share_within(before) == share_within(after) == 1
        assert worst(after) < 1000
    shared = ("--output", "out.jsonl", *words, CLOCKS, "--sync-nodes", "shared")
    done = simulate(simulated_engine, tmp_path, 16, *shared)
    assert done.returncode == 3 and "--sync-nodes shared" in done.stderr


FALSE = ["false-offset-us=100", "false-offset-us=-100", "false-drift-ppm=100", "false-drift-ppm=-100"]


@pytest.mark.parametrize("spoilt", FALSE)
@pytest.mark.parametrize("sync", ["ring", "hca3"])
def test_a_false_clock_is_named(simulated_engine: Path, tmp_path: Path, sync: str, spoilt: str) -> None:
    """Every row is clock-limited and names the rank; the wait patterns alone read what they should."""
    words = [
        "--operations",
        "barrier,alltoall,wait-patterns",
        "--sizes",
        "8",
        "--clock-sync",
        sync,
        "--resync-share",
        "0",
    ]
    clocks = f"pause-s=0.5,false-rank=6,{spoilt}"
    records = simulated_records(simulated_engine, tmp_path, 16, *words, "--test-clock", clocks)
    for row in rows_of(records):
        assert row["verdict"] == "clock-limited"
        assert "rank 6 " in row["reason"]
        assert row["causality"]["rank"] == 6
        assert row["causality"]["violations"] >= 1
        assert 45_000 < row["causality"]["error_ns"] < 105_000
        assert row["clock_rank"] == 6
        if row["operation"] in ("wait-pattern-up", "wait-pattern-down"):
            assert row["median_ns"] == pytest.approx(16000, abs=100)


@pytest.mark.parametrize("after_s", [0.008, *(pytest.param(after, marks=pytest.mark.slow) for after in (0.013, 0.02))])
@pytest.mark.parametrize("offset_us", [100, -100])
def test_a_clock_that_is_false_within_a_row(
    simulated_engine: Path, tmp_path: Path, offset_us: int, after_s: float
) -> None:
    """For 4 of the row's 30 ms; it is right again when the row ends. Ahead is seen by the looks between batches, behind
    by the announcements, too. What is measured afterwards is reliable.
    """
    words = ["--operations", "barrier,bcast", "--sizes", "8", "--stop", "time", "--time-budget", "0.03"]
    clocks = f"false-rank=6,false-after-s={after_s},false-for-s=0.004,false-offset-us={offset_us}"
    records = simulated_records(simulated_engine, tmp_path, 16, *words, "--test-clock", clocks)
    assert all(worst(clock) < 10 for clock in clocks_of(records))
    first, second = rows_of(records)
    assert first["verdict"] == "clock-limited"
    assert "rank 6 has a false clock" in first["reason"]
    assert 45_000 < first["causality"]["error_ns"] < 105_000
    assert second["verdict"] == "ok" and second["causality"]["violations"] == 0


@pytest.mark.parametrize("after_s", [0.0301, pytest.param(0.0302, marks=pytest.mark.slow)])
def test_announcements_show_a_clock_that_is_behind(simulated_engine: Path, tmp_path: Path, after_s: float) -> None:
    """For a tenth of the time between two looks."""
    words = ["--operations", "barrier", "--stop", "time", "--time-budget", "0.05", "--batch", "1"]
    clocks = f"false-rank=6,false-after-s={after_s},false-for-s=0.0005,false-offset-us=-50"
    (row,) = rows_of(simulated_records(simulated_engine, tmp_path, 16, *words, "--test-clock", clocks))
    assert row["causality"]["rank"] == 6 and row["verdict"] == "clock-limited"


def test_of_two_the_other_is_named(simulated_engine: Path, tmp_path: Path) -> None:
    """Between two processes nobody can tell whose clock is false, but rank 0 has the time by definition."""
    clocks = "false-rank=1,false-offset-us=50"
    records = simulated_records(simulated_engine, tmp_path, 2, "--operations", "barrier", "--test-clock", clocks)
    assert [row["causality"]["rank"] for row in rows_of(records)] == [1]


def test_true_clocks_are_not_blamed(simulated_engine: Path, tmp_path: Path) -> None:
    """With noise and drift, but a synchroniser that learns it, no message seems to arrive before it is sent."""
    words = ["--operations", "barrier,bcast,wait-patterns", "--sizes", "8", "--clock-sync", "hca3"]
    for row in rows_of(simulated_records(simulated_engine, tmp_path, 16, *words, "--test-clock", CLOCKS)):
        assert row["causality"] == {"violations": 0, "worst_ns": 0, "error_ns": 0, "rank": None}
        assert row["verdict"] != "clock-limited"


def test_clocks_are_synchronised_again(simulated_engine: Path, tmp_path: Path) -> None:
    """Where drift is not learnt, the bound soon grows beyond a share of the slot; rows stand between their clocks."""
    words = ["--operations", "barrier,bcast,wait-patterns", "--sizes", "8", "--clock-sync", "tree"]
    clocks = "seed=2,offset-s=1,drift-ppm=50,pause-s=1"
    records = simulated_records(simulated_engine, tmp_path, 16, *words, "--test-clock", clocks)
    epoch, open_epoch = -1, False
    for record in records:
        if record["record"] == "clock":
            assert (record["phase"] == "before") is not open_epoch
            epoch, open_epoch = epoch + (not open_epoch), not open_epoch
            assert record["epoch"] == epoch
            assert share_within(record) == 1
        elif record["record"] == "measurement":
            assert open_epoch and record["epoch"] == epoch
    assert epoch >= 1
    first, second = (clock for clock in clocks_of(records) if clock["epoch"] < 2 and clock["phase"] == "after")
    assert worst(second) < worst(first) / 5  # the pause of 1 s was in the first epoch
    never = simulated_records(
        simulated_engine, tmp_path_of(tmp_path, "never"), 16, *words, "--test-clock", clocks, "--resync-share", "0"
    )
    assert len(clocks_of(never)) == 2
