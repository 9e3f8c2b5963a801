# SPDX-License-Identifier: BSD-3-Clause
"""A program run under the library that counts its calls, and what is left of it, however it ended."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from isochron.common import orphans
from isochron.common.files import FileError
from isochron.schemas.profile.job import merged
from isochron.schemas.profile.profile import SUFFIX, Profile
from isochron.workflows.profiling.library import VARIABLE, Wrapper, build_library, environment_of
from isochron.workflows.signals import when_asked_to_end


@dataclass(frozen=True)
class OutputPaths:
    """Where a profile is written: the file, and beside it the folder of the processes' files while they are needed."""

    file: Path
    ranks: Path


def place_for(name: str) -> OutputPaths:
    """The place of a profile that is not there yet, in this folder. Raises FileError."""
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._+=-]{0,199}", name):
        raise FileError(f"--name {name}: use letters, digits and ._+=-, beginning with a letter or digit")
    place = OutputPaths(Path(f"{name}{SUFFIX}"), Path(f"{name}.ranks").absolute())
    _refuse(place.file)
    return place


def _refuse(path: Path) -> None:
    if path.exists():
        raise FileError(f"{path}: already exists; give another --name, or remove it")


def run_profiled(command: Sequence[str], wrapper: Wrapper, place: OutputPaths) -> int:
    """Run a command to its end; returns its exit code, 128 + N where signal N ended it or us. Raises FileError.

    Where we are asked to end, so is all that the command has started; what it counted so far is wanted.
    """
    _refuse(place.ranks)
    library = build_library(wrapper)
    place.ranks.mkdir()
    asked: list[int] = []

    def end(number: int) -> None:
        asked.append(number)
        orphans.end(str(place.ranks), mark=VARIABLE)

    with when_asked_to_end(end):
        try:
            child = subprocess.Popen(command, env=environment_of(library, place.ranks, wrapper.environment))
        except OSError as error:
            place.ranks.rmdir()
            raise FileError(
                f"{command[0]}: cannot be started: {error.strerror}; give the command after `--`"
            ) from error
        code = _wait(child)
    return 128 + asked[0] if asked else code


def _wait(child: subprocess.Popen[bytes]) -> int:
    """Its exit code, 128 + N where signal N ended it. Ctrl-C is for the child, which has it too."""
    while True:
        try:
            code = child.wait()
        except KeyboardInterrupt:
            continue
        return code if code >= 0 else 128 - code


def keep(place: OutputPaths, command: Sequence[str] = ()) -> Profile:
    """Write the profile; then the files that it is made of are no longer needed. Raises FileError."""
    try:
        profile = merged(place.ranks, command)
    except FileError:
        with suppress(OSError):  # what is not empty is wanted
            place.ranks.rmdir()
        raise
    profile.save(place.file)
    shutil.rmtree(place.ranks, ignore_errors=True)
    return profile
