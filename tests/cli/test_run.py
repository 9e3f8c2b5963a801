# SPDX-License-Identifier: BSD-3-Clause
"""What `isochron run` prints when it starts a run."""

from __future__ import annotations

from argparse import Namespace
from io import StringIO
from pathlib import Path

from rich.console import Console

from isochron.cli.run import _choose
from isochron.workflows.planning.design import format_design, with_decided_design
from isochron.workflows.planning.plan import make_plan
from tests.workflows.conftest import campaign


def test_a_run_starts_with_the_design_that_was_decided(tmp_path: Path) -> None:
    decided = with_decided_design(campaign(replication={"blocks": 8}, processes=[2]))
    plan, printed = make_plan(decided), StringIO()
    arguments = Namespace(run=None, new=True, results=tmp_path, quiet=False, campaign="small")
    _choose(arguments, decided, plan, Console(file=printed, width=200))
    assert format_design(decided, plan).startswith("in turns") and format_design(decided, plan) in printed.getvalue()
