# SPDX-License-Identifier: BSD-3-Clause
"""The library that slows operations: it hands on what it gets, waits as long as it must at least, says it was there.

The MPI library here is a program's own: its PMPI_Bcast takes 100 000 ticks.
"""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from isochron.common.files import FileError
from isochron.schemas.run.certificate import loaded_file, read_shares
from isochron.workflows.certification import slowing

pytestmark = pytest.mark.process

PROGRAM = """
#include <stdio.h>
static const unsigned long long OWN = 100000;
int PMPI_Init(int *count, char ***words) { return count == NULL && words == NULL ? 0 : 1; }
int PMPI_Bcast(void *buffer, int count, int type, int root, long comm)
{
    const unsigned long long begin = __builtin_ia32_rdtsc();
    while (__builtin_ia32_rdtsc() - begin < OWN) { }
    return *(char *)buffer == 'x' && count == -1 && type == 2 && root == 3 && comm == 1L << 40 ? 11 : 1;
}
int PMPI_Reduce(void *in, char *out, int count, int type, int op, int root, long comm)
{
    *out = *(char *)in;
    return count == 4 && type == 5 && op == 6 && root == -7 && comm == 1L << 41 ? 12 : 1;
}
int MPI_Init(int *, char ***) __attribute__((weak));
int MPI_Bcast(void *, int, int, int, long) __attribute__((weak));
int MPI_Reduce(void *, char *, int, int, int, int, long) __attribute__((weak));
int main(void)
{
    char in = 'x', out = ' ';
    if (MPI_Init == NULL || MPI_Init(NULL, NULL) != 0)
        return 3;
    const unsigned long long begin = __builtin_ia32_rdtsc();
    const int code = MPI_Bcast(&in, -1, 2, 3, 1L << 40);
    printf("%d %f\\n", code, (double)(__builtin_ia32_rdtsc() - begin) / OWN);
    const int reduced = MPI_Reduce(&in, &out, 4, 5, 6, -7, 1L << 41);
    printf("%d %c\\n", reduced, out);
    return 0;
}
"""


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The library and the program."""
    folder = tmp_path_factory.mktemp("slow")
    (folder / "program.c").write_text(PROGRAM)
    command = ["cc", "-O1", "-rdynamic", "-o", str(folder / "program"), str(folder / "program.c")]
    subprocess.run(command, check=True)
    return slowing.build_library(folder), folder / "program"


def run(built: tuple[Path, Path], shares: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, **slowing.environment(built[0], shares)}
    return subprocess.run([built[1]], env=environment, capture_output=True, text=True, check=False)


def test_a_call_takes_at_least_its_share_more_and_gets_what_was_handed_over(
    built: tuple[Path, Path], tmp_path: Path
) -> None:
    shares = tmp_path / "shares.txt"
    slowing.write_shares(shares, {"bcast": 50.0, "reduce": 0.0})
    assert read_shares(shares) == {"bcast": 50.0}
    done = run(built, shares)
    assert done.returncode == 0, done.stderr
    (code, times), reduced = done.stdout.splitlines()[0].split(), done.stdout.splitlines()[1]
    assert (code, reduced) == ("11", "12 x")
    assert float(times) >= 51
    assert len(loaded_file(shares).read_text().split()) == 1


def test_it_says_nothing_in_a_program_without_mpi(built: tuple[Path, Path], tmp_path: Path) -> None:
    environment = {**os.environ, **slowing.environment(built[0], tmp_path / "none"), "LD_BIND_NOW": "1"}
    done = subprocess.run(["true"], env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "cannot be read"),
        ("bcst 0.1\n", "is not `operation share`"),
        ("bcast -1\n", "is not `operation share`"),
        ("bcast\n", "is not `operation share`"),
        ("bcast much\n", "is not `operation share`"),
    ],
)
def test_without_shares_that_it_understands_it_ends_the_process(
    built: tuple[Path, Path], tmp_path: Path, text: str | None, said: str
) -> None:
    shares = tmp_path / "shares.txt"
    if text is not None:
        shares.write_text(text)
    done = run(built, shares)
    assert done.returncode == 2
    assert str(shares) in done.stderr and said in done.stderr
    assert not loaded_file(shares).exists()


def test_every_operation_that_may_be_drawn_is_one_that_it_slows(built: tuple[Path, Path], tmp_path: Path) -> None:
    shares = tmp_path / "shares.txt"
    slowing.write_shares(shares, dict.fromkeys(slowing.SLOWED, 0.01))
    assert run(built, shares).returncode == 0


def test_a_compiler_that_is_missing_or_fails_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-cc")
    with pytest.raises(FileError, match="no-such-cc: C compiler not found"):
        slowing.build_library(tmp_path)
    monkeypatch.setenv("CC", "false")
    with pytest.raises(FileError, match="false cannot compile it"):
        slowing.build_library(tmp_path)
    assert not list(tmp_path.iterdir())
