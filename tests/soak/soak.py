# SPDX-License-Identifier: BSD-3-Clause
"""The soak: life after life, fault after fault, each drawn from the seed and its number, checked after each volley.

Fault N of a seed is always the same one and falls on the same life; where it strikes is as exact as a busy machine's
clock. What a life is like when it comes depends on the faults of that life before, so a failure is repeated from the
life's beginning.
"""

from __future__ import annotations

import shutil
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from isochron.schemas.run.manifest import Manifest
from tests.end_to_end.built import STACK
from tests.end_to_end.conftest import copied
from tests.soak.campaign import own_cache, pristine
from tests.soak.checks import heal
from tests.soak.failure import SoakFailure
from tests.soak.faults import disks
from tests.soak.life import Life
from tests.soak.processes import kill_all
from tests.soak.shims.build import build_shims
from tests.soak.table import draw

#: Faults in a life.
OF_A_LIFE = 8

#: Chance that a further fault falls before the run has been completed, and that it is completed to its report.
VOLLEY, REPORT = 0.35, 0.15


@dataclass
class Soak:
    """What a soak works with, and what it has seen."""

    seed: int
    folder: Path
    say: Callable[[str], None]
    counts: Counter[str] = field(default_factory=Counter)
    seen: Counter[str] = field(default_factory=Counter)
    #: Number of the fault under way.
    number: int = 0
    began: float = field(default_factory=time.monotonic)

    def __post_init__(self) -> None:
        self.cache = own_cache(self.folder / "cache")
        self.source = pristine(self.folder / "pristine", self.cache)
        manifest = Manifest.load(self.source.run.manifest(STACK))
        self.shims = build_shims(self.folder / "shims", manifest)

    def run(self, seconds: float, first: int = 0) -> None:
        """Lives from the one of fault `first` on, for so long; the one under way then is lived to its end."""
        life = first // OF_A_LIFE
        while True:
            self.live(life)
            self.say(self.progress())
            life += 1
            if time.monotonic() - self.began > seconds:
                return

    def live(self, number: int, until: int | None = None) -> None:
        """One life, to its end or to fault `until`. Raises SoakFailure, and keeps the life's folder then."""
        room = self.folder / f"life-{number:04d}"
        scratch = self.folder / f"life-{number:04d}.said"
        scratch.mkdir()
        on_disk = disks.mount(room)
        life = Life(copied(self.source, room / "place"), scratch, room if on_disk else None, self.shims, self.cache)
        kept = False
        try:
            self._suffer(life, number * OF_A_LIFE, until)
        except Exception as error:
            kept = True
            diary = "\n".join(life.diary)
            (scratch / "diary.txt").write_text(diary + "\n")
            kill_all(room)
            if on_disk:
                shutil.copytree(room, self.folder / f"life-{number:04d}.kept", symlinks=True)
            raise SoakFailure(f"{error}\n\nwhat this life has seen:\n{diary}") from error
        finally:
            self.seen += life.seen
            kill_all(room)
            if on_disk:
                disks.unmount(room)
            if not kept:
                shutil.rmtree(scratch)
            if on_disk or not kept:
                shutil.rmtree(room)

    def _suffer(self, life: Life, first: int, until: int | None) -> None:
        """The faults of a life, in volleys, with the run completed and checked after each of these."""
        for self.number in range(first, first + OF_A_LIFE if until is None else until + 1):
            life.random = Random(f"{self.seed}.{self.number}")
            fault = draw(life.random, disk=life.disk is not None)
            more, report = life.random.random() < VOLLEY, life.random.random() < REPORT
            life.note(f"fault {self.number}: {fault.name}")
            fault.act(life)
            life.remember()
            self.counts[fault.name] += 1
            if not (more and fault.may_be_followed) or self.number == first + OF_A_LIFE - 1:
                heal(life, report=report)

    def progress(self) -> str:
        """How far it is, in a line."""
        kinds = ", ".join(f"{name} {count}" for name, count in sorted(self.counts.items()))
        return f"{time.monotonic() - self.began:.0f} s, {self.counts.total()} faults: {kinds}"

    def summary(self) -> str:
        """What was seen, in some lines."""
        rows = "\n".join(f"  {name}: {count}" for name, count in sorted(self.seen.items()))
        return f"seed {self.seed}: {self.progress()}\n{rows}"
