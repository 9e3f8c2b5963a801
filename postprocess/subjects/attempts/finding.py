# SPDX-License-Identifier: BSD-3-Clause
"""Launches that were refused: measured again, or missing."""

from __future__ import annotations

import pandas as pd

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
        stacks = numbers.listing([f"{stack} lacks {number}" for stack, number in _by_stack(lost).items()])
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


def _by_stack(rows: pd.DataFrame) -> dict[str, int]:
    return {str(stack): len(stack_rows) for stack, stack_rows in rows.groupby("stack", sort=False)}
