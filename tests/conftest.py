# SPDX-License-Identifier: BSD-3-Clause
"""What tests must not take over from where they are started.

A Spack on this machine is for the tests that mean it: elsewhere `route: auto` would let it build MPI libraries.
A shell lets what it starts in the background ignore Ctrl-C, and so would every command that a test interrupts.
"""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from isochron.spack_envs.spack_command import locate


def pytest_configure(config: pytest.Config) -> None:
    """Heed Ctrl-C; take Spack out of the environment, and note where it is in ISOCHRON_TEST_SPACK."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
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
