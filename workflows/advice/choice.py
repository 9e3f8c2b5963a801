# SPDX-License-Identifier: BSD-3-Clause
"""Which settings are worth a trial: those that were shown to give a loss back, without a loss next to it."""

from __future__ import annotations

from dataclasses import dataclass, field

from isochron.schemas.run.advice import AdvisedSetting, LeftOut
from isochron.schemas.run.explanation import ExplainedCase, Explanation

#: Settings that are tried together at most: each is also tried alone, in turns with the two versions.
MOST = 3

Variables = tuple[tuple[str, str], ...]


@dataclass
class Choice:
    """The settings to try, those that explain most cases first, and those that are not tried."""

    settings: list[AdvisedSetting] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)


def choose_settings(explanation: Explanation) -> Choice:
    """Return what to try, from the explanation of a pair of stacks.

    Of two values for one variable, the one that explains more cases is tried.
    """
    causes: dict[Variables, list[str]] = {}
    refused: dict[Variables, str] = {}
    for case in explanation.cases:
        if case.ratio is not None and case.ratio > 1:
            _note(case, f"{case.operation} {case.bytes} B", causes, refused)
    choice = Choice(left_out=[LeftOut(variables=dict(one), reason=why) for one, why in refused.items()])
    taken: dict[str, str] = {}
    for variables, cases in sorted(causes.items(), key=lambda item: -len(item[1])):
        other = {name: taken[name] for name, value in variables if taken.get(name, value) != value}
        if other:
            why = ", ".join(f"{name}={value}" for name, value in other.items())
            choice.left_out.append(LeftOut(variables=dict(variables), reason=f"{why} explains more cases"))
        elif len(choice.settings) == MOST:
            why = f"{MOST} others explain more cases; try it after these are set"
            choice.left_out.append(LeftOut(variables=dict(variables), reason=why))
        else:
            choice.settings.append(AdvisedSetting(variables=dict(variables), cases=cases))
            taken.update(variables)
    return choice


def _note(case: ExplainedCase, words: str, causes: dict[Variables, list[str]], refused: dict[Variables, str]) -> None:
    """Note the settings that give a case back, and those that do not, with the reason."""
    if case.verdict in ("explained", "one-direction"):
        for cause in case.causes:
            causes.setdefault(((cause.variable, cause.old),), []).append(words)
    elif case.verdict == "not-confirmed":
        for cause in case.causes:
            refused[(cause.variable, cause.old),] = f"fresh blocks do not confirm that it explains {words}"
    if case.remedy is not None:
        variables = tuple(case.remedy.settings.items())
        if case.remedy.costs:
            refused[variables] = f"slower with it: {', '.join(case.remedy.costs)}"
        else:
            causes.setdefault(variables, []).append(words)
