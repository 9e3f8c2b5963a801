# SPDX-License-Identifier: BSD-3-Clause
"""Why two stacks of one library differ: all settings whose values differ, tried in experiments."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from isochron.common.files import FileError
from isochron.schemas.run.explanation import ExplainedCase, Explanation, Step, Verdict, set_back
from isochron.schemas.run.family import Family
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.manifest import Manifest
from isochron.schemas.run.plan import Point
from isochron.spack_envs.declarations import family_in
from isochron.workflows.explanation.candidates import Candidates, find_candidates
from isochron.workflows.explanation.choices import find_choices
from isochron.workflows.explanation.experiments import Case, Experiments, OutOfMinutesError, Setup
from isochron.workflows.explanation.joint import Answers, search_jointly
from isochron.workflows.explanation.remedies import find_remedies
from isochron.workflows.explanation.search import Found, Share, noted, search
from isochron.workflows.runs import comparison_of, point_of

#: Verdicts of a comparison that ask for a reason.
DIFFERENT = ("slower", "faster")
#: Cases of a pair that are followed.
MOST_CASES = 12
#: Half the width of the interval of a share above which more blocks are measured.
PRECISE = 0.15


@dataclass(frozen=True)
class Difference:
    """Two stacks that differ in some cases, at one point. `cases`: as they are followed; `left`: how many are not."""

    old: str
    new: str
    point: Point
    cases: list[Case]
    left: int = 0

    def __str__(self) -> str:
        """Return which two stacks differ, where, and in how many cases."""
        point, count = self.point, len(self.cases)
        left = f" (of {count + self.left}; of each operation those that differ most)" if self.left else ""
        return (
            f"{self.old} → {self.new}, {point.processes} processes, {point.processes_per_node} on a node: "
            f"{count} case{'' if count == 1 else 's'}{left}"
        )


def find_differences(
    run: RunLayout, manifests: Mapping[str, Manifest], pair: tuple[str, str] | None
) -> list[Difference]:
    """Return the pairs of one library that a run found to differ: of the question, or one that is named.

    Of several points, the one with the most such cases. Raises FileError if there is nothing to explain.
    """
    rows = [row for row in comparison_of(run) if _is_wanted(row, pair) and row["verdict"] in DIFFERENT]
    same = [row for row in rows if manifests[row["baseline"]].mpi_library == manifests[row["candidate"]].mpi_library]
    if pair is not None and rows and not same:
        raise FileError(f"{pair[0]} and {pair[1]} are different libraries, which have no settings in common")
    groups: dict[tuple[str, str], dict[Point, list[dict[str, str]]]] = {}
    for row in same:
        groups.setdefault((row["baseline"], row["candidate"]), {}).setdefault(point_of(row), []).append(row)
    pairs = []
    for (old, new), points in groups.items():
        point, chosen = max(points.items(), key=lambda one: len(one[1]))
        cases = [(row["operation"], int(row["bytes"])) for row in _of_all_operations(chosen)[:MOST_CASES]]
        pairs.append(Difference(old, new, point, cases, len(chosen) - len(cases)))
    if not pairs:
        which = f"{pair[0]} and {pair[1]}" if pair else "two versions of one library in the campaign's question"
        raise FileError(f"{run.root}: nothing to explain: no case is established to differ between {which}")
    return pairs


def _of_all_operations(rows: Iterable[dict[str, str]]) -> list[dict[str, str]]:
    """Return rows in the order in which they are followed: of each operation the one that differs most, then the next.

    Those that differ most of all are often of few operations, with one reason.
    """
    ranked = sorted(rows, key=_least_difference, reverse=True)
    seen: Counter[str] = Counter()
    turns = []
    for place, row in enumerate(ranked):
        turns.append((seen[row["operation"]], place))
        seen[row["operation"]] += 1
    return [ranked[place] for _, place in sorted(turns)]


def _is_wanted(row: Mapping[str, str], pair: tuple[str, str] | None) -> bool:
    stacks = row["baseline"], row["candidate"]
    return stacks == pair if pair is not None else row["family"] == "question"


def _least_difference(row: Mapping[str, str]) -> float:
    """Return the logarithm of the ratio's end that is nearer to 1, whatever its sign."""
    return min(abs(math.log(float(row["ratio_low"]))), abs(math.log(float(row["ratio_high"]))))


def explain(difference: Difference, experiments: Experiments, likely: frozenset[str] = frozenset()) -> Explanation:
    """Measure what explains a difference. `likely`: settings that explain others. Raises UnfinishedError, FileError.

    Raises OutOfMinutesError if not even the first experiment fits into the budget.
    """
    cases = difference.cases
    old, new = experiments.built_manifests(cases)
    operations = [operation for operation, _ in cases]
    candidates = find_candidates(old, new, _family(experiments).setting, operations, experiments.readers)
    settings, switches = ([one.setting for one in ones] for ones in (candidates.settings, candidates.switches))
    if not settings and not switches:
        shown = experiments.measure({}, cases)[difference.old]
        cases = [case for case in cases if shown.get(case) is not None]
    steps: dict[Case, list[Step]] = {case: [] for case in cases}

    def note(case: Case, names: frozenset[str], share: Share) -> None:
        steps[case].append(Step(settings=[one.setting for one in candidates.chosen(names)], effect=share.effect))

    reasons = search_jointly(
        {case: noted(search(settings, likely, switches), partial(note, case)) for case in cases},
        lambda number, one: (f"{experiments.new}.old-{number}"[-64:], forward(one, candidates, experiments)),
        experiments,
        PRECISE,
    )
    if experiments.count == 0:
        raise OutOfMinutesError
    confirmed = _confirm(reasons, candidates, experiments)
    return Explanation(
        old=difference.old,
        new=difference.new,
        old_library=candidates.libraries[0],
        new_library=candidates.libraries[1],
        processes=difference.point.processes,
        processes_per_node=difference.point.processes_per_node,
        placement=difference.point.placement,
        tried=candidates.settings,
        refused=candidates.refused,
        only_old=candidates.only_old,
        only_new=candidates.only_new,
        switches=candidates.switches,
        cases=[
            _explained(case, reasons, confirmed, candidates, experiments.ratios.get(case), steps.get(case, []))
            for case in difference.cases
        ],
        **_measured(experiments),
    )


