# SPDX-License-Identifier: BSD-3-Clause
"""Settings, experiments and results of the explanation of each pair."""

from dataclasses import dataclass

from isochron.postprocess.formatting import numbers
from isochron.postprocess.kit.section import Section, Source, StackMark
from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.explanation.advice import AdviceView, advice_view, load_advice
from isochron.postprocess.subjects.explanation.finding import case_text, explained, load_explanations
from isochron.schemas.run.explanation import Effect, ExplainedCase, Explanation, Step


@dataclass(frozen=True)
class CaseRow:
    """A case, as text."""

    case: str
    ratio: str
    reason: str
    all_settings: str
    forward: str
    backward: str
    remedy: str
    steps: "list[StepRow]"


@dataclass(frozen=True)
class StepRow:
    """A set of settings that was measured. `low`, `at`, `high`: places of its share on the axis in per cent of it."""

    settings: str
    share: str
    low: float
    at: float
    high: float


@dataclass(frozen=True)
class SettingRow:
    """A setting that was tried; `meaning`: as the library describes it."""

    name: str
    old: str
    new: str
    meaning: str


@dataclass(frozen=True)
class PairView:
    """Two stacks."""

    old: StackMark
    new: StackMark
    cases: list[CaseRow]
    settings: list[SettingRow]
    only_old: list[str]
    only_new: list[str]
    effort: str
    advice: AdviceView | None
    ends: tuple[float, float]


def build(source: Source) -> list[PairView] | None:
    """None if nothing was explained."""
    return [_pair(pair, source) for pair in load_explanations(source.inputs)] or None


def _pair(pair: Explanation, source: Source) -> PairView:
    advice = load_advice(source.inputs, pair.old, pair.new)
    effort = [numbers.count(pair.experiments, "experiment"), numbers.count(pair.launches, "launch", "launches")]
    if pair.minutes is not None:
        effort.append(f"{numbers.significant(pair.minutes)} min")
    switches = {each.setting for each in pair.switches}
    return PairView(
        old=source.marks[pair.old],
        new=source.marks[pair.new],
        cases=[_case(case, pair) for case in pair.cases],
        settings=[
            SettingRow(each.setting, numbers.NONE if each.only_new else each.old, each.new, each.meaning)
            for each in (*pair.tried, *pair.switches)
        ],
        only_old=pair.only_old,
        only_new=[name for name in pair.only_new if name not in switches],
        effort=numbers.listing(effort),
        advice=None if advice is None else advice_view(advice),
        ends=(place(0.0), place(1.0)),
    )


def _case(case: ExplainedCase, pair: Explanation) -> CaseRow:
    reasons = {
        "no-setting": "no setting that differs",
        "not-confirmed": f"not confirmed: {', '.join(map(str, case.causes))}",
        "not-shown": "not found to differ again",
        "unfinished": "not searched to the end for lack of minutes",
    }
    why = reasons.get(case.verdict) or (" together with " if case.interact else ", ").join(map(str, case.causes))
    return CaseRow(
        case=case_text(case),
        ratio=numbers.NONE if case.ratio is None else numbers.ratio(case.ratio),
        reason="; ".join(filter(None, [why, case.calls_in_words])),
        all_settings=_effect(case.all_settings),
        forward=_effect(case.forward),
        backward=_effect(case.backward),
        remedy=numbers.NONE if case.remedy is None else str(case.remedy),
        steps=[_step(step, pair) for step in case.steps],
    )


#: Ends of the axis of shares; an interval that goes beyond is cut.
AXIS = (-0.5, 1.5)


def place(share: float) -> float:
    """Where a share is on the axis, in per cent of its length."""
    low, high = AXIS
    return round(100 * (min(max(share, low), high) - low) / (high - low), 2)


def _step(step: Step, pair: Explanation) -> StepRow:
    every = {
        tuple(one.setting for one in settings): f"all {len(settings)} {what}"
        for settings, what in ((pair.switches, "switches"), (pair.tried, "settings"))
        if len(settings) > 1
    }
    which = every.get(tuple(step.settings)) or ", ".join(step.settings)
    effect = step.effect
    return StepRow(which, str(effect), *(place(share) for share in (effect.low, effect.share, effect.high)))


def _effect(effect: Effect | None) -> str:
    return numbers.NONE if effect is None else str(effect)


WHY = Section("explanation", "Why versions differ", "explanation/section.html.j2", build)

SUBJECT = Subject(findings=(explained,), sections=(WHY,))
