# SPDX-License-Identifier: BSD-3-Clause
"""Rows that were measured again because they were in doubt."""

from isochron.postprocess.estimate.values.verdicts import RESULT_VERDICTS
from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.finding import Finding
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.results.table import SUMMARY
from isochron.postprocess.subjects.verdicts.table import REMEASURED


def remeasured(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """How the second results compare with the first."""
    table = analysis[REMEASURED]
    if not len(table):
        return []
    differing = table[table["outcome"] == "differs"]
    agreeing = len(table) - len(differing)
    text = (
        f"{numbers.count(len(table), 'result')} {'was' if len(table) == 1 else 'were'} in doubt and measured again: "
        f"{agreeing} {'agrees' if agreeing == 1 else 'agree'} with the first result, and {len(differing)} "
        f"{'differs' if len(differing) == 1 else 'differ'}. "
        "Values rest on all launches, the first ones and the further ones."
    )
    lines = [
        f"{row['stack']}, {labels.case(row, inputs)}: {numbers.microseconds(row['first_median_us'])}{numbers.GAP}µs, "
        f"then {numbers.microseconds(row['again_median_us'])}{numbers.GAP}µs ({row['outcome']}); {row['reason']}"
        for row in table.to_dict("records")
    ]
    shown: dict[str, float | int | str] = {"rows_again": len(table), "rows_differing": len(differing)}
    severity = "warning" if len(differing) else "note"
    return [Finding(kind="remeasured", severity=severity, text=text, details=lines, numbers=shown)]


def unreliable(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """Rows that are not reliable, by verdict."""
    rows = analysis[SUMMARY]
    bad = rows[~rows["reliable"]]
    if not len(bad):
        text = f"All {numbers.count(len(rows), 'result')} are reliable: enough of their launches are ok."
        return (
            [Finding(kind="unreliable", severity="note", text=text, numbers={"rows": len(rows)})] if len(rows) else []
        )
    counts = {verdict: int((bad["verdict"] == verdict).sum()) for verdict in RESULT_VERDICTS}
    parts = [f"{number} {verdict}" for verdict, number in counts.items() if number]
    return [
        Finding(
            kind="unreliable",
            severity="warning",
            text=f"{len(bad)} of {numbers.count(len(rows), 'result')} {numbers.are(len(bad))} not reliable: "
            f"{numbers.listing(parts)}. "
            "Comparisons leave them out, but those in turns use what is only unstable: its ratio may be stable.",
            details=[f"{row['stack']}, {labels.case(row, inputs)}: {row['reason']}" for row in bad.to_dict("records")],
            numbers={"rows_unreliable": len(bad), "rows": len(rows)},
        )
    ]


def dependent(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """Reliable results whose interval is not valid, since their launches are not independent."""
    rows = analysis[SUMMARY][analysis[SUMMARY]["reliable"]]
    bad = rows[rows["interval_validity"] == "no"]
    if not len(bad):
        return []
    return [
        Finding(
            kind="dependent",
            severity="note",
            text=f"The interval of {len(bad)} of {numbers.count(len(rows), 'reliable result')} is not valid: "
            "consecutive launches are correlated. What both stacks have in common in a block cancels in comparisons; "
            "what one stack has alone does not.",
            details=[
                f"{row['stack']}, {labels.case(row, inputs)}: {row['interval_reason']}"
                for row in bad.to_dict("records")
            ],
            numbers={"rows_dependent": len(bad), "rows_reliable": len(rows)},
        )
    ]
