# SPDX-License-Identifier: BSD-3-Clause
"""The differences of one or several runs, explained one after the other, within the minutes that they share."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from rich.console import Console

from isochron.schemas.run.explanation import Explanation, Explanations
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.manifest import Manifest
from isochron.workflows.campaign_file import load_campaign
from isochron.workflows.explanation.experiments import Experiments, OutOfMinutesError
from isochron.workflows.explanation.explain import Difference, explain, find_differences, with_remedies
from isochron.workflows.explanation.search import Share
from isochron.workflows.explanation.system_calls import with_system_calls

#: Share of the minutes for the first of several differences: its causes are tried first in the others.
OF_THE_FIRST = 0.5


@dataclass
class Asked:
    """A difference of a run with its experiments, and what was found of it. `likely`: what explains earlier ones.

    `unmeasured`: the experiments before the first; each search begins with them, and finds again what was measured.
    """

    run: RunLayout
    difference: Difference
    unmeasured: Experiments
    likely: frozenset[str] = frozenset()
    explanation: Explanation | None = None
    _measured: Experiments | None = None

    def explain(self, left: float) -> float:
        """Search with so many seconds, from the start; return how many it took."""
        before = 0.0 if self._measured is None else self._measured.seconds
        experiments = replace(self.unmeasured, seconds=before, budget=before + left, rows=[], ratios={})
        try:
            self.explanation = explain(self.difference, experiments, self.likely)
        except OutOfMinutesError:
            return 0.0
        self._measured = experiments
        return experiments.seconds - before

    def add_remedies(self, left: float) -> float:
        """Look for remedies with so many seconds, and count system calls; return how many the remedies took."""
        if self.explanation is None or self._measured is None:
            return 0.0
        before = self._measured.seconds
        self._measured.budget = before + left
        self.explanation = with_system_calls(with_remedies(self.explanation, self._measured), self._measured)
        return self._measured.seconds - before

    @property
    def is_finished(self) -> bool:
        """True if no search was ended by the minutes."""
        return self.explanation is not None and all(case.verdict != "unfinished" for case in self.explanation.cases)


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

    What explains one is tried first in the next ones. What these leave of the minutes is for those that were not
    searched to the end. `say`: for what was found; `minutes`: for all. Raises UnfinishedError, FileError.
    """
    left = 60 * minutes
    likely: frozenset[str] = frozenset()
    for number, one in enumerate(asked):
        waiting = len(asked) - number
        share = OF_THE_FIRST if number == 0 and waiting > 1 else 1 / waiting
        one.likely = likely
        if not one.unmeasured.quiet:
            say(str(one.difference))
        left -= one.explain(left * share)
        if one.explanation is not None:
            likely |= one.explanation.causes | _causes_alone(one.explanation)
        _written(one, asked, say)
    for one in asked:
        if not one.is_finished and left < math.inf:
            if not one.unmeasured.quiet:
                say(f"{one.difference}, with the minutes that are left")
            known = one.explanation
            left -= one.explain(left)
            _written(one, asked, say, known)
    for one in asked:
        known = one.explanation
        left -= one.add_remedies(left)
        if one.explanation != known:
            say(f"{one.difference}, with algorithms that were tried, and system calls")
            _written(one, asked, say, known)


def _causes_alone(explanation: Explanation) -> frozenset[str]:
    """Return the settings that explain cases by themselves whose search the minutes ended."""
    steps = (step for case in explanation.cases if case.verdict == "unfinished" for step in case.steps)
    return frozenset(
        step.settings[0]
        for step in steps
        if len(step.settings) == 1 and Share(step.effect.share, step.effect.low, step.effect.high).matters
    )


def _written(one: Asked, asked: Sequence[Asked], say: Callable[[str], None], known: Explanation | None = None) -> None:
    """Write what is known of the run of a difference, and say what was found of this one beside what was `known`."""
    if one.explanation is None:
        say("  not begun for lack of minutes")
        return
    pairs = [other.explanation for other in asked if other.run == one.run and other.explanation is not None]
    Explanations(pairs=pairs).save(one.run.explanation)
    known_lines = known.lines if known is not None else []
    for line in one.explanation.lines:
        if line not in known_lines:
            say(line)
