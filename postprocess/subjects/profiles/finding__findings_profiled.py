# SPDX-License-Identifier: BSD-3-Clause
"""What the stacks would make of programs that were profiled."""

from __future__ import annotations

from isochron.postprocess.ingest.inputs__inputs import RunInputs
from isochron.postprocess.kit.finding import Finding
from isochron.postprocess.kit.table__analysis import Analysis
from isochron.postprocess.subjects.profiles.finding__formatting_profiled import LEFT_OUT, sentence
from isochron.postprocess.subjects.profiles.table__programs import PROGRAMS


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
