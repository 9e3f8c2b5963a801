# SPDX-License-Identifier: BSD-3-Clause
"""What the jobs of the run say of another one, or that there is but one; changed stacks; slow nodes."""

from math import log

from isochron.postprocess.estimate.compare.job_nodes import SLOW, slow_in_words
from isochron.postprocess.estimate.values.job_list import CLASSES
from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.finding import Finding
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.jobs.table import JOB_CHANGES, JOB_LIST, JOB_NODES, JOB_RATIOS, JOBS
from isochron.stats.job_components import CANNOT
from isochron.stats.slow_jobs import FEWEST_JOBS


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
    runs = int(forecast["earlier_runs"].max())
    rests = f"{numbers.count(most, 'job')}{labels.from_earlier(runs)}"
    text = f"From {rests}: in another one there are with 90 %, in the median of rows, {' and '.join(lines)}."
    wider = int((times["rule"] == "wider").sum())
    if runs or wider:
        shown |= {"earlier_runs": runs, "wider": wider}
        text += " A job is taken to vary as in earlier runs; if the machine has changed since, that does not hold."
    if wider:
        of_rows = f"{numbers.count(wider, 'row')} of {len(times)}"
        text += f" In {of_rows} the jobs of this run differ by more (by chance in 5 %), and earlier runs do not count."
    return [Finding(kind="jobs", severity="note", text=text, numbers=shown)]


def changed(_: RunInputs, analysis: Analysis) -> list[Finding]:
    """Stacks whose configuration was not the same in all jobs."""
    rows = analysis[JOB_CHANGES].sort_values("ratio", ascending=False, kind="stable")
    if not len(rows):
        return []
    stacks = list(dict.fromkeys(rows["stack"]))
    text = (
        f"The configuration of {numbers.listing(stacks)} was not the same in all jobs: all launches of "
        f"some jobs take longer than those of others, up to {numbers.ratio(rows['ratio'].max())}, while the other "
        "stacks of these jobs do not. That is no slow job; what changed (a variable, a module) is to be found before "
        "values are used."
    )
    lines = [
        f"{row['stack']} in {labels.timed(row['operation'])}, {labels.point(row)}: {numbers.ratio(row['ratio'])} "
        f"in job {row['longer_in']}, against job {row['shorter_in']}"
        for row in rows.to_dict("records")
    ]
    shown: dict[str, float | int | str | None] = {"stacks": len(stacks), "largest_ratio": float(rows["ratio"].max())}
    return [Finding(kind="changed-configuration", severity="warning", text=text, details=lines, numbers=shown)]


def odd_jobs(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """Jobs that are slow or fast for all stacks, with what they are compared with and how often one is named wrongly.

    A stack that changed in a job does not make it one.
    """
    table = analysis[JOB_LIST]
    parts = [(name, words, table[table[f"{name}_verdict"] != ""]) for name, words in CLASSES.items()]
    odd = [
        (float(row[f"{name}_shared"]), float(row[f"{name}_p"]), str(row["job"]), words)
        for name, words, rows in parts
        for row in rows.to_dict("records")
    ]
    if not odd:
        return []
    odd.sort(key=lambda line: -abs(log(line[0])))
    lines = [
        f"{labels.odd_job(ratio)}: in job {job} all stacks take {numbers.ratio(ratio)} as long as in the other jobs, "
        f"in {words} (p = {p_value:.2g})"
        for ratio, p_value, job, words in odd
    ]
    jobs = list(dict.fromkeys(job for _, _, job, _ in odd))
    error = numbers.given_percent(1 - inputs.campaign.analysis.confidence)
    compared_jobs = min(int(table[f"{name}_ratio"].notna().sum()) for name, _, rows in parts if len(rows))
    compared = (
        f"Compared with the spread between jobs: where jobs spread alike, at most {error} of runs name one."
        if compared_jobs >= FEWEST_JOBS
        else f"{compared_jobs} jobs do not show what is usual between jobs: this one differs by more than what stacks "
        f"and blocks within jobs differ by. Where jobs do not differ, at most {error} of runs name one."
    )
    first = lines[0][0].upper() + lines[0][1:]
    further = f" {numbers.listing(jobs)} are such jobs." if len(jobs) > 1 else ""
    shown: dict[str, float | int | str | None] = {"jobs": len(jobs), "largest_ratio": odd[0][0], "p": odd[0][1]}
    text = f"{first}.{further} {compared}"
    return [Finding(kind="slow-job", severity="warning", text=text, details=lines, numbers=shown)]


def named_nodes(_: RunInputs, analysis: Analysis) -> list[Finding]:
    """Nodes that make the jobs slower in which they are, and how to see it in them alone."""
    table = analysis[JOB_NODES]
    sentences = slow_in_words(table)
    if not sentences:
        return []
    slow = table[table["verdict"].isin(SLOW)]
    names = sorted({host for hosts in (*slow["host"], *slow["rivals"]) for host in hosts.split(",")} - {""})
    text = (
        f"{'. '.join(sentences)}. A campaign with `scan: nodes`, and {numbers.listing(names)} among its "
        "`node_lists.scan`, compares the nodes themselves."
    )
    shown: dict[str, float | int | str | None] = {"slow_nodes": len(sentences), "p": float(slow["p_adjusted"].max())}
    return [Finding(kind="slow-nodes", severity="warning", text=text, numbers=shown)]
