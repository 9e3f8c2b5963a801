# SPDX-License-Identifier: BSD-3-Clause
"""`view-bxj-points.csv`: how the time of every blocking collective at every point was obtained.

It was run, or simulated coarsely, or is that of a model, in this order of preference.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from math import log
from statistics import median
from typing import Any

import pandas as pd

from isochron.postprocess.estimate.models import coarse
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
    "made": "`simulated` message by message, `measured`, `coarse` (simulated step by step, all messages of a step on "
    "their nodes), `model`, or `none`",
    "time_us": "value of the row; of a coarse simulation its time; of a model Hockney's time with the parameters of "
    "this campaign, else of BXJ",
    "coarse_us": "time of the coarse simulation, also where the point was simulated message by message; empty where "
    "there is none of the operation",
    "algorithm": "of a coarse simulation: its algorithm; of a model: the algorithm nearest to what was run of the "
    "curve; if nothing was, that chosen by size",
    "model_of": "of a model: the operation; that with equal counts for one with a count of its own for each process",
    "largest_run": "of both: the largest process count at which the curve was run; empty: nowhere",
    "largest_factor": "run / the time of the coarse simulation or model there: its error",
    "second_run": "the next smaller of these process counts",
    "second_factor": "the same there",
    "reason": "why it was not run",
}
#: How a point was obtained, beside run.
COARSE, MODEL, NONE = "coarse", "model", "none"
#: Why a point was not run of which the plan does not say it.
NOT_PLANNED = "not among the campaign's cases"
#: Operations with counts of their own for each process, which the engine makes equal, and those that have the models.
EQUAL_COUNTS = {
    "gatherv": "gather", "scatterv": "scatter", "allgatherv": "allgather", "alltoallv": "alltoall",
    "alltoallw": "alltoall",
}  # fmt: skip


@dataclass(frozen=True)
class Curve:
    """An operation and size in one situation: its times in µs by process count, as far as it was run.

    `coarse_us`: time in µs of the coarse simulation by process count; None where there is none.
    """

    operation: str
    size: int
    times: dict[int, float]
    parameters: Parameters
    coarse_us: Callable[[int], float | None] = lambda processes: None  # noqa: ARG005
    algorithm: str = ""

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
            curve = _with_coarse(Curve(operation, size, _times(rows, operation, size), parameters), context, situation)
            for processes in context.inputs.campaign.processes:
                key = {**place, "operation": operation, "bytes": size, "processes": processes}
                key["coarse_us"] = curve.coarse_us(processes)
                if processes in curve.times:
                    lines.append({**key, "made": run, "time_us": curve.times[processes]})
                else:
                    reason = reasons.get(tuple(key[name] for name in RESULT_KEY), NOT_PLANNED)
                    lines.append({**key, **not_run(curve, processes), "reason": reason})
    return pd.DataFrame(lines, columns=list(POINT_COLUMNS))


def _with_coarse(curve: Curve, context: TableContext, situation: tuple[Any, ...]) -> Curve:
    """The curve with its coarse simulation, if the run is simulated and there is one of the stack's algorithm."""
    stack, per_node, placement = situation
    machine, manifest = context.inputs.campaign.site.machine, context.inputs.manifests.get(stack)
    if machine is None or manifest is None:
        return curve
    algorithm = coarse.algorithm_of(curve.operation, manifest.launcher.argv)
    if algorithm is None:
        return curve

    def coarse_us(processes: int) -> float | None:
        return coarse.coarse_us(algorithm, machine, coarse.Place(processes, per_node, placement), curve.size)

    return replace(curve, coarse_us=coarse_us, algorithm=algorithm.name)


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


def not_run(curve: Curve, processes: int) -> dict[str, Any]:
    """What is known of a point that was not run, and its error where the curve was run."""
    time = curve.coarse_us(processes)
    if time is not None:
        return {"made": COARSE, "time_us": time, "algorithm": curve.algorithm, **_errors(curve, curve.coarse_us)}
    model = curve.nearest()
    if model is None:
        return {"made": NONE}
    return {
        "made": MODEL,
        "time_us": curve.modelled(model, processes),
        "algorithm": model.algorithm,
        "model_of": model.operation,
        **_errors(curve, partial(curve.modelled, model)),
    }


def _errors(curve: Curve, time_us: Callable[[int], float | None]) -> dict[str, Any]:
    """Run / `time_us` at the two largest process counts at which the curve was run."""
    errors: dict[str, Any] = {}
    compared = [(count, time) for count in sorted(curve.compared, reverse=True) if (time := time_us(count)) is not None]
    for name, (count, time) in zip(("largest", "second"), compared, strict=False):
        errors |= {f"{name}_run": count, f"{name}_factor": curve.times[count] / time}
    return errors


BXJ_POINTS = view(
    "bxj", "points", POINT_COLUMNS, make_points, "how each point of each blocking collective was obtained"
)
