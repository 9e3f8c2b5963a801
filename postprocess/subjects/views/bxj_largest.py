# SPDX-License-Identifier: BSD-3-Clause
"""`view-bxj-largest.csv`: all collectives where most is moved, as at the end of the BXJ study."""

from math import log, nan
from typing import Any

import pandas as pd

from isochron.postprocess.estimate.models.parameters import SITUATION, bxj
from isochron.postprocess.ingest.inputs import KEYS
from isochron.postprocess.kit.table import TableContext
from isochron.postprocess.subjects.results.table import make_summary
from isochron.postprocess.subjects.views.bxj_points import COARSE, NOT_PLANNED, POINT_COLUMNS, make_points
from isochron.postprocess.subjects.views.bxj_table import curves_of, measured_of
from isochron.postprocess.subjects.views.request import view
from isochron.schemas.engine.contract import BLOCKING, WITHOUT_DATA

LARGEST_COLUMNS = {
    **KEYS,
    "measured_us": "value of the row: the largest size of a collective at the largest process count",
    "low_us": "lower end of its interval",
    "high_us": "upper end of its interval",
    "made": POINT_COLUMNS["made"],
    "algorithm": "algorithm whose fitted model is nearest there; the published one where none is fitted",
    "fitted_us": "Hockney's time of it with this campaign's parameters",
    "fitted_factor": "measured / fitted",
    "published_us": "Hockney's time of it with those published for BXJ",
    "left_out": "why the operation, or its model, is left out",
}


def make_largest(context: TableContext) -> pd.DataFrame:
    """`LARGEST_COLUMNS`: the study's operations, then the other blocking collectives, for each situation."""
    summary, points = context.get(make_summary), context.get(make_points)
    of_study = bxj().facts["operations"]
    operations = [*of_study, *(name for name in BLOCKING if name not in of_study)]
    sizes = summary.loc[summary["operation"].isin(operations), "bytes"].tolist()
    size = max(sizes or context.inputs.campaign.sizes)
    lines = []
    for situation, situation_rows in summary.groupby(SITUATION, sort=False):
        point = {
            **dict(zip(SITUATION, situation, strict=True)),
            "processes": situation_rows["processes"].max(),
            "bytes": size,
        }
        rows = _by_operation(situation_rows, point)
        made = _by_operation(points, point)
        for operation in operations:
            row, obtained = rows.get(operation), made.get(operation, {})
            lines.append({**point, "operation": operation, **_largest(context, operation, row, obtained)})
    return pd.DataFrame(lines, columns=list(LARGEST_COLUMNS))


def _by_operation(table: pd.DataFrame, point: dict[Any, Any]) -> dict[str, dict[Any, Any]]:
    rows = table[(table[list(point)] == pd.Series(point)).all(axis=1)]
    return {row["operation"]: row for row in rows.to_dict("records")}


def _largest(
    context: TableContext, operation: str, row: dict[Any, Any] | None, obtained: dict[Any, Any]
) -> dict[str, Any]:
    """What a row of `LARGEST_COLUMNS` has of an operation at its point, and why it lacks the rest.

    `obtained`: its row of `POINT_COLUMNS`, if it has one.
    """
    made = obtained.get("made")
    if operation in WITHOUT_DATA:
        return {"left_out": "it has no message size"}
    if made == COARSE:
        row = {**obtained, "median_us": obtained["time_us"], "median_low_us": nan, "median_high_us": nan}
        row["reliable"] = True
    if row is None:
        return {"left_out": obtained.get("reason") or NOT_PLANNED}
    if not row["median_us"] > 0:
        return {"left_out": row["reason"] or row["verdict"]}
    measured = {**measured_of(row), "made": made}
    if not row["reliable"]:
        measured["left_out"] = f"not reliable: {row['reason'] or row['verdict']}"
    models = curves_of(context, pd.DataFrame([row]))
    if not len(models):
        return {"left_out": "there is no model of it", **measured}
    return {**measured, **_nearest(models)}


def _nearest(models: pd.DataFrame) -> dict[str, Any]:
    column = "fitted_hockney_us" if models["fitted_hockney_us"].notna().all() else "published_hockney_us"
    best = min(
        models.to_dict("records"), key=lambda each: (abs(log(each["measured_us"] / each[column])), not each["chosen"])
    )
    fitted = best["fitted_hockney_us"]
    return {
        "algorithm": best["algorithm"],
        "fitted_us": fitted,
        "fitted_factor": best["measured_us"] / fitted if fitted > 0 else nan,
        "published_us": best["published_hockney_us"],
    }


BXJ_LARGEST = view(
    "bxj",
    "largest",
    LARGEST_COLUMNS,
    make_largest,
    "all collectives where most is moved, as at the end of the BXJ study",
)
