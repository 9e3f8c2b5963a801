# SPDX-License-Identifier: BSD-3-Clause
"""Stacks that take longer to start, or to end, than the first."""

import numpy as np
import pandas as pd

from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.finding import Finding
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.startup.table import STARTUP

#: Lines below the sentence.
MAX_LINES = 10
#: What a step is, in a sentence.
NAMES = {
    "launcher": "launcher before the processes",
    "loading": "loading of the program",
    "init": "MPI_Init",
    "first message": "first message",
    "first barrier": "first barrier",
    "finalize": "MPI_Finalize",
}


def startup(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """The rows whose interval lies beyond the threshold, the largest difference first; none if there is none."""
    rows = beyond(analysis[STARTUP], inputs.campaign.analysis.threshold)
    if not len(rows):
        return []
    most, first = rows.iloc[0].to_dict(), inputs.campaign.stacks[0]
    text = (
        f"The start or the end of a launch takes another time than with {first} in "
        f"{numbers.count(len(rows), 'case')}, most of all the {NAMES[most['step']]} of {most['stack']} with "
        f"{labels.point(most)}: {numbers.ratio_with_interval(most)} as long. Each interval is of its row alone."
    )
    details = [
        f"{row['stack']}, {labels.point(row)}, {NAMES[row['step']]}: {numbers.ratio_with_interval(row)} as long, "
        f"{numbers.significant(row['median_ms'])} ms"
        for row in rows.head(MAX_LINES).to_dict("records")
    ]
    shown: dict[str, float | int | str | None] = {"cases": len(rows), "ratio": float(most["ratio"])}
    shown |= {"stack": str(most["stack"]), "step": str(most["step"])}
    return [Finding(kind="startup", severity="note", text=text, details=details, numbers=shown)]


def beyond(table: pd.DataFrame, threshold: float) -> pd.DataFrame:
    """The rows whose whole interval is beyond the threshold in one direction, the largest difference first."""
    away = (table["ratio_low"] > 1 + threshold) | (table["ratio_high"] < 1 / (1 + threshold))
    rows = table[away]
    return rows.iloc[np.argsort(-np.abs(np.log(rows["ratio"].to_numpy(dtype=np.float64))), kind="stable")]
