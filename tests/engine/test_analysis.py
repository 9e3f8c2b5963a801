# SPDX-License-Identifier: BSD-3-Clause
"""The engine's sources under static analysis, a fuzzer, valgrind, and real runs under the sanitizers."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.engine.support import ENGINE, Mpi, needs, read_records, rows_of


@pytest.mark.parametrize("inputs", [100_000, pytest.param(1_000_000, marks=pytest.mark.slow)])
def test_no_command_line_is_too_strange(inputs: int, tmp_path: Path) -> None:
    """Mutated options and sizes under the sanitizers: accepted, or refused in one line."""
    command = ["make", "-C", str(ENGINE), "fuzz", f"INPUTS={inputs}", f"BUILD={tmp_path}", "STRICT=1"]
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


@needs("valgrind")
def test_units_under_valgrind(tmp_path: Path) -> None:
    """No bad access, no leak, in every unit test program."""
    subprocess.run(["make", "-C", str(ENGINE), "-j2", "check", f"BUILD={tmp_path}"], check=True, capture_output=True)
    programs = [path for path in (tmp_path / "tests").glob("test_*") if not path.suffix]
    assert len(programs) >= 7
    for program in programs:
        command = ["valgrind", "--quiet", "--leak-check=full", "--errors-for-leak-kinds=all", "--error-exitcode=9"]
        done = subprocess.run([*command, program], capture_output=True, text=True, check=False)
        assert done.returncode == 0, program.name + done.stderr[-3000:]


@pytest.mark.mpi
@pytest.mark.slow
@pytest.mark.parametrize(
    "extra", [[], ["--buffers", "cold", "--per-rank", "--memory", "--arrival", "random:1"]], ids=len
)
def test_runs_under_the_sanitizers(mpi: Mpi, tmp_path: Path, extra: list[str]) -> None:
    """Every operation on two processes. Leaks are left to valgrind: the MPI library has its own."""
    build = ["make", "-C", str(ENGINE), "-j2", f"CC={mpi.cc}", f"BUILD={tmp_path}", "SANITIZE=1"]
    subprocess.run(build, env=mpi.env, check=True, capture_output=True)
    words = ["--operations", "all", "--sizes", "8,6,64KiB", "--output", str(tmp_path / "out.jsonl"), "--check", *extra]
    command = mpi.launch(2, [tmp_path / "isochron-engine", *words])
    env = {**mpi.env, "ASAN_OPTIONS": "detect_leaks=0"}
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    assert len(rows_of(read_records(tmp_path / "out.jsonl"))) > 50
