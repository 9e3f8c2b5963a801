# SPDX-License-Identifier: BSD-3-Clause
"""What a stack would make of a program, as a sentence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from isochron.postprocess.formatting import numbers__numbers as numbers

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
    told = {
        "slower": "",
        "faster": "",
        "equivalent": ", which is no difference in practice",
        "inconclusive": ", which decides nothing",
    }[row["verdict"]]
    return (
        f"{row['program']}'s MPI time would change by {value} [{numbers.fixed(low, decimals)}; "
        f"{numbers.fixed(high, decimals)}] with {row['candidate']}{told}; {numbers.percent(row['covered_share'])} "
        f"of it is in measured calls, and their times account for {numbers.percent(row['explained_share'])} of that."
    )
