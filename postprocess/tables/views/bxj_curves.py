# SPDX-License-Identifier: BSD-3-Clause
"""`view-bxj-curves.csv`, `view-bxj-5-largest.csv`: collectives beside their models, as in the BXJ study's figures."""

from __future__ import annotations

from math import log, nan
from typing import Any

import pandas as pd

from isochron.postprocess.models import registry
from isochron.postprocess.models.loggp import VARIANTS, time
from isochron.postprocess.models.parameters import SITUATION
from isochron.postprocess.models.published import bxj
from isochron.postprocess.reading.inputs import KEYS, RESULT_KEY
from isochron.postprocess.tables.declaration import TableContext
from isochron.postprocess.tables.summary import make_summary
from isochron.postprocess.tables.views.bxj import WHERE, both, make_fitted, wires
from isochron.postprocess.tables.views.request import view
from isochron.schemas.engine.contract import BLOCKING, WITHOUT_DATA

CURVE_COLUMNS = {
    **KEYS,
    "measured_us": "value of the row",
    "low_us": "lower end of its interval",
    "high_us": "upper end of its interval",
    "reliable": "whether the row is reliable",
    "algorithm": "algorithm that the models are of",
    **{
        f"{where}_{variant.lower()}_us": f"its time under {variant} {text}"
        for where, text in WHERE.items()
        for variant in VARIANTS
    },
}
LARGEST_COLUMNS = {
    **KEYS,
    "measured_us": "value of the row: the largest size at the largest process count",
    "low_us": "lower end of its interval",
    "high_us": "upper end of its interval",
    "algorithm": "algorithm whose fitted model is nearest there; the published one where none is fitted",
    "fitted_us": "Hockney's time of it with this campaign's parameters",
    "fitted_factor": "measured / fitted",
    "published_us": "Hockney's time of it with those published for BXJ",
    "left_out": "why the operation, or its model, is left out",
}


def make_curves(context: TableContext) -> pd.DataFrame:
    """`CURVE_COLUMNS`: a row for each point and algorithm of an operation that has models."""
    known, wire = context.get(make_fitted), wires(context)
    summary = context.get(make_summary)
    found = []
    for row in summary[summary["median_us"] > 0].to_dict("records"):
        processes = int(row["processes"])
        size = registry.table_bytes(row["operation"], int(row["bytes"]), processes)
        own = both(known, tuple(row[name] for name in SITUATION))
        for model in registry.of(row["operation"]):
            times = {
                f"{name}_{variant.lower()}_us": time(variant, model, processes, size, each.costs(model), wire[name])
                for name, each in own.items()
                for variant in VARIANTS
            }
            found.append({**_measured(row), "reliable": row["reliable"], "algorithm": model.algorithm, **times})
    return pd.DataFrame(found, columns=list(CURVE_COLUMNS))


def _measured(row: dict[Any, Any]) -> dict[Any, Any]:
    return {
        **{name: row[name] for name in RESULT_KEY},
        "measured_us": row["median_us"],
        "low_us": row["median_low_us"],
        "high_us": row["median_high_us"],
    }


def make_largest(context: TableContext) -> pd.DataFrame:
    """`LARGEST_COLUMNS`: the study's operations, then the other blocking collectives, for each situation."""
    summary, curves = context.get(make_summary), context.get(make_curves)
    of_study = bxj().facts["operations"]
    operations = [*of_study, *(name for name in BLOCKING if name not in of_study)]
    size = max(context.inputs.campaign.sizes)
    found = []
    for situation, own in summary.groupby(SITUATION, sort=False):
        point = {**dict(zip(SITUATION, situation, strict=True)), "processes": own["processes"].max(), "bytes": size}
        rows = {row["operation"]: row for row in _at(own, point).to_dict("records")}
        models = dict(iter(_at(curves, point).groupby("operation", sort=False)))
        for operation in operations:
            found.append({**point, "operation": operation, **_largest(operation, rows, models)})
    return pd.DataFrame(found, columns=list(LARGEST_COLUMNS))


def _at(table: pd.DataFrame, point: dict[Any, Any]) -> pd.DataFrame:
    return table[(table[list(point)] == pd.Series(point)).all(axis=1)]


def _largest(operation: str, rows: dict[str, dict[Any, Any]], models: dict[Any, pd.DataFrame]) -> dict[str, Any]:
    """What a row of table 5 has of an operation at its point, and why it lacks the rest."""
    row = rows.get(operation)
    if operation in WITHOUT_DATA:
        return {"left_out": "it has no message size"}
    if row is None:
        return {"left_out": "not among the campaign's operations"}
    if not row["median_us"] > 0:
        return {"left_out": row["reason"] or row["verdict"]}
    found = _measured(row)
    if not row["reliable"]:
        found["left_out"] = f"not reliable: {row['reason'] or row['verdict']}"
    if operation not in models:
        return {"left_out": "there is no model of it", **found}
    return {**found, **_nearest(models[operation])}


def _nearest(models: pd.DataFrame) -> dict[str, Any]:
    column = "fitted_hockney_us" if models["fitted_hockney_us"].notna().all() else "published_hockney_us"
    best = min(models.to_dict("records"), key=lambda each: abs(log(each["measured_us"] / each[column])))
    fitted = best["fitted_hockney_us"]
    return {
        "algorithm": best["algorithm"],
        "fitted_us": fitted,
        "fitted_factor": best["measured_us"] / fitted if fitted > 0 else nan,
        "published_us": best["published_hockney_us"],
    }


BXJ_CURVES = view(
    "bxj", "curves", CURVE_COLUMNS, make_curves, "collectives beside Hockney, LogP and LogGP, fitted and published"
)
BXJ_LARGEST = view(
    "bxj", "5-largest", LARGEST_COLUMNS, make_largest, "table 5 of the BXJ study: all collectives where most is moved"
)
