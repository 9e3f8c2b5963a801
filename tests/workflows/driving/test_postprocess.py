# SPDX-License-Identifier: BSD-3-Clause
"""Tables and report of a run, by `python -m isochron.postprocess`."""

from __future__ import annotations

from pathlib import Path

import pytest

from isochron.schemas.run.layout import RunLayout
from isochron.workflows.driving.postprocess import STEPS, make_report
from tests.postprocess.synthetic import Spec, write_run

pytestmark = [pytest.mark.process, pytest.mark.heavy]

SPEC = Spec(stacks=["openmpi-5.0", "mpich-5.0"], operations=["bcast"], sizes=[8], processes=[4], launches=3, runs=3)


def test_each_step_has_its_log_and_a_failure_ends_them(tmp_path: Path) -> None:
    run = RunLayout(write_run(tmp_path / "run", SPEC))
    assert list(make_report(run)) == [(step, "") for step in STEPS]
    assert run.report.exists()
    for step in STEPS:
        log = (run.logs / f"{step}.log").read_text()
        assert log.startswith(f"{step}: ")
        assert log.count("\n") == 1

    raw = sorted(run.launches.glob("*.jsonl"))[0]
    raw.chmod(0o644)
    raw.write_bytes(raw.read_bytes()[:-9])
    *steps, (failed, why) = make_report(run)
    assert (steps, failed) == ([("ingest", "")], "ingest")
    assert why.startswith(f"postprocess ingest: {raw}: ") and "no footer" in why
    assert why in (run.logs / "ingest.log").read_text()

    raw.unlink()
    run.campaign.write_text("schema: 1\n")
    steps = list(make_report(run))
    assert steps[0] == ("ingest", "")
    assert "campaign.yaml" in steps[-1][1]


def test_whoever_does_not_wait_for_the_end_leaves_no_process(tmp_path: Path) -> None:
    run = RunLayout(write_run(tmp_path / "run", SPEC))
    steps = make_report(run)
    assert next(steps) == ("ingest", "")
    steps.close()
    assert not run.report.exists(), "it would be there if the process had been waited for"
