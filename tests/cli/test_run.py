# SPDX-License-Identifier: BSD-3-Clause
"""What `isochron run` prints when it starts a run, and what it refuses before."""

from __future__ import annotations

from argparse import Namespace
from io import StringIO
from pathlib import Path

import pytest
import yaml
from rich.console import Console

from isochron.cli.main import main
from isochron.cli.run import _choose
from isochron.common.exit_codes import Exit
from isochron.workflows.planning import pairs
from isochron.workflows.planning.design import format_design, with_decided_design
from isochron.workflows.planning.plan import make_plan
from tests.workflows.conftest import campaign


def test_a_run_starts_with_the_design_that_was_decided(tmp_path: Path) -> None:
    decided = with_decided_design(campaign(replication={"blocks": 8}, processes=[2]))
    plan, printed = make_plan(decided), StringIO()
    arguments = Namespace(run=None, new=True, results=tmp_path, quiet=False, campaign="small")
    _choose(arguments, decided, plan, Console(file=printed, width=200))
    assert format_design(decided, plan).startswith("in turns") and format_design(decided, plan) in printed.getvalue()


@pytest.mark.parametrize(
    ("launcher", "scheduler", "words"),
    [
        ("jsrun", "lsf", "site.launcher: jsrun cannot start mpich-5.0: its ranks connect by pmi2, and jsr"),
        ("srun", "pbs", "mpich-5.0 would be started by srun, which works under slurm, and the scheduler is p"),
    ],
)
def test_a_pair_that_cannot_work_is_refused_before_a_run_is_made(
    launcher: str,
    scheduler: str,
    words: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """The stacks of `run` are those of `plan`, so it refuses the same."""
    monkeypatch.setattr(pairs, "partition_schedulers", lambda _: [scheduler])
    monkeypatch.setattr("isochron.cli.run.drive", lambda *_: pytest.fail("it was started"))
    file, results = tmp_path / "small.yaml", tmp_path / "results"
    site = {"launcher": launcher, "cores_per_node": 2, "nodes": 1}
    wanted = campaign(stacks=["mpich-5.0"], site=site).model_dump(mode="json", by_alias=True, exclude_unset=True)
    file.write_text(yaml.safe_dump(wanted))
    for verb in ("plan", "run"):
        assert main([verb, str(file), "--results", str(results)]) == Exit.FAILED
        assert words in capsys.readouterr().err.replace("\n", " ")
    assert not results.exists()
