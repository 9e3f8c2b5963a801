# SPDX-License-Identifier: BSD-3-Clause
"""Messages from an attached buffer: which operations have them, and how large the buffer may be."""

from __future__ import annotations

from pathlib import Path

import pytest

from isochron.schemas.engine.contract import MESSAGES, MULTI, OPERATIONS, TOPOLOGIES, TRANSFERS
from tests.engine.support import Mpi
from tests.engine.test_operations import FEW_RUNS, operations_of, run


@pytest.mark.mpi
def test_buffered_sends_are_of_operations_with_plain_sends(mpi: Mpi, engine: Path, tmp_path: Path) -> None:
    """The others are not supported; a buffer beyond what MPI takes is refused with what would be right."""
    buffered = ["--buffered-sends", "--operations"]
    _, rows, _ = run(mpi, engine, tmp_path / "out", 3, *buffered, "all", *FEW_RUNS)
    plain = {*MESSAGES, *MULTI, *TRANSFERS, *TOPOLOGIES} - {"sendrecv", "multi-sendrecv"}
    plain -= {"transfer-2", "transfer-4", "transfer-5"}
    assert operations_of(rows, "not-supported") == set(OPERATIONS) - plain
    assert not operations_of(rows, "failed-check")
    code, _, err = run(mpi, engine, tmp_path / "out", 2, *buffered, "ping-pong", "--sizes", "256MiB", "--batch", "8")
    assert code == 2
    assert "lower --batch" in err
