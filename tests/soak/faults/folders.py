# SPDX-License-Identifier: BSD-3-Clause
"""Folders that are moved or copied, names that are gone."""

from __future__ import annotations

import shutil

from tests.end_to_end.conftest import Place
from tests.soak.life import Life


def moved(life: Life) -> None:
    """The whole place has another name from now on."""
    target = life.place.folder.with_name(f"place-{life.random.randrange(1 << 30):x}")
    life.place.folder.rename(target)
    life.place = Place(target)
    life.note(f"moved to {target.name}")


def copied(life: Life) -> None:
    """The same by a copy, without links between files, times or modes; the old place is gone."""
    target = life.place.folder.with_name(f"copy-{life.random.randrange(1 << 30):x}")
    shutil.copytree(life.place.folder, target, symlinks=True, copy_function=shutil.copyfile)
    for engine in target.glob("results/mini/*/stacks/*/isochron-engine"):
        engine.chmod(0o755)
    shutil.rmtree(life.place.folder)
    life.place = Place(target)
    life.note(f"copied to {target.name}")


def latest_lost(life: Life) -> None:
    """`latest` is gone: the next call finds the newest run all the same."""
    (life.place.folder / "results" / "mini" / "latest").unlink(missing_ok=True)
    life.note("latest is gone")
