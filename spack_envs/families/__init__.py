# SPDX-License-Identifier: BSD-3-Clause
"""Families of MPI libraries: one file each, `<library>.yaml`, whatever the number of their versions."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from isochron.common.files import FileError, suggest
from isochron.common.resources import shipped
from isochron.schemas.run.family import Family

ROOT = shipped("spack_envs", "families")


@cache
def families(root: Path = ROOT) -> dict[str, Family]:
    """Return every family by its name, sorted. Raises FileError."""
    return {path.stem: Family.load_yaml(path, "make it readable") for path in sorted(root.glob("*.yaml"))}


def load_family(name: str) -> Family:
    """Return a family. Raises FileError."""
    known = families()
    if name not in known:
        raise FileError(f"unknown MPI library '{name}'{suggest(name, known)}; the libraries are {', '.join(known)}")
    return known[name]
