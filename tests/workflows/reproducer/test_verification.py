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
from isochron.workflows.reproducer import verification
from isochron.workflows.reproducer.commands import Side
from isochron.workflows.reproducer.findings import Finding, Setting
from isochron.workflows.reproducer.reproduce import Reproducer
from isochron.workflows.reproducer.verification import MOST_ROUNDS, ROUNDS, Shown, verify
from tests.workflows.reproducer.test_reproduce import manifest

pytestmark = pytest.mark.process

POINT = Point(processes=2, processes_per_node=2, placement="packed")
#: `mpicc … -o PROGRAM SOURCE`: a program that prints the time of its stack, and notes that it was started.
COMPILER = """#!/bin/bash
while [ "$1" != -o ]; do shift; done
printf '%s\\n' '#!/bin/bash' 'echo {name} >> {log}' {prints} > "$2"
chmod +x "$2"
"""
#: Starts what comes after `-n PROCESSES`.
LAUNCHER = '#!/bin/bash\nshift 2\nexec "$@"\n'
#: An engine: writes the median that the words of bash give.
ENGINE = """#!/bin/bash
while [ "$1" != --output ]; do shift; done
echo engine-{name} >> {log}
echo {median_ns} > "$2"
"""


@pytest.fixture(autouse=True)
def medians_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """What an engine writes is its median alone."""

    def read(path: Path) -> SimpleNamespace:
        return SimpleNamespace(measurements=[SimpleNamespace(median_ns=float(path.read_text()))])

    monkeypatch.setattr(verification, "read_launch", read)


def side(folder: Path, word: str, prints: str, median_ns: str = "1") -> Side:
    """One stack, whose program executes `prints`, and whose engine measures `median_ns`."""
    programs = folder / word / "bin"
    programs.mkdir(parents=True)
    compiler = COMPILER.format(name=word, log=folder / "log", prints="'" + prints.replace("'", "'\\''") + "'")
    engine = ENGINE.format(name=word, log=folder / "log", median_ns=median_ns)
    for name, text in (("mpicc", compiler), ("mpiexec", LAUNCHER), ("engine", engine)):
        (programs / name).write_text(text)
        (programs / name).chmod(0o755)
    argv = [str(programs / "mpiexec"), "-n", "{processes}"]
    paths = {"cc": str(programs / "mpicc"), "engine": str(programs / "engine")}
    stack = manifest(word, "MPICH", "5.0", **paths, launcher={"argv": argv})
    return Side(word, f"MPICH {word}", stack, POINT, oversubscribed=False)


def made(folder: Path, slow: str, *, engine: str = "2", setting: Setting | None = None) -> Reproducer:
    """A finding of twice the time; `slow`, `engine`: what program and engine of the slow stack measure, in bash."""
    finding = cast(Finding, SimpleNamespace(name="bcast-8", operation="bcast", bytes=8, ratio=2.0))
    sides = [
        side(folder, word, f'echo "bcast of 8 B: median {time} us"', median_ns)
        for word, time, median_ns in (("fast", "1", "1"), ("slow", slow, engine))
    ]
    run = RunLayout(folder / "run")
    return Reproducer(run, finding, "bcast", "int main(void) { return 0; }\n", *sides, reason="", setting=setting)


def test_the_whole_difference_shows(tmp_path: Path) -> None:
    shown = verify(made(tmp_path, "2"))
    assert isinstance(shown, Shown)
    assert (shown.ratio, shown.low, shown.high, shown.share) == pytest.approx((2, 2, 2, 1))
    assert shown.is_enough and shown.set_ratio is None
    assert shown.lines == ["bcast of 8 B: median 1 us", "bcast of 8 B: median 2 us"]
    started = (tmp_path / "log").read_text().split()
    turn = ["engine-fast", "engine-slow", "fast", "slow"]
    assert started == [*turn, *turn[1::-1], *turn[:1:-1]] * (ROUNDS // 2)
    assert "100 % of the difference" in str(shown) and "did not show" not in str(shown)


def test_verification_counts_only_turns_in_which_the_engine_shows_the_difference(tmp_path: Path) -> None:
    """Every other turn the engine measures 1.2 times, and the program is not started."""
    count = f"$(grep -c engine-slow {tmp_path / 'log'})"
    shown = verify(made(tmp_path, "2", engine=f"$(( {count} % 2 )) | sed 's/0/1.2/; s/^1$/2/'"))
    assert isinstance(shown, Shown) and (shown.measured, shown.left_out) == (2, ROUNDS - 1)
    assert "In 9 turns more the machine did not show it." in str(shown)
    assert (tmp_path / "log").read_text().split().count("slow") == ROUNDS


def test_verification_of_a_difference_that_is_not_there_now(tmp_path: Path) -> None:
    one = made(tmp_path, "2", engine="1.3")
    absent = verify(one)
    assert not isinstance(absent, Shown)
    assert (tmp_path / "log").read_text().split().count("engine-slow") == MOST_ROUNDS
    assert "in fewer than 10 of 30 turns the engine measured half of 2 times, and 1.3 times in" in str(absent)


def test_verification_compares_with_what_the_engine_measures_now(tmp_path: Path) -> None:
    """The engine measures 1.6 times where the run had 2: the program, with 1.6, shows all of it."""
    shown = verify(made(tmp_path, "1.6", engine="1.6"))
    assert isinstance(shown, Shown) and shown.share == pytest.approx(1)


def test_less_than_half_of_it(tmp_path: Path) -> None:
    shown = verify(made(tmp_path, "1.2"))
    assert isinstance(shown, Shown)
    assert not shown.is_enough and shown.share == pytest.approx(0.263, abs=0.001)


def test_the_second_of_ten_ratios_is_the_end(tmp_path: Path) -> None:
    """One turn of ten that took ten times as long is no part of the interval."""
    count = f"$(grep -c slow {tmp_path / 'log'})"
    shown = verify(made(tmp_path, f"$(( {count} == 3 ? 20 : 2 ))"))
    assert isinstance(shown, Shown)
    assert (shown.low, shown.high) == (2, 2)


def test_the_setting_is_tried_as_well(tmp_path: Path) -> None:
    setting = Setting({"MPIR_X": "1"}, "90 %")
    shown = verify(made(tmp_path, "${MPIR_X:-2}", setting=setting))
    assert isinstance(shown, Shown)
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
    broken = side(tmp_path / "other", "slow", prints, "2")
    with pytest.raises(FileError, match=message):
        verify(Reproducer(one.run, one.finding, "", one.program, one.fast, broken, "", None))


def test_a_stack_that_is_not_here(tmp_path: Path) -> None:
    one = made(tmp_path, "2")
    Path(one.slow.manifest.engine).unlink()
    with pytest.raises(FileError, match=r"bcast-8: cannot be verified: .*mpicc, its launcher or its engine .* is"):
        verify(one)
