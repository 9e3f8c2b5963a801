# SPDX-License-Identifier: BSD-3-Clause
"""Settings that choose the algorithm of an operation, to give back a loss that no changed setting explains."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import zip_longest

from isochron.schemas.run.explanation import ChangedSetting, Remedy
from isochron.workflows.explanation.choices import Choices
from isochron.workflows.explanation.experiments import Case, Experiments, Setup
from isochron.workflows.explanation.search import Share

#: A case is called slower with a remedy from this factor on.
COSTLY = 1.05


def find_remedies(lost: Sequence[Case], choices: Choices, experiments: Experiments) -> dict[Case, Remedy]:
    """Return of each case the algorithm of the new library that gives most of the difference back, if one does.

    All algorithms are tried, those of several operations in the same experiments, since they do not affect each other.
    The best of each case is measured in fresh blocks, at all sizes of the campaign, and what is then slower is listed.
    Raises UnfinishedError, OutOfMinutesError.
    """
    needs = choices.needs
    trials = _setups(choices.algorithms, needs, experiments, "try")
    lost = [case for case in lost if case[0] in choices.algorithms]
    if not trials or not lost:
        return {}
    shares = experiments.measure({name: setup for name, (setup, _) in trials.items()}, lost)
    best = {case: choice for case in lost if (choice := _best(case, trials, shares)) is not None}
    if not best:
        return {}
    operations = dict.fromkeys(operation for operation, _ in best)
    chosen = {
        operation: list({(one.setting, one.new): one for case, one in best.items() if case[0] == operation}.values())
        for operation in operations
    }
    cases = [case for case in experiments.campaign.chosen if case[0] in operations]
    final = _setups(chosen, needs, experiments, "set")
    confirmed = experiments.measure({name: setup for name, (setup, _) in final.items()}, cases)
    remedies = {}
    for case, choice in best.items():
        name = next(name for name, (_, settings) in final.items() if settings.get(case[0]) == choice)
        share = confirmed[name].get(case)
        if share is not None and share.matters:
            costs = _costs(name, case[0], experiments)
            remedies[case] = Remedy(settings={**needs, choice.variable: choice.new}, share=share.effect, costs=costs)
    return remedies


Trials = dict[str, tuple[Setup, dict[str, ChangedSetting]]]


def _setups(
    choices: Mapping[str, list[ChangedSetting]], needs: Mapping[str, str], experiments: Experiments, word: str
) -> Trials:
    """Return variants of the new stack by name, each with one algorithm of every operation that has so many."""
    trials: Trials = {}
    for number, columns in enumerate(zip_longest(*choices.values()), 1):
        settings = {operation: one for operation, one in zip(choices, columns, strict=True) if one is not None}
        variables = {**needs, **{one.variable: one.new for one in settings.values()}}
        trials[f"{experiments.new}.{word}-{number}"[-64:]] = (experiments.new, variables), settings
    return trials


def _best(case: Case, trials: Trials, shares: Mapping[str, Mapping[Case, Share | None]]) -> ChangedSetting | None:
    """Return the algorithm that gives most back in a case; None if none does."""
    options: Iterable[tuple[Share | None, ChangedSetting]] = (
        (shares[name].get(case), settings[case[0]]) for name, (_, settings) in trials.items() if case[0] in settings
    )
    helpful = [(share, choice) for share, choice in options if share is not None and share.matters]
    return max(helpful, key=lambda option: option[0].share)[1] if helpful else None


def _costs(name: str, operation: str, experiments: Experiments) -> list[str]:
    """Return the cases of an operation in which a variant is slower than its stack: `alltoall 8 B (1.2 times)`."""
    rows = [row for row in experiments.rows if row["variant"] == name and row["operation"] == operation]
    return [
        f"{operation} {row['bytes']} B ({1 / row['ratio']:.3g} times)"
        for row in rows
        if row["ratio_high"] is not None and row["ratio_high"] <= 1 / COSTLY
    ]
