# SPDX-License-Identifier: BSD-3-Clause
"""How reliable the numbers are: repeatability, launches in two groups, and what the engine adds."""

import pandas as pd

from isochron.postprocess.estimate.answer.trust import LARGE_SHARE, overhead_is_large
from isochron.postprocess.estimate.values.job_list import groups_of_jobs
from isochron.postprocess.estimate.values.launches import off
from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.formatting.labels import simulation
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.finding import Finding
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.jobs.table import JOB_LIST
from isochron.postprocess.subjects.results.table import LAUNCH_FACTORS, SUMMARY


def incomplete(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """Launches of the plan that were not measured."""
    planned = inputs.plan.engine_launches
    measured = set(analysis.launches["file"])
    lacking = [launch.name for launch in planned if launch.file not in measured]
    if not lacking:
        return []
    return [
        Finding(
            kind="incomplete",
            severity="warning",
            text=f"{len(lacking)} of {numbers.count(len(planned), 'planned launch', 'planned launches')} "
            f"{'is' if len(lacking) == 1 else 'are'} missing: this report rests on the other {len(measured)}.",
            details=lacking,
            numbers={"launches_missing": len(lacking), "launches_planned": len(planned)},
        )
    ]


def repeatability(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """The row whose launches agree least."""
    rows = analysis[SUMMARY][analysis[SUMMARY]["reliable"] & analysis[SUMMARY]["rse"].notna()]
    if not len(rows):
        return []
    worst = rows.sort_values("rse", kind="stable").iloc[-1]
    text = (
        f"Launches repeat to an RSE of {numbers.percent(rows['rse'].median())} in the median; the highest RSE "
        f"among reliable results is {numbers.percent(worst['rse'])}, of "
        f"{worst['stack']} in {labels.case(worst.to_dict(), inputs)}."
    )
    shown = {
        "median_rse": float(rows["rse"].median()),
        "highest_rse": float(worst["rse"]),
        "stack": str(worst["stack"]),
    }
    return [Finding(kind="repeatability", severity="note", text=text, numbers=shown)]


def bimodal(_: RunInputs, analysis: Analysis) -> list[Finding]:
    """Rows whose launches have two different times, one of which the median hides."""
    rows = analysis[SUMMARY][analysis[SUMMARY]["reliable"] & analysis[SUMMARY]["mode_ratio"].notna()]
    of_jobs = groups_of_jobs(rows, analysis[JOB_LIST])
    rows = rows[~of_jobs]
    if not len(rows):
        return []
    text = (
        f"In {len(rows)} of {int(analysis[SUMMARY]['reliable'].sum())} reliable results the launches fall into two "
        f"groups, {numbers.ratio(rows['mode_ratio'].median())} apart in the median: something that decides about the "
        "time, such as where the processes run, was not the same in all launches. The median lies in one of the groups."
    )
    by_block = int(rows["modes_by_block"].sum())
    if by_block:
        text += (
            f" In {by_block} of them the groups are whole blocks, with nearly all launches of a block, of every such "
            "stack, in the same one: a regime of the machine, which comparisons within blocks share."
        )
    if of_jobs.any():
        text += (
            f" {numbers.count(int(of_jobs.sum()), 'further result')} with the groups of a slow or fast job not counted."
        )
    lines = [
        f"{stack}: {numbers.count(len(stack_rows), 'result')}, "
        f"{numbers.ratio(stack_rows['mode_ratio'].median())} apart in the median"
        for stack, stack_rows in rows.groupby("stack", sort=False)
    ]
    shown: dict[str, float | int | str] = {"rows": len(rows), "median_mode_ratio": float(rows["mode_ratio"].median())}
    shown["rows_by_block"] = by_block
    return [Finding(kind="groups", severity="warning", text=text, details=lines, numbers=shown)]


def off_launches(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """Launches that were slow or fast throughout."""
    factors = off(analysis[LAUNCH_FACTORS])
    if not len(factors):
        return []
    prefix = f"{inputs.layout.run_id}."
    lines = [f"{str(name).removeprefix(prefix)}: {numbers.ratio(factor)}" for name, factor in factors.items()]
    slow, fast = factors[factors > 1], factors[factors < 1]
    parts = [_times("slow", slow.max(), len(slow))] if len(slow) else []
    parts += [_times("fast", fast.min(), len(fast))] if len(fast) else []
    text = (
        f"{numbers.count(len(factors), 'launch was', 'launches were')} off throughout: {numbers.listing(parts)}. "
        "Medians over launches are robust against that; means and RSE are not."
    )
    return [Finding(kind="launches", severity="note", text=text, details=lines, numbers={"launches_off": len(factors)})]


def _times(word: str, factor: float, count: int) -> str:
    """`2 slow ones, the farthest off with 1.90× the times of the others`."""
    which = f"1 {word} one," if count == 1 else f"{count} {word} ones, the farthest off"
    return f"{which} with {numbers.ratio(factor)} the times of the others"


def simulated(_: RunInputs, analysis: Analysis) -> list[Finding]:
    """A warning if times come from a simulator."""
    number = int(analysis.launches["simulated"].sum())
    if not number:
        return []
    which = "All" if number == len(analysis.launches) else f"{number} of {len(analysis.launches)}"
    text = (
        f"{which} launches were simulated: their times are those of a model, not of a machine. "
        f"What was simulated: {simulation(analysis.launches).removeprefix('simulated ').strip('()')}."
    )
    return [Finding(kind="simulated", severity="warning", text=text, numbers={"launches_simulated": number})]


NOT_MEASURED = "What the engine itself adds to a time was not measured: these launches are of an older engine."
ENDS = ["overhead_us", "overhead_low_us", "overhead_high_us"]


def overhead(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """What the engine adds to the values; a warning if it is not known well enough."""
    summary = analysis[SUMMARY]
    text = overhead_text(summary, inputs)
    if not text:
        return []
    reliable = summary[summary["reliable"].astype(bool)]
    doubtful, known_us = int(overhead_is_large(reliable).sum()), reliable["overhead_us"].dropna()
    shown: dict[str, float | int | str | None] = {
        "rows_in_doubt": doubtful,
        "overhead_us": float(known_us.median()) if len(known_us) else None,
    }
    return [Finding(kind="overhead", severity="warning" if doubtful else "note", text=text, numbers=shown)]


def overhead_text(summary: pd.DataFrame, inputs: RunInputs) -> str:
    """How much that is, of how many values it is a large part, and what it does to differences; empty without values.

    `summary`: `SUMMARY_COLUMNS`.
    """
    reliable = summary[summary["reliable"].astype(bool) & (summary["median_us"] > 0)]
    measured = reliable[reliable["overhead_us"].notna()]
    if not len(measured):
        return NOT_MEASURED if len(reliable) else ""
    text = (
        f"The engine adds {_interval(measured[ENDS].median())} to a time{_of_stacks(measured)}: what an operation that "
        "returns at once takes, measured in every launch."
    )
    return " ".join([text, *_share(measured, inputs), *_doubt(reliable)])


def _interval(ends: pd.Series) -> str:
    """`0.050 µs [0.040; 0.060]`."""
    value, low, high = (float(ends[name]) for name in ENDS)
    shown, within = numbers.interval(value, low, high, max(3, numbers.decimals_for(value, low, high)))
    return f"{shown} µs {within}".rstrip()


def _of_stacks(rows: pd.DataFrame) -> str:
    """Whether that is the same for all stacks: whether the intervals of all have a value in common."""
    stacks = rows.groupby("stack", sort=False)[ENDS].median()
    if len(stacks) < 2:
        return ""
    if stacks["overhead_low_us"].max() <= stacks["overhead_high_us"].min():
        return ", the same for all stacks"
    stacks = stacks.sort_values("overhead_us", kind="stable")
    least, most = stacks.iloc[0], stacks.iloc[-1]
    return f", from {_interval(least)} with {least.name} to {_interval(most)} with {most.name}"


def _share(rows: pd.DataFrame, inputs: RunInputs) -> list[str]:
    """Of how many values it is more than `LARGE_SHARE`, and what follows for differences."""
    parts = rows["overhead_us"] / rows["median_us"]
    large = int((parts > LARGE_SHARE).sum())
    worst = rows.iloc[int(parts.argmax())]
    part, low, high = (float(worst[name] / worst["median_us"]) for name in ENDS)
    name = f"{worst['stack']}, {labels.case(worst.to_dict(), inputs)}"
    if part >= 1:
        return [f"The value of {name} is nothing else."]
    apart = numbers.percent(LARGE_SHARE / (1 - part))
    return [
        f"Without it {large} of {numbers.count(len(rows), 'reliable value')} would be more than "
        f"{numbers.given_percent(LARGE_SHARE)} lower, and that of {name} by {numbers.percent(part)} "
        f"[{numbers.significant(100 * low, 2)}; {numbers.significant(100 * high, 2)}].",
        f"It draws ratios towards 1 by the same part: stacks that are {numbers.given_percent(LARGE_SHARE)} slower than "
        f"that value are {apart} slower without it.",
    ]


def _doubt(rows: pd.DataFrame) -> list[str]:
    """Of how many values it is not known well enough."""
    doubtful = int(overhead_is_large(rows).sum())
    if not doubtful:
        return []
    return [
        f"In {numbers.count(doubtful, 'reliable value')} it is not known to {numbers.given_percent(LARGE_SHARE)} of "
        "the value."
    ]
