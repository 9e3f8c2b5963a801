# SPDX-License-Identifier: BSD-3-Clause
"""Measuring a campaign for another command, which goes on with its run."""

from __future__ import annotations

from rich.console import Console

from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.state import RunState
from isochron.workflows.driving.run import AT_THE_STORE, RunOptions, drive


class UnfinishedError(Exception):
    """A run that did not end: `state` of it, and the problems."""

    def __init__(self, state: RunState, problems: list[str]) -> None:
        super().__init__("; ".join(problems) or state.reason)
        self.state, self.problems = state, problems


def measure(run: RunLayout, campaign: Campaign, console: Console, *, quiet: bool, until_store: bool) -> None:
    """Measure a run to its end, or go on where it stopped. Raises UnfinishedError."""
    outcome = drive(run, campaign, RunOptions(until_store=until_store), console, quiet)
    if outcome.state.state != "complete" and outcome.state.reason != AT_THE_STORE:
        raise UnfinishedError(outcome.state, outcome.problems)
