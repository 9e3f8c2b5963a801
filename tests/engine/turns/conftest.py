# SPDX-License-Identifier: BSD-3-Clause
"""The residents of a test."""

from pathlib import Path

import pytest

from tests.engine.support import Mpi
from tests.engine.turns.residents import Residents


@pytest.fixture
def residents(mpi: Mpi, engine: Path, tmp_path: Path) -> Residents:
    """Starts launches of the tests' stack that take turns."""
    return Residents(mpi, engine, tmp_path)
