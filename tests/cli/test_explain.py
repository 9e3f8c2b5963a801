# SPDX-License-Identifier: BSD-3-Clause
"""`isochron explain -n`: the cases, and what an experiment takes; nothing is measured."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from isochron.cli.main import main
from isochron.cli.results import explain as module
from isochron.schemas.run.plan import Point
from isochron.workflows.campaign_mistakes import valid_campaign
from isochron.workflows.explanation import several
from isochron.workflows.explanation.explain import Difference
from isochron.workflows.planning.plan import make_plan
from isochron.workflows.runs import create_run


def test_a_dry_run_prints_what_an_experiment_takes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    campaign = valid_campaign(
        {
            "schema": 1, "name": "small", "stacks": ["mpich@4.3.2", "mpich@5.0.2"], "operations": ["alltoall"],
            "sizes": [8, 64], "processes": [2], "processes_per_node": [2],
        },
        "small",
    )  # fmt: skip
    run = create_run(tmp_path, campaign, make_plan(campaign))
    point = Point(processes=2, processes_per_node=2, placement="packed")
    difference = Difference("mpich-4.3.2", "mpich-5.0.2", point, [("alltoall", 64)])
    monkeypatch.setattr(module, "reported_run", lambda *_: run)
    monkeypatch.setattr(several, "Manifest", SimpleNamespace(load=lambda _: None))
    monkeypatch.setattr(several, "find_differences", lambda *_: [difference])
    monkeypatch.setattr(module, "explain_all", lambda *_, **__: pytest.fail("it was measured"))
    assert main(["explain", str(run.root), "-n", "--blocks", "10"]) == 0
    printed = capsys.readouterr().out
    assert "alltoall 64 B" in printed and "about 4 to 20 such experiments" in printed
    [row] = [line.split() for line in printed.splitlines() if line.startswith("mpich-4.3.2  ")]
    assert row[:3] == ["mpich-4.3.2", "mpich-5.0.2", "30"], "two stacks and a variant, in ten blocks"
    assert not list(tmp_path.glob(".explain"))
