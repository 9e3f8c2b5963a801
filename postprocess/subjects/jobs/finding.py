# SPDX-License-Identifier: BSD-3-Clause
"""What the jobs of the run say of another one, or that there is but one."""

from __future__ import annotations

from isochron.postprocess.formatting import numbers
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.finding import Finding
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.jobs.table import JOB_RATIOS, JOBS
from isochron.stats.job_components import CANNOT


def another_job(_: RunInputs, analysis: Analysis) -> list[Finding]:
    """Nothing where no job is known."""
    times, ratios = analysis[JOBS], analysis[JOB_RATIOS]
    most = int(times["jobs"].max()) if len(times) else 0
    if most == 0:
        return []
    shown: dict[str, float | int | str | None] = {"jobs": most}
    forecast = times[times["next_low_us"].notna()]
    if not len(forecast):
        text = f"Intervals hold in the job that was measured; for another job, {CANNOT}."
        return [Finding(kind="jobs", severity="note", text=text, numbers=shown)]
    lines = []
    for name, rows, ends in (
        ("times", forecast, ("next_low_us", "next_high_us")),
        ("ratios of two stacks in a job", ratios[ratios["next_low"].notna()], ("next_low", "next_high")),
    ):
        if len(rows):
            half = (rows[ends[1]] / rows[ends[0]]) ** 0.5 - 1
            lines.append(f"{name} within ± {numbers.percent(half.median())}, at most {numbers.percent(half.max())}")
            shown["times_within" if rows is forecast else "ratios_within"] = float(half.median())
    text = f"Measured in {most} jobs. In another job, with 90 %, there lie in the median of rows {' and '.join(lines)}."
    return [Finding(kind="jobs", severity="note", text=text, numbers=shown)]
