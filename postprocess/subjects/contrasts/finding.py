# SPDX-License-Identifier: BSD-3-Clause
"""Contrasts: times below the physical bound, several operations in one repetition, and the price of threads."""

from typing import Any

import numpy as np
import pandas as pd

from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.ingest.inputs import RunInputs
from isochron.postprocess.kit.finding import Finding
from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.contrasts import figure
from isochron.postprocess.subjects.contrasts.table import BOUNDS, CONTRASTS
from isochron.schemas.engine.options import EngineOptions


def below_the_bound(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """For results and each contrast: how many of its rows are below their bound, and the worst of them."""
    table = analysis[BOUNDS][analysis[BOUNDS]["bound_us"] > 0]
    ways = table.groupby(["contrast", "scheme"], sort=False)
    return [
        _bounds_finding(inputs, str(contrast), str(scheme), contrast_rows) for (contrast, scheme), contrast_rows in ways
    ]


def _bounds_finding(inputs: RunInputs, contrast: str, scheme: str, rows: pd.DataFrame) -> Finding:
    is_result = not contrast
    below = rows[rows["below"]].assign(part=lambda table: table["median_us"] / table["bound_us"])
    rows_shown: dict[str, float | int | str] = {
        "contrast": contrast,
        "scheme": scheme,
        "rows": len(rows),
        "rows_below": len(below),
    }
    called = "a contrast" if contrast == scheme else f"contrast {contrast}"
    name = "this campaign's scheme" if is_result else f"{called}, shown beside the results"
    if not len(below):
        text = f"No time of {scheme} ({name}) is below the bound that the campaign's own ping-pong implies."
        return Finding(kind="bound", severity="note", text=text, numbers=rows_shown)
    worst = below.sort_values("part", kind="stable").iloc[0]
    text = (
        f"{len(below)} of {numbers.count(len(rows), 'result')} of {scheme} ({name}) {numbers.are(len(below))} below "
        "the physical bound: "
        f"{labels.case(worst.to_dict(), inputs)} is measured as {numbers.microseconds(worst['median_us'])} µs "
        f"with {worst['stack']}, but by ping-pong between {worst['between']} it takes at least "
        f"{numbers.microseconds(worst['bound_us'])} µs. "
        + (
            "These results are invalid: the repetitions did not start together."
            if is_result
            else "Operations that follow each other without a common start overlap, and their average is no duration."
        )
    )
    details = [
        f"{row['stack']}, {labels.case(row, inputs)}: {numbers.microseconds(row['median_us'])} µs, "
        f"at least {numbers.microseconds(row['bound_us'])} µs"
        for row in below.to_dict("records")
    ]
    rows_shown |= {"min_share": float(worst["part"]), "median_us": float(worst["median_us"])}
    rows_shown["bound_us"] = float(worst["bound_us"])
    return Finding(
        kind="bound", severity="warning" if is_result else "result", text=text, details=details, numbers=rows_shown
    )


#: Schemes whose runs are loops of `batch` operations.
LOOPS = ("loop", "rotating-root")


def operations_per_rep(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """A finding for each contrast that has several operations in a run where the results have one, or one of several.

    The case that differs most, of those whose verdict says so if there are any, is told; all are its details.
    """
    campaign = inputs.campaign
    findings = []
    for name in campaign.all_contrasts:
        counts = operations_in_a_run(campaign.engine), operations_in_a_run(campaign.engine_of(name))
        if counts[0] != counts[1]:
            table = analysis[CONTRASTS]
            rows = table[(table["contrast"] == name) & (table["ratio"] > 0)]
            findings += [_operations_per_rep_finding(inputs, name, counts, rows)] if len(rows) else []
    return findings


def operations_in_a_run(engine: EngineOptions) -> int:
    """How many operations a run is made of."""
    return engine.batch if engine.scheme in LOOPS else engine.operations_per_rep


def largest(rows: pd.DataFrame, factor: str) -> tuple[int, pd.Series]:
    """Return how many rows differ, and the one with the largest factor either way: of these if there are any."""
    differ = rows[rows["verdict"].isin(["slower", "faster"])]
    listed = differ if len(differ) else rows
    return len(differ), listed.iloc[int(np.log(listed[factor]).abs().argmax())]


def _operations_per_rep_finding(inputs: RunInputs, name: str, counts: tuple[int, int], rows: pd.DataFrame) -> Finding:
    differ, most = largest(rows, "ratio")
    text = (
        f"Calls alone and in a row (contrast {name}): the times of {differ} of "
        f"{numbers.count(len(rows), 'result')} differ. {_line(inputs, most.to_dict(), counts)}. In a row "
        "operations share what the engine adds, and a "
        "process may begin one while others are still in the one before. Each time is the answer to another question."
    )
    return Finding(
        kind="operations-per-rep",
        severity="note",
        text=text,
        details=[_line(inputs, row, counts) for row in rows.to_dict("records")],
        numbers={
            "contrast": name,
            "rows": len(rows),
            "rows_that_differ": differ,
            "result_us": float(most["result_us"]),
            "contrast_us": float(most["contrast_us"]),
        },
    )


def _line(inputs: RunInputs, row: dict[Any, Any], counts: tuple[int, int]) -> str:
    """`mpich-4.3, barrier: 0.52 µs alone in a run, 0.31 µs as one of 10 in a row`."""
    ways = ["alone in a run" if count == 1 else f"as one of {count} in a row" for count in counts]
    times = [numbers.significant(float(row[side])) for side in ("result_us", "contrast_us")]
    text = ", ".join(f"{time} µs {way}" for time, way in zip(times, ways, strict=True))
    return f"{row['stack']}, {labels.case(row, inputs)}: {text}"


def price_of_threads(inputs: RunInputs, analysis: Analysis) -> list[Finding]:
    """A finding for each contrast that has the level where the results lack it, or lacks it where they have it."""
    campaign, findings = inputs.campaign, []
    for name, changes in campaign.all_contrasts.items():
        with_level = campaign.engine_of(name).threads > 0
        if set(changes) != {"threads"} or with_level == (campaign.engine.threads > 0):
            continue
        table = analysis[CONTRASTS]
        rows = table[(table["contrast"] == name) & (table["ratio"] > 0)]
        if len(rows):
            findings.append(_price_finding(inputs, name, prices(rows, with_level=with_level)))
    return findings


def prices(rows: pd.DataFrame, *, with_level: bool) -> pd.DataFrame:
    """The rows of a contrast with `price`, its interval `price_low`, `price_high`, and the times of both levels in µs.

    A price is the time with MPI_THREAD_MULTIPLE / without. `with_level`: the contrast has it, and not the results.
    """
    if with_level:
        factors = rows[["ratio", "ratio_low", "ratio_high"]].to_numpy(dtype=np.float64)
        times = rows[["contrast_us", "result_us"]].to_numpy(dtype=np.float64)
    else:
        factors = 1 / rows[["ratio", "ratio_high", "ratio_low"]].to_numpy(dtype=np.float64)
        times = rows[["result_us", "contrast_us"]].to_numpy(dtype=np.float64)
    names = ["price", "price_low", "price_high", "with_us", "without_us"]
    return rows.assign(**dict(zip(names, np.hstack([factors, times]).T, strict=True)))


def _price_finding(inputs: RunInputs, name: str, rows: pd.DataFrame) -> Finding:
    differ, most = largest(rows, "price")
    text = (
        f"MPI_THREAD_MULTIPLE, which contrast {name} is about, changes the time of {differ} of "
        f"{numbers.count(len(rows), 'result')} in which one thread calls MPI. {_price_line(inputs, most.to_dict())}."
    )
    return Finding(
        kind="thread-level",
        severity="note",
        text=text,
        details=[_price_line(inputs, row) for row in rows.to_dict("records")],
        numbers={
            "contrast": name,
            "rows": len(rows),
            "rows_that_differ": differ,
            "stack": str(most["stack"]),
            "price": float(most["price"]),
        },
    )


def _price_line(inputs: RunInputs, row: dict[Any, Any]) -> str:
    """`mpich-4.3, allreduce of 8 B: with it 1.96× [1.87; 2.04] as long, 0.59 µs instead of 0.30 µs`."""
    interval = numbers.ratio_interval(row["price_low"], row["price_high"])
    times = [numbers.microseconds(float(row[side])) for side in ("with_us", "without_us")]
    return (
        f"{row['stack']}, {labels.case(row, inputs)}: with it {numbers.ratio(row['price'])} {interval} as long, "
        f"{times[0]} µs instead of {times[1]} µs"
    )


SUBJECT = Subject(
    tables=(BOUNDS, CONTRASTS),
    figures=(figure.figures,),
    findings=(below_the_bound, operations_per_rep, price_of_threads),
)
