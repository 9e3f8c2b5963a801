# SPDX-License-Identifier: BSD-3-Clause
"""`analysis.compare_with` and `analysis.profiles` of a campaign file: the files are there, and have what is named."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from isochron.common.files import FileError, suggest
from isochron.schemas.input.analysis import Beside
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.reference import load_reference, reference_path
from isochron.schemas.profile.job import load_profile
from isochron.schemas.run.layout import RunLayout


def with_other_machines(campaign: Campaign, path: Path) -> Campaign:
    """The campaign with absolute paths of runs, references and profiles; relative ones are so to `path`.

    Raises FileError.
    """
    found = []
    for number, entry in enumerate(campaign.analysis.compare_with):
        where = f"{path}: analysis.compare_with.{number}"
        try:
            found.append(_reference(entry, path, where) if entry.run is None else _run(entry, entry.run, path, where))
        except FileError as error:
            said = str(error)
            raise FileError(said if said.startswith(where) else f"{where}: {said}") from error
    told = {"compare_with": found, "profiles": _profiles(campaign.analysis.profiles, path)}
    return campaign.model_copy(update={"analysis": campaign.analysis.model_copy(update=told)})


def _profiles(given: list[str], path: Path) -> list[str]:
    """The absolute paths of profiles that can be read."""
    found = []
    for number, each in enumerate(given):
        absolute = (path.parent / each).resolve()
        try:
            load_profile(absolute)
        except FileError as error:
            raise FileError(f"{path}: analysis.profiles.{number}: {error}") from error
        found.append(str(absolute))
    return found


def _run(entry: Beside, run: str, path: Path, where: str) -> Beside:
    folder = (path.parent / run).resolve()
    if not RunLayout(folder).campaign.is_file():
        raise FileError(f"{where}.run: {folder} is not a run; give the folder of a run: results/<campaign>/<run-id>")
    other = Campaign.load_yaml(RunLayout(folder).campaign, "a run folder holds it")
    _check_names(entry.stacks.values(), other.stacks, f"{where}.stacks")
    return entry.model_copy(update={"run": str(folder)})


def _reference(entry: Beside, path: Path, where: str) -> Beside:
    named = reference_path(str(entry.reference))
    own = str(entry.reference) != named.stem
    reference, _ = load_reference((path.parent / named).resolve() if own else named)
    _check_names(entry.stacks.values(), list(reference.systems), f"{where}.stacks")
    _check_names([*entry.systems, *entry.systems.values()], list(reference.systems), f"{where}.systems")
    return entry.model_copy(update={"reference": str((path.parent / named).resolve())}) if own else entry


def _check_names(names: Iterable[str], known: list[str], where: str) -> None:
    for name in names:
        if name not in known:
            raise FileError(f"{where}: unknown '{name}'{suggest(name, known)}; there are {', '.join(known)}")
