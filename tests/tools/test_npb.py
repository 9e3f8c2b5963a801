# SPDX-License-Identifier: BSD-3-Clause
"""What programs of NPB print: a result is read as it stands, and what cannot be is refused with its line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from isochron.common.files import FileError
from isochron.tools.npb import NpbResult, parse, wrong
from isochron.tools.rows import Lines

FOLDER = Path(__file__).parent / "npb"
PRINTOUTS = sorted(FOLDER.glob("*.txt"))


def read(text: str) -> NpbResult:
    return parse(Lines(Path("x.out"), tuple(text.splitlines())))


def value(text: str, name: str) -> str:
    """What stands behind `name =` in a printout: another way than the parser's."""
    return next(line.split("=", 1)[1].strip() for line in text.splitlines() if re.match(rf"\s*{name}\s*=", line))


@pytest.mark.parametrize("path", PRINTOUTS, ids=lambda path: path.stem)
def test_every_fact_of_a_real_printout_is_read(path: Path) -> None:
    """Files are named by kernel, class, stack and processes: `cg-S-openmpi-5.0-p2.txt`."""
    text, (kernel, problem, _, processes) = (
        path.read_text(),
        (*path.stem.split("-", 2)[:2], "", path.stem.split("-p")[-1]),
    )
    result = read(text)
    assert (result.kernel, result.problem, result.processes) == (kernel.upper(), problem, int(processes))
    assert wrong(result, kernel.upper(), problem, int(processes)) == []
    assert (result.seconds or 0) == float(value(text, "Time in seconds"))
    assert result.mops_total == float(value(text, "Mop/s total"))
    assert result.mops_per_process == float(value(text, "Mop/s/process"))
    assert result.iterations == int(value(text, "Iterations"))
    assert result.version == value(text, "Version")
    assert result.operation_type == value(text, "Operation type")
    assert result.size == value(text, "Size").replace(" ", "")
    options = dict(result.options)
    assert options["RAND"] == value(text, "RAND") if "RAND" in text else options["CFLAGS"] == value(text, "CFLAGS")


def test_there_are_printouts_of_fortran_and_c() -> None:
    assert {path.stem.split("-")[0] for path in PRINTOUTS} >= {"ep", "is", "cg"}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "Benchmark Completed",
            "Benchmark Interrupted",
            "0 lines `XX Benchmark Completed`; the program did not finish",
        ),
        ("Verification", "Verified", "no line `Verification = …` after `CG Benchmark Completed`"),
        ("SUCCESSFUL", "NOT PERFORMED", "Verification = 'NOT PERFORMED'; must be SUCCESSFUL or"),
        ("Total processes =", "Total processes = two", "is not a whole number"),
        (f"Total processes ={2:>25}", f"Total processes ={0:>25}", "Total processes = 0 cannot be"),
        (f"Total processes ={2:>25}", "Total processes = ٢", "is not a whole number"),
        ("Mop/s total     =", "Mop/s total     = ****", "is not a possible time or rate"),
        ("Time in seconds =", "Time in seconds = -", "is not a possible time or rate"),
    ],
)
def test_what_cannot_be_is_refused_with_the_line(old: str, new: str, said: str) -> None:
    text = (FOLDER / "cg-S-openmpi-5.0-p2.txt").read_text()
    assert old in text
    with pytest.raises(FileError, match=r"^x\.out:\d+: ") as error:
        read(text.replace(old, new, 1) if old != "SUCCESSFUL" else text.replace(f"  {old}", f"  {new}"))
    assert said in str(error.value)


def test_two_results_in_one_printout_are_refused() -> None:
    text = (FOLDER / "cg-S-openmpi-5.0-p2.txt").read_text()
    with pytest.raises(FileError, match="2 lines `XX Benchmark Completed`; a launch prints one"):
        read(text + text)


def test_a_time_of_nothing_is_not_known() -> None:
    text = (FOLDER / "cg-S-openmpi-5.0-p2.txt").read_text()
    line = next(line for line in text.splitlines() if "Time in seconds" in line)
    assert read(text.replace(line, " Time in seconds =                         0.00")).seconds is None


@pytest.mark.parametrize(
    ("name", "new", "said"),
    [
        ("Verification", "UNSUCCESSFUL", "Verification = UNSUCCESSFUL: the computed result is wrong"),
        ("Total processes", "4", "Total processes = 4, but 2 were planned"),
        ("Active processes", "1", "only 1 of 2 processes worked"),
        ("Class", "W", "CG at class W ran, but CG at class S was planned"),
    ],
)
def test_another_launch_than_the_planned_one_is_told(name: str, new: str, said: str) -> None:
    text = (FOLDER / "cg-S-openmpi-5.0-p2.txt").read_text()
    changed, count = re.subn(rf"(?m)^( {name} *=).*$", rf"\1 {new}", text)
    assert count == 1
    assert any(said in each for each in wrong(read(changed), "CG", "S", 2))


def test_another_kernel_is_told() -> None:
    text = (FOLDER / "cg-S-openmpi-5.0-p2.txt").read_text()
    assert wrong(read(text), "MG", "S", 2) == ["printout: CG at class S ran, but MG at class S was planned"]


def test_npb_3_3_names_the_processes_that_it_was_compiled_for() -> None:
    text = (FOLDER / "cg-S-openmpi-5.0-p2.txt").read_text().replace("Active processes=", "Compiled procs  =")
    assert read(text).active == 2
