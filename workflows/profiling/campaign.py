# SPDX-License-Identifier: BSD-3-Clause
"""A campaign file that measures what programs use, from their profiles and another campaign's file."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from isochron.common.documents import yaml_text
from isochron.common.files import FileError, replaced
from isochron.schemas.engine.contract import OPERATIONS, WITHOUT_DATA, cases, contract
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.size import MAX_SIZE
from isochron.schemas.profile.profile import Profile, load_profile
from isochron.schemas.profile.uses import uses
from isochron.schemas.run.manifest import StackDeclaration
from isochron.spack_envs.declarations import declaration_in
from isochron.workflows.campaign_file import load_campaign

#: Maximum number of sizes of a campaign, and share of the time below which a case is omitted.
MAX_SIZES, NEGLIGIBLE = 32, 0.001

TOO_LARGE = f"larger than {MAX_SIZE} bytes, the limit of a campaign"

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
    """The design of a campaign. `weights`: each case's share of the time, averaged over the programs."""

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
        """The number of the campaign's cases with calls of the programs, and the number of its cases."""
        all_cases = cases(self.operations, self.sizes)
        selected = [case for case in all_cases if case[1] in self.sizes_by_operation.get(case[0], [case[1]])]
        return len(self.weights), len(selected) * len(self.processes)


def design(profiles: Sequence[Profile]) -> Design:
    """Return the campaign that measures what these programs use. Raises FileError if there is nothing to measure."""
    weights: dict[Key, float] = defaultdict(float)
    not_measured: list[Left] = []
    in_pairs = _need_pairs(profiles)
    for profile in profiles:
        total = profile.mpi_seconds or 1.0
        for use in uses(profile):
            if use.reason and not use.parts:
                not_measured.append(
                    Left(profile.program, use.name, use.bytes, use.processes, use.seconds / total, use.reason)
                )
            for part, share in use.shares:
                if part.bytes > MAX_SIZE:
                    time = share * use.seconds / total
                    not_measured.append(Left(profile.program, use.name, part.bytes, part.processes, time, TOO_LARGE))
                    continue
                operation = next(name for name in part.operations if not in_pairs or name == part.operations[-1])
                weights[operation, part.bytes, part.processes] += share * use.seconds / total / len(profiles)
    selected, dropped = _select_cases(weights)
    names = ", ".join(profile.program for profile in profiles)
    not_measured += [Left(names, *key, share, "too small a share of the time") for key, share in dropped.items()]
    if not selected:
        raise FileError(f"{names}: no campaign can measure these calls; see `isochron profile --read` or its file")
    processes = sorted({key[2] for key in selected})
    sizes = sorted({key[1] for key in selected if key[0] not in WITHOUT_DATA}) or [0]
    sizes_by_operation = {
        name: sorted({size for operation, size, _ in selected if operation == name}) for name, _, _ in selected
    }
    per_node = {min(profile.processes_per_node, count) for profile in profiles for count in processes}
    return Design(
        operations=[name for name in OPERATIONS if any(name == key[0] for key in selected)],
        sizes=sizes,
        sizes_by_operation={
            name: case_sizes
            for name, case_sizes in sizes_by_operation.items()
            if name not in WITHOUT_DATA and case_sizes != sizes
        },
        processes=processes,
        processes_per_node=sorted(per_node),
        datatype=_datatype(profiles, selected),
        weights=selected,
        left=sorted(not_measured, key=lambda entry: -entry.share),
    )


def _need_pairs(profiles: Iterable[Profile]) -> bool:
    """Return True if messages must be measured between two processes, because an odd number cannot form pairs."""
    return any(entry.processes % 2 for profile in profiles for entry in profile.communication if entry.processes > 1)


def _datatype(profiles: Sequence[Profile], selected: dict[Key, float]) -> str:
    """Return `double` if all reduced elements have 8 bytes and all sizes are multiples of 8; else `auto`."""
    reducing = {entry.name for entry in contract().operations if entry.reduces}
    elements = {entry.element for profile in profiles for entry in profile.communication if entry.operation in reducing}
    return "double" if elements == {8} and not any(size % 8 for _, size, _ in selected) else "auto"


def _select_cases(weights: dict[Key, float]) -> tuple[dict[Key, float], dict[Key, float]]:
    """Return the cases to measure, and the others: those with the least time, or with sizes beyond `MAX_SIZES`."""
    ordered = sorted(weights.items(), key=lambda item: (-item[1], item[0]))
    sizes: list[int] = []
    selected: dict[Key, float] = {}
    dropped: dict[Key, float] = {}
    for key, share in ordered:
        has_size = key[0] in WITHOUT_DATA or key[1] in sizes
        if share < NEGLIGIBLE or (not has_size and len(sizes) == MAX_SIZES):
            dropped[key] = share
            continue
        if not has_size:
            sizes.append(key[1])
        selected[key] = share
    return selected, dropped


