# SPDX-License-Identifier: BSD-3-Clause
"""Isochron: MPI benchmark campaigns with synchronised starts and intervals that cover.

The rooms of the repository (`workflows`, `reframe_checks`, `spack_envs`, `postprocess`, `reports`) are sub-packages
of this one by the links that lie here; a wheel has them as folders. `docs/design.md` says which may import which.
"""
