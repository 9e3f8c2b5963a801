# SPDX-License-Identifier: BSD-3-Clause
"""The clock synchronisation of the launches, as the report's method part shows it."""

from __future__ import annotations

from isochron.postprocess.analysis.analysis import Analysis
from isochron.postprocess.report.model import ClockRow
from isochron.postprocess.words import labels, numbers


def clock_rows(analysis: Analysis) -> list[ClockRow]:
    """Every synchroniser at every point."""
    return [
        ClockRow(
            method=f"{row['clock_sync']}, {row['clock_estimator']}",
            stack=row["stack"],
            point=labels.point(row),
            phase=numbers.significant(row["phase_ms"]),
            error=numbers.significant(row["error_us"]),
            error_end=numbers.significant(row["error_end_us"]),
            bound=numbers.significant(row["bound_us"]),
            errors=row["errors"],
            launches=numbers.fixed(row["launches"], 0),
        )
        for row in analysis.clocks.to_dict("records")
    ]