def stack_of(profile: Profile, declared: Iterable[StackDeclaration]) -> str | None:
    """Return the stack under which a program ran, by the version that its library reported."""
    for declaration in declared:
        match = re.search(declaration.library_version, profile.library)
        if match is not None and declaration.accepts(match[1]):
            return declaration.stack
    return None


#: Keys of the other campaign that are not copied.
REMOVED_KEYS = (
    "contrasts",
    "compare_clock_syncs",
    "first_calls",
    "scan",
    "title",
    "description",
    "question",
    "schema",
)


def write_campaign(base: Campaign, files: Sequence[Path], path: Path | None) -> tuple[Path, Design, str]:
    """Write the campaign; return its file, its design, and a warning (empty if there is none). Raises FileError.

    `path`: the file, which must not exist; None: named after the first program.
    """
    profiles = [load_profile(file) for file in files]
    designed = design(profiles)
    name = re.sub(r"[^a-z0-9._-]", "-", profiles[0].program.lower()).strip("-._")[:64] or "program"
    file = path or Path(f"{name}.yaml")
    if file.exists():
        raise FileError(f"{file}: already exists; name another file with --output, or remove it")
    baseline = _baseline(base, profiles)
    document = _document(base, designed, name, profiles, baseline)
    document["analysis"] = {**document.get("analysis", {}), "profiles": [str(source.absolute()) for source in files]}
    _write_valid(file, yaml_text(document, _heading(designed, files)))
    libraries = ", ".join(sorted({profile.library for profile in profiles}))
    missing = (
        ""
        if baseline
        else f"no stack is the library of the profile ({libraries}), so the program's time in MPI cannot be "
        "predicted; profile it under one of the stacks (isochron profile --stack …)"
    )
    return file, designed, missing


def _write_valid(file: Path, text: str) -> None:
    """Write a campaign file that is valid. Raises FileError if it is not, and writes nothing."""
    with replaced(file) as partial:
        partial.write_text(text, encoding="utf-8")
        try:
            load_campaign(partial)
        except FileError as error:
            message = str(error).removeprefix(f"{partial}: ")
            raise FileError(
                f"{file}: not written, as no campaign can be made from these profiles: {message}"
            ) from error


def _baseline(base: Campaign, profiles: Sequence[Profile]) -> str | None:
    """Return the stack under which all the programs ran."""
    declared = [declaration_in(base, stack) for stack in base.stacks if not _is_varied(base, stack)]
    stacks = {stack_of(profile, declared) for profile in profiles}
    return stacks.pop() if len(stacks) == 1 else None


def _is_varied(base: Campaign, stack: str) -> bool:
    """Return True if launches of a stack have variables of their own; a stack by spec has none."""
    return stack in base.variants and bool(base.variants[stack].environment)


def _document(
    base: Campaign, designed: Design, name: str, profiles: Sequence[Profile], baseline: str | None
) -> dict[str, Any]:
    document = base.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    for key in REMOVED_KEYS:
        document.pop(key, None)
    programs = ", ".join(profile.program for profile in profiles)
    settings: dict[str, Any] = {
        "schema": 1,
        "name": name,
        "title": f"MPI calls of {programs}",
        "stacks": document.pop("stacks"),
        "operations": designed.operations,
        "sizes": designed.sizes,
        "sizes_by_operation": designed.sizes_by_operation,
        "processes": designed.processes,
        "processes_per_node": designed.processes_per_node,
        "question": {"weights": _weights(designed)}
        | ({"baseline": baseline} if baseline and len(base.stacks) > 1 else {}),
    }
    if designed.datatype != "auto":
        document["engine"] = {**document.get("engine", {}), "datatype": designed.datatype}
    return settings | {key: value for key, value in document.items() if key not in settings}


def _weights(designed: Design) -> dict[str, float]:
    """Return the weights of the campaign's question: each case's share of the time."""
    weights: dict[str, float] = defaultdict(float)
    for (operation, size, _), share in designed.weights.items():
        weights[operation if operation in WITHOUT_DATA else f"{operation} {size}"] += share
    return {key: float(f"{share:.3g}") for key, share in weights.items()}


def _heading(designed: Design, files: Sequence[Path]) -> list[str]:
    used, every = designed.used
    lines = [
        f"Made by `isochron plan --from-profile {' '.join(file.name for file in files)}`.",
        f"{used} of the {every} cases are MPI calls of the programs. Weights are shares of the time in MPI.",
    ]
    return lines + [f"not measured: {line}" for line in left_lines(designed)]


def left_lines(designed: Design) -> list[str]:
    """Return one line per use that is not measured, largest share first."""
    return [
        f"{entry.program}: {entry.name}{f' of {entry.bytes} bytes' if entry.bytes else ''}"
        f"{f' between {entry.processes}' if entry.processes else ''}, {100 * entry.share:.2g} % of the "
        f"time: {entry.reason}"
        for entry in designed.left
    ]
