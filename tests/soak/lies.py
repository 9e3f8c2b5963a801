# SPDX-License-Identifier: BSD-3-Clause
"""Lies that are told to a launch, or by one: which there are, and what may become of a launch under each of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True)
class Lie:
    """`stored`: `never`, `doubted` (its rows are not reliable), `true` (what it measures is right, or not reliable)."""

    stored: Literal["never", "doubted", "true"]
    #: The shim put before the libraries of the engine, and its environment; none: it is told by the launcher itself.
    shim: str = ""
    environment: dict[str, str] = field(default_factory=dict)
    #: Operations whose rows must be doubted.
    about: tuple[str, ...] = ()


EVERYTHING = ("allreduce", "bcast")


def _mpi(kind: str) -> dict[str, str]:
    return {"LIE": kind}


LIES: dict[str, Lie] = {
    # of the library
    "wrong data": Lie("doubted", "mpi", _mpi("bit"), ("allreduce",)),
    "no communication": Lie("doubted", "mpi", _mpi("nothing"), ("allreduce",)),
    "a call that fails": Lie("never", "mpi", _mpi("error")),
    "a crash": Lie("never", "mpi", _mpi("crash")),
    "an early exit": Lie("never", "mpi", _mpi("exit")),
    "a hang": Lie("never", "mpi", _mpi("hang")),
    "another version": Lie("never", "mpi", _mpi("version")),
    "another size": Lie("never", "mpi", _mpi("size")),
    # of the clock
    "a step forward": Lie("true", "step_clock", {"STEP_MS": "1000"}),
    "a step back": Lie("true", "step_clock", {"STEP_MS": "-1000"}),
    "a small step": Lie("true", "step_clock", {"STEP_MS": "1"}),
    "a clock twice as fast": Lie("never", "rate_clock", {"RATE_PPM": "1000000"}),
    "a clock 1 % slow": Lie("never", "rate_clock", {"RATE_PPM": "-10000"}),
    # of the launcher
    "no end": Lie("never"),
    "a changed byte": Lie("never"),
    "no file": Lie("never"),
    "a file of another launch": Lie("never"),
    "one process less": Lie("never"),
    "two singletons": Lie("never"),
}
