# SPDX-License-Identifier: BSD-3-Clause
"""Which settings are worth a trial: those that were shown to give a loss back, without a loss next to it."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from isochron.common.text import first_of
from isochron.schemas.run.advice import AdvisedSetting, LeftOut
from isochron.schemas.run.explanation import ExplainedCase, Explanation, set_back

#: Settings that are tried together at most: each is also tried alone, in turns with the two versions.
MOST = 3
#: Cases in which a setting is slower that are named.
NAMED = 5

Variables = tuple[tuple[str, str], ...]


@dataclass
class Choice:
    """The settings to try, those that explain most cases first, and those that are not tried."""

    settings: list[AdvisedSetting] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)


def slower_with_it(cases: Iterable[tuple[str, int]]) -> str:
    """Return why a setting is left out. `cases`: operation and bytes, those to be named first."""
    return f"slower with it: {first_of([f'{operation} {size} B' for operation, size in cases], NAMED)}"


def choose_settings(explanation: Explanation) -> Choice:
    """Return what to try, from the explanation of a pair of stacks.

    Of two values for one variable, the one that explains more cases is tried.
    """
    causes: dict[Variables, list[str]] = {}
    refused: dict[Variables, str] = {}
    for case in explanation.cases:
        if case.ratio is not None and case.ratio > 1:
            _note(case, f"{case.operation} {case.bytes} B", causes, refused)
    left_out = [LeftOut(variables=dict(one), reason=why) for one, why in refused.items() if one not in causes]
    choice = Choice(left_out=left_out)
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
    """Note the settings that give a case back, and those that do not, with the reason.

    A remedy counts where the old values of the causes do not give more back.
    """
    by_causes = case.verdict in ("explained", "one-direction")
    if by_causes:
        for cause in case.causes:
            causes.setdefault(tuple(set_back([cause]).items()), []).append(words)
    elif case.verdict == "not-confirmed":
        for cause in case.causes:
            refused[tuple(set_back([cause]).items())] = f"fresh blocks do not confirm that it explains {words}"
    given_back = case.forward.share if by_causes and case.forward is not None else 0.0
    if case.remedy is None or given_back >= case.remedy.share.share:
        return
    variables = tuple(case.remedy.settings.items())
    if case.remedy.costs:
        refused[variables] = f"slower with it: {', '.join(case.remedy.costs)}"
    else:
        causes.setdefault(variables, []).append(words)
