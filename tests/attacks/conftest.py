# SPDX-License-Identifier: BSD-3-Clause
"""The engine and the library that lies to it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.attacks.support import Attacked, build_library
from tests.engine.conftest import engine, mpi
from tests.engine.support import Mpi

__all__ = ["attacked", "engine", "mpi"]


@pytest.fixture(scope="session")
def attacked(mpi: Mpi, engine: Path, tmp_path_factory: pytest.TempPathFactory) -> Attacked:
    """The engine of the tests, to be lied to."""
    return Attacked(mpi, engine, build_library(mpi, tmp_path_factory.mktemp("attack")))
