# SPDX-License-Identifier: BSD-3-Clause
"""`isochron upgrade` with a real library under two names: a planted loss is claimed in its operations, in no other."""

from __future__ import annotations

import pytest

from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.screening import Screening
from isochron.workflows.upgrade.stages import CASES
from isochron.workflows.upgrade.upgrade import FOLDER, changes_of
from tests.end_to_end.conftest import Place

pytestmark = [pytest.mark.mpi, pytest.mark.campaign, pytest.mark.slow]


def test_a_planted_loss_is_claimed(place: Place) -> None:
    """Without copies from memory to memory, large messages within a node take longer; small ones do not."""
    place.write(
        stacks=["before", "mpich-5.0"],
        variants={"before": {"stack": "mpich-5.0", "environment": {"MPIR_CVAR_CH4_CMA_ENABLE": "0"}}},
        processes=[2],
        processes_per_node=[2],
    )
    done = place.isochron("upgrade", "mpich-5.0", "before", "--like", "mini.yaml", "--minutes", "15")
    assert done.returncode == 0, done.stdout + done.stderr
    results = place.folder / "results"
    assert [path.name for path in (results / FOLDER).iterdir()] == ["screen-mpich-5.0-before"]
    run = RunLayout((results / "upgrade-mpich-5.0-before" / "latest").resolve())
    assert len(Screening.load(run.screening).cases) == CASES
    claims = [each for each in changes_of(run) if each.verdict in ("slower", "faster")]
    assert {("ping-pong", 262144), ("ping-pong", 1048576)} <= {(each.operation, each.bytes) for each in claims}
    assert all(each.bytes >= 2048 for each in claims), claims
    assert "screened" in (run.tables / "findings.json").read_text()
    again = place.isochron("upgrade", "mpich-5.0", "before", "--like", "mini.yaml", "--minutes", "15")
    assert again.returncode == 0 and again.stdout.splitlines()[-1] == done.stdout.splitlines()[-1]
