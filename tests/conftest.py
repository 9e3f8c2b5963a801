# SPDX-License-Identifier: BSD-3-Clause
"""A Spack on this machine is for the tests that mean it: elsewhere `route: auto` would let it build MPI libraries."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from spack_envs.spack_command import locate


def pytest_configure(config: pytest.Config) -> None:
    """Take Spack out of the environment, and note where it is in ISOCHRON_TEST_SPACK."""
    command = locate(None, os.environ)
    if command is None:
        return
    os.environ["ISOCHRON_TEST_SPACK"] = str(command.absolute())
    root = os.environ.pop("SPACK_ROOT", None)
    folders = os.environ["PATH"].split(os.pathsep)
    hidden = {str(command.parent), str(Path(root or command.parent.parent) / "bin")}
    os.environ["PATH"] = os.pathsep.join(
        folder for folder in folders if folder not in hidden or (Path(folder) / "env").exists()
    )
