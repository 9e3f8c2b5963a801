# SPDX-License-Identifier: BSD-3-Clause
"""From profiles to what a campaign has to measure: operations, sizes, processes, weights, and what is left."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from isochron.common.files import FileError
from isochron.schemas.engine.contract import contract
from isochron.schemas.engine.operations import OPERATIONS, WITHOUT_DATA, cases
from isochron.schemas.input.size import LARGEST
from isochron.schemas.profile.profile import Profile
from isochron.schemas.profile.uses import uses
from isochron.schemas.run.manifest import StackDeclaration

#: Sizes of a campaign at most, and the part of the time that they need not stand for.
MAX_SIZES, NEGLIGIBLE = 32, 0.001

TOO_LARGE = f"larger than {LARGEST} bytes, the limit of a campaign"

#: (operation, bytes, processes).
Key = tuple[str, int, int]


@dataclass(frozen=True)
class Left:
    """Calls that the campaign does not measure. `share`: of the program's time in MPI."""

    program: str
    name: str
    bytes: int
    processes: int
    share: float
    reason: str


@dataclass(frozen=True)
class Design:
    """What to measure. `weights`: each case's share of the time, over all programs alike."""

    operations: list[str]
    sizes: list[int]
    sizes_by_operation: dict[str, list[int]]
    processes: list[int]
    processes_per_node: list[int]
    datatype: str
    weights: dict[Key, float]
    left: list[Left]

    @property
    def used(self) -> tuple[int, int]:
        """Of how many of the campaign's cases the programs have calls, and how many it has."""
        every = cases(self.operations, self.sizes)
        chosen = [case for case in every if case[1] in self.sizes_by_operation.get(case[0], [case[1]])]
        return len(self.weights), len(chosen) * len(self.processes)


def design(profiles: Sequence[Profile]) -> Design:
    """The campaign that measures what these programs use. Raises FileError where there is nothing to measure."""
    weights: dict[Key, float] = defaultdict(float)
    left: list[Left] = []
    together = _together(profiles)
    for profile in profiles:
        total = profile.mpi_seconds or 1.0
        for use in uses(profile):
            if use.reason and not use.parts:
                left.append(Left(profile.program, use.name, use.bytes, use.processes, use.seconds / total, use.reason))
            for part, share in use.shares:
                if part.bytes > LARGEST:
                    time = share * use.seconds / total
                    left.append(Left(profile.program, use.name, part.bytes, part.processes, time, TOO_LARGE))
                    continue
                operation = next(name for name in part.operations if not together or name == part.operations[-1])
                weights[operation, part.bytes, part.processes] += share * use.seconds / total / len(profiles)
    kept, dropped = _kept(weights)
    names = ", ".join(profile.program for profile in profiles)
    left += [Left(names, *key, share, "too small a share of the time") for key, share in dropped.items()]
    if not kept:
        raise FileError(f"{names}: no campaign can measure these calls; see `isochron profile --read` or its file")
    processes = sorted({key[2] for key in kept})
    sizes = sorted({key[1] for key in kept if key[0] not in WITHOUT_DATA}) or [0]
    sizes_by_operation = {
        name: sorted({size for operation, size, _ in kept if operation == name}) for name, _, _ in kept
    }
    per_node = {min(profile.processes_per_node, count) for profile in profiles for count in processes}
    return Design(
        operations=[name for name in OPERATIONS if any(name == key[0] for key in kept)],
        sizes=sizes,
        sizes_by_operation={
            name: own for name, own in sizes_by_operation.items() if name not in WITHOUT_DATA and own != sizes
        },
        processes=processes,
        processes_per_node=sorted(per_node),
        datatype=_datatype(profiles, kept),
        weights=kept,
        left=sorted(left, key=lambda each: -each.share),
    )


def _together(profiles: Iterable[Profile]) -> bool:
    """Whether messages are measured between two processes: where an odd number cannot all be in pairs."""
    return any(each.processes % 2 for profile in profiles for each in profile.communication if each.processes > 1)


def _datatype(profiles: Sequence[Profile], kept: dict[Key, float]) -> str:
    """Of the elements: `double` where all that is reduced has 8 bytes, and all sizes have; else the engine's own."""
    reducing = {each.name for each in contract().operations if each.reduces}
    elements = {each.element for one in profiles for each in one.communication if each.operation in reducing}
    return "double" if elements == {8} and not any(size % 8 for _, size, _ in kept) else "auto"


def _kept(weights: dict[Key, float]) -> tuple[dict[Key, float], dict[Key, float]]:
    """The cases that are measured, and the others: those with the least time, and of sizes beyond `MAX_SIZES`."""
    ordered = sorted(weights.items(), key=lambda item: (-item[1], item[0]))
    sizes: list[int] = []
    kept: dict[Key, float] = {}
    dropped: dict[Key, float] = {}
    for key, share in ordered:
        known = key[0] in WITHOUT_DATA or key[1] in sizes
        if share < NEGLIGIBLE or (not known and len(sizes) == MAX_SIZES):
            dropped[key] = share
            continue
        if not known:
            sizes.append(key[1])
        kept[key] = share
    return kept, dropped


def stack_of(profile: Profile, declared: Iterable[StackDeclaration]) -> str | None:
    """The stack under which a program ran, by what its library said of itself."""
    for each in declared:
        found = re.search(each.library_version, profile.library)
        if found is not None and each.accepts(found[1]):
            return each.stack
    return None
