# SPDX-License-Identifier: BSD-3-Clause
"""Files that are empty, cut in half, changed by a bit, foreign, lost or exchanged, whole folders too."""

from __future__ import annotations

import errno
import shutil
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random

from isochron.common.copies import copy_of
from isochron.schemas.run.layout import RunLayout
from tests.soak.faults import work
from tests.soak.faults.kills import WHOLE_S
from tests.soak.life import RUN, Life

#: What a crash, a bad disk or a slip of the hand leaves of a file.
DAMAGES: dict[str, Callable[[bytes, Random], bytes]] = {
    "empty": lambda _content, _random: b"",
    "half": lambda content, _random: content[: len(content) // 2],
    "flipped": lambda content, random: flipped(content, random.randrange(max(1, len(content) * 8))),
    "foreign": lambda _content, _random: b"\xff\xfe not what it was\n",
    "longer": lambda content, _random: content + b"\0" * 512,
}


def flipped(content: bytes, bit: int) -> bytes:
    """The content with one bit changed."""
    changed = bytearray(content)
    if changed:
        changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def damaged(life: Life) -> None:
    """Up to three files of the run, whichever they are; never a file and its copy, which are not struck together."""
    life.remember()
    for _ in range(life.random.choice([1, 1, 2, 3])):
        path = life.random.choice(_files(life.place.run))
        how = life.random.choice([*DAMAGES, "lost"])
        _strike(life, path, how)
        if _is_sealed(path):
            break
    life.damaged_on_purpose()


def during(life: Life) -> None:
    """A file of the run is struck while a call is at work."""
    call = work.start(life)
    until = time.monotonic() + life.random.uniform(0, WHOLE_S)
    while time.monotonic() < until and not call.ended:
        time.sleep(0.02)
    life.remember()
    with suppress(FileNotFoundError):  # what is written just now has another name a moment later
        _strike(life, life.random.choice(_files(life.place.run)), life.random.choice([*DAMAGES, "lost"]))
    life.damaged_on_purpose()
    life.end(call)


def important(life: Life) -> None:
    """The same of one file without which a run cannot go on."""
    life.remember()
    run = life.place.run
    chosen = [path for path in _files(run) if path.parent in (run.root, run.root / "stacks") or path.parent.name in (
        "launches", "blocks", "store", "openmpi-5.0")]  # fmt: skip
    _strike(life, life.random.choice(chosen), life.random.choice([*DAMAGES, "lost"]))
    life.damaged_on_purpose()


def exchanged(life: Life) -> None:
    """A file has the content of another one of its folder; the engine that of another program."""
    life.remember()
    run = life.place.run
    engines = sorted(run.root.glob("stacks/*/isochron-engine"))
    if engines and life.random.random() < 0.3:
        _write(engines[0], Path("/bin/true").read_bytes())
        life.note("the engine is another program")
        return
    path = life.random.choice(_files(run))
    others = [other for other in path.parent.iterdir() if other.is_file() and other != path]
    others = [other for other in others if other.suffix == path.suffix] or others
    if others:
        other = life.random.choice(sorted(others))
        _write(path, other.read_bytes())
        life.note(f"{path.relative_to(run.root)} has the content of {other.name}")
    life.damaged_on_purpose()


def folder_lost(life: Life) -> None:
    """A whole folder of the run is gone."""
    life.remember()
    root = life.place.run.root
    folders = [path for path in sorted(root.rglob("*")) if path.is_dir() and not path.is_symlink()]
    if folders:
        lost = life.random.choice(folders)
        shutil.rmtree(lost)
        life.note(f"lost: {lost.relative_to(root)}/")
    life.damaged_on_purpose()


def cache(life: Life) -> None:
    """A file of the cache of engines is damaged, and a new run needs its engine."""
    path = life.random.choice(
        sorted(path for path in (life.cache / "isochron" / "engines").rglob("*") if path.is_file())
    )
    _write(path, DAMAGES[how := life.random.choice(list(DAMAGES))](path.read_bytes(), life.random))
    life.note(f"{how}: {path.relative_to(life.cache)}")
    life.end(life.start(*RUN, "--new"))


def _strike(life: Life, path: Path, how: str) -> None:
    if how == "lost":
        path.unlink()
    else:
        _write(path, DAMAGES[how](path.read_bytes(), life.random))
    life.note(f"{how}: {path.relative_to(life.place.run.root)}")


def _write(path: Path, content: bytes) -> None:
    """Into the same file, as a disk does, whatever its mode and its other names; a program that runs is exchanged."""
    mode = path.stat().st_mode | 0o200
    path.chmod(mode)
    try:
        path.write_bytes(content)
    except OSError as error:
        if error.errno != errno.ETXTBSY:
            raise
        other = path.with_name(f"{path.name}.other")
        other.write_bytes(content)
        other.chmod(mode)
        other.replace(path)


def _files(run: RunLayout) -> list[Path]:
    return sorted(path for path in run.root.rglob("*") if path.is_file() and not path.is_symlink())


def _is_sealed(path: Path) -> bool:
    return copy_of(path).exists() or path.name.endswith(".copy")
