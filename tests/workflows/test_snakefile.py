# SPDX-License-Identifier: BSD-3-Clause
"""Snakemake called by hand: it lists and draws what a run lacks from its folder, and says so elsewhere."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from isochron.common.resources import shipped
from isochron.workflows.planning.plan import make_plan
from isochron.workflows.runs import create_run
from tests.workflows.conftest import campaign

SNAKEFILE = shipped("workflows") / "Snakefile"

pytestmark = pytest.mark.process


def snakemake(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "snakemake", "--snakefile", str(SNAKEFILE), *words]
    return subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", check=False)


def test_it_lists_and_draws_what_a_run_lacks(tmp_path: Path) -> None:
    mine = campaign()
    plan = make_plan(mine)
    run = create_run(tmp_path, mine, plan)
    listed = snakemake(run.root, "--dry-run", "--quiet", "rules")
    assert listed.returncode == 0, listed.stderr
    drawn = snakemake(run.root, "--dag")
    assert drawn.stdout.startswith("digraph snakemake_dag {")
    stacks = {launch.stack for launch in plan.launches}
    names = [f"stack: {stack}" for stack in stacks] + [f"block: {block.name}" for block in plan.blocks]
    assert [name for name in names if name not in drawn.stdout] == []


@pytest.mark.parametrize("has", [[], ["campaign.yaml"]])
def test_elsewhere_it_says_where_to_call_it(has: list[str], tmp_path: Path) -> None:
    for name in has:
        (tmp_path / name).touch()
    called = snakemake(tmp_path, "--dry-run")
    lacks = "plan.json" if has else "campaign.yaml"
    assert called.returncode == 1
    assert (
        f"{tmp_path} is not the folder of a run: it has no {lacks}; call snakemake in results/<campaign>/<run>, "
        "or with --directory results/<campaign>/<run>"
    ) in called.stdout + called.stderr
    assert "Traceback" not in called.stdout + called.stderr
