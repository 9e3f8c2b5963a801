# SPDX-License-Identifier: BSD-3-Clause
"""Launches that were refused: measured again, or missing."""

from isochron.postprocess.formatting import numbers
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.finding import Finding
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.attempts.table import ATTEMPTS


def refused(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """How many launches were refused, and which stacks lack some because of that."""
    table = analysis[ATTEMPTS]
    if not len(table):
        return []
    named = table[table["launch"] != ""]
    last = named.drop_duplicates("launch", keep="last")
    again, lost = last[last["measured"].astype(bool)], last[~last["measured"].astype(bool)]
    planned = numbers.count(len(inputs.plan.launches), "planned launch", "planned launches")
    texts = []
    if len(again):
        texts.append(f"{len(again)} of {planned} {_were(len(again))} refused and measured again.")
    if len(lost):
        stacks = numbers.listing([f"{stack} lacks {len(rows)}" for stack, rows in lost.groupby("stack", sort=False)])
        texts.append(f"{len(lost)} of {planned} {_were(len(lost))} refused and not measured since: {stacks}.")
    unknown = len(table) - len(named)
    if unknown:
        texts.append(f"{numbers.count(unknown, 'attempt')} at a block left no readable outcome.")
    details = [
        f"{row['launch'] or row['block']}, attempt {row['attempt']}: {row['reason']}"
        for row in table.to_dict("records")
    ]
    shown: dict[str, float | int | str] = {"launches_again": len(again), "launches_lost": len(lost)}
    shown["attempts_without_outcome"] = unknown
    return [Finding(kind="attempts", severity="note", text=" ".join(texts), details=details, numbers=dict(shown))]


def _were(number: int) -> str:
    return "was" if number == 1 else "were"
