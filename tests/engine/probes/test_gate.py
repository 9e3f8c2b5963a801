# SPDX-License-Identifier: BSD-3-Clause
"""`--probes gate`: runs of another regime do not count and are made again; the verdict says where there was no quiet.

Regimes are made up by the number of the reading: at least one is taken in every row.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from isochron.schemas.run.launch_file import read_launch
from tests.engine.support import Finished, read_records, rows_of

pytestmark = pytest.mark.mpi

Run = Callable[..., Finished]
WORDS = ("--operations", "allreduce", "--stop", "reps", "--probes", "gate", "--output", "out.jsonl")
FOR_EVER = 10**9
#: The engine's default of `--min-valid`.
MIN_VALID = 10


def rows(run_engine: Run, folder: Path, regime: str, sizes: str, runs: int, past: str = "") -> list[dict[str, Any]]:
    """The rows of a launch in that interference; the file is what it says, by the checks of every file."""
    limits = ("--max-reps", str(runs), "--max-valid", str(runs))
    words = ("--probe-history", past) if past else ()
    done = run_engine(*WORDS, "--sizes", sizes, *limits, "--test-probes", regime, *words)
    assert done.code == 0, done.err
    read_launch(folder / "out.jsonl")
    records = read_records(folder / "out.jsonl")
    assert records[0]["probes"]["gates"]
    return rows_of(records)


def is_consistent(row: dict[str, Any]) -> None:
    """What is disturbed does not count, or all counts and the verdict says so; it says first what else is wrong."""
    disturbed, counting = row["regimes"]["disturbed"], [*zip(row["valid"], row["overran"], strict=True)]
    assert len(disturbed) == row["reps_made"]
    assert row["reps_valid"] + sum(row["invalid"].values()) == row["reps_made"]
    if row["verdict"] == "disturbed":
        assert all(disturbed) or row["invalid"]["disturbed"] == 0
        assert "a cache line took 400 ns, 100 ns in the quiet regime" in row["reason"]
    elif row["verdict"] == "too-few-valid":  # on a busy machine: even with the disturbed ones, if quiet ones were few
        assert row["reps_valid"] < MIN_VALID
    else:
        assert not any(any(flags) for flags, off in zip(counting, disturbed, strict=True) if off)
        assert row["invalid"]["disturbed"] <= sum(disturbed)


def test_a_short_regime_is_measured_again(run_engine: Run, tmp_path: Path) -> None:
    """Six readings are four times as long: what lies before them is made again, if there is time to wait for that."""
    for _ in range(10):
        found = rows(run_engine, tmp_path, "regime:40:6:4", ",".join(str(8 * n) for n in range(1, 61)), 80)
        (tmp_path / "out.jsonl").unlink()
        for row in found:
            is_consistent(row)
        row = max(found, key=lambda row: row["invalid"]["disturbed"])
        if row["invalid"]["disturbed"] and row["reps_valid"] > 40:  # else interruptions had used up the extra time
            break
    regimes = row["regimes"]
    assert 0 < row["invalid"]["disturbed"] <= sum(regimes["disturbed"])
    assert row["reps_made"] > 80 and row["verdict"] != "disturbed" and regimes["extra_ns"] > 0
    assert (regimes["quiet_ns"], regimes["limit_ns"], regimes["disturbed_ns"]) == (100, 200, 400)
    first, last = regimes["disturbed"].index(True), len(regimes["disturbed"]) - regimes["disturbed"][::-1].index(True)
    assert sum(regimes["disturbed"]) == last - first


def test_a_regime_that_stays_is_told(run_engine: Run, tmp_path: Path) -> None:
    """Waiting is bounded: the rows are measured all the same, as often as others, and none of them is ok."""
    found = rows(run_engine, tmp_path, f"regime:20:{FOR_EVER}:4", ",".join(str(8 * n) for n in range(1, 21)), 80)
    for row in found:
        is_consistent(row)
    assert {row["verdict"] for row in found[-15:]} <= {"disturbed", "too-few-valid"}
    assert all(all(row["regimes"]["disturbed"]) for row in found[-15:])
    assert all(row["reps_made"] <= 2 * 80 for row in found)
    assert all(row["median_ns"] > 0 for row in found)


def test_a_launch_that_begins_in_a_bad_regime_takes_the_quiet_one(run_engine: Run, tmp_path: Path) -> None:
    """Its rows before are told from those after, though nobody knew when they were measured."""
    found = rows(run_engine, tmp_path, "regime:1:26:4", ",".join(str(8 * n) for n in range(1, 61)), 80)
    for row in found:
        is_consistent(row)
        assert row["regimes"]["quiet_ns"] == 100
    assert found[0]["verdict"] in ("disturbed", "too-few-valid") and all(found[0]["regimes"]["disturbed"])
    assert not any(any(row["regimes"]["disturbed"]) for row in found[20:])


def test_a_launch_knows_the_quiet_regime_from_those_before(run_engine: Run, tmp_path: Path) -> None:
    """One that lies in another regime as a whole is told by its past, and waits for as long as others have left."""
    output, past = tmp_path / "out.jsonl", tmp_path / "past.txt"
    rows(run_engine, tmp_path, f"regime:{FOR_EVER}:1:4", "8,16,24", 80, "past.txt")
    library, line, elapsed, extra = past.read_text().split()
    assert (float(line), extra) == (100, "0") and int(elapsed) > 0
    assert read_records(output)[0]["probes"]["earlier_line_ns"] is None
    output.unlink()

    found = rows(run_engine, tmp_path, f"regime:1:{FOR_EVER}:4", "8,16,24", 80, "past.txt")
    assert read_records(output)[0]["probes"]["earlier_line_ns"] == 100
    assert {row["verdict"] for row in found} <= {"disturbed", "too-few-valid"}
    assert all(row["regimes"]["quiet_ns"] == 100 and all(row["regimes"]["disturbed"]) for row in found)
    assert [each.split()[:2] for each in past.read_text().splitlines()] == [[library, "100"], [library, "400"]]
    output.unlink()

    past.write_text(f"{library} 100 {10**13} 0\n")
    found = rows(run_engine, tmp_path, "regime:1:60:4", "8,16,24", 80, "past.txt")
    assert "disturbed" not in [row["verdict"] for row in found]
    assert found[0]["regimes"]["extra_ns"] > 0
    assert not any(any(row["regimes"]["disturbed"]) for row in found), "it measured before it was quiet"


@pytest.mark.parametrize("words", [("--probes", "gate"), ("--probes", "record")], ids=["one process", "record"])
def test_where_nothing_is_watched_all_counts(run_engine: Run, tmp_path: Path, words: tuple[str, ...]) -> None:
    """A process alone has no cache line; and without the gate a regime changes nothing."""
    alone = words[1] == "gate"
    given = ("--operations", "allreduce", "--sizes", "8", "--output", "out.jsonl", "--test-probes", "regime:20:99:4")
    done = run_engine(*given, *words, processes=1 if alone else 2)
    assert done.code == 0, done.err
    records = read_records(tmp_path / "out.jsonl")
    assert not records[0]["probes"]["gates"]
    assert [(row["regimes"], row["invalid"]["disturbed"]) for row in rows_of(records)] == [(None, 0)]


def test_a_word_that_is_no_regime_is_refused(run_engine: Run) -> None:
    done = run_engine(*WORDS, "--sizes", "8", "--test-probes", "regime:0:1:2")
    assert done.code == 2 and "--test-probes" in done.complaints[0]
