# SPDX-License-Identifier: BSD-3-Clause
"""What a run folder may not hold, since it may come from somebody else.

Links lead what is written elsewhere; pipes and devices have whoever reads them wait, or never end.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from isochron.common.files import FileError
from isochron.schemas.run.layout import RunLayout

#: Folders in which other programs make links of their own, and we write nothing but through them.
OF_OTHERS = ("log/reframe", "stacks/*/spack", ".snakemake")


def refuse_links(run: RunLayout) -> None:
    """Raise FileError where something in the run's folder is a symbolic link, a pipe or a device.

    The folder itself may be a link.
    """
    for path in _links(run.root.resolve(), run.root.resolve()):
        if not path.is_symlink():
            raise FileError(f"{path}: is a pipe, a socket or a device, which a run never contains; remove it")
        raise FileError(
            f"{path}: is a symbolic link, to '{path.readlink()}', which a run never contains: output would be written "
            "elsewhere; check where the run comes from, and remove the link"
        )


def _links(folder: Path, root: Path) -> Iterator[Path]:
    for entry in os.scandir(folder):
        path = Path(entry.path)
        if entry.is_symlink() or not (entry.is_file() or entry.is_dir()):
            yield path
        elif entry.is_dir() and not any(path.relative_to(root).match(pattern) for pattern in OF_OTHERS):
            yield from _links(path, root)
