# SPDX-License-Identifier: BSD-3-Clause
"""What the stacks would make of programs that were profiled."""

from __future__ import annotations

from isochron.postprocess.analysis.analysis import Analysis
from isochron.postprocess.findings.model import Finding
from isochron.postprocess.formatting.profiled import LEFT_OUT, sentence
from isochron.postprocess.reading.inputs import RunInputs
from isochron.postprocess.tables.profiled.programs import PROGRAMS


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
