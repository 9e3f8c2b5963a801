# SPDX-License-Identifier: BSD-3-Clause
"""The engine's sources under static analysis, a fuzzer, valgrind, and real runs under the sanitizers."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.engine.support import ENGINE, Mpi, build_engine, needs, read_records, rows_of, wheels_stack

#: The groups of operations, as the engine names them.
GROUPS = [
    "blocking",
    "neighborhood",
    "nonblocking",
    "persistent",
    "point-to-point",
    "transfers",
    "topologies",
    "bursts",
    "one-sided",
    "creation",
    "threads",
]
GROUPS += ["wait-patterns", "basic"]


@pytest.mark.parametrize("inputs", [30_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
@pytest.mark.xdist_group("sanitized")
def test_no_command_line_is_too_strange(inputs: int, sanitized: Path) -> None:
    """Mutated options and sizes under the sanitizers: accepted, or refused in one line."""
    command = ["make", "-C", str(ENGINE), "fuzz", f"INPUTS={inputs}", f"BUILD={sanitized}", "STRICT=1"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    found = re.search(r"fuzz_options: (\d+) inputs, (\d+) accepted, no finding", done.stdout)
    assert found is not None and int(found[1]) == inputs
    assert inputs // 50 < int(found[2]) < inputs // 2


@pytest.mark.parametrize(
    "target",
    [
        pytest.param("cppcheck", marks=needs("cppcheck")),
        pytest.param("tidy", marks=[needs("clang-tidy"), pytest.mark.slow]),
    ],
)
def test_static_analysis_finds_nothing(target: str, mpi: Mpi, tmp_path: Path) -> None:
    command = ["make", "-C", str(ENGINE), target, f"CC={mpi.cc}", f"BUILD={tmp_path}"]
    done = subprocess.run(command, env=mpi.env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]


def expect_clean_launch(mpi: Mpi, folder: Path, program: list[str | Path], *words: str) -> None:
    """A checked launch on two processes that ends well; few runs, as all is many times slower here."""
    few = ["--sizes", "0,8,1KiB", "--check", "--stop", "reps", "--max-reps", "3", "--min-valid", "1"]
    few += ["--warmup-reps", "1", "--batch", "3", "--output", str(folder / "out.jsonl")]
    command = mpi.launch(2, [*program, *words, *few])
    env = {**mpi.env, "ASAN_OPTIONS": "detect_leaks=0"}
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    assert rows_of(read_records(folder / "out.jsonl"))


@pytest.fixture(scope="module")
def sanitized_engine(mpi: Mpi, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The engine with both sanitizers."""
    return build_engine(mpi, tmp_path_factory.mktemp("sanitized"), "SANITIZE=1")


@pytest.mark.mpi
@pytest.mark.slow
@pytest.mark.parametrize("extra", ["", "--overlap", "--buffers cold --per-rank --memory --arrival random:1"])
@pytest.mark.parametrize("group", GROUPS)
def test_runs_under_the_sanitizers(mpi: Mpi, sanitized_engine: Path, tmp_path: Path, group: str, extra: str) -> None:
    """One group of operations a launch. Leaks are left to valgrind: the MPI library has its own."""
    threads = ["--threads", "2"] * (group == "threads")
    expect_clean_launch(mpi, tmp_path, [sanitized_engine], "--operations", group, *threads, *extra.split())


@pytest.fixture(scope="module")
def sanitized_with_large_counts(tmp_path_factory: pytest.TempPathFactory) -> tuple[Mpi, Path]:
    """The same with an MPI library that has the calls with MPI_Count."""
    stack = wheels_stack("mpich-5.0")
    return stack, build_engine(stack, tmp_path_factory.mktemp("large"), "SANITIZE=1")


#: Sizes with --large-counts that no 64 bits hold, and that no memory does once they are multiplied.
HUGE = {
    "2^61": ["--sizes", str(2**61)],
    "2^62 unbalanced": ["--sizes", str(2**62), "--counts", "unbalanced"],
    "2^63 - 1": ["--sizes", str(2**63 - 1)],
    "cold": ["--sizes", str(2**61), "--buffers", "cold"],
    "far blocks": ["--sizes", str(2**48), "--datatype", "vector:2:1:8388608"],
}


@pytest.mark.mpi
@pytest.mark.slow
@pytest.mark.parametrize("words", HUGE.values(), ids=HUGE)
@pytest.mark.parametrize("operation", ["bcast", "alltoall", "allgatherv", "alltoallw"])
def test_sizes_beyond_64_bits(
    sanitized_with_large_counts: tuple[Mpi, Path], tmp_path: Path, operation: str, words: list[str]
) -> None:
    """One line, nothing written, and no signed overflow on the way to it."""
    stack, engine = sanitized_with_large_counts
    line = [engine, "--operations", operation, "--large-counts", "--output", "out.jsonl", *words]
    env = {**stack.env, "ASAN_OPTIONS": "detect_leaks=0"}
    done = subprocess.run(stack.launch(2, line), cwd=tmp_path, env=env, capture_output=True, text=True, check=False)
    said = [each for each in done.stderr.splitlines() if "isochron-engine:" in each]
    assert done.returncode == 2 and len(said) == 1 and "--sizes" in said[0], done.stderr
    assert "runtime error" not in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.mpi
@pytest.mark.slow
@needs("valgrind")
@pytest.mark.parametrize("group", GROUPS)
def test_runs_under_valgrind(mpi: Mpi, engine: Path, tmp_path: Path, group: str) -> None:
    """One group of operations a launch; what the MPI library does by itself is left out (mpi.supp)."""
    valgrind = ["valgrind", "--quiet", "--leak-check=full", "--errors-for-leak-kinds=definite", "--error-exitcode=9"]
    valgrind += [f"--suppressions={ENGINE / 'tests' / 'mpi.supp'}"]
    expect_clean_launch(mpi, tmp_path, [*valgrind, engine], "--operations", group, "--wait", "sleep")
