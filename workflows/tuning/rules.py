# SPDX-License-Identifier: BSD-3-Clause
"""From the winner of each case to rules: neighbouring sizes with the same winner become one, never beyond them."""

from collections.abc import Iterable, Mapping, Sequence

from isochron.schemas.run.explanation import ChangedSetting
from isochron.schemas.run.tuning import Rule
from isochron.workflows.explanation.choices import Choices

#: Operation, bytes and processes.
Case = tuple[str, int, int]


def rules_of(winners: Mapping[Case, ChangedSetting], measured: Sequence[Case], choices: Choices) -> list[Rule]:
    """Return the rules of these winners. `measured`: all cases; one without a winner keeps the library's own choice."""
    rules: list[Rule] = []
    lines = dict.fromkeys((operation, processes) for operation, _, processes in measured)
    for operation, processes in lines:
        open_rule: Rule | None = None
        for size in sorted(size for name, size, count in measured if (name, count) == (operation, processes)):
            winner = winners.get((operation, size, processes))
            if winner is None:
                open_rule = None
            elif open_rule is not None and (open_rule.setting, open_rule.algorithm) == (winner.setting, winner.new):
                open_rule = rules[-1] = open_rule.model_copy(update={"high": size})
            else:
                open_rule = _rule(winner, operation, processes, size, size, choices)
                rules.append(open_rule)
    return rules


def for_all_sizes(
    winners: Mapping[Case, ChangedSetting],
    measured: Sequence[Case],
    loses: Mapping[tuple[Case, str], bool],
    choices: Choices,
) -> list[Rule]:
    """Return of each operation the algorithm that wins most cases and loses none, where rules have no sizes.

    `loses`: of a case and the word of an algorithm whether it takes longer than the library's own choice there.
    """
    rules = []
    for operation in dict.fromkeys(name for name, _, _ in winners):
        cases = [case for case in measured if case[0] == operation]
        of_it = [winners[case] for case in cases if case in winners]
        safe = [one for one in of_it if not any(loses.get((case, one.new), True) for case in cases)]
        if safe:
            best = max(safe, key=of_it.count)
            sizes = [size for _, size, _ in cases]
            rules.append(_rule(best, operation, 0, min(sizes), max(sizes), choices))
    return rules


def without(rules: Iterable[Rule], bad: Iterable[Case], measured: Sequence[Case]) -> list[Rule]:
    """Return the rules without some cases: each is cut there, or goes if it is of all sizes."""
    wrong = set(bad)
    kept: list[Rule] = []
    for rule in rules:
        cases = sorted(case for case in measured if rule.holds(*case))
        if not wrong.intersection(cases):
            kept.append(rule)
            continue
        if rule.processes == 0:
            continue
        run: list[int] = []
        for case in [*cases, None]:
            if case is not None and case not in wrong:
                run.append(case[1])
            elif run:
                kept.append(rule.model_copy(update={"low": run[0], "high": run[-1]}))
                run = []
    return kept


def _rule(choice: ChangedSetting, operation: str, processes: int, low: int, high: int, choices: Choices) -> Rule:
    return Rule(
        operation=operation, processes=processes, low=low, high=high, setting=choice.setting,
        variable=choice.variable, algorithm=choice.new, number=choices.number(choice),
    )  # fmt: skip
