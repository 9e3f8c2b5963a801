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


@pytest.mark.mpi
def test_the_attached_buffer_has_the_requested_size(mpi: Mpi, engine: Path, tmp_path: Path) -> None:
    """A sufficient one is used, one below a repetition's messages is refused, and so is one that nothing uses."""
    words = ["--operations", "ping-pong", "--sizes", "4KiB", "--stop", "reps", "--max-reps", "3", "--min-valid", "1"]
    code, rows, err = run(mpi, engine, tmp_path / "large", 2, *words, "--buffered-sends", "--send-buffer", "1048576")
    assert code == 0 and rows[0]["reps_made"] == 3, err
    code, _, err = run(mpi, engine, tmp_path / "small", 2, *words, "--buffered-sends", "--send-buffer", "4096")
    assert code == 2 and "--send-buffer 4096" in err and "raise it" in err
    code, _, err = run(mpi, engine, tmp_path / "none", 2, *words, "--send-buffer", "4096")
    assert code == 2 and "only valid with --buffered-sends" in err
