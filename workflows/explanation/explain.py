# SPDX-License-Identifier: BSD-3-Clause
"""Why two stacks of one library differ: all settings whose values differ, tried in experiments."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial

from isochron.common.files import FileError
from isochron.schemas.run.explanation import ExplainedCase, Explanation, Step, Verdict
from isochron.schemas.run.family import Family
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.manifest import Manifest
from isochron.schemas.run.plan import Point
from isochron.spack_envs.declarations import family_in
from isochron.workflows.explanation.algorithms import find_remedies
from isochron.workflows.explanation.candidates import Candidates, find_candidates
from isochron.workflows.explanation.experiments import Case, Experiments, Setup
from isochron.workflows.explanation.joint import search_jointly
from isochron.workflows.explanation.search import Found, Share, noted, search
from isochron.workflows.runs import comparison_of, point_of

#: Verdicts of a comparison that ask for a reason.
DIFFERENT = ("slower", "faster")
#: Cases of a pair that are followed.
MOST_CASES = 12
#: Half the width of the interval of a share above which more blocks are measured.
PRECISE = 0.15
#: The share from which on no other remedy is searched.
ENOUGH = 0.8


@dataclass(frozen=True)
class Difference:
    """Two stacks that differ in some cases, at one point. `cases`: as they are followed; `left`: how many are not."""

    old: str
    new: str
    point: Point
    cases: list[Case]
    left: int = 0


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


def explain(difference: Difference, experiments: Experiments) -> Explanation:
    """Measure what explains a difference. Raises UnfinishedError, FileError."""
    first = experiments.measure({}, difference.cases)[difference.old]
    cases = [case for case in difference.cases if first.get(case) is not None]
    old, new = experiments.manifest(difference.old), experiments.manifest(difference.new)
    operations = [operation for operation, _ in cases]
    candidates = find_candidates(
        old, new, _family(experiments).setting, operations, difference.point.processes, experiments.results / "readers"
    )
    settings = [one.setting for one in candidates.settings]
    steps: dict[Case, list[Step]] = {case: [] for case in cases}

    def note(case: Case, names: frozenset[str], share: Share) -> None:
        steps[case].append(Step(settings=[name for name in settings if name in names], effect=share.effect))

    reasons = search_jointly(
        {case: noted(search(settings), partial(note, case)) for case in cases},
        lambda number, one: (f"{experiments.new}.old-{number}"[-64:], forward(one, candidates, experiments)),
        experiments,
        PRECISE,
    )
    confirmed = _confirm(reasons, candidates, experiments)
    lost = [case for case in cases if experiments.ratios[case] > 1 and not _gives_back(confirmed.get(case))]
    choices = {name: listed for name, listed in candidates.algorithms.items() if name in dict(lost)}
    remedies = find_remedies(lost, choices, _family(experiments).algorithms_need, experiments)
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
        cases=[
            _explained(
                case, reasons.get(case), confirmed.get(case), candidates, experiments.ratios.get(case)
            ).model_copy(update={"remedy": remedies.get(case), "steps": steps.get(case, [])})
            for case in difference.cases
        ],
        blocks=experiments.blocks,
        experiments=experiments.count,
        launches=experiments.launches,
    )


def _family(experiments: Experiments) -> Family:
    """Return the family of the two libraries."""
    return family_in(experiments.campaign, experiments.new)


def _gives_back(confirmed: Confirmed | None) -> bool:
    """Return True if the old values of the causes give nearly all of a difference back."""
    return confirmed is not None and confirmed[0] is not None and confirmed[0].share >= ENOUGH


def forward(names: Iterable[str], candidates: Candidates, experiments: Experiments) -> Setup:
    """Return the new stack with the old values of settings."""
    return experiments.new, {one.variable: one.old for one in candidates.chosen(names)}


def backward(names: Iterable[str], candidates: Candidates, experiments: Experiments) -> Setup:
    """Return the old stack with the new values of settings; of those that it accepts."""
    settings = [one for one in candidates.chosen(names) if one.setting not in candidates.one_way]
    return experiments.old, {one.variable: one.new for one in settings}


Confirmed = tuple[Share | None, Share | None]


def _confirm(reasons: Mapping[Case, Found], candidates: Candidates, experiments: Experiments) -> dict[Case, Confirmed]:
    """Return what the causes of each case explain in fresh blocks: in the new library, and in the old one."""
    cases = {case: frozenset(one.causes) for case, one in reasons.items() if one.causes}
    if not cases:
        return {}
    setups: dict[str, Setup] = {}
    names: dict[frozenset[str], tuple[str, str]] = {}
    for number, causes in enumerate(dict.fromkeys(cases.values()), 1):
        names[causes] = f"{experiments.new}.as-old-{number}"[-64:], f"{experiments.old}.as-new-{number}"[-64:]
        setups[names[causes][0]] = forward(causes, candidates, experiments)
        setups[names[causes][1]] = backward(causes, candidates, experiments)
    measured = experiments.measure(setups, cases)

    def confirmed(case: Case, causes: frozenset[str]) -> Confirmed:
        there, back = (measured[name].get(case) for name in names[causes])
        # the old stack with the new values: what remains of the difference is what they do not explain
        return there, back and Share(1 - back.share, 1 - back.high, 1 - back.low)

    return {case: confirmed(case, causes) for case, causes in cases.items()}


def _explained(
    case: Case, reason: Found | None, confirmed: Confirmed | None, candidates: Candidates, ratio: float | None
) -> ExplainedCase:
    """Return the result of a case."""
    there, back = confirmed or (None, None)
    if reason is None or (reason.causes and (there is None or back is None)):
        return ExplainedCase(operation=case[0], bytes=case[1], ratio=ratio, verdict="not-shown")
    return ExplainedCase(
        operation=case[0],
        bytes=case[1],
        ratio=ratio,
        verdict=_verdict(there, back),
        causes=candidates.chosen(reason.causes),
        all_settings=reason.all_settings.effect,
        forward=there and there.effect,
        backward=back and back.effect,
        interact=reason.interact,
    )


def _verdict(there: Share | None, back: Share | None) -> Verdict:
    if there is None or back is None:
        return "no-setting"
    if not there.matters:
        return "not-confirmed"
    return "explained" if back.matters else "one-direction"
