# SPDX-License-Identifier: BSD-3-Clause
"""A campaign file that measures what programs use: what their profiles say put into another campaign's file."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from isochron.common.bounded.documents import yaml_text
from isochron.common.files import FileError, replaced
from isochron.schemas.engine.operations import WITHOUT_DATA
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.profile.job import load_profile
from isochron.schemas.profile.profile import Profile
from isochron.spack_envs.declarations import declaration_in
from isochron.workflows.campaign_file import load_campaign
from isochron.workflows.profiling.design import Design, design, stack_of

#: Keys of the other campaign that have no place in one for programs.
TAKEN_OUT = (
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
    """Write the campaign; returns its file, what it measures, and what is to be said. Raises FileError.

    `path`: the file; None: the name of the first program. It must not be there.
    """
    profiles = [load_profile(file) for file in files]
    made = design(profiles)
    name = re.sub(r"[^a-z0-9._-]", "-", profiles[0].program.lower()).strip("-._")[:64] or "program"
    file = path or Path(f"{name}.yaml")
    if file.exists():
        raise FileError(f"{file}: already exists; name another file with --output, or remove it")
    baseline = _baseline(base, profiles)
    document = _document(base, made, name, profiles, baseline)
    document["analysis"] = {**document.get("analysis", {}), "profiles": [str(each.absolute()) for each in files]}
    _write_valid(file, yaml_text(document, _heading(made, files)))
    libraries = ", ".join(sorted({profile.library for profile in profiles}))
    missing = (
        ""
        if baseline
        else f"no stack is the library of the profile ({libraries}), so the program's time in MPI cannot be "
        "predicted; profile it under one of the stacks (isochron profile --stack …)"
    )
    return file, made, missing


def _write_valid(file: Path, text: str) -> None:
    """Write a campaign file that can be planned. Raises FileError for another one, and leaves nothing then."""
    with replaced(file) as partial:
        partial.write_text(text, encoding="utf-8")
        try:
            load_campaign(partial)
        except FileError as error:
            said = str(error).removeprefix(f"{partial}: ")
            raise FileError(f"{file}: not written, as no campaign can be made from these profiles: {said}") from error


def _baseline(base: Campaign, profiles: Sequence[Profile]) -> str | None:
    """The stack under which all the programs ran."""
    declared = [declaration_in(base, stack) for stack in base.stacks if stack not in base.variants]
    found = {stack_of(profile, declared) for profile in profiles}
    return found.pop() if len(found) == 1 else None


def _document(
    base: Campaign, made: Design, name: str, profiles: Sequence[Profile], baseline: str | None
) -> dict[str, Any]:
    document = base.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    for key in TAKEN_OUT:
        document.pop(key, None)
    programs = ", ".join(profile.program for profile in profiles)
    own: dict[str, Any] = {
        "schema": 1,
        "name": name,
        "title": f"MPI calls of {programs}",
        "stacks": document.pop("stacks"),
        "operations": made.operations,
        "sizes": made.sizes,
        "sizes_by_operation": made.sizes_by_operation,
        "processes": made.processes,
        "processes_per_node": made.processes_per_node,
        "question": {"weights": _weights(made)} | ({"baseline": baseline} if baseline and len(base.stacks) > 1 else {}),
    }
    if made.datatype != "auto":
        document["engine"] = {**document.get("engine", {}), "datatype": made.datatype}
    return own | {key: value for key, value in document.items() if key not in own}


def _weights(made: Design) -> dict[str, float]:
    """What counts in the campaign's question: each case's share of the time."""
    found: dict[str, float] = defaultdict(float)
    for (operation, size, _), share in made.weights.items():
        found[operation if operation in WITHOUT_DATA else f"{operation} {size}"] += share
    return {key: float(f"{share:.3g}") for key, share in found.items()}


def _heading(made: Design, files: Sequence[Path]) -> list[str]:
    used, every = made.used
    lines = [
        f"Made by `isochron plan --from-profile {' '.join(file.name for file in files)}`.",
        f"{used} of the {every} cases are MPI calls of the programs. Weights are shares of the time in MPI.",
    ]
    return lines + [f"not measured: {line}" for line in left_lines(made)]


def left_lines(made: Design) -> list[str]:
    """What is not measured, a line each, the largest share first."""
    return [
        f"{each.program}: {each.name}{f' of {each.bytes} bytes' if each.bytes else ''}"
        f"{f' between {each.processes}' if each.processes else ''}, {100 * each.share:.2g} % of the time: {each.reason}"
        for each in made.left
    ]
