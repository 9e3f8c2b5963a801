# SPDX-License-Identifier: BSD-3-Clause
"""Whether a program shows a finding: the libraries are scripts whose programs print a time that is given."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

from isochron.common.files import FileError
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.plan import Point
from isochron.workflows.reproducer.commands import Side
from isochron.workflows.reproducer.findings import Finding, Setting
from isochron.workflows.reproducer.reproduce import Reproducer
from isochron.workflows.reproducer.verification import ROUNDS, verify
from tests.workflows.reproducer.test_reproduce import manifest

pytestmark = pytest.mark.process

POINT = Point(processes=2, processes_per_node=2, placement="packed")
#: `mpicc … -o PROGRAM SOURCE`: a program that prints the time of its stack, and notes that it was started.
COMPILER = """#!/bin/bash
while [ "$1" != -o ]; do shift; done
printf '%s\\n' '#!/bin/bash' 'echo {name} >> {log}' {prints} > "$2"
chmod +x "$2"
"""
LAUNCHER = '#!/bin/bash\nexec "${!#}"\n'


def side(folder: Path, word: str, prints: str) -> Side:
    """One stack, whose program executes `prints`."""
    programs = folder / word / "bin"
    programs.mkdir(parents=True)
    compiler = COMPILER.format(name=word, log=folder / "log", prints="'" + prints.replace("'", "'\\''") + "'")
    for name, text in (("mpicc", compiler), ("mpiexec", LAUNCHER)):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    argv = [str(programs / "mpiexec"), "-n", "{processes}"]
    stack = manifest(word, "MPICH", "5.0", cc=str(programs / "mpicc"), launcher={"argv": argv})
    return Side(word, f"MPICH {word}", stack, POINT, oversubscribed=False)


def made(folder: Path, slow: str, *, fast: str = "1", ratio: float = 2.0, setting: Setting | None = None) -> Reproducer:
    """A finding of this ratio; `slow`, `fast`: the times that the programs print, as words of bash."""
    finding = cast(Finding, SimpleNamespace(name="bcast-8", operation="bcast", bytes=8, ratio=ratio))
    sides = [
        side(folder, word, f'echo "bcast of 8 B: median {time} us"') for word, time in (("fast", fast), ("slow", slow))
    ]
    run = RunLayout(folder / "run")
    return Reproducer(run, finding, "bcast", "int main(void) { return 0; }\n", *sides, reason="", setting=setting)


def test_the_whole_difference_shows(tmp_path: Path) -> None:
    shown = verify(made(tmp_path, "2"))
    assert (shown.ratio, shown.low, shown.high, shown.share) == pytest.approx((2, 2, 2, 1))
    assert shown.is_enough and shown.set_ratio is None
    assert shown.lines == ["bcast of 8 B: median 1 us", "bcast of 8 B: median 2 us"]
    started = (tmp_path / "log").read_text().split()
    assert started == ["fast", "slow", "slow", "fast"] * (ROUNDS // 2)
    assert "100 % of the difference" in str(shown)


def test_less_than_half_of_it(tmp_path: Path) -> None:
    shown = verify(made(tmp_path, "1.2"))
    assert not shown.is_enough and shown.share == pytest.approx(0.263, abs=0.001)


def test_the_second_of_ten_ratios_is_the_end(tmp_path: Path) -> None:
    """One turn of ten that took ten times as long is no part of the interval."""
    count = f"$(grep -c slow {tmp_path / 'log'})"
    shown = verify(made(tmp_path, f"$(( {count} == 3 ? 20 : 2 ))"))
    assert (shown.low, shown.high) == (2, 2)


def test_the_setting_is_tried_as_well(tmp_path: Path) -> None:
    setting = Setting({"MPIR_X": "1"}, "90 %")
    shown = verify(made(tmp_path, "${MPIR_X:-2}", setting=setting))
    assert shown.set_ratio == pytest.approx(2)
    assert len(shown.lines) == 3 and "2 times as long as with the setting" in str(shown)


@pytest.mark.parametrize(
    ("prints", "message"),
    [
        ("exit 3", "MPICH slow: .*: code 3: no message"),
        ("echo nothing", "bcast-8: MPICH slow: the program printed no time"),
    ],
)
def test_a_program_that_fails(prints: str, message: str, tmp_path: Path) -> None:
    one = made(tmp_path, "2")
    broken = side(tmp_path / "other", "slow", prints)
    with pytest.raises(FileError, match=message):
        verify(Reproducer(one.run, one.finding, "", one.program, one.fast, broken, "", None))


def test_a_stack_that_is_not_here(tmp_path: Path) -> None:
    one = made(tmp_path, "2")
    Path(one.slow.manifest.cc).unlink()
    with pytest.raises(FileError, match=r"bcast-8: cannot be verified: .*mpicc or its launcher is not on this machine"):
        verify(one)
