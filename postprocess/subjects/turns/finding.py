# SPDX-License-Identifier: BSD-3-Clause
"""Stacks whose threads work while they wait for their turn, and stacks that are slower in company."""

from typing import Any

import pandas as pd

from isochron.postprocess.estimate.compare.company import LIMIT, MAX_SLEPT_SHARE, PLACE
from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.finding import Finding
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.turns.table import COMPANY, COMPANY_CASES

#: What the ratio of each effect is.
MEANINGS = {
    "carry-over": "in the first pass of a turn are {} those in the next pass, before which no other library ran",
    "presence": "in turns are {} those when the other libraries had ended",
}
#: Cases that are named; the table has all.
MAX_LINES = 10


def not_asleep(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """A warning for each stack at a point that does not sleep while others have their turns."""
    table = analysis[COMPANY].drop_duplicates(PLACE)
    return [_not_asleep(row, inputs) for row in table[table["sleep"] == "not-asleep"].to_dict("records")]


def price(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """A warning for each stack at a point that an effect changes by more than the limit, in any case or in all."""
    cases = analysis[COMPANY_CASES]
    beyond = cases[cases["verdict"].isin(["slower", "faster"])]
    findings = []
    for row in analysis[COMPANY].to_dict("records"):
        keys = [*PLACE, "effect"]
        own = beyond[(beyond[keys] == [row[name] for name in keys]).all(axis=1)]
        if len(own) or row["verdict"] in ("slower", "faster"):
            findings.append(_price(row, own, inputs))
    return findings


def _not_asleep(row: dict[Any, Any], inputs: RunInputs) -> Finding:
    share, blocks = row["slept_share"], int(row["blocks_not_asleep"])
    text = (
        f"{_place(row, inputs)} was not asleep while it waited for its turn: its threads took {numbers.percent(share)} "
        f"of a core in all, and more than {numbers.given_percent(MAX_SLEPT_SHARE)} in "
        f"{numbers.count(blocks, 'block')}. They disturb whatever is measured beside it, so no ratio in turns of this "
        "run is that of two undisturbed libraries. Switch its progress threads off, or measure it with "
        "`replication.design: random`."
    )
    shown: dict[str, float | int | str | None] = {"stack": str(row["stack"]), "slept_share": share, "blocks": blocks}
    return Finding(kind="not-asleep", severity="warning", text=text, numbers=shown)


def _price(row: dict[Any, Any], cases: pd.DataFrame, inputs: RunInputs) -> Finding:
    """The stack, and those of its cases that differ, the slower ones first."""
    slower, faster = (int((cases["verdict"] == verdict).sum()) for verdict in ("slower", "faster"))
    parts = [
        f"{word} in {numbers.count(count, 'case')}" for word, count in (("slower", slower), ("faster", faster)) if count
    ]
    if row["verdict"] in ("slower", "faster"):
        parts.insert(0, f"{row['verdict']} on the whole")
    meaning = MEANINGS[row["effect"]].format(numbers.ratio_with_interval(row))
    text = (
        f"{_place(row, inputs)} is {numbers.listing(parts)} only because of company, by more than "
        f"{numbers.given_percent(LIMIT)}: over all cases its times {meaning}. Its values in microseconds and "
        "its ratios in turns include this."
    )
    ordered = cases.sort_values("ratio", ascending=False).head(MAX_LINES).to_dict("records")
    shown: dict[str, float | int | str | None] = {"stack": str(row["stack"]), "effect": str(row["effect"])}
    shown |= {name: row[name] for name in ("ratio", "ratio_low", "ratio_high")}
    return Finding(
        kind="company",
        severity="warning" if slower or row["verdict"] == "slower" else "note",
        text=text,
        details=[f"{labels.case(case, inputs)}: {numbers.ratio_with_interval(case)}" for case in ordered],
        numbers=shown | {"slower_cases": slower, "faster_cases": faster},
    )


def _place(row: dict[Any, Any], inputs: RunInputs) -> str:
    several = len({launch.point.label for launch in inputs.plan.launches}) > 1
    return f"{row['stack']} with {labels.point(row)}" if several else str(row["stack"])
