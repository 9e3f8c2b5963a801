# SPDX-License-Identifier: BSD-3-Clause
"""The summary → parameters, models at every point, and what each curve shows: all that is known of scaling."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import pandas as pd

from isochron.common.cores import on_all_cores
from isochron.postprocess.estimate.models import cost_models as registry
from isochron.postprocess.estimate.models.curves import (
    MIN_COUNTS,
    MODEL_POINT_COLUMNS,
    SCALING_COLUMNS,
    SERIES,
    efficiencies,
    model_points,
    series,
)
from isochron.postprocess.estimate.models.departures import REASONS, Departure, broken, departure, nearest
from isochron.postprocess.estimate.models.normal_form import NormalForm, fit
from isochron.postprocess.estimate.models.parameters import PARAMETER_COLUMNS, Known, parameter_table, parameters
from isochron.postprocess.ingest.inputs import KEYS
from isochron.schemas.input.analysis import ModelOptions
from isochron.schemas.input.campaign import Campaign

#: Columns of `models.csv`: one row for each curve, that is operation and size of a stack over processes.
MODEL_COLUMNS = {
    **{name: KEYS[name] for name in SERIES},
    "counts": "process counts whose rows are reliable",
    "smallest": "the smallest of them",
    "largest": "the largest of them",
    "algorithm": "algorithm whose model is nearest: smallest median over processes of |ln(measured / model)|",
    "typical_factor": "how far apart they are in that median, as a factor",
    "fits": "whether that is within `analysis.model.tolerance`",
    "also_fit": "other algorithms within it, separated by semicolons",
    "chosen_by_size": "algorithm that libraries choose at this size, where the BXJ study states it; empty elsewhere",
    "leaves_at": "process count from which on all points depart from the nearest model; empty where none do",
    "leaves_factor": "measured / model there",
    "leaves_outside": "whether from there on the model lies outside the intervals of the measurements",
    "worst_at": "process count, of those from there on, that is farthest from the model; a slower one goes first",
    "worst_factor": "measured / model at that one",
    "excursions": "process counts that depart before that, separated by semicolons",
    "largest_us": "measured time at the largest process count",
    "largest_low_us": "lower end of its interval",
    "largest_high_us": "upper end of its interval",
    "largest_model_us": "time of the nearest model there",
    "largest_factor": "measured / model there",
    "broken": "assumptions of the model that do not hold from `leaves_at` on, as far as the data show",
    "reasons": "the same in a word each, separated by semicolons: " + ", ".join(f"`{word}`" for word in REASONS),
    "as_if": "what the curve says of them in numbers, separated by semicolons",
    "normal_form": "terms p^i·log2^j p fitted to the curve, in µs",
    "normal_form_error": "its leave-one-out error: root mean square of relative errors",
}


#: The fitted normal forms, a row for each term; that of the constant comes first.
FORM_COLUMNS = {
    **{name: KEYS[name] for name in SERIES},
    "power": "i of the term p^i·log2^j p; 0 for the constant",
    "logarithm": "j of the term; 0 for the constant",
    "coefficient": "its factor, in µs",
    "error": "leave-one-out error of the form: root mean square of relative errors",
}


#: Curves that are worked on together, and from how many on by a process for each core.
TOGETHER, MANY = 50, 200


@dataclass(frozen=True)
class ModelResults:
    """`PARAMETER_COLUMNS`, `MODEL_POINT_COLUMNS`, `MODEL_COLUMNS`, `FORM_COLUMNS`, `SCALING_COLUMNS`."""

    parameters: pd.DataFrame
    points: pd.DataFrame
    curves: pd.DataFrame
    forms: pd.DataFrame
    scaling: pd.DataFrame


def applies(campaign: Campaign) -> bool:
    """Return True if the campaign has enough process counts for curves."""
    return len(campaign.processes) >= MIN_COUNTS


def models(summary: pd.DataFrame, options: ModelOptions) -> ModelResults:
    """Everything about scaling. `summary`: RESULT_KEY, the median_us columns and reliable."""
    rows = summary.assign(counts=summary["reliable"].astype(bool) & (summary["median_us"] > 0))
    fitted = parameters(rows.assign(reliable=rows["counts"]), options)
    every = list(series(rows))

    def part(numbers: range) -> _Part:
        return _part([every[number] for number in numbers], fitted, options.tolerance)

    parts = [range(first, min(first + TOGETHER, len(every))) for first in range(0, len(every), TOGETHER)]
    made = list(on_all_cores(part, parts) if len(every) >= MANY else map(part, parts))
    filled = [each.points for each in made if len(each.points)]
    points = pd.concat(filled, ignore_index=True) if filled else pd.DataFrame(columns=list(MODEL_POINT_COLUMNS))
    return ModelResults(
        parameters=parameter_table(fitted),
        points=points,
        curves=pd.DataFrame([line for each in made for line in each.curves], columns=list(MODEL_COLUMNS)),
        forms=pd.DataFrame([line for each in made for line in each.forms], columns=list(FORM_COLUMNS)),
        scaling=efficiencies(rows, points),
    )


class _Part(NamedTuple):
    """Some curves: `MODEL_POINT_COLUMNS` of all of them, and lines of `MODEL_COLUMNS` and `FORM_COLUMNS`."""

    points: pd.DataFrame
    curves: list[dict[str, Any]]
    forms: list[dict[str, Any]]


def _part(some: list[tuple[dict[str, Any], pd.DataFrame]], fitted: Known, tolerance: float) -> _Part:
    part = _Part(pd.DataFrame(columns=list(MODEL_POINT_COLUMNS)), [], [])
    points = []
    for key, curve in some:
        each = model_points(curve, fitted, tolerance)
        points.append(each)
        counted = curve[curve["counts"]]
        form = fit(counted["processes"].to_numpy(dtype=float), counted["median_us"].to_numpy(dtype=float))
        if form:
            part.forms.extend(_form_rows(key, form))
        part.curves.append(key | _curve(counted, each, fitted, form, tolerance))
    filled = [each for each in points if len(each)]
    return part._replace(points=pd.concat(filled, ignore_index=True)) if filled else part


def _form_rows(key: Mapping[str, Any], form: NormalForm) -> list[dict[str, Any]]:
    terms = [((0.0, 0), form.constant), *zip(form.terms, form.coefficients, strict=True)]
    return [
        {**key, "power": power, "logarithm": logarithm, "coefficient": coefficient, "error": form.error}
        for (power, logarithm), coefficient in terms
    ]


def forms_by_curve(table: pd.DataFrame) -> dict[tuple[Any, ...], NormalForm]:
    """The fitted form of each curve (`SERIES`) that has one. `table`: `FORM_COLUMNS`."""
    forms = {}
    for key, curve in table.groupby(SERIES, sort=False):
        constant, *coefficients = curve["coefficient"].tolist()
        terms = tuple(zip(curve["power"].tolist()[1:], curve["logarithm"].tolist()[1:], strict=True))
        forms[key] = NormalForm(constant, terms, tuple(coefficients), curve["error"].iloc[0])
    return forms


def _curve(
    counted: pd.DataFrame, points: pd.DataFrame, fitted: Known, form: NormalForm | None, tolerance: float
) -> dict[str, Any]:
    """Everything of a row of `MODEL_COLUMNS` but its key."""
    last = counted.iloc[-1]
    row: dict[str, Any] = {
        "counts": len(counted),
        "smallest": int(counted["processes"].iloc[0]),
        "largest": int(last["processes"]),
        "largest_us": last["median_us"],
        "largest_low_us": last["median_low_us"],
        "largest_high_us": last["median_high_us"],
    }
    if form:
        row |= {"normal_form": form.text, "normal_form_error": form.error}
    best = nearest(points, tolerance)
    if best is None:
        return row
    best_points = points[points["algorithm"] == best.algorithm]
    left = departure(best_points)
    end = best_points[best_points["processes"] == row["largest"]].iloc[0]
    row |= {
        "algorithm": best.algorithm,
        "typical_factor": best.factor,
        "fits": best.fits,
        "also_fit": "; ".join(best.also),
        "chosen_by_size": registry.chosen(str(last["operation"]), int(last["bytes"])),
        "excursions": "; ".join(str(p) for p in left.excursions),
        "largest_model_us": end["model_us"],
        "largest_factor": end["ratio"],
    }
    return row | (_left(best_points, best.algorithm, left, fitted, tolerance) if left.processes else {})


def _left(
    best_points: pd.DataFrame, algorithm: str, left: Departure, fitted: Known, tolerance: float
) -> dict[str, Any]:
    at = best_points[best_points["processes"] == left.processes].iloc[0]
    model = next(model for model in registry.of(at["operation"]) if model.algorithm == algorithm)
    parameters = fitted[(at["stack"], at["processes_per_node"], at["placement"])]
    reasons = broken(best_points, model, left, parameters, tolerance)
    return {
        "leaves_at": left.processes,
        "leaves_factor": left.ratio,
        "leaves_outside": left.outside,
        "worst_at": left.worst_at,
        "worst_factor": left.worst,
        "broken": "; ".join(each.text for each in reasons),
        "reasons": "; ".join(each.kind for each in reasons),
        "as_if": "; ".join(each.figures for each in reasons if each.figures),
    }


NOTHING = ModelResults(
    parameters=pd.DataFrame(columns=list(PARAMETER_COLUMNS)),
    points=pd.DataFrame(columns=list(MODEL_POINT_COLUMNS)),
    curves=pd.DataFrame(columns=list(MODEL_COLUMNS)),
    forms=pd.DataFrame(columns=list(FORM_COLUMNS)),
    scaling=pd.DataFrame(columns=list(SCALING_COLUMNS)),
)
