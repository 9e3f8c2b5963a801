# SPDX-License-Identifier: BSD-3-Clause
"""What a real launch on two processes writes, and what it does where it cannot write or must not measure."""

import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from isochron.schemas.engine.contract import OPERATIONS, WITHOUT_DATA
from isochron.schemas.run.launch_file import read_launch
from tests.engine.support import Finished, Mpi, read_records, rows_of

pytestmark = pytest.mark.mpi

Run = Callable[..., Finished]

VERDICTS = {"ok", "too-few-valid", "unstable", "clock-limited", "timer-limited", "failed-check", "not-supported"}
OPERATIONS_WITH_DATA = set(OPERATIONS) - WITHOUT_DATA
STATISTICS = ["mean_ns", "se_ns", "ci_low_ns", "ci_high_ns", "median_ns", "median_low_ns", "median_high_ns"]


@pytest.fixture(scope="module")
def records(mpi: Mpi, engine: Path, tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """All operations at four sizes."""
    path = tmp_path_factory.mktemp("run") / "out.jsonl"
    words = ["--operations", "all", "--sizes", "8,6,1KiB,64KiB", "--output", str(path), "--check", "--threads", "1"]
    words += ["--append-header", "stack=openmpi-5.0", "note=a=b"]
    command = mpi.launch(2, [engine, *words])
    done = subprocess.run(command, env=mpi.env, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr
    assert not path.with_name("out.jsonl.partial").exists()
    assert len(read_launch(path).measurements) == len(OPERATIONS_WITH_DATA) * 4 + len(WITHOUT_DATA)
    return read_records(path)


def test_order_of_records(records: list[dict[str, Any]]) -> None:
    """Header, clock before, rows, clock after, what the engine adds, footer."""
    kinds = [record["record"] for record in records]
    rows = len(OPERATIONS_WITH_DATA) * 4 + len(WITHOUT_DATA)
    assert kinds == ["header", "clock", *["measurement"] * rows, "clock", "overhead", "footer"]
    assert [r["phase"] for r in records if r["record"] == "clock"] == ["before", "after"]


def test_header(records: list[dict[str, Any]]) -> None:
    """The header tells what was run, where and with what."""
    header = records[0]
    assert header["schema"] == 1
    assert header["processes"] == 2
    assert header["launch"] == {"stack": "openmpi-5.0", "note": "a=b"}
    assert header["options"]["sizes"] == [8, 6, 1024, 65536]
    assert header["options"]["operations"] == list(OPERATIONS)
    assert header["options"]["slot_growth"] == 1.1
    assert header["command"][1:3] == ["--operations", "all"]
    assert "Open MPI" in header["mpi_library_version"]
    assert header["hosts"][0]["ranks"] == "0-1"
    assert sorted(header["bindings"][0]) == ["cpus", "host", "ranks"]
    assert header["timer"]["name"] == "clock-gettime" and header["timer"]["monotonic"] is True
    assert header["simulated"] is False


def test_clock(records: list[dict[str, Any]]) -> None:
    """Offsets, bounds and errors of both ranks; the error is within what is known of it."""
    before, after = (record for record in records if record["record"] == "clock")
    for clock in (before, after):
        assert clock["ranks"] == [0, 1]
        assert all(len(clock[key]) == 2 for key in ("offset_ns", "bound_ns", "error_ns", "error_bound_ns"))
        assert clock["offset_ns"][0] == clock["error_ns"][0] == 0
    assert before["offset_ns"] == after["offset_ns"]
    assert abs(before["error_ns"][1]) <= before["bound_ns"][1] + before["error_bound_ns"][1]


def test_rows(records: list[dict[str, Any]]) -> None:
    """Counts agree with the raw runs, and statistics lie where they must."""
    for row in rows_of(records):
        runs = row["reps_made"]
        assert len(row["time_ns"]) == len(row["local_ns"]) == len(row["valid"]) == len(row["overran"]) == runs > 0
        assert sum(row["valid"]) == row["reps_valid"]
        assert sum(row["invalid"].values()) == runs - row["reps_valid"]
        assert sum(row["overran"]) == row["invalid"]["overrun"]
        in_time = [
            time for time, *kinds in zip(row["time_ns"], row["valid"], row["overran"], strict=True) if any(kinds)
        ]
        assert row["reps_used"] == len(in_time) - 2 * (len(in_time) // 4)
        assert row["verdict"] in VERDICTS
        assert (row["verdict"] == "ok") == (row["reason"] == "")
        assert row["verdict"] != "failed-check"
        assert row["first_call_ns"] > 0 and row["second_call_ns"] > 0
        if len(in_time) >= 10:
            assert row["min_ns"] == min(in_time) and row["max_ns"] == max(in_time)
            assert row["median_ns"] == median(in_time)
            assert row["ci_low_ns"] <= row["mean_ns"] <= row["ci_high_ns"]
            assert row["median_low_ns"] <= row["median_ns"] <= row["median_high_ns"]
        if not in_time:
            assert all(row[key] is None for key in STATISTICS)
        blamed = row["invalid_by_rank"]
        assert all(entry["late_start"] + entry["overrun"] > 0 for entry in blamed)
        assert bool(blamed) == (row["reps_valid"] < runs)


def test_datatypes(records: list[dict[str, Any]]) -> None:
    """auto: byte to move data, float to reduce, signed char where the size is not divisible by 4."""
    types = {(row["operation"], row["bytes"]): row["datatype"] for row in rows_of(records)}
    assert types["bcast", 8] == types["bcast", 6] == "byte"
    assert types["allreduce", 8] == "float"
    assert types["allreduce", 6] == "signed char"


def test_existing_file_is_kept(run_engine: Run, tmp_path: Path) -> None:
    """A file of that name is never overwritten."""
    (tmp_path / "out.jsonl").write_text("mine\n")
    done = run_engine("--operations", "barrier", "--output", "out.jsonl")
    assert done.code == 2 and "exists" in done.complaints[0]
    assert (tmp_path / "out.jsonl").read_text() == "mine\n"
    assert [path.name for path in tmp_path.iterdir()] == ["out.jsonl"]


def test_missing_folder(run_engine: Run) -> None:
    """Exit code 5, one line."""
    done = run_engine("--operations", "barrier", "--output", "no/such/folder/out.jsonl")
    assert done.code == 5 and len(done.complaints) == 1


@pytest.mark.parametrize(("option", "value"), [("--expect-ranks", "4"), ("--expect-hosts", "2")])
def test_wrong_launcher(run_engine: Run, tmp_path: Path, option: str, value: str) -> None:
    """Too few processes, or all on one host, are not measured."""
    done = run_engine("--operations", "barrier", "--output", "out.jsonl", option, value)
    assert done.code == 3 and len(done.complaints) == 1 and option in done.complaints[0]
    assert list(tmp_path.iterdir()) == []


def test_singleton(engine: Path, mpi: Mpi, tmp_path: Path) -> None:
    """A process that was started without the launcher is one process, not two."""
    words = ["--operations", "barrier", "--output", "out.jsonl", "--expect-ranks", "2"]
    done = subprocess.run([engine, *words], cwd=tmp_path, env=mpi.env, capture_output=True, text=True, check=False)
    assert done.returncode == 3, done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system with room for 16 KiB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=16k", "none", folder], capture_output=True, text=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip(f"cannot mount a tmpfs: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", folder], check=True)


def test_full_disk(run_engine: Run, small_disk: Path) -> None:
    """One line, exit code 5, and no file that looks complete."""
    done = run_engine("--operations", "all", "--sizes", "8,1KiB,64KiB", "--output", small_disk / "out.jsonl")
    assert done.code == 5, done.err
    assert len(done.complaints) == 1 and "No space left" in done.complaints[0]
    assert list(small_disk.iterdir()) == []
