# SPDX-License-Identifier: BSD-3-Clause
"""Sections on scalability and on performance guidelines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from isochron.postprocess.analysis.analysis import Analysis
from isochron.postprocess.models.parameters import GIVEN
from isochron.postprocess.reading.inputs import RunInputs
from isochron.postprocess.report.model import (
    CurveRow,
    GuidelineRow,
    LargestRow,
    LargestTable,
    ParameterRow,
)
from isochron.postprocess.report.results import stack_marks
from isochron.postprocess.words import labels, numbers


def curve_rows(inputs: RunInputs, analysis: Analysis) -> list[CurveRow]:
    """Every curve: its nearest model, where it leaves it, and the fitted form."""
    marks = stack_marks(inputs)
    return [
        CurveRow(
            mark=marks[row["stack"]],
            operation=row["operation"],
            size=_size(row),
            per_node=_per_node(row),
            algorithm=_text(row["algorithm"]),
            also=_text(row["also_fit"]),
            typical=numbers.ratio(row["typical_factor"]),
            leaves=_leaves(row),
            broken=_text(row["broken"]) if row["leaves_at"] > 0 else "",
            form=_text(row["normal_form"]).replace("-", "−").replace(" p", "\u00a0p"),
            error=numbers.percent(row["normal_form_error"]),
        )
        for row in analysis.models.curves.to_dict("records")
    ]


def _leaves(row: Mapping[Any, Any]) -> str:
    if not row["leaves_at"] > 0:
        return numbers.NONE if _text(row["algorithm"]) else ""
    where = "" if row["leaves_outside"] else ", within an interval"
    if row["leaves_at"] == row["smallest"]:
        return f"apart everywhere{where}"
    return f"{int(row['leaves_at'])}, by {numbers.ratio(row['leaves_factor'])}{where}"


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _size(row: Mapping[Any, Any]) -> str:
    return numbers.size(row["bytes"]) if row["bytes"] else numbers.NONE


def _per_node(row: Mapping[Any, Any]) -> str:
    return str(row["processes_per_node"]) if row["processes_per_node"] else "all"


def largest_tables(inputs: RunInputs, analysis: Analysis) -> list[LargestTable]:
    """All operations at the largest process count, fastest first: a table for each number of processes per node."""
    curves, marks = analysis.models.curves, stack_marks(inputs)
    tables = []
    for (per_node, placement), own in curves.groupby(["processes_per_node", "placement"], sort=False):
        top = own[own["largest"] == own["largest"].max()]
        several = len(curves["placement"].unique()) > 1
        title = f"{int(top['largest'].iloc[0])} processes" + (f", {per_node} a node" if per_node else " on one node")
        ordered = top.sort_values(["bytes", "largest_us"], kind="stable")
        rows = [
            LargestRow(
                mark=marks[row["stack"]],
                operation=row["operation"],
                size=_size(row),
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


def parameter_rows(inputs: RunInputs, analysis: Analysis) -> list[ParameterRow]:
    """α, β and γ of the stacks whose curves have models."""
    curves, marks = analysis.models.curves, stack_marks(inputs)
    used = set(curves.loc[curves["algorithm"].notna(), "processes_per_node"])
    rows = []
    for row in analysis.models.parameters.to_dict("records"):
        if row["processes_per_node"] not in used and 0 not in used:
            continue
        reduction = row["reduction_mb_per_s"]
        rows.append(
            ParameterRow(
                mark=marks[row["stack"]],
                per_node=str(row["processes_per_node"]),
                alpha=f"{numbers.significant(row['alpha_us'])}{numbers.GAP}µs",
                alpha_source=row["alpha_source"],
                stream=_rate(row["bandwidth_mb_per_s"]),
                stream_source=row["bandwidth_source"],
                together=_rate(row["all_to_all_mb_per_s"]),
                together_source=row["all_to_all_source"],
                reduction=_rate(reduction) if reduction < float("inf") else "free",
                reduction_source=GIVEN if reduction < float("inf") else "not given",
            )
        )
    return rows


def _rate(value: float) -> str:
    return f"{numbers.significant(value, 4)}{numbers.GAP}MB/s"


def guideline_rows(inputs: RunInputs, analysis: Analysis) -> list[GuidelineRow]:
    """The violated ones, the worst first."""
    marks, table = stack_marks(inputs), analysis.guidelines
    broken = table[table["verdict"] == "violated"].sort_values("ratio", ascending=False, kind="stable")
    return [
        GuidelineRow(
            mark=marks[row["stack"]],
            operation=row["operation"],
            size=_size(row),
            point=labels.point(row),
            kind=row["kind"],
            other=row["other"],
            factor=numbers.ratio(row["ratio"]),
            interval=numbers.ratio_interval(row["ratio_low"], row["ratio_high"]),
        )
        for row in broken.to_dict("records")
    ]


def guideline_count(analysis: Analysis) -> str:
    """`230 guidelines are tested: 3 violated, 180 kept and 47 open`; empty where none is."""
    table = analysis.guidelines
    if not len(table):
        return ""
    parts = [f"{int((table['verdict'] == verdict).sum())} {verdict}" for verdict in ("violated", "kept", "open")]
    are = "guideline is" if len(table) == 1 else "guidelines are"
    return f"{numbers.fixed(len(table), 0)} {are} tested: {numbers.listing(parts)}"
