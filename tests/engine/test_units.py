# SPDX-License-Identifier: BSD-3-Clause
"""The engine's C unit tests, plain, under the sanitizers and under valgrind; they need no MPI."""

import re
import subprocess
from pathlib import Path

import pytest

from tests.engine.support import ENGINE, needs


def expect_every_case_passes(folder: Path) -> None:
    """Every case of every test program."""
    said = (folder / "said").read_text()
    assert int((folder / "code").read_text()) == 0, said[-8000:]
    counts = re.findall(r"^test_\w+: (\d+) cases, (\d+) failed$", said, re.MULTILINE)
    assert len(counts) == len(list((ENGINE / "tests").glob("test_*.c")))
    assert sum(int(cases) for cases, _ in counts) > 100
    assert all(failed == "0" for _, failed in counts)


def test_c_units(checked: Path) -> None:
    expect_every_case_passes(checked)


@pytest.mark.xdist_group("sanitized")
def test_c_units_under_the_sanitizers(sanitized: Path) -> None:
    expect_every_case_passes(sanitized)


@needs("valgrind")
@pytest.mark.slow
def test_c_units_under_valgrind(checked: Path) -> None:
    """No bad access, no leak, in every unit test program."""
    programs = [path for path in (checked / "tests").glob("test_*") if not path.suffix]
    assert len(programs) >= 7
    for program in programs:
        command = ["valgrind", "--quiet", "--leak-check=full", "--errors-for-leak-kinds=all", "--error-exitcode=9"]
        done = subprocess.run([*command, program], capture_output=True, text=True, check=False)
        assert done.returncode == 0, program.name + done.stderr[-3000:]


def test_source_tree_stays_clean(checked: Path) -> None:
    """A build leaves nothing in the source folder."""
    assert (checked / "before").read_text() == "\n".join(map(str, sorted(ENGINE.rglob("*"))))


def writable(files: list[Path]) -> list[str]:
    """Variables of programs or object files that can be written; those of the C library's start and ours from it."""
    command = ["objdump", "--syms", *map(str, files)]
    lines = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    found = [line.split()[-1] for line in lines if re.search(r" O \.(data|bss|tdata|tbss)(?!\.rel\.ro)", line)]
    return [name for name in found if "@" not in name and name not in ("completed.0", "__TMC_END__", "__dso_handle")]


def test_the_engine_has_no_mutable_globals(simulated_engine: Path) -> None:
    """Thousands of simulated ranks share one process."""
    assert writable([simulated_engine]) == []


def test_what_needs_no_mpi_has_no_mutable_globals(checked: Path, tmp_path: Path) -> None:
    """The same where there is no simulator; and such a variable would be seen."""
    objects = list((checked / "tests").rglob("*.o"))
    assert len(objects) > 20
    assert writable(objects) == []
    (tmp_path / "bad.c").write_text("static int calls; static int first = 1; int f(void) { return calls++ + first++; }")
    subprocess.run(["gcc", "-c", "bad.c"], cwd=tmp_path, check=True)
    assert writable([tmp_path / "bad.o"]) == ["calls", "first"]
