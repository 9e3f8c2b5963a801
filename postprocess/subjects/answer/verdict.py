# SPDX-License-Identifier: BSD-3-Clause
"""An answer in words: the verdict, a sentence, four numbers, and what to do next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Any

import pandas as pd

from isochron.postprocess.estimate.answer.decision import ALL, Decision
from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.ingest.inputs import RunInputs

#: The decisions in the order in which they stand on the page.
ORDER = ("keep-baseline", "undecided", "upgrade", "adopt")


@dataclass(frozen=True)
class Figure:
    """A number that decides, its interval, and where it was found."""

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
    """`Do not upgrade`; between different libraries one switches."""
    if line["decision"] == "undecided":
        return "Undecided"
    if line["decision"] == "adopt":
        return f"Take {line['candidate']}"
    sides = [inputs.manifests[stack] for stack in (line["baseline"], line["candidate"]) if stack in inputs.manifests]
    newer = len({side.mpi_library for side in sides}) == 1 and len({side.mpi_version for side in sides}) > 1
    verb = "upgrade" if newer else "switch"
    return f"Do not {verb}" if line["decision"] == "keep-baseline" else verb.capitalize()


def sentence(line: Mapping[Any, Any], decision: Decision, inputs: RunInputs) -> str:
    """What the verdict rests on."""
    counts = _counts(line["candidate"], decision)
    if line["baseline"] == ALL:
        return f"{_choice(line)} {counts}"
    if line["decision"] == "keep-baseline":
        return f"{_takes(decision.regressed.iloc[0], inputs)} {counts}"
    if line["decision"] == "upgrade":
        return f"{counts} Nowhere can it be slower by more than {numbers.given_percent(inputs.tolerated)}."
    bound = line["possible_ratio"]
    worst = f"{counts} Where that is not shown, it is at worst {numbers.significant(bound)} times as slow."
    return worst if isfinite(bound) else counts


def _takes(row: pd.Series, inputs: RunInputs) -> str:
    """`mpich-5.0 takes 2.70 times as long as mpich-4.3 in alltoall at 8 B.`"""
    where = labels.case(row.to_dict(), inputs)
    return f"{row['stack']} takes {numbers.significant(row['ratio'])} times as long as {row['other']} in {where}."


def _choice(line: Mapping[Any, Any]) -> str:
    others = [stack for stack in str(line["contenders"]).split(",") if stack != line["candidate"]]
    if line["decision"] == "adopt":
        return f"On the whole {line['candidate']} is the fastest."
    return f"On the whole {line['candidate']} leads, but {numbers.listing(others)} may be as fast."


def _counts(stack: str, decision: Decision) -> str:
    """`Of 21 comparisons it is slower in 8, equivalent in 3 and inconclusive in 10.`"""
    parts = [
        f"{phrase} in {number}"
        for phrase, number in (
            ("slower", len(decision.slower)),
            ("faster", len(decision.faster)),
            ("equivalent", decision.equal),
            ("inconclusive", decision.open),
        )
        if number
    ]
    comparisons = numbers.count(decision.cases, "comparison")
    return f"Of {comparisons}, {stack} is {numbers.listing(parts)}." if parts else "There is nothing to compare."


def figures(line: Mapping[Any, Any], decision: Decision, inputs: RunInputs) -> list[Figure]:
    """Worst loss, best gain, the effect over all, and how many comparisons are decided."""

    def extreme(label: str, rows: pd.DataFrame) -> Figure:
        if rows.empty:
            return Figure(label, "none", "", "established")
        row = rows.iloc[0]
        where = labels.case(row.to_dict(), inputs)
        against = f", against {row['other']}" if line["baseline"] == ALL else ""
        interval = numbers.ratio_interval(row["ratio_low"], row["ratio_high"])
        return Figure(label, numbers.ratio(row["ratio"]), interval, where + against)

    low, high = line["effect_low"], line["effect_high"]
    interval = numbers.ratio_interval(low, high) if isfinite(low) else ""
    alike = "weighted" if inputs.campaign.question.weights else "each alike"
    against = f", against {line['nearest']}" if line["baseline"] == ALL else ""
    return [
        extreme("Worst loss", decision.slower),
        extreme("Best gain", decision.faster),
        Figure("On the whole", numbers.ratio(line["effect_ratio"]), interval, alike + against),
        Figure("Decided", f"{decision.cases - decision.open} of {decision.cases}", "", "comparisons"),
    ]


def next_step(line: Mapping[Any, Any], decision: Decision, inputs: RunInputs, anchor: str) -> Step:
    """What to do now. `anchor`: where the comparisons stand."""
    campaign = inputs.campaign
    if line["decision"] == "keep-baseline":
        return Step("See where it loses, and tell the library's developers:", f"#{anchor}")
    if line["decision"] in ("upgrade", "adopt"):
        return Step("After the change, measure again:", f"isochron run {campaign.name} --new")
    if decision.blocks:
        stacks = campaign.stacks if line["baseline"] == ALL else [line["baseline"], line["candidate"]]
        return Step(
            f"{decision.blocks} blocks instead of {campaign.replication.blocks} are likely to settle "
            f"{decision.settled} of {numbers.count(len(decision.at_risk), 'comparison')} that may be slower:",
            settling(inputs, stacks, decision.blocks),
        )
    return Step("More blocks are unlikely to decide it; measure when the machine is quieter.", "isochron doctor")


def settling(inputs: RunInputs, stacks: list[str], blocks: int | str) -> str:
    """The command that measures these stacks alone, in so many blocks."""
    return f"isochron run {inputs.campaign.name} --new --stacks {','.join(stacks)} --blocks {blocks}"
