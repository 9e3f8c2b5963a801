# SPDX-License-Identifier: BSD-3-Clause
"""The data files that come with Isochron: campaigns, machines, stacks, the engine's sources, templates.

A data file is named by its package and its path there, in a checkout and in an installed wheel.
"""

from importlib.resources import files
from pathlib import Path


def shipped(package: str, *parts: str) -> Path:
    """Return the path of a data file or folder of a package, links resolved: `shipped("workflows", "campaigns")`.

    Compilers, Snakemake and ReFrame need real files: a package inside a zip archive is refused (NotADirectoryError).
    """
    folder = files(f"isochron.{package}")
    if not isinstance(folder, Path):
        raise NotADirectoryError(
            f"isochron.{package} is not a folder; install the wheel unpacked (pip, uv and pipx do)"
        )
    return folder.joinpath(*parts).resolve()
