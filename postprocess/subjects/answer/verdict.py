# SPDX-License-Identifier: BSD-3-Clause
"""An answer in words: the verdict, a sentence, four numbers, and what to do next."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

import pandas as pd

from isochron.postprocess.estimate.answer.decision import ALL, NONE_DECIDED, UNRELIABLE, Decision
from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.subjects.explanation.advice import advice_sentence, load_advice
from isochron.postprocess.subjects.explanation.finding import load_explanations, reasons_sentence
from isochron.schemas.run.advice import Advice
from isochron.stats.job_components import CANNOT

#: The decisions in the order in which they stand on the page.
ORDER = ("keep-baseline", "undecided", "upgrade", "adopt")

#: Verdicts that are counted beside those of one word, and how.
FURTHER = {
    "depends": "dependent on the regime of the machine",
    "not-slower": "not slower",
    "not-faster": "not faster",
}


#: Why no stack is to be taken, whatever its ratios are.
OBJECTIONS = {
    UNRELIABLE: "more than a quarter of the results are not reliable",
    NONE_DECIDED: "no comparison shows or excludes a difference",
}


#: The label of the largest loss.
LOSS = "Worst loss"


@dataclass(frozen=True)
class Figure:
    """A number that decides, its interval, and where it was found (empty: there is nothing to say)."""

    label: str
    value: str
    interval: str
    where: str


@dataclass(frozen=True)
class Step:
    """What to do next: words, and a command to copy or the anchor of a place to look at."""

    text: str
    command: str


def word(line: Mapping[Any, Any], inputs: RunInputs) -> str:
    """`Do not upgrade`, `Safe to upgrade`, `Upgrade with settings`; between different libraries one switches."""
    if line["decision"] == "undecided":
        return "Undecided"
    if line["decision"] == "adopt":
        return f"Take {line['candidate']}"
    sides = [inputs.manifests[stack] for stack in (line["baseline"], line["candidate"]) if stack in inputs.manifests]
    newer = len({side.mpi_library for side in sides}) == 1 and len({side.mpi_version for side in sides}) > 1
    verb = "upgrade" if newer else "switch"
    advice = _advice(line, inputs)
    if advice is not None and advice.holds:
        return f"{verb.capitalize()} with settings"
    return f"{'Do not' if line['decision'] == 'keep-baseline' else 'Safe to'} {verb}"


def sentence(line: Mapping[Any, Any], decision: Decision, inputs: RunInputs) -> str:
    """What the verdict rests on."""
    counts, loss = _counts(line["candidate"], decision), _accepted_loss(inputs)
    if line["baseline"] == ALL:
        parts = [_choice(line), counts]
    elif line["decision"] == "keep-baseline":
        advice = _advice(line, inputs)
        set_back = "" if advice is None else advice_sentence(advice)
        loses = _takes(decision.regressed.iloc[0], inputs)
        parts = [loses, on_the_whole(line, "it"), _counts("it", decision), _reasons(line, inputs), set_back]
    elif line["decision"] == "upgrade":
        parts = [counts, f"Nowhere can it be slower by more than {loss}.", on_the_whole(line)]
    elif line["objection"]:
        parts = [f"{OBJECTIONS[line['objection']].capitalize()}.", on_the_whole(line), counts]
    else:
        parts = [on_the_whole(line), counts, _at_worst(line["possible_ratio"], loss)]
    return " ".join(filter(None, [*parts, again(line), another_job(line)]))


def _advice(line: Mapping[Any, Any], inputs: RunInputs) -> Advice | None:
    """What is known to give the losses of the answer back."""
    if line["decision"] != "keep-baseline":
        return None
    return load_advice(inputs, str(line["baseline"]), str(line["candidate"]))


def _reasons(line: Mapping[Any, Any], inputs: RunInputs) -> str:
    """Why the candidate loses, as far as that was asked."""
    pair = line["baseline"], line["candidate"]
    known = next((one for one in load_explanations(inputs) if (one.old, one.new) == pair), None)
    return "" if known is None else reasons_sentence(known)


def again(line: Mapping[Any, Any]) -> str:
    """How many of its claims hold for further runs; nothing after one run, or where nothing is claimed."""
    claims, holding, runs = (int(line[f"again_{name}"]) for name in ("claims", "hold", "runs"))
    if not claims or runs < 2:
        return ""
    return f"Judged by {runs} runs, {holding} of {numbers.count(claims, 'verdict')} also hold for further runs."


def another_job(line: Mapping[Any, Any]) -> str:
    """What of it another job on this machine would show, or why it is not known; nothing where no job is known."""
    jobs, claims, held, runs = (int(line[name]) for name in ("jobs", "again_claims", "job_hold", "job_earlier_runs"))
    if jobs == 0:
        return ""
    if jobs == 1 and runs == 0:
        return f"This holds in this job; for another on this machine, {CANNOT}."
    low, high = line["job_low"], line["job_high"]
    parts = [
        f"the ratio on the whole lies in {numbers.ratio_interval(low, high)}" if isfinite(low) else "",
        f"{held} of {numbers.count(claims, 'verdict')} also hold" if claims else "",
    ]
    said = " and ".join(filter(None, parts))
    if not said:
        return f"For another job on this machine, cannot forecast: no case has both stacks in each of {jobs} jobs."
    rests = f"{numbers.count(jobs, 'job')}{labels.from_earlier(runs)}"
    return f"In another job on this machine, {said} with 90{numbers.GAP}% (from {rests})."


def _at_worst(ratio: float, loss: str) -> str:
    """The largest ratio that is not excluded; nothing if it is not known."""
    if not isfinite(ratio):
        return ""
    times = numbers.significant(ratio)
    return f"Where a loss of more than {loss} is not excluded, it is at worst {times} times as slow."


def on_the_whole(line: Mapping[Any, Any], stack: str = "") -> str:
    """`On the whole mpich-5.0 is 29 % slower (1.29× [1.25; 1.33]).`; nothing if it has no interval.

    `stack`: what it is called if not by its name.
    """
    ratio, low, high = (line[f"effect_{name}"] for name in ("ratio", "low", "high"))
    if not isfinite(low):
        return ""
    established = difference(line)
    said = f"{stack or line['candidate']} is {established}" if established else "no difference is established"
    left_out = int(line["effect_left_out"])
    without = f"; without {numbers.count(left_out, 'comparison')} in two states" if left_out else ""
    return f"On the whole {said} ({numbers.ratio(ratio)} {numbers.ratio_interval(low, high)}{without})."


def difference(line: Mapping[Any, Any]) -> str:
    """`29 % slower`: the pooled effect if it is established; else nothing."""
    ratio = line["effect_ratio"]
    if line["effect_low"] > 1:
        return f"{numbers.percent(ratio - 1)} slower"
    return f"{numbers.percent(1 / ratio - 1)} faster" if line["effect_high"] < 1 else ""


def _accepted_loss(inputs: RunInputs) -> str:
    """`5 %`, or `5 % (2 % in allreduce, 10 % in bcast 4KiB)` if the question has another one for some cases."""
    question = inputs.campaign.question
    usual = numbers.given_percent(question.max_loss or inputs.campaign.analysis.threshold)
    others = [f"{numbers.given_percent(loss)} in {name}" for name, loss in question.max_loss_by_case.items()]
    return f"{usual} ({', '.join(others)})" if others else usual


def _takes(row: pd.Series, inputs: RunInputs) -> str:
    """`mpich-5.0 takes at least 2.50× the time of mpich-4.3 in alltoall at 8 B.`; what is measured is a figure."""
    where, times = labels.case(row.to_dict(), inputs), numbers.factor_at_least(row["least"])
    return f"{row['stack']} takes at least {times}× the time of {row['other']} in {where}."


def _choice(line: Mapping[Any, Any]) -> str:
    others = [stack for stack in str(line["contenders"]).split(",") if stack != line["candidate"]]
    if line["objection"]:
        return f"On the whole {line['candidate']} leads, but {OBJECTIONS[line['objection']]}."
    if line["decision"] == "adopt":
        lead = numbers.ratio(line["effect_ratio"]), numbers.ratio_interval(line["effect_low"], line["effect_high"])
        return f"On the whole {line['candidate']} is the fastest ({' '.join(lead)} of the time of {line['nearest']})."
    return f"On the whole {line['candidate']} leads, but {numbers.listing(others)} may be as fast."


def _counts(stack: str, decision: Decision) -> str:
    """`Of 21 comparisons, mpich-5.0 is slower in 8, equivalent in 3, not slower in 4 and inconclusive in 6.`"""
    parts = [
        f"{phrase} in {number}"
        for phrase, number in (
            ("slower", len(decision.slower)),
            ("faster", len(decision.faster)),
            ("equivalent", decision.equal),
            *zip(FURTHER.values(), (decision.dependent, decision.not_slower, decision.not_faster), strict=True),
            ("inconclusive", decision.open),
        )
        if number
    ]
    comparisons = numbers.count(decision.cases, "comparison")
    return f"Of {comparisons}, {stack} is {numbers.listing(parts)}." if parts else "There is nothing to compare."


def figures(line: Mapping[Any, Any], decision: Decision, inputs: RunInputs) -> list[Figure]:
    """Worst loss, best gain, the effect over all, how many comparisons are decided, and how many are not slower."""

    def extreme(label: str, rows: pd.DataFrame) -> Figure:
        if rows.empty:
            return Figure(label, "none", "established", "")
        row = rows.iloc[0]
        where = labels.case(row.to_dict(), inputs)
        against = f", against {row['other']}" if line["baseline"] == ALL else ""
        ratio, least = (value if label == LOSS else 1 / value for value in (row["ratio"], row["least"]))
        return Figure(label, numbers.ratio(ratio), f"at least {numbers.factor_at_least(least)}", where + against)

    low, high = line["effect_low"], line["effect_high"]
    interval = numbers.ratio_interval(low, high) if isfinite(low) else ""
    weighted = "weighted" if inputs.campaign.question.weights else ""
    against = f"against {line['nearest']}" if line["baseline"] == ALL else ""
    where = ", ".join(filter(None, (weighted, against)))
    not_slower = f"{decision.not_slower} more not slower" if decision.not_slower else ""
    return [
        extreme(LOSS, decision.slower),
        extreme("Best gain", decision.faster),
        Figure("On the whole", numbers.ratio(line["effect_ratio"]), interval, where),
        Figure("Decided", f"{decision.decided} of {decision.cases}", not_slower, "comparisons"),
    ]


def next_step(line: Mapping[Any, Any], decision: Decision, inputs: RunInputs, anchor: str) -> Step:
    """What to do now. `anchor`: where the comparisons stand."""
    campaign = inputs.campaign
    if line["decision"] == "keep-baseline":
        return _why(line, inputs) or Step("See where it loses, and tell the library's developers:", f"#{anchor}")
    if line["decision"] in ("upgrade", "adopt"):
        return Step("After the change, measure again:", f"isochron run {campaign.name} --new")
    if line["objection"] == UNRELIABLE:
        return Step("See what makes results unreliable, mend it, and measure again:", "#verdicts")
    if decision.blocks:
        stacks = campaign.stacks if line["baseline"] == ALL else [line["baseline"], line["candidate"]]
        turns = " of turns" if campaign.replication.design == "turns" else ""
        return Step(
            f"{decision.blocks} blocks{turns} instead of {campaign.replication.blocks}, "
            f"{about_minutes(line['minutes_needed'])} of measuring, are likely to settle {decision.settled} of "
            f"{numbers.count(len(decision.at_risk), 'comparison')} that may be slower:",
            settling(inputs, stacks, decision.blocks),
        )
    if len(decision.at_risk) and decision.at_risk["verdict"].eq("depends").all():
        return Step("It depends on the regime of the machine: see the ratio in each:", f"#{anchor}")
    return Step("More blocks are unlikely to decide it; measure when the machine is quieter.", "isochron doctor")


def _why(line: Mapping[Any, Any], inputs: RunInputs) -> Step | None:
    """How to find out why a version of a library is slower, or where that stands; None of different libraries."""
    sides = [inputs.manifests.get(str(line[side])) for side in ("baseline", "candidate")]
    libraries = {manifest.mpi_library for manifest in sides if manifest is not None and not manifest.simulation}
    if None in sides or len(libraries) != 1:
        return None
    advice = _advice(line, inputs)
    if advice is not None and advice.settings:
        return Step("Set this, and confirm it in another job:", f"isochron advise {inputs.campaign.name} --new")
    pair = {line["baseline"], line["candidate"]}
    cases = [case for each in load_explanations(inputs) if {each.old, each.new} == pair for case in each.cases]
    if cases:
        if advice is None and any(case.causes or case.remedy for case in cases if case.is_lost):
            return Step("Try which settings to set:", f"isochron advise {inputs.campaign.name}")
        return Step("See why, and tell the library's developers:", "#explanation")
    return Step("Find out which settings make it slower:", f"isochron explain {inputs.campaign.name}")


def about_minutes(minutes: float) -> str:
    """`about 2 minutes`."""
    return f"about {numbers.count(max(1, round(minutes)), 'minute')}"


def settling(inputs: RunInputs, stacks: list[str], blocks: int | str) -> str:
    """The command that measures these stacks alone, in so many blocks."""
    return f"isochron run {inputs.campaign.name} --new --stacks {','.join(stacks)} --blocks {blocks}"
