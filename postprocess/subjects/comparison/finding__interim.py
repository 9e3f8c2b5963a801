# SPDX-License-Identifier: BSD-3-Clause
"""When the comparisons of a sequential campaign were decided, and what that has saved."""

from __future__ import annotations

from isochron.postprocess.formatting import numbers__numbers as numbers
from isochron.postprocess.ingest.inputs__inputs import RunInputs
from isochron.postprocess.kit.finding import Finding
from isochron.postprocess.kit.table__analysis import Analysis
from isochron.postprocess.subjects.comparison.table import COMPARISON


def interim(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """Nothing of other campaigns."""
    campaign, table = inputs.campaign, analysis[COMPARISON]
    if not campaign.replication.sequential or not len(table):
        return []
    most = campaign.replication.blocks
    early = table[(table["decided_after"] > 0) & (table["decided_after"] < most)]
    still = int((table["verdict"] == "inconclusive").sum())
    text = (
        f"Looks before the end decided {len(early)} of {numbers.count(len(table), 'comparison')}, which were then "
        f"measured no more; {still} {'is' if still == 1 else 'are'} open. The looks share the level of the tests, so a "
        "verdict is as sure as after all blocks."
    )
    counts = table.loc[table["decided_after"] > 0, "decided_after"].value_counts().sort_index()
    lines = [
        f"after {blocks} of {most} blocks: {numbers.count(int(each), 'comparison')}" for blocks, each in counts.items()
    ]
    shown: dict[str, float | int | str] = {"decided_early": len(early), "open": still}
    return [Finding(kind="looks", severity="note", text=text, details=lines, numbers=shown)]
