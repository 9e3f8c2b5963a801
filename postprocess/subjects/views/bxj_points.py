# SPDX-License-Identifier: BSD-3-Clause
"""`view-bxj-points.csv`: how the time of every blocking collective at every point was obtained: run, or by a model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import log
from statistics import median
from typing import Any

import pandas as pd

from isochron.postprocess.estimate.models import cost_models as registry
from isochron.postprocess.estimate.models.cost_models import Model
from isochron.postprocess.estimate.models.parameters import SITUATION, Parameters
from isochron.postprocess.formatting.labels import simulation
from isochron.postprocess.ingest.inputs import KEYS, RESULT_KEY
from isochron.postprocess.kit.table import TableContext
from isochron.postprocess.subjects.results.table import make_summary
from isochron.postprocess.subjects.views.bxj_table import both, make_fitted
from isochron.postprocess.subjects.views.request import view
from isochron.schemas.engine.contract import BLOCKING, WITHOUT_DATA

POINT_COLUMNS = {
    **KEYS,
    "made": "`simulated` message by message, `measured`, `model`, or `none`",
    "time_us": "value of the row; of a model Hockney's time with the parameters of this campaign, else of BXJ",
    "algorithm": "of a model: the algorithm nearest to what was run of the curve; if nothing was, that chosen by size",
    "model_of": "of a model: the operation; that with equal counts for one with a count of its own for each process",
    "largest_run": "of a model: the largest process count at which the curve was run; empty: nowhere",
    "largest_factor": "run / model there: the error of the model",
    "second_run": "the next smaller of these process counts",
    "second_factor": "run / model there",
    "reason": "why it was not run",
}
#: Operations with counts of their own for each process, which the engine makes equal, and those that have the models.
EQUAL_COUNTS = {
    "gatherv": "gather", "scatterv": "scatter", "allgatherv": "allgather", "alltoallv": "alltoall",
    "alltoallw": "alltoall",
}  # fmt: skip


@dataclass(frozen=True)
class Curve:
    """An operation and size in one situation: its times in µs by process count, as far as it was run."""

    operation: str
    size: int
    times: dict[int, float]
    parameters: Parameters

    @property
    def compared(self) -> dict[int, float]:
        """Times that a model is compared with: of one process it has none."""
        return {count: time for count, time in self.times.items() if count > 1}

    def modelled(self, model: Model, processes: int) -> float:
        """Hockney's time in µs."""
        size = registry.table_bytes(model.operation, self.size, processes)
        return model.time(processes, size, self.parameters.costs(model))

    def nearest(self) -> Model | None:
        """The model with the least median of |ln(run / model)|; on a tie, or without times, the one chosen by size."""
        name = EQUAL_COUNTS.get(self.operation, self.operation)
        chosen = registry.chosen(name, self.size)

        def distance(model: Model) -> tuple[float, bool]:
            apart = [abs(log(time / self.modelled(model, count))) for count, time in self.compared.items()]
            return (median(apart) if apart else 0.0, model.algorithm != chosen)

        return min(registry.of(name), key=distance, default=None)


def make_points(context: TableContext) -> pd.DataFrame:
    """`POINT_COLUMNS`: all blocking collectives × sizes of collectives × process counts, for each situation."""
    summary, fitted = context.get(make_summary), context.get(make_fitted)
    collectives = summary[summary["operation"].isin(BLOCKING)]
    run = "simulated" if simulation(context.launches) else "measured"
    reasons = _reasons(context)
    lines = []
    for situation, rows in collectives.groupby(SITUATION, sort=False):
        place = dict(zip(SITUATION, situation, strict=True))
        parameters = next(iter(both(fitted, situation).values()))
        for operation, size in _cases(collectives):
            curve = Curve(operation, size, _times(rows, operation, size), parameters)
            for processes in context.inputs.campaign.processes:
                key = {**place, "operation": operation, "bytes": size, "processes": processes}
                if processes in curve.times:
                    lines.append({**key, "made": run, "time_us": curve.times[processes]})
                else:
                    reason = reasons.get(tuple(key[name] for name in RESULT_KEY), "not among the campaign's cases")
                    lines.append({**key, **by_model(curve, processes), "reason": reason})
    return pd.DataFrame(lines, columns=list(POINT_COLUMNS))


def _reasons(context: TableContext) -> dict[tuple[Any, ...], str]:
    """Why a case was not run, by RESULT_KEY: what the plan skips, and what gave no time."""
    summary = context.get(make_summary)
    failed = summary[~(summary["median_us"] > 0)]
    without_time = {
        tuple(row[name] for name in RESULT_KEY): f"no time: {row['reason'] or row['verdict']}"
        for row in failed.to_dict("records")
    }
    skipped = {
        (item.stack, item.operation, item.bytes, *item.point.model_dump().values()): item.reason
        for item in context.inputs.plan.skipped
        if item.operation
    }
    return without_time | skipped


def _cases(collectives: pd.DataFrame) -> Iterator[tuple[str, int]]:
    sizes = sorted(set(collectives["bytes"]) - {0})
    for operation in BLOCKING:
        for size in [0] if operation in WITHOUT_DATA else sizes:
            yield operation, size


def _times(rows: pd.DataFrame, operation: str, size: int) -> dict[int, float]:
    curve = rows[(rows["operation"] == operation) & (rows["bytes"] == size) & (rows["median_us"] > 0)]
    return dict(zip(curve["processes"], curve["median_us"], strict=True))


def by_model(curve: Curve, processes: int) -> dict[str, Any]:
    """What a model says of a point that was not run, and its error where the curve was run."""
    model = curve.nearest()
    if model is None:
        return {"made": "none"}
    line: dict[str, Any] = {
        "made": "model",
        "time_us": curve.modelled(model, processes),
        "algorithm": model.algorithm,
        "model_of": model.operation,
    }
    for name, count in zip(("largest", "second"), sorted(curve.compared, reverse=True), strict=False):
        line |= {f"{name}_run": count, f"{name}_factor": curve.times[count] / curve.modelled(model, count)}
    return line


BXJ_POINTS = view(
    "bxj", "points", POINT_COLUMNS, make_points, "how each point of each blocking collective was obtained"
)
