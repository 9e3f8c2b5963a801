# SPDX-License-Identifier: BSD-3-Clause
"""Attempts at blocks that ended without some of their launches, in words, while the run goes on."""

from pathlib import Path

from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.state import BlockState


def ended_attempts(run: RunLayout) -> set[Path]:
    """Return the outcomes of all attempts that have ended."""
    return set((run.root / "attempts").glob("*/*/outcome.json"))


def what_it_lacks(outcome: Path) -> str:
    """Return why launches of an attempt were not accepted; empty if all were, or if it cannot be read.

    `block b001: attempt 1 ended without 2 of 5 launches: mpich-5.0.p2: exit code 124 (not finished …)`: the reasons are
    those of its launches, each reason once with the first launch that has it.
    """
    state = BlockState.load_if_readable(outcome)
    lacking = [launch for launch in state.launches if not launch.accepted] if state is not None else []
    if state is None or not lacking:
        return ""
    first_of = {launch.reason: launch.name for launch in reversed(lacking)}
    reasons = [f"{name}: {reason}" for reason, name in reversed(first_of.items())]
    counted = f"{len(lacking)} of {len(state.launches)} launch{'' if len(state.launches) == 1 else 'es'}"
    return f"block {state.block}: attempt {state.attempt} ended without {counted}: {'; '.join(reasons)}"
