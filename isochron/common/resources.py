# SPDX-License-Identifier: BSD-3-Clause
"""The data files that come with Isochron: campaigns, machines, stacks, the engine's sources, templates.

A data file is named by the room that owns it and its path there, whether Isochron is a checkout or an installed wheel.
"""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path


def shipped(room: str, *parts: str) -> Path:
    """The path of a data file or folder of a room, symbolic links resolved: `shipped("workflows", "campaigns")`.

    Compilers, Snakemake and ReFrame need real files: a package inside a zip archive is refused (NotADirectoryError).
    """
    folder = files(f"isochron.{room}")
    if not isinstance(folder, Path):
        raise NotADirectoryError(f"isochron.{room} is not a folder; install the wheel unpacked (pip, uv and pipx do)")
    return folder.joinpath(*parts).resolve()
