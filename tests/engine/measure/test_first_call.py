# SPDX-License-Identifier: BSD-3-Clause
"""Which MPI calls precede the first one that --first-call times: told by a library that notes every call."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.engine.support import LIBRARIES, Finished, Mpi, build_engine, read_records, rows_of, wheels_stack

pytestmark = pytest.mark.mpi

HERE = Path(__file__).parent
#: Calls that ask or set something in their own process.
LOCAL = {
    "MPI_Init", "MPI_Get_library_version", "MPI_Comm_create_errhandler", "MPI_Comm_set_errhandler",
    "MPI_Errhandler_free", "MPI_Comm_rank", "MPI_Comm_size",
    "MPI_Type_size", "MPI_Type_vector", "MPI_Type_create_resized", "MPI_Type_commit", "MPI_Type_free",
}  # fmt: skip
OPERATIONS = {
    "bcast": "MPI_Bcast",
    "allreduce": "MPI_Allreduce",
    "barrier": "MPI_Barrier",
    "alltoallv": "MPI_Alltoallv",
    "iallgather": "MPI_Iallgather",
}


def noting(mpi: Mpi, engine: Path, folder: Path) -> Path:
    """The library that notes every MPI call that this engine imports."""
    symbols = subprocess.run(["nm", "-D", "--undefined-only", engine], capture_output=True, text=True, check=True)
    names = re.findall(r"\bU MPI_([A-Z]\w*)", symbols.stdout)
    assert {"Init", "Bcast", "Comm_dup", "Sendrecv"} <= set(names)
    (folder / "hooks.h").write_text("".join(f"HOOK({name})\n" for name in names))
    library = folder / "liborder.so"
    command: list[str | Path] = [mpi.cc, "-O2", "-fPIC", "-shared", f"-I{folder}", "-o", library, HERE / "order.c"]
    done = subprocess.run(command, env=mpi.env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return library


def orders(mpi: Mpi, engine: Path, folder: Path, *words: str) -> list[list[str]]:
    """The MPI calls of each process in their order."""
    (folder / "order").mkdir()
    notes = [f"LD_PRELOAD={noting(mpi, engine, folder)}", f"ORDER={folder / 'order'}"]
    command = mpi.launch(2, ["env", *notes, engine, *words, "--output", folder / "launch.jsonl"])
    done = subprocess.run(command, cwd=folder, env=mpi.env, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    found = [path.read_text().splitlines() for path in (folder / "order").iterdir()]
    assert len(found) == 2 and all("MPI_Init" in calls and calls[-1] == "MPI_Finalize" for calls in found)
    return found


def before(calls: list[str]) -> list[str]:
    """The calls before the first that is not local."""
    first = next(place for place, name in enumerate(calls) if name not in LOCAL)
    return calls[: first + 1]


@pytest.mark.parametrize("operation", [
    "bcast", *(pytest.param(name, marks=pytest.mark.slow) for name in OPERATIONS if name != "bcast"),
])  # fmt: skip
def test_nothing_but_init_and_local_calls_come_before(operation: str, mpi: Mpi, engine: Path, tmp_path: Path) -> None:
    words = ["--first-call", "--operations", operation, "--sizes", "8KiB", "--check", "--max-reps", "10"]
    for calls in orders(mpi, engine, tmp_path, *words):
        assert before(calls)[-1] == OPERATIONS[operation], before(calls)
        waits = ["MPI_Wait"] if operation.startswith("i") else []
        here = len(before(calls))
        # The second call comes at once; only after the third does the engine send messages for other ends.
        assert calls[here : here + 2 + 2 * len(waits)] == [*waits, OPERATIONS[operation], *waits, "MPI_Sendrecv"]
        assert calls.index("MPI_Comm_dup") > here + 10


def test_without_the_option_the_engine_talks_first(mpi: Mpi, engine: Path, tmp_path: Path) -> None:
    """What the library notes is there to be noted: an ordinary launch exchanges its first message first."""
    words = ["--operations", "allreduce", "--sizes", "8", "--max-reps", "10"]
    for calls in orders(mpi, engine, tmp_path, *words):
        assert before(calls)[-1] == "MPI_Sendrecv"
        assert "MPI_Comm_dup" in calls[: calls.index("MPI_Allreduce")]


@pytest.mark.slow
@pytest.mark.parametrize("name", LIBRARIES)
def test_the_same_of_every_library_and_a_derived_type(name: str, tmp_path: Path) -> None:
    stack = wheels_stack(name)
    engine = build_engine(stack, tmp_path / "build")
    words = ["--first-call", "--operations", "scatter", "--sizes", "4KiB", "--datatype", "vector:4:2:4"]
    for calls in orders(stack, engine, tmp_path, *words):
        assert before(calls)[-1] == "MPI_Scatter", before(calls)


def test_the_record_agrees_with_itself(run_engine: Callable[..., Finished], tmp_path: Path) -> None:
    words = ["--first-call", "--operations", "bcast", "--sizes", "8KiB", "--max-reps", "10", "--output", "o.jsonl"]
    assert run_engine(*words).code == 0
    (row,) = rows_of(read_records(tmp_path / "o.jsonl"))
    late = row["late_initialisation"]
    assert late["calls"] == 10 and late["slowest_rank"] in (0, 1)
    for call in ("first", "second", "later"):
        assert 0 < late[f"rank0_{call}_ns"] <= late[f"slowest_{call}_ns"]
    assert late["slowest_rank"] == 1 or late["slowest_first_ns"] == late["rank0_first_ns"]
    assert late["skew_first_ns"] >= 0
    # Last end less first start, as every process has its part of it.
    assert late["slowest_first_ns"] <= late["span_first_ns"] <= late["skew_first_ns"] + late["slowest_first_ns"]
    assert row["reps_made"] == row["reps_valid"] + sum(row["invalid"].values()) > 0, "the launch goes on as any other"


@pytest.mark.parametrize(("words", "said"), [
    (["--operations", "bcast,reduce", "--sizes", "8"], "give one operation and one size"),
    (["--operations", "bcast", "--sizes", "8,16"], "give one operation and one size"),
    (["--operations", "bcast_init", "--sizes", "8"], "bcast_init needs other MPI calls before its own"),
    (["--operations", "transfer-4", "--sizes", "8"], "transfer-4 needs other MPI calls before its own"),
    (["--operations", "bcast", "--sizes", "8", "--memory"], "--memory sends messages before the first call"),
    (["--operations", "bcast", "--sizes", "8", "--rank-order", "reverse"], "--rank-order sends messages"),
])  # fmt: skip
def test_what_cannot_come_first_is_refused(words: list[str], said: str, mpi: Mpi, engine: Path, tmp_path: Path) -> None:
    command: list[str | Path] = [engine, "--check-options", "--first-call", *words, "--expect-ranks", "2"]
    done = subprocess.run(command, cwd=tmp_path, env=mpi.env, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and said in done.stderr


def test_a_refused_launch_ends_on_all_processes(run_engine: Callable[..., Finished]) -> None:
    done = run_engine("--first-call", "--operations", "bcast,reduce", "--sizes", "8", "--output", "o.jsonl")
    assert done.code != 0 and len(done.complaints) == 1 and "give one operation and one size" in done.complaints[0]
