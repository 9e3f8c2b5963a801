# SPDX-License-Identifier: BSD-3-Clause
"""Raw files that were damaged after they had been accepted are found, kept aside, and measured again."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.end_to_end.conftest import Place, copied
from tests.faults.support import RUN, completes

pytestmark = [pytest.mark.mpi, pytest.mark.slow]  # one more of a kind: test_damage.py has a bit of a raw file changed


@pytest.fixture
def whole(measured: Place, tmp_path: Path) -> Place:
    return copied(measured, tmp_path / "here")


def truncate(raw: Path) -> None:
    raw.write_bytes(raw.read_bytes()[:-100])


def flip_a_bit(raw: Path) -> None:
    content = bytearray(raw.read_bytes())
    content[len(content) // 2] ^= 1
    raw.write_bytes(bytes(content))


def double_a_line(raw: Path) -> None:
    lines = raw.read_bytes().splitlines(keepends=True)
    raw.write_bytes(b"".join([*lines[:-1], lines[-2], lines[-1]]))


def lose(raw: Path) -> None:
    raw.unlink()


@pytest.mark.parametrize("damage", [flip_a_bit, truncate, double_a_line, lose], ids=lambda function: function.__name__)
def test_a_damaged_launch_is_measured_again(whole: Place, damage: Callable[[Path], None]) -> None:
    raw = sorted(whole.run.launches.glob("*.jsonl"))[0]
    before = raw.stat().st_ino
    raw.chmod(0o644)
    damage(raw)
    refusal = whole.isochron("report", "mini", "--quiet")
    assert refusal.returncode == (0 if damage is lose else 1)
    assert damage is lose or str(raw) in refusal.stderr
    completes(whole)
    assert raw.stat().st_ino != before
    assert damage is lose or list(whole.run.root.glob("attempts/*/*.damaged"))


def test_a_launch_that_stands_twice_is_refused_by_name(whole: Place) -> None:
    raw = sorted(whole.run.launches.glob("*.jsonl"))[0]
    double = raw.with_name("zzz.jsonl")
    shutil.copy(raw, double)
    failed = whole.isochron(*RUN)
    assert failed.returncode == 1
    assert f"{double}: launch '{raw.stem}' stands in" in failed.stderr
    double.unlink()
    completes(whole)
