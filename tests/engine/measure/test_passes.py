# SPDX-License-Identifier: BSD-3-Clause
"""`--passes`: all rows are measured in turn, a share of the runs each time, spread over `--pass-span`."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from isochron.schemas.run.launch_file import read_launch
from tests.engine.support import Finished, read_records, rows_of

pytestmark = pytest.mark.mpi

Run = Callable[..., Finished]
WORDS = ("--operations", "barrier,bcast,reduce", "--sizes", "8,1024", "--output", "out.jsonl")
EXACT = ("--stop", "reps", "--max-reps", "48", "--max-valid", "48", "--batch", "8")


def launch(run_engine: Run, folder: Path, *words: str) -> list[dict[str, Any]]:
    """The records of a launch; the file is what it says, by the checks of every file."""
    done = run_engine(*WORDS, *words)
    assert done.code == 0, done.err
    read_launch(folder / "out.jsonl")
    return read_records(folder / "out.jsonl")


def test_every_pass_has_its_share_and_they_are_spread(run_engine: Run, tmp_path: Path) -> None:
    """Six batches in six passes; the last one begins after five sixths of the span. Data are right in every pass."""
    records = launch(run_engine, tmp_path, *EXACT, "--passes", "9", "--pass-span", "0.3", "--check", "--per-rank")
    rows = rows_of(records)
    assert [(row["operation"], row["bytes"]) for row in rows] == [
        ("barrier", 0), ("bcast", 8), ("bcast", 1024), ("reduce", 8), ("reduce", 1024),
    ]  # fmt: skip
    for row in rows:
        made = row["reps_made"]
        # On a busy machine a pass that begins late makes the batches of those that it has missed, too.
        assert len(row["pass_reps"]) > 1 and not any(reps % 8 for reps in row["pass_reps"]), row["pass_reps"]
        assert made == sum(row["pass_reps"]) and (made == 48 or row["reps_valid"] < made < 48), row["pass_reps"]
        assert len(row["time_ns"]) == made == row["stragglers"]["batches"] * 8
        assert [len(runs) for runs in row["per_rank"]["start_ns"]] == [made, made]
        assert row["first_call_ns"] > 0 and row["second_call_ns"] > 0
    if any(len(row["pass_reps"]) == 6 for row in rows):
        assert records[-1]["elapsed_ns"] >= 5 / 6 * 0.3e9


def test_extra_runs_lie_in_passes_of_their_own(run_engine: Run, tmp_path: Path) -> None:
    """What no precision is enough for gets further passes, a batch each, until it has the most valid runs."""
    words = ("--relative-error", "1e-6", "--min-valid", "40", "--max-valid", "80", "--max-reps", "640", "--passes", "8")
    for row in rows_of(launch(run_engine, tmp_path, *words, "--check", "--per-rank")):
        invalid = row["reps_made"] - row["reps_valid"]
        # If most runs so far are invalid, as on a busy machine, a pass makes more batches, each for at least five that
        # are, and a row that lags behind ends early.
        assert (row["reps_valid"] >= 80 and len(row["pass_reps"]) >= 10) or invalid >= 40, row["pass_reps"]
        assert min(row["pass_reps"]) >= 8 and max(row["pass_reps"]) <= 8 + 8 * (invalid // 5), row["pass_reps"]
        assert (row["interval_basis"] == "passes" and row["se_ns"] > 0) or invalid >= 40
        assert [len(runs) for runs in row["per_rank"]["end_ns"]] == [row["reps_made"]] * 2
        assert row["stragglers"]["batches"] * 8 == row["reps_made"]


def test_rows_that_are_precise_have_no_further_passes(run_engine: Run, tmp_path: Path) -> None:
    """Few runs are made in five passes, which an interval needs; one pass has an interval from its runs."""
    words = ("--relative-error", "1", "--max-valid", "100", "--passes", "8")
    for row in rows_of(launch(run_engine, tmp_path, *words)):
        as_planned = row["interval_basis"] == "passes" and row["pass_reps"] == [8] * 5
        assert as_planned or row["reps_made"] - row["reps_valid"] >= 5
    (tmp_path / "out.jsonl").unlink()
    for row in rows_of(launch(run_engine, tmp_path, "--relative-error", "1", "--passes", "1")):
        assert row["interval_basis"] == "reps" and row["pass_reps"] == [row["reps_made"]]


def test_rows_stand_between_the_clocks_of_their_last_pass(run_engine: Run, tmp_path: Path) -> None:
    """Clocks that are synchronised again and again, for a tenth of the time: rows end under one or another of these."""
    words = ("--test-clock", "drift-ppm=50", "--resync-share", "1e-6", "--sync-patience", "5", "--min-valid", "40")
    for span in ("0.3", "3", "30"):
        records = launch(run_engine, tmp_path, *words, "--max-valid", "80", "--passes", "5", "--pass-span", span)
        (tmp_path / "out.jsonl").unlink()
        epochs = [record["epoch"] for record in records if record["record"] in ("clock", "measurement")]
        assert epochs == sorted(epochs) and len(rows_of(records)) == 5
        if epochs[-1] > 0:  # on a crowded machine a synchronisation takes long
            return
    assert epochs[-1] > 0


def test_a_row_is_as_wrong_as_its_worst_pass(run_engine: Run, tmp_path: Path) -> None:
    """Wrong data and a false clock are told though later passes add to the row."""
    done = run_engine(*WORDS, *EXACT, "--passes", "6", "--check", "--corrupt-rank", "1")
    assert done.code == 4 and "rank 1" in done.err
    (tmp_path / "out.jsonl").unlink()
    spoilt = ("--test-clock", "false-rank=1,false-offset-us=50", "--passes", "6")
    for row in rows_of(launch(run_engine, tmp_path, *EXACT, *spoilt)):
        assert row["verdict"] in ("clock-limited", "too-few-valid")
        assert row["clock_error_ns"] > 40000


def test_cold_buffers_have_one_pass(run_engine: Run, tmp_path: Path) -> None:
    """They are used for the first time once."""
    for row in rows_of(launch(run_engine, tmp_path, *EXACT, "--passes", "6", "--buffers", "cold")):
        assert row["pass_reps"] == [row["reps_made"]]


def test_passes_in_loops_and_with_the_gate(run_engine: Run, tmp_path: Path) -> None:
    """A loop is a batch of one run; what the gate leaves out adds up over passes."""
    for row in rows_of(launch(run_engine, tmp_path, "--scheme", "loop", *EXACT, "--passes", "4")):
        assert row["pass_reps"] == [12] * 4 and row["operations_per_rep"] == 8
    (tmp_path / "out.jsonl").unlink()
    gate = ("--probes", "gate", "--test-probes", "regime:20:6:4")
    for row in rows_of(launch(run_engine, tmp_path, *EXACT, "--passes", "6", *gate)):
        assert sum(row["pass_reps"]) == row["reps_made"] == len(row["regimes"]["disturbed"])


@pytest.mark.parametrize(("scheme", "loops"), [("barrier", 1), ("loop", 2)])
def test_a_volume_caps_the_operations_of_a_size(run_engine: Run, tmp_path: Path, scheme: str, loops: int) -> None:
    """As in PMB: volume / size, at least one repetition; a scattered vector has the blocks of all processes."""
    words = ("--operations", "bcast,reduce_scatter", "--sizes", "0,1KiB,4KiB,1MiB", "--output", "out.jsonl")
    limits = ("--stop", "reps", "--max-reps", "30", "--max-valid", "30", "--batch", str(2 if loops > 1 else 8))
    done = run_engine(*words, *limits, "--scheme", scheme, "--max-volume", "20480")
    assert done.code == 0, done.err
    made = {(row["operation"], row["bytes"]): row["reps_made"] for row in rows_of(read_records(tmp_path / "out.jsonl"))}
    operations = {("bcast", 1024): 20, ("bcast", 4096): 5, ("reduce_scatter", 1024): 10, ("reduce_scatter", 4096): 2}
    assert made == {
        ("bcast", 0): 30, ("bcast", 1 << 20): 1, ("reduce_scatter", 0): 30, ("reduce_scatter", 1 << 20): 1,
        **{case: max(1, count // loops) for case, count in operations.items()},
    }  # fmt: skip
