# SPDX-License-Identifier: BSD-3-Clause
"""What a stack would change for programs that were profiled, as sentences."""

from collections.abc import Mapping
from typing import Any

from isochron.postprocess.formatting import numbers
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.finding import Finding
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.profiles.table import PROGRAMS

#: What the number leaves out, whatever the program.
LEFT_OUT = (
    "Waiting for processes that come late and overlap with the program's own work are not predicted: the interval "
    "holds both that what the campaign's times do not account for stays as it is, and that it changes as they do."
)


def sentence(row: Mapping[Any, Any]) -> str:
    """`solver's MPI time would change by +3.1 % [1.2; 5.0] with openmpi-5.0`, or why that is not said.

    `row`: a line of `profiles.csv`.
    """
    if row["verdict"] == "not-predicted":
        with_it = f" with {row['candidate']}" if row["candidate"] else ""
        return f"What {row['program']} would take{with_it} is not predicted: {row['reason']}."
    change, low, high = (100 * (row[name] - 1) for name in ("ratio", "ratio_low", "ratio_high"))
    decimals = numbers.decimals_for(change, low, high)
    value = f"{'+' if change > 0 else ''}{numbers.fixed(change, decimals)}{numbers.GAP}%"
    phrases = {
        "slower": "",
        "faster": "",
        "equivalent": ", which is no difference in practice",
        "inconclusive": ", which decides nothing",
    }[row["verdict"]]
    return (
        f"{row['program']}'s MPI time would change by {value} [{numbers.fixed(low, decimals)}; "
        f"{numbers.fixed(high, decimals)}] with {row['candidate']}{phrases}; {numbers.percent(row['covered_share'])} "
        f"of it is in measured calls, and their times account for {numbers.percent(row['explained_share'])} of that."
    )


def profiled(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """A finding for each program and stack."""
    rows = analysis[PROGRAMS].to_dict("records") if inputs.campaign.analysis.profiles else []
    return [
        Finding(
            kind="profiled",
            severity="note" if row["verdict"] in ("not-predicted", "inconclusive") else "result",
            text=sentence(row),
            details=[] if row["verdict"] == "not-predicted" else [LEFT_OUT],
            numbers={name: row[name] for name in ("program", "candidate", "ratio", "ratio_low", "ratio_high")}
            if row["verdict"] != "not-predicted"
            else {},
        )
        for row in rows
    ]
