# SPDX-License-Identifier: BSD-3-Clause
"""What to set with a new version, in a sentence and as the report shows it."""

from dataclasses import dataclass

from isochron.common.copies import is_there
from isochron.postprocess.formatting import numbers
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.subjects.explanation.finding import case_text
from isochron.schemas.run.advice import Advice, AdvisedCase, Confirmation


@dataclass(frozen=True)
class ConfirmationRow:
    """What one trial of the settings showed, as text."""

    began: str
    run: str
    screened: str
    measured: str
    cured: str
    remaining: str
    undecided: str
    given_up: str


@dataclass(frozen=True)
class AdviceView:
    """The settings, what confirms them, the files that set them, and what is left out."""

    sentence: str
    lines: list[str]
    confirmations: list[ConfirmationRow]
    files: dict[str, str]
    remaining: list[str]
    left_out: list[str]


def load_advice(inputs: RunInputs, old: str, new: str) -> Advice | None:
    """What `isochron advise` has found for two stacks; None if it was not called. Raises FileError."""
    path = inputs.layout.advice
    advice = Advice.load(path) if is_there(path) else None
    return advice if advice is not None and (advice.old, advice.new) == (old, new) else None


def advice_sentence(advice: Advice) -> str:
    """What a site may expect of the settings, by the last trial."""
    if not advice.settings:
        return f"No setting is confirmed to give a loss of {advice.new} back without a new one elsewhere."
    last = advice.confirmations[-1]
    gains = f"; {numbers.count(len(last.given_up), 'gain is', 'gains are')} given up" if last.given_up else ""
    trials = len(advice.confirmations)
    confirmed = f", confirmed {trials} times" if trials > 1 else ""
    if advice.holds:
        return (
            f"With {advice} it is slower in none of {numbers.count(last.measured, 'case')} that were measured in fresh "
            f"blocks{confirmed}: {_all_of(last.lost)} given back{gains}."
        )
    remaining, undecided = len(last.slower), len(last.undecided)
    open_ones = f", {undecided} {'is' if undecided == 1 else 'are'} undecided" if undecided else ""
    if last.left:
        open_ones += f"; not measured again for lack of minutes: {', '.join(last.left)}"
    return (
        f"With {advice} {len(last.cured)} of {numbers.count(last.lost, 'loss', 'losses')} are given back in fresh "
        f"blocks, and it is slower in {numbers.count(remaining, 'case')}{open_ones}{gains}."
    )


def _all_of(count: int) -> str:
    return "the loss is" if count == 1 else f"all {count} losses are"


def advice_view(advice: Advice) -> AdviceView:
    """What the report shows of it."""
    last = advice.confirmations[-1]
    return AdviceView(
        sentence=advice_sentence(advice),
        lines=[f"{name}={value}" for name, value in advice.variables.items()],
        confirmations=[_row(one) for one in advice.confirmations],
        files=advice.files,
        remaining=[_case(case) for case in (*last.slower, *last.undecided)],
        left_out=list(map(str, advice.left_out)),
    )


def _row(one: Confirmation) -> ConfirmationRow:
    return ConfirmationRow(
        began=one.began,
        run=one.run,
        screened=str(one.screened or numbers.NONE),
        measured=str(one.measured),
        cured=f"{len(one.cured)} of {one.lost}",
        remaining=str(len(one.slower)),
        undecided=str(len(one.undecided)),
        given_up=str(len(one.given_up)),
    )


def _case(case: AdvisedCase) -> str:
    return f"{case_text(case)}: {numbers.ratio(case.ratio)} {numbers.ratio_interval(case.low, case.high)}"
