# SPDX-License-Identifier: BSD-3-Clause
"""srun of Slurm."""

from __future__ import annotations

import pytest

from tests.sites.launching import assert_refused, assert_started


@pytest.mark.process
def test_it_starts_the_ranks() -> None:
    assert_started("srun", "pmi2")


@pytest.mark.process
def test_what_it_does_not_have_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    assert_refused(["srun", "--map-by=core"], "srun: unrecognized option '--map-by=core'", 1)
    monkeypatch.setenv("FAKE_SRUN", "23.11")
    assert_refused(["srun", "--mpi=pmix"], "Invalid MPI type 'pmix', --mpi=list for acceptable types", 1)
