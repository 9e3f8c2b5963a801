# SPDX-License-Identifier: BSD-3-Clause
"""What Spack offers of the MPI libraries: versions that it has installed, that the site gives it, that it builds."""

import json
from collections.abc import Collection
from contextlib import suppress
from typing import Any, NamedTuple

import yaml

from isochron.common.files import FileError
from isochron.schemas.input.site import split_spec
from isochron.schemas.input.spec import spack_spec_of
from isochron.spack_envs.spack_stack import Spack, call


class Offer(NamedTuple):
    """A stack as a campaign names it, its package and version, and how Spack gets it."""

    stack: str
    package: str
    version: str
    how: str


def offers(spack: Spack, packages: Collection[str]) -> list[Offer]:
    """Return the versions of packages, each once, the newest first as Spack orders them. Raises FileError.

    A version that Spack has installed is not listed as one to build, and one that no campaign can name is omitted.
    """
    configured = _configuration(spack)
    known = {
        "installed": _installed(spack),
        "external": [pair for name in packages for pair in _externals(configured, name)],
        "builds it": [pair for pair in _packaged(spack, packages) if _builds(configured, pair[0])],
    }
    had: dict[str, Offer] = {}
    for how, pairs in known.items():
        for package, version in pairs:
            stack = f"spack:{package}@{version}"
            if package in packages and spack_spec_of(stack) is not None:
                had.setdefault(stack, Offer(stack, package, version, how))
    return list(had.values())


def _installed(spack: Spack) -> list[tuple[str, str]]:
    """Return name and version of all installed packages: with names, Spack fails where it has none of them."""
    lines = call(spack.command, ["find", "--format", "{name} {version}"]).splitlines()
    return [(name, version) for name, _, version in (line.partition(" ") for line in lines)]


def _configuration(spack: Spack) -> dict[str, Any]:
    """Return the section `packages` of Spack's configuration. Raises FileError."""
    text = call(spack.command, ["config", "get", "packages"])
    try:
        return dict(yaml.safe_load(text)["packages"])
    except (yaml.YAMLError, KeyError, TypeError, ValueError) as error:
        raise FileError(f"{spack.command} config get packages: printed no packages ({error!r})") from error


def _externals(configured: dict[str, Any], package: str) -> list[tuple[str, str]]:
    """Return name and version of the externals of a package."""
    pairs = []
    for entry in configured.get(package, {}).get("externals") or []:
        with suppress(ValueError):  # it has no version
            pairs.append(split_spec(entry["spec"]))
    return pairs


def _builds(configured: dict[str, Any], package: str) -> bool:
    """Return True if the site lets Spack build a package: its own entry decides, then that of MPI, then that of all."""
    entries = (configured.get(name, {}).get("buildable") for name in (package, "mpi", "all"))
    return next((answer for answer in entries if answer is not None), True)


def _packaged(spack: Spack, packages: Collection[str]) -> list[tuple[str, str]]:
    """Return the versions that Spack's packages list, in their order. Raises FileError."""
    text = call(spack.command, ["list", "--format", "version_json", *packages])
    try:
        return [(entry["name"], version) for entry in json.loads(text) for version in entry["versions"]]
    except (ValueError, KeyError, TypeError) as error:
        raise FileError(f"{spack.command} list: printed no versions ({error!r})") from error
