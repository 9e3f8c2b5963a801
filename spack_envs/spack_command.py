# SPDX-License-Identifier: BSD-3-Clause
"""Finding Spack and calling it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from isochron.common.files import FileError
from isochron.schemas.run.manifest import Environment
from isochron.spack_envs.environment import STRAY_VARIABLES, applied

#: Spack from which the environments can be read: the first with compilers as packages and repos of API 2.
OLDEST = (1, 0)

#: Seconds for a call that only asks; Spack may lie on a slow file system.
PATIENCE = 300


@dataclass(frozen=True)
class Spack:
    """A Spack that answered."""

    command: Path
    version: str

    @property
    def is_new_enough(self) -> bool:
        """Whether it is at least `OLDEST`."""
        return tuple(int(number) for number in re.findall(r"\d+", self.version)[:2]) >= OLDEST


def locate(given: str | None, base: Mapping[str, str]) -> Path | None:
    """Spack's command: the given one, `$SPACK_ROOT/bin/spack`, or that of the PATH."""
    if given is not None:
        return Path(given)
    if base.get("SPACK_ROOT") and (Path(base["SPACK_ROOT"]) / "bin" / "spack").is_file():
        return Path(base["SPACK_ROOT"]) / "bin" / "spack"
    found = shutil.which("spack", path=base.get("PATH", ""))
    return Path(found) if found else None


def find_spack(given: str | None, base: Mapping[str, str] = os.environ) -> Spack | None:
    """Spack and its version; None where there is none. Raises FileError where it does not run."""
    command = locate(given, base)
    if command is None:
        return None
    said = call(command, ["--version"], base)
    version = re.match(r"\d+\.\d+\S*", said)
    if version is None:
        raise FileError(
            f"{command} --version: printed '{said.strip()}', which is not a version; check that this is Spack"
        )
    return Spack(command.absolute(), version[0])


def environment(command: Path, base: Mapping[str, str]) -> dict[str, str]:
    """The variables for Spack: its folder first, and without our own Python, which is not the one that it knows."""
    own = str(Path(sys.executable).parent) if sys.prefix != sys.base_prefix else None
    folders = [folder for folder in base.get("PATH", os.defpath).split(os.pathsep) if folder != own]
    clean = applied(Environment(unset=[*STRAY_VARIABLES, "PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV"]), base)
    return clean | {"PATH": os.pathsep.join([str(command.absolute().parent), *folders])}


def call(command: Path, arguments: list[str], base: Mapping[str, str] = os.environ) -> str:
    """What Spack prints. Raises FileError where it fails."""
    words = [str(command), *arguments]
    try:
        done = subprocess.run(
            words,
            env=environment(command, base),
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise FileError(f"{' '.join(words)}: {error}; give the path of `spack` in site.spack.command") from error
    if done.returncode != 0:
        said = " ".join((done.stderr or done.stdout).split())
        raise FileError(f"{' '.join(words)} ended with code {done.returncode}: {said or 'no output'}")
    return done.stdout
