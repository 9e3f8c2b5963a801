# SPDX-License-Identifier: BSD-3-Clause
"""The files of installed wheels against the wheels' own lists: whatever is lost or changed has a name."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from isochron.common.cache import SHARED
from isochron.common.files import FileError
from isochron.spack_envs.wheel_files import Damage, verified
from tests.spack_envs.test_wheels import safe_digest

PINS = {"tiny-mpi": "1.0"}
RECORD = "lib/python3.11/site-packages/tiny_mpi-1.0.dist-info/RECORD"


@pytest.fixture
def prefix(tmp_path: Path) -> Path:
    """A stack as pip would have left it."""
    root = tmp_path / "stack"
    record = root / RECORD
    lines = [f"{record.parent.name}/RECORD,,", "tiny/__pycache__/gone.pyc,,", "../../../bin/unhashed,,"]
    for name in ("bin/mpicc", "bin/mpiexec", "lib/libmpi.so", "lib/tiny/plugin.so"):
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"content of {name}\n")
        path.chmod(0o755)
        lines.append(f"../../../{name},sha256={safe_digest(path.read_text())},{path.stat().st_size}")
    (root / "bin" / "unhashed").touch(0o755)
    (root / "bin" / "python").symlink_to("/bin/sh")
    record.parent.mkdir(parents=True)
    record.write_text("\n".join(lines) + "\n")
    return root


def test_a_whole_stack_is_hashed_once(prefix: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    records, stamp = verified(prefix, PINS)
    hashed: list[object] = []
    real = hashlib.file_digest
    monkeypatch.setattr(hashlib, "file_digest", lambda file, kind: hashed.append(file) or real(file, kind))
    assert verified(prefix, PINS, records, stamp) == (records, stamp)
    assert not hashed, "nothing had changed"
    os.utime(prefix / "bin" / "mpiexec")
    again = verified(prefix, PINS, records, stamp)
    assert len(hashed) == 6 and again[0] == records and again[1] != stamp
    assert verified(prefix, PINS, *again) == again and len(hashed) == 6


def change_nothing_that_shows(prefix: Path) -> None:
    """The same size and the same time."""
    path = prefix / "lib" / "tiny" / "plugin.so"
    before = path.stat()
    path.write_bytes(path.read_bytes().swapcase())
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def put_a_folder_there(prefix: Path) -> None:
    (prefix / "lib" / "libmpi.so").unlink()
    (prefix / "lib" / "libmpi.so").mkdir()


def lose_half_of_the_list(prefix: Path) -> None:
    lines = (prefix / RECORD).read_text().splitlines(keepends=True)
    (prefix / RECORD).write_text("".join(lines[:3]))


DAMAGES: list[tuple[str, Callable[[Path], object]]] = [
    ("bin/mpiexec is missing", lambda prefix: (prefix / "bin" / "mpiexec").unlink()),
    ("lib/tiny/plugin.so differs from its wheel", change_nothing_that_shows),
    ("lib/libmpi.so differs from its wheel", lambda prefix: os.truncate(prefix / "lib" / "libmpi.so", 5)),
    ("bin/unhashed is missing", lambda prefix: (prefix / "bin" / "unhashed").unlink()),
    ("lib/libmpi.so cannot be read: Is a directory", put_a_folder_there),
    ("a list of files (RECORD) differs from the installed one", lose_half_of_the_list),
    ("the wheel tiny-mpi 1.0 is missing", lambda prefix: (prefix / RECORD).unlink()),
    ("bin/python is missing", lambda prefix: (prefix / "bin" / "python").unlink()),
]


@pytest.mark.parametrize(("words", "damage"), DAMAGES, ids=[words for words, _ in DAMAGES])
def test_what_is_lost_or_changed_is_named(prefix: Path, words: str, damage: Callable[[Path], object]) -> None:
    known = verified(prefix, PINS)
    damage(prefix)
    with pytest.raises(Damage) as found:
        verified(prefix, PINS, *known)
    assert str(found.value).startswith(words)


def test_a_list_that_is_none(prefix: Path) -> None:
    (prefix / RECORD).write_text("bin/mpicc,md5=0,1\n")
    with pytest.raises(Damage, match="RECORD cannot be read: unknown hash md5"):
        verified(prefix, PINS)


@pytest.mark.parametrize("name", ["bin/mpiexec", "lib/tiny"])
def test_what_others_can_write_is_not_reliable(prefix: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    known = verified(prefix, PINS)
    (prefix / name).chmod(0o777)
    with pytest.raises(FileError, match=f"{name}: can be written by everybody"):
        verified(prefix, PINS, *known)
    monkeypatch.setenv(SHARED, "yes")
    assert verified(prefix, PINS, *known)[0] == known[0]


def test_a_launcher_that_has_lost_its_right_to_be_executed(prefix: Path) -> None:
    known = verified(prefix, PINS)
    (prefix / "bin" / "mpiexec").chmod(0o644)
    with pytest.raises(Damage, match="bin/mpiexec cannot be executed"):
        verified(prefix, PINS, *known)
