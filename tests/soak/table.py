# SPDX-License-Identifier: BSD-3-Clause
"""All faults: what each one does to a life, and how often it is drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random

from tests.soak.faults import clocks, disks, files, folders, kills, launches, stops
from tests.soak.life import Life


@dataclass(frozen=True)
class Fault:
    """A kind of fault."""

    name: str
    act: Callable[[Life], None]
    weight: float = 1.0
    needs_disk: bool = False
    #: Whether another fault may fall on what it leaves before the run has been completed again.
    may_be_followed: bool = True


FAULTS = (
    Fault("kill of one process", kills.one_process, 4),
    Fault("kill of the driver", kills.driver, 2),
    Fault("kill of everything", kills.everything, 3),
    Fault("power cut", kills.power_cut, 2, may_be_followed=False),
    Fault("stop", stops.asked, 3),
    Fault("pause", stops.frozen, 1),
    Fault("two drivers", stops.twice, 1),
    Fault("full disk", disks.full, 2, needs_disk=True),
    Fault("read-only disk", disks.read_only, 1, needs_disk=True),
    Fault("failing disk", disks.errors, 2),
    Fault("broken files", files.damaged, 4, may_be_followed=False),
    Fault("broken file that matters", files.important, 4, may_be_followed=False),
    Fault("file broken during a run", files.during, 3, may_be_followed=False),
    Fault("exchanged file", files.exchanged, 2, may_be_followed=False),
    Fault("broken cache", files.cache, 1),
    Fault("lost folder", files.folder_lost, 2, may_be_followed=False),
    Fault("clock set", clocks.time_of_day, 2),
    Fault("times of files", clocks.times_of_files, 1),
    Fault("lying library", launches.of_the_library, 2),
    Fault("lying clock", launches.of_the_clock, 2),
    Fault("lying launcher", launches.of_the_launcher, 2),
    Fault("moved", folders.moved, 0.5),
    Fault("copied", folders.copied, 0.5),
    Fault("no latest", folders.latest_lost, 0.5),
)


def draw(random: Random, *, disk: bool) -> Fault:
    """A fault by its weight; without a small disk, none that needs it."""
    possible = [fault for fault in FAULTS if disk or not fault.needs_disk]
    return random.choices(possible, [fault.weight for fault in possible])[0]
