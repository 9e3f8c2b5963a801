# SPDX-License-Identifier: BSD-3-Clause
"""Which rules stay after their proof, and whether a file of rules gives each case its algorithm."""

from collections.abc import Sequence
from pathlib import Path

from isochron.common.files import FileError, read_text
from isochron.schemas.run.tuning import LeftOut, Rule, TunedCase
from isochron.workflows.tuning.files import RULES, algorithm_at
from isochron.workflows.tuning.rules import Case, without


def settle(
    rules: Sequence[Rule], proven: Sequence[TunedCase], measured: Sequence[Case]
) -> tuple[list[Rule], list[LeftOut]]:
    """Return the rules that the proof confirms, each cut to its cured cases, and those left out with the reason.

    A rule with sizes must cure each of its cases, one for all sizes at least one. An operation with a loss has none.
    """
    lost = {case.operation: case for case in proven if case.verdict == "slower"}
    verdicts = {(case.operation, case.bytes, case.processes): case.verdict for case in proven}
    kept: list[Rule] = []
    left: list[LeftOut] = []
    for rule in rules:
        cases = [case for case in measured if rule.holds(*case)]
        of_rule = [verdicts.get(case, "no value") for case in cases]
        loss = lost.get(rule.operation)
        if loss is not None:
            reason = f"slower with it: {loss.bytes} B, {loss.processes} processes"
            left.append(LeftOut(rule=rule, reason=reason))
        elif "faster" not in of_rule:
            left.append(LeftOut(rule=rule, reason=f"not confirmed: {', '.join(dict.fromkeys(of_rule))}"))
        elif rule.processes == 0:
            kept.append(rule)
        else:
            bad = [case for case, verdict in zip(cases, of_rule, strict=True) if verdict != "faster"]
            kept += without([rule], bad, measured)
            left += [
                LeftOut(
                    rule=rule.model_copy(update={"low": size, "high": size}),
                    reason=f"not confirmed: {verdicts.get((name, size, count), 'no value')}",
                )
                for name, size, count in bad
            ]
    return kept, left


def check_sizes(folder: Path, rules: Sequence[Rule], measured: Sequence[Case]) -> None:
    """Raise FileError if a file of rules does not give each measured case its algorithm, read as the library does."""
    path = folder / RULES
    sized = [rule for rule in rules if rule.processes]
    if not sized:
        return
    text = read_text(path, "tune again")
    operations = {rule.operation for rule in sized}
    for case in measured:
        if case[0] in operations:
            wanted = next((rule.number for rule in sized if rule.holds(*case)), 0)
            number = algorithm_at(text, *case)
            if number != wanted:
                raise FileError(f"{path}: gives {case[0]} {case[1]} B algorithm {number}, not {wanted}")
