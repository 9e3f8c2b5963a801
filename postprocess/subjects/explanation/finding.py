# SPDX-License-Identifier: BSD-3-Clause
"""The reasons why two versions of a library differ, in a sentence for each pair."""

from __future__ import annotations

from isochron.common.copies import is_there
from isochron.postprocess.formatting import numbers
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.finding import Finding
from isochron.postprocess.kit.table import Analysis
from isochron.schemas.run.explanation import ExplainedCase, Explanation, Explanations


def load_explanations(inputs: RunInputs) -> list[Explanation]:
    """What `isochron explain` has found; nothing if it was not called. Raises FileError."""
    path = inputs.layout.explanation
    return Explanations.load(path).pairs if is_there(path) else []


def case_text(case: ExplainedCase) -> str:
    """`alltoall 256 B`."""
    return f"{case.operation} {numbers.size(case.bytes)}" if case.bytes else case.operation


def explained(inputs: RunInputs, _: Analysis) -> list[Finding]:
    """What explains the cases of each pair, and what gives a loss back."""
    return [_finding(pair) for pair in load_explanations(inputs)]


def reason_of(inputs: RunInputs, old: str, new: str, cases: set[tuple[str, int]]) -> str:
    """Why two stacks differ in some cases, in a line; empty if that was not asked."""
    pair = next((each for each in load_explanations(inputs) if {each.old, each.new} == {old, new}), None)
    asked = [case for case in pair.cases if (case.operation, case.bytes) in cases] if pair is not None else []
    sizes: dict[str, list[int]] = {}
    for case in asked:
        sizes.setdefault(_reason(case), []).append(case.bytes)
    reasons = (
        list(sizes)
        if len(sizes) == 1
        else [
            f"{numbers.listing([numbers.size(size) for size in sorted(each)])} {reason}"
            for reason, each in sizes.items()
        ]
    )
    best = max(
        (case for case in asked if case.remedy is not None),
        key=lambda case: case.remedy.share.share if case.remedy else 0.0,
        default=None,
    )
    return "; ".join([*reasons, *([f"{best.remedy} at {numbers.size(best.bytes)}"] if best is not None else [])])


def _finding(pair: Explanation) -> Finding:
    cases: dict[str, list[ExplainedCase]] = {}
    for case in pair.cases:
        cases.setdefault(_reason(case), []).append(case)
    texts = [f"{numbers.listing([case_text(case) for case in group])} {reason}" for reason, group in cases.items()]
    remedies = [case for case in pair.cases if case.remedy is not None]
    best = max(remedies, key=lambda case: case.remedy.share.share if case.remedy else 0.0, default=None)
    set_back = f" For {case_text(best)}, {best.remedy}." if best is not None else ""
    explained_cases = sum(case.verdict in ("explained", "one-direction") for case in pair.cases)
    return Finding(
        kind="explanation",
        severity="result",
        text=f"Why {pair.new} differs from {pair.old}: {'; '.join(texts)}.{set_back}",
        details=[f"{case_text(case)}: {case.in_words(len(pair.tried))}" for case in pair.cases],
        numbers={"cases": len(pair.cases), "explained": explained_cases, "settings_tried": len(pair.tried)},
    )


def _reason(case: ExplainedCase) -> str:
    """Return what is the same for several cases."""
    if case.verdict in ("explained", "one-direction"):
        return f"by {' and '.join(map(str, case.causes))}"
    return {
        "no-setting": "by no setting that differs",
        "not-confirmed": "not explained",
        "not-shown": "not found to differ again",
    }[case.verdict]
