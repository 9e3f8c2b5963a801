# SPDX-License-Identifier: BSD-3-Clause
"""ibrun, whose ranks are those of the launcher of the MPI library."""

from __future__ import annotations

import pytest

from tests.sites.launching import assert_refused, command, launch


@pytest.mark.process
def test_it_starts_the_ranks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SLURM_NTASKS_PER_NODE", "2")
    done = launch(command("ibrun", "pmi2"), "echo $NODE $PMI_RANK $PMI_SIZE")
    assert sorted(done.stdout.splitlines()) == ["n0 0 5", "n0 1 5", "n1 2 5", "n1 3 5", "n2 4 5"], done.stderr


@pytest.mark.process
def test_options_of_other_launchers_are_refused() -> None:
    assert_refused(["ibrun", "--mpi=pmi2"], "unknown option --mpi=pmi2", 1)
