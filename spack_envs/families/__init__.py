# SPDX-License-Identifier: BSD-3-Clause
"""Families of MPI libraries: one file each, `<library>.yaml`, whatever the number of their versions."""

from __future__ import annotations

from pathlib import Path

from isochron.common.resources import shipped
from isochron.schemas.kinds import named_kind, read_kinds
from isochron.schemas.run.family import Family

ROOT = shipped("spack_envs", "families")


def families(root: Path = ROOT) -> dict[str, Family]:
    """Return every family by its name, sorted. Raises FileError."""
    return read_kinds(Family, root)


def load_family(name: str) -> Family:
    """Return a family. Raises FileError."""
    return named_kind(families(), name, "MPI library", "libraries")
