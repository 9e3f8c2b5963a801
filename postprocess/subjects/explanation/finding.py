# SPDX-License-Identifier: BSD-3-Clause
"""The reasons why two versions of a library differ, in a sentence for each pair."""

from collections.abc import Iterable

from isochron.common.copies import is_there
from isochron.postprocess.formatting import numbers
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.finding import Finding
from isochron.postprocess.kit.table import Analysis
from isochron.schemas.run.advice import AdvisedCase
from isochron.schemas.run.explanation import ExplainedCase, Explanation, Explanations


def load_explanations(inputs: RunInputs) -> list[Explanation]:
    """What `isochron explain` has found; nothing if it was not called. Raises FileError."""
    path = inputs.layout.explanation
    return Explanations.load(path).pairs if is_there(path) else []


def case_text(case: ExplainedCase | AdvisedCase) -> str:
    """`alltoall 256 B`."""
    return f"{case.operation} {numbers.size(case.bytes)}" if case.bytes else case.operation


def explained(inputs: RunInputs, _: Analysis) -> list[Finding]:
    """What explains the cases of each pair, and what gives a loss back."""
    return [_finding(pair) for pair in load_explanations(inputs)]


def reason_of(inputs: RunInputs, old: str, new: str, cases: set[tuple[str, int]]) -> str:
    """Why two stacks differ in some cases, in a line; empty if that was not asked."""
    pair = next((each for each in load_explanations(inputs) if {each.old, each.new} == {old, new}), None)
    asked = [case for case in pair.cases if (case.operation, case.bytes) in cases] if pair is not None else []
    groups = _by_reason(asked)
    for_all = len(groups) == 1 and len(asked) == len(cases)
    reasons = [
        reason if for_all else f"{numbers.listing([numbers.size(size) for size in sorted(sizes)])} {reason}"
        for reason, sizes in ((reason, [case.bytes for case in group]) for reason, group in groups.items())
    ]
    best = _best_remedied(asked)
    return "; ".join([*reasons, *([f"{best.remedy} at {numbers.size(best.bytes)}"] if best is not None else [])])


def reasons_sentence(explanation: Explanation) -> str:
    """Why losses are there, for as many of them as each reason has: of those whose reason was asked."""
    lost = [case for case in explanation.cases if case.is_lost]
    groups = sorted(_by_reason(lost).items(), key=lambda item: -len(item[1]))
    if not groups:
        return ""
    if len(groups) == 1:
        which = "The loss" if len(lost) == 1 else f"All {len(lost)} losses"
        return f"{which} whose reason was asked {'is' if len(lost) == 1 else 'are'} {groups[0][0]}."
    counted = numbers.listing([f"{len(cases)} {'is' if len(cases) == 1 else 'are'} {why}" for why, cases in groups])
    return f"Of {len(lost)} losses whose reason was asked, {counted}."


def _finding(pair: Explanation) -> Finding:
    texts = [
        f"{numbers.listing([case_text(case) for case in group])} {reason}"
        for reason, group in _by_reason(pair.cases).items()
    ]
    best = _best_remedied(pair.cases)
    set_back = f" For {case_text(best)}, {best.remedy}." if best is not None else ""
    if pair.without_remedies:
        set_back += " The algorithms that may give losses back were not tried for lack of minutes."
    explained_cases = sum(case.verdict in ("explained", "one-direction") for case in pair.cases)
    return Finding(
        kind="explanation",
        severity="result",
        text=f"Why {pair.new} differs from {pair.old}: {'; '.join(texts)}.{set_back}",
        details=[f"{case_text(case)}: {case.in_words(len(pair.tried))}" for case in pair.cases],
        numbers={"cases": len(pair.cases), "explained": explained_cases, "settings_tried": len(pair.tried)},
    )


def _by_reason(cases: Iterable[ExplainedCase]) -> dict[str, list[ExplainedCase]]:
    """Return the cases by what is said of them, in their order."""
    groups: dict[str, list[ExplainedCase]] = {}
    for case in cases:
        groups.setdefault(_reason(case), []).append(case)
    return groups


def _best_remedied(cases: Iterable[ExplainedCase]) -> ExplainedCase | None:
    """Return the case of which a remedy gives most back; None if there is no remedy."""
    shares = [(case.remedy.share.share, case) for case in cases if case.remedy is not None]
    return max(shares, key=lambda pair: pair[0], default=(0.0, None))[1]


def _reason(case: ExplainedCase) -> str:
    """Return what is the same for several cases."""
    if case.verdict in ("explained", "one-direction"):
        return f"by {' and '.join(map(str, case.causes))}{_calls(case)}"
    return {
        "no-setting": "by no setting that differs",
        "not-confirmed": "not explained",
        "not-shown": "not found to differ again",
        "unfinished": "not searched to the end for lack of minutes",
    }[case.verdict] + _calls(case)


def _calls(case: ExplainedCase) -> str:
    """Return which system calls differ, without numbers, which are of one case."""
    more = [one.function for one in case.system_calls if one.new > one.old]
    return f", with more calls of {numbers.listing(more)}" if more else ""
