# SPDX-License-Identifier: BSD-3-Clause
"""The differences of one or several runs, explained one after the other, within the minutes that they share."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rich.console import Console

from isochron.schemas.run.explanation import Explanation, Explanations
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.manifest import Manifest
from isochron.workflows.campaign_file import load_campaign
from isochron.workflows.explanation.experiments import Experiments, OutOfMinutesError
from isochron.workflows.explanation.explain import Difference, explain, find_differences, with_remedies

#: Share of the minutes for the first of several differences: its causes are tried first in the others.
OF_THE_FIRST = 0.5


@dataclass
class Asked:
    """A difference of a run with its experiments, and what was found of it."""

    run: RunLayout
    difference: Difference
    experiments: Experiments
    explanation: Explanation | None = None


def asked_of(
    run: RunLayout, pair: tuple[str, str] | None, blocks: int, console: Console, *, quiet: bool, again: bool
) -> list[Asked]:
    """Return the differences of a run that has a report, between a pair or else of its question. Raises FileError.

    `blocks`: of the first experiments; `again`: measure again what an equal call has measured.
    """
    campaign = load_campaign(run.campaign)
    manifests = {stack: Manifest.load(run.manifest(stack)) for stack in campaign.stacks}
    return [
        Asked(
            run,
            one,
            Experiments(
                of_run=run, campaign=campaign, old=one.old, new=one.new, point=one.point, blocks=blocks,
                console=console, quiet=quiet, again=again,
            ),
        )
        for one in find_differences(run, manifests, pair)
    ]  # fmt: skip


def explain_all(asked: Sequence[Asked], say: Callable[[str], None], minutes: float = math.inf) -> None:
    """Explain differences, then look for remedies; what is known is written after each.

    What explains one is tried first in the next ones. `say`: for what was found; `minutes`: for all of them. Raises
    UnfinishedError, FileError.
    """
    left = 60 * minutes
    likely: frozenset[str] = frozenset()
    for number, one in enumerate(asked):
        waiting = len(asked) - number
        share = OF_THE_FIRST if number == 0 and waiting > 1 else 1 / waiting
        one.experiments.budget = left * share
        if not one.experiments.quiet:
            say(str(one.difference))
        try:
            one.explanation = explain(one.difference, one.experiments, likely)
        except OutOfMinutesError:
            say("  not searched for lack of minutes")
            continue
        left -= one.experiments.seconds
        likely |= one.explanation.causes
        _written(one, asked, say)
    for one in asked:
        if one.explanation is None:
            continue
        before = one.experiments.seconds
        one.experiments.budget = before + left
        with_all = with_remedies(one.explanation, one.experiments)
        left -= one.experiments.seconds - before
        if with_all != one.explanation:
            one.explanation = with_all
            say(f"{one.difference}, with algorithms that were tried")
            _written(one, asked, say)


def _written(one: Asked, asked: Sequence[Asked], say: Callable[[str], None]) -> None:
    """Write what is known of the run of a difference, and say what was found of this one."""
    pairs = [other.explanation for other in asked if other.run == one.run and other.explanation is not None]
    Explanations(pairs=pairs).save(one.run.explanation)
    for line in one.explanation.lines if one.explanation is not None else []:
        say(line)
