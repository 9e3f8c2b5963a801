# SPDX-License-Identifier: BSD-3-Clause
"""Every curve over processes with its nearest model and fitted form, and what the models go by."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from isochron.postprocess.estimate.models.parameters import GIVEN
from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.kit.section import Source, StackMark
from isochron.postprocess.subjects.scaling.table import MODEL_PARAMETERS, MODELS


@dataclass(frozen=True)
class CurveRow:
    """A curve over processes and what models say of it."""

    mark: StackMark
    operation: str
    size: str
    per_node: str
    algorithm: str
    also: str
    by_size: str
    typical: str
    leaves: str
    form: str
    error: str


@dataclass(frozen=True)
class LargestRow:
    """An operation at the largest process count."""

    mark: StackMark
    operation: str
    size: str
    value: str
    interval: str
    algorithm: str
    model: str
    factor: str


@dataclass(frozen=True)
class LargestTable:
    """All operations at the largest process count of a number of processes per node."""

    title: str
    rows: list[LargestRow]


@dataclass(frozen=True)
class ParameterRow:
    """Parameters of the cost models, each with its source."""

    mark: StackMark
    per_node: str
    alpha: str
    alpha_source: str
    one_way: str
    one_way_source: str
    imb: str
    imb_source: str
    reduction: str
    reduction_source: str


def curve_rows(source: Source) -> list[CurveRow]:
    """Every curve: its nearest model, where it leaves it, and the fitted form."""
    marks = source.marks
    return [
        CurveRow(
            mark=marks[row["stack"]],
            operation=row["operation"],
            size=labels.size(row),
            per_node=str(row["processes_per_node"] or "all"),
            algorithm=_text(row["algorithm"]),
            also=_text(row["also_fit"]),
            by_size=_text(row["chosen_by_size"]),
            typical=numbers.ratio(row["typical_factor"]),
            leaves=_leaves(row),
            form=_text(row["normal_form"]).replace("-", "−").replace(" p", "\u00a0p"),
            error=numbers.percent(row["normal_form_error"]),
        )
        for row in source.analysis[MODELS].to_dict("records")
    ]


def _leaves(row: Mapping[Any, Any]) -> str:
    if not row["leaves_at"] > 0:
        return numbers.NONE if _text(row["algorithm"]) else ""
    where = "" if row["leaves_outside"] else ", within an interval"
    if row["leaves_at"] == row["smallest"]:
        return f"apart everywhere{where}"
    factor = row["leaves_factor"]
    if factor < 1:
        return f"{int(row['leaves_at'])}, {numbers.ratio(1 / factor)} faster{where}"
    return f"{int(row['leaves_at'])}, {numbers.ratio(factor)} slower{where}"


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def largest_tables(source: Source) -> list[LargestTable]:
    """All operations at the largest process count, fastest first: a table for each number of processes per node."""
    curves, marks = source.analysis[MODELS], source.marks
    tables = []
    for (per_node, placement), point_rows in curves.groupby(["processes_per_node", "placement"], sort=False):
        top = point_rows[point_rows["largest"] == point_rows["largest"].max()]
        several = len(curves["placement"].unique()) > 1
        title = f"{int(top['largest'].iloc[0])} processes" + (f", {per_node} per node" if per_node else " on one node")
        ordered = top.sort_values(["bytes", "largest_us"], kind="stable")
        rows = [
            LargestRow(
                mark=marks[row["stack"]],
                operation=row["operation"],
                size=labels.size(row),
                **_measured(row),
                algorithm=_text(row["algorithm"]) or "no model",
                model=numbers.significant(row["largest_model_us"]) if row["largest_model_us"] > 0 else numbers.NONE,
                factor=numbers.ratio(row["largest_factor"]),
            )
            for row in ordered.to_dict("records")
        ]
        tables.append(LargestTable(f"{title}, {placement}" if several else title, rows))
    return tables


def _measured(row: Mapping[Any, Any]) -> dict[str, str]:
    low, high = row["largest_low_us"], row["largest_high_us"]
    decimals = numbers.decimals_for(row["largest_us"], low, high)
    value, interval = numbers.interval(row["largest_us"], low, high, decimals)
    return {"value": value, "interval": interval}


def parameter_rows(source: Source) -> list[ParameterRow]:
    """α, β and γ of the stacks whose curves have models."""
    curves, marks = source.analysis[MODELS], source.marks
    used = set(curves.loc[curves["algorithm"].notna(), "processes_per_node"])
    rows = []
    for row in source.analysis[MODEL_PARAMETERS].to_dict("records"):
        if row["processes_per_node"] not in used and 0 not in used:
            continue
        reduction = row["reduction_mb_per_s"]
        rows.append(
            ParameterRow(
                mark=marks[row["stack"]],
                per_node=str(row["processes_per_node"]),
                alpha=f"{numbers.significant(row['alpha_us'])}{numbers.GAP}µs",
                alpha_source=row["alpha_source"],
                one_way=_rate(row["one_way_mb_per_s"]),
                one_way_source=row["one_way_source"],
                imb=_rate(row["imb_mb_per_s"]),
                imb_source=row["imb_source"],
                reduction=_rate(reduction) if reduction < float("inf") else "free",
                reduction_source=GIVEN if reduction < float("inf") else "not given",
            )
        )
    return rows


def _rate(value: float) -> str:
    return f"{numbers.significant(value, 4)}{numbers.GAP}MB/s"
