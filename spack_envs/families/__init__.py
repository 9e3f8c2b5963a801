# SPDX-License-Identifier: BSD-3-Clause
"""Families of MPI libraries: one file each, `<library>.yaml`, whatever the number of their versions."""

from pathlib import Path

from isochron.common.files import FileError, suggest
from isochron.common.resources import shipped
from isochron.schemas.kinds import named_kind, read_kinds
from isochron.schemas.run.family import Family

ROOT = shipped("spack_envs", "families")


def families(root: Path = ROOT) -> dict[str, Family]:
    """Return every family by its name, sorted. Raises FileError."""
    return read_kinds(Family, root)


def family_of_package(package: str) -> str:
    """Return the family that Spack's package builds. Raises FileError."""
    packages = {family.spack: name for name, family in families().items()}
    if package not in packages:
        guess, names = suggest(package, list(packages)), ", ".join(sorted(packages))
        raise FileError(f"unknown MPI library '{package}' of Spack{guess}; the packages are {names}")
    return packages[package]


def load_family(name: str) -> Family:
    """Return a family. Raises FileError."""
    return named_kind(families(), name, "MPI library", "libraries")
