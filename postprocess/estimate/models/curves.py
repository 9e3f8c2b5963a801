# SPDX-License-Identifier: BSD-3-Clause
"""Measured points beside the times of the models, and the efficiency of every result of a curve."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd

from isochron.postprocess.estimate.models import cost_models as registry
from isochron.postprocess.estimate.models.parameters import Known
from isochron.postprocess.ingest.inputs import KEYS, RESULT_KEY
from isochron.schemas.engine.contract import BASIC, ONE_SIDED, TRANSFERS, WAIT_PATTERNS, base_operation, in_a_thread

#: Fewer process counts are no curve.
MIN_COUNTS = 3
#: What is between two processes, or of no library: its time is no function of the number of processes.
NO_CURVE = frozenset(
    {"ping-pong", "ping-ping", "burst", "burst-both-ways", *TRANSFERS, *ONE_SIDED, *BASIC, *WAIT_PATTERNS}
)
#: What a curve is, apart from the number of processes.
SERIES = [name for name in RESULT_KEY if name != "processes"]

#: Columns of `model-points.csv`.
MODEL_POINT_COLUMNS = {
    **KEYS,
    "measured_us": "the row's value",
    "low_us": "lower end of its interval",
    "high_us": "upper end of its interval",
    "counts": "whether the row is reliable",
    "algorithm": "algorithm that the model is of",
    "chosen": "whether libraries choose it at this size, where the BXJ study states the choice: "
    "alltoall, `Bruck` up to 256 B, `irecv-isend` up to 32 KiB, then `pairwise`",
    "model_us": "time of the model",
    "ratio": "measured / model",
    "outside": "whether the model's time lies outside the interval of the measurement",
    "departs": "whether the ratio is beyond `analysis.model.tolerance`, in either direction",
    "broken": "the assumption of the model that does not hold at this point, if any: `one node`, `no power of two`",
}


def series(summary: pd.DataFrame) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """Key (`SERIES`) and rows of every curve, ascending in processes; `summary` with `counts`.

    Where everything runs on one node, points with a different number of processes per node are on one curve (there the
    key has 0 for it), for they do not differ. Only curves with enough process counts that say something.
    """
    one_node = bool((summary["processes"] <= summary["processes_per_node"]).all())
    keys = [name for name in SERIES if not (one_node and name == "processes_per_node")]
    plain = summary["operation"].map(base_operation).map(in_a_thread)
    chosen = (summary["median_us"] > 0) & ~plain.isin(list(NO_CURVE))
    for key, rows in summary[chosen].groupby(keys, sort=False):
        ordered = rows.sort_values(["processes", "processes_per_node"], kind="stable").drop_duplicates("processes")
        if ordered.loc[ordered["counts"], "processes"].nunique() >= MIN_COUNTS:
            yield {**dict.fromkeys(SERIES, 0), **dict(zip(keys, key, strict=True))}, ordered


def model_points(rows: pd.DataFrame, fitted: Known, tolerance: float) -> pd.DataFrame:
    """`MODEL_POINT_COLUMNS` of one curve; empty if no parameters are known or the operation has no model.

    `rows`: RESULT_KEY, the median_us columns and counts, ascending in processes.
    """
    several_nodes = bool((rows["processes"] > rows["processes_per_node"]).any())
    lines = []
    for row in rows.to_dict("records"):
        parameters = fitted.get((row["stack"], row["processes_per_node"], row["placement"]))
        if parameters is None:
            continue
        processes = int(row["processes"])
        size = registry.table_bytes(row["operation"], int(row["bytes"]), processes)
        for model in registry.of(row["operation"]):
            time = model.time(processes, size, parameters.costs(model))
            ratio = row["median_us"] / time if time > 0 else float("nan")
            inside_node = several_nodes and processes <= row["processes_per_node"] and not parameters.within_node
            uneven = model.power_of_two and processes & (processes - 1) != 0
            lines.append(
                {name: row[name] for name in RESULT_KEY}
                | {
                    "measured_us": row["median_us"],
                    "low_us": row["median_low_us"],
                    "high_us": row["median_high_us"],
                    "counts": bool(row["counts"]),
                    "algorithm": model.algorithm,
                    "chosen": model.algorithm == registry.chosen(row["operation"], int(row["bytes"])),
                    "model_us": time,
                    "ratio": ratio,
                    "outside": not row["median_low_us"] <= time <= row["median_high_us"],
                    "departs": max(ratio, 1 / ratio) > 1 + tolerance if ratio > 0 else False,
                    "broken": "one node" if inside_node else "no power of two" if uneven else "",
                }
            )
    return pd.DataFrame(lines, columns=list(MODEL_POINT_COLUMNS))


#: Columns of `scaling.csv`: a line for each point of each curve over processes.
SCALING_COLUMNS = {
    **KEYS,
    "curve_per_node": "processes per node of the curve; 0 where all its points are on one node",
    "median_us": "the row's value",
    "median_low_us": "lower end of its interval",
    "median_high_us": "upper end of its interval",
    "reliable": "whether the row is reliable",
    "fastest_model_us": "the least time of all models of the operation that hold at this point; empty where none does",
    "model_efficiency": "`fastest_model_us` / `median_us`",
    "weak_efficiency": "value at the curve's smallest reliable process count / `median_us`",
}


def efficiencies(rows: pd.DataFrame, points: pd.DataFrame) -> pd.DataFrame:
    """`SCALING_COLUMNS`. `rows`: `SUMMARY_COLUMNS` with `counts`; `points`: `MODEL_POINT_COLUMNS`."""
    parts = []
    for key, curve in series(rows):
        first = float(curve.loc[curve["counts"], "median_us"].iloc[0])
        parts.append(curve.assign(curve_per_node=key["processes_per_node"], weak_efficiency=first / curve["median_us"]))
    if not parts:
        return pd.DataFrame(columns=list(SCALING_COLUMNS))
    sound = points[(points["broken"] == "") & (points["model_us"] > 0)]
    fastest = sound.groupby(RESULT_KEY, sort=False)["model_us"].min().rename("fastest_model_us").reset_index()
    table = pd.concat(parts, ignore_index=True)
    if len(fastest):
        table = table.merge(fastest, on=RESULT_KEY, how="left")
    else:
        table["fastest_model_us"] = np.nan
    return table.assign(model_efficiency=table["fastest_model_us"] / table["median_us"])[list(SCALING_COLUMNS)]
