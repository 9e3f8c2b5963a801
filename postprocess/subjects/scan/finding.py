# SPDX-License-Identifier: BSD-3-Clause
"""Nodes and links that are slower than the others."""

import pandas as pd

from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.finding import Finding
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.scan.table import SCAN

MAX_LINES = 50


def slow_places(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """One finding of a scan: the slow nodes and links, or that there are none."""
    table = analysis[SCAN]
    if inputs.campaign.scan is None or not len(table):
        return []
    slow = table[table["verdict"] == "slow"].sort_values("ratio", ascending=False, kind="stable")
    threshold = numbers.given_percent(inputs.campaign.analysis.threshold)
    nodes = table["host"].nunique() if inputs.campaign.scan == "nodes" else len({*table["host"], *table["peer"]} - {""})
    shown: dict[str, float | int | str] = {
        "nodes": nodes,
        "slow_nodes": slow.loc[slow["unit"] == "node", "host"].nunique(),
        "slow_links": len(slow.loc[slow["unit"] == "link", ["host", "peer"]].drop_duplicates()),
    }
    if not len(slow):
        what = "node or link" if inputs.campaign.scan == "pairs" else "node"
        text = f"Of {nodes} scanned nodes no {what} is established as slower than the others by more than {threshold}."
        return [Finding(kind="scan", severity="note", text=text, numbers=shown)]
    names = slow.drop_duplicates(["unit", "host", "peer"])
    text = (
        f"Of {nodes} scanned nodes {numbers.count(len(names), 'place')} {numbers.are(len(names))} slower than the "
        f"others by more than {threshold}: {numbers.listing([_name(row) for row in names.head(8).to_dict('records')])}"
        f"{f' and {len(names) - 8} more' if len(names) > 8 else ''}."
    )
    return [Finding(kind="scan", severity="warning", text=text, details=_lines(slow), numbers=shown)]


def _name(row: dict[object, object]) -> str:
    return f"node {row['host']}" if row["unit"] == "node" else f"the link {row['host']}–{row['peer']}"


def _lines(slow: pd.DataFrame) -> list[str]:
    return [
        f"{_name(row)}, {row['stack']}, {labels.timed(row['operation'])}"
        f"{', ' + numbers.size(row['bytes']) if row['bytes'] else ''}: {numbers.microseconds(row['time_us'])} µs, "
        f"{numbers.ratio(row['ratio'])} times the median (p {numbers.significant(row['p_adjusted'], 2)})"
        for row in slow.head(MAX_LINES).to_dict("records")
    ]