def with_remedies(explanation: Explanation, experiments: Experiments) -> Explanation:
    """Return an explanation with the algorithms that give losses back which its settings do not, if any does.

    `experiments`: those that it rests on. Raises UnfinishedError, FileError.
    """
    lost = [
        case for case in explanation.cases if case.is_lost and case.verdict != "not-shown" and not case.is_given_back
    ]
    if not lost:
        return explanation
    family, operations = _family(experiments), [case.operation for case in lost]
    manifest = experiments.manifest(explanation.new)
    choices = find_choices(manifest, family, operations, [explanation.processes], experiments.readers)
    try:
        remedies = find_remedies([(one.operation, one.bytes) for one in lost], choices, experiments)
    except OutOfMinutesError:
        return explanation.model_copy(update={"without_remedies": True, **_measured(experiments)})
    cases = [one.model_copy(update={"remedy": remedies.get((one.operation, one.bytes))}) for one in explanation.cases]
    return explanation.model_copy(update={"cases": cases, **_measured(experiments)})


def _measured(experiments: Experiments) -> dict[str, Any]:
    """Return what experiments took, as an explanation has it."""
    return {
        "blocks": experiments.blocks,
        "experiments": experiments.count,
        "launches": experiments.launches,
        "minutes": round(experiments.seconds / 60, 2),
    }


def _family(experiments: Experiments) -> Family:
    """Return the family of the two libraries."""
    return family_in(experiments.campaign, experiments.new)


def forward(names: Iterable[str], candidates: Candidates, experiments: Experiments) -> Setup:
    """Return the new stack with the old values of settings."""
    return experiments.new, set_back(candidates.chosen(names))


def backward(names: Iterable[str], candidates: Candidates, experiments: Experiments) -> Setup:
    """Return the old stack with the new values of settings; of those that it accepts."""
    settings = [one for one in candidates.chosen(names) if one.setting not in candidates.one_way]
    return experiments.old, {one.variable: one.new for one in settings}


Confirmed = tuple[Share | None, Share | None]


def _confirm(reasons: Answers[Found], candidates: Candidates, experiments: Experiments) -> dict[Case, Confirmed] | None:
    """Return what the causes of each case explain in fresh blocks: in the new library, and in the old one.

    None if there are no minutes for it.
    """
    cases = {case: frozenset(one.causes) for case, one in reasons.of_case.items() if one.causes}
    if not cases:
        return {}
    setups: dict[str, Setup] = {}
    names: dict[frozenset[str], tuple[str, str]] = {}
    for number, causes in enumerate(dict.fromkeys(cases.values()), 1):
        names[causes] = f"{experiments.new}.as-old-{number}"[-64:], f"{experiments.old}.as-new-{number}"[-64:]
        setups[names[causes][0]] = forward(causes, candidates, experiments)
        setups[names[causes][1]] = backward(causes, candidates, experiments)
    try:
        measured = experiments.measure(setups, cases)
    except OutOfMinutesError:
        return None

    def confirmed(case: Case, causes: frozenset[str]) -> Confirmed:
        there, back = (measured[name].get(case) for name in names[causes])
        # the old stack with the new values: what remains of the difference is what they do not explain
        return there, back and Share(1 - back.share, 1 - back.high, 1 - back.low)

    return {case: confirmed(case, causes) for case, causes in cases.items()}


def _explained(
    case: Case,
    reasons: Answers[Found],
    confirmed: dict[Case, Confirmed] | None,
    candidates: Candidates,
    ratio: float | None,
    steps: list[Step],
) -> ExplainedCase:
    """Return the result of a case. `confirmed`: None if there were no minutes for it."""
    result = ExplainedCase(operation=case[0], bytes=case[1], ratio=ratio, verdict="not-shown", steps=steps)
    reason = reasons.of_case.get(case)
    if case in reasons.unfinished or (reason is not None and reason.causes and confirmed is None):
        first = steps[0].effect if steps else None
        return result.model_copy(update={"verdict": "unfinished", "all_settings": first})
    there, back = (confirmed or {}).get(case, (None, None))
    if reason is None or (reason.causes and (there is None or back is None)):
        return result
    return result.model_copy(
        update={
            "verdict": _verdict(there, back),
            "causes": candidates.chosen(reason.causes),
            "all_settings": reason.all_settings.effect,
            "forward": there and there.effect,
            "backward": back and back.effect,
            "interact": reason.interact,
        }
    )


def _verdict(there: Share | None, back: Share | None) -> Verdict:
    if there is None or back is None:
        return "no-setting"
    if not there.matters:
        return "not-confirmed"
    return "explained" if back.matters else "one-direction"
