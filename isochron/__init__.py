# SPDX-License-Identifier: BSD-3-Clause
"""Isochron: MPI benchmark campaigns with synchronised starts and intervals that cover.

A wheel contains the folders of the repository (`workflows`, `reframe_checks`, `spack_envs`, `postprocess`, `reports`)
as sub-packages of this one; in a checkout they lie beside it. `docs/design.md` says which may import which.
"""

from pathlib import Path

_FOLDER = Path(__file__).parent
if not (_FOLDER / "workflows").is_dir():
    __path__.append(str(_FOLDER.parent))
