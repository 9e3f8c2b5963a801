# SPDX-License-Identifier: BSD-3-Clause
"""Which figures a run has: none that would be empty or say nothing."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import pandas as pd

from isochron.common.cores import on_all_cores
from isochron.common.files import write_json
from isochron.postprocess.analysis.analysis import Analysis
from isochron.postprocess.figures import clocks, contrast, quality, scaling, svg, timeline, times
from isochron.postprocess.figures.details import overlap
from isochron.postprocess.figures.machines import beside, scan
from isochron.postprocess.figures.model import FigureInfo, FigureList, Plot
from isochron.postprocess.figures.palette import Mark, marks
from isochron.postprocess.figures.panels import spread_over
from isochron.postprocess.figures.programs import nodes, npb
from isochron.postprocess.figures.style import look
from isochron.postprocess.figures.systematic import errors, late, tools
from isochron.postprocess.figures.views import bxj, diagram, mpiperf, two_sites
from isochron.postprocess.formatting import labels
from isochron.postprocess.machine.simulation import simulation
from isochron.postprocess.models.results import forms_by_curve
from isochron.postprocess.reading.inputs import POINT, RunInputs
from isochron.postprocess.tables.bounds import BOUNDS
from isochron.postprocess.tables.details.overlap import OVERLAP
from isochron.postprocess.tables.errors import SYSTEMATIC_ERRORS
from isochron.postprocess.tables.machine import CLOCKS
from isochron.postprocess.tables.machines.beside import BESIDE
from isochron.postprocess.tables.machines.scan import SCAN
from isochron.postprocess.tables.models import MODEL_POINTS, MODELS, NORMAL_FORMS, SCALING
from isochron.postprocess.tables.probes import PROBE_SERIES
from isochron.postprocess.tables.programs.npb import NPB, NPB_BESIDE, NPB_NODES
from isochron.postprocess.tables.summary import SUMMARY
from isochron.postprocess.tables.trust.first_calls import FIRST_CALLS
from isochron.postprocess.tables.trust.late_initialisation import LATE_CALLS
from isochron.postprocess.tables.trust.overview import TIMELINE
from isochron.postprocess.tables.trust.tools import TOOLS
from isochron.postprocess.tables.views.bxj import BXJ_PING_PONG, BXJ_RANGE
from isochron.postprocess.tables.views.bxj_curves import BXJ_CURVES
from isochron.postprocess.tables.views.mpiperf_diagram import MPIPERF_DIAGRAM
from isochron.postprocess.tables.views.mpiperf_studies import MPIPERF_BUFFERS, MPIPERF_PATTERNS, MPIPERF_RSE
from isochron.postprocess.tables.views.rotating_root import PARADOX, ROTATING_MATRIX
from isochron.postprocess.tables.views.two_sites import SITES_ORDERS, SITES_PAIRS, SITES_PING_PONG, wanted
from isochron.schemas.engine.contract import WITHOUT_DATA
from isochron.schemas.run.layout import RunLayout

#: Panels of one figure; more make a further figure.
MAX_PANELS = 24
#: Sizes that a figure against the size needs, where another shows the same times against processes.
MIN_SIZES = 3
#: Points of which each has a figure against the size; of more, all but the largest stand in a fold.
MAX_POINTS = 3
#: First calls that are all this near to the second ones are not drawn: a simulator initialises nothing.
SAME = 0.01

INTERVALS = "Markers are medians over launches; bars are their exact intervals, or the range where launches are few."


def catalogue(inputs: RunInputs, analysis: Analysis) -> Iterator[Plot]:
    """The figures of a run, in the order of the report."""
    summary = analysis[SUMMARY][analysis[SUMMARY]["median_us"] > 0]
    present = set(summary["stack"])
    series = {stack: mark for stack, mark in marks(inputs.campaign.stacks).items() if stack in present}
    simulated = simulation(analysis.launches)
    note = f" – {simulated}" if simulated else ""
    with_data = summary[~summary["operation"].isin(list(WITHOUT_DATA))]
    yield from scan.plots(analysis[SCAN], note)
    if inputs.campaign.scan is None:  # its map shows all nodes; a figure for each would be hundreds
        yield from _by_size(with_data, series, note)
        others = _no_curves(summary, analysis[SCALING])
        yield from _without_data(others[others["operation"].isin(list(WITHOUT_DATA))], series, note)
        yield from _by_processes(others, series, note)
    yield from _rse(summary, with_data, series, note)
    called = analysis[FIRST_CALLS]
    first_calls = called[called["stack"].isin(present) & (called["ratio"] > 0)]
    if ((first_calls["ratio"] - 1).abs() > SAME).any():
        caption = (
            "How much longer the first call takes than the second. Markers are medians over sizes and points; bars are "
            "the range over them."
        )
        info = FigureInfo(file="first-calls.svg", title=f"First call against second{note}", caption=caption)
        yield Plot(info, lambda: quality.first_call_ratio(first_calls, series, note))
    yield from late.plots(analysis[LATE_CALLS], marks(inputs.campaign.stacks), note)
    yield from errors.plots(analysis[SYSTEMATIC_ERRORS], marks(inputs.campaign.stacks), note)
    yield from tools.plots(analysis[TOOLS], note)
    yield from contrast.plots(analysis[BOUNDS], analysis[SUMMARY], inputs.campaign, note)
    yield from beside.plots(analysis[BESIDE], inputs.campaign.stacks, note)
    yield from npb.plots(analysis[NPB], analysis[NPB_BESIDE], note)
    yield from nodes.plots(analysis[NPB_NODES], note)
    if wanted(inputs.campaign):
        yield from _two_sites(inputs, analysis, note)
    yield from scaling.plots(_scaling(inputs, analysis), series, note)
    if not simulated:  # whose launches are as fast as the computer that simulates
        course, of_run = analysis[PROBE_SERIES], analysis[TIMELINE]
        yield from timeline.plots(of_run, course, marks(inputs.campaign.stacks), note)
    yield from clocks.plots(analysis[CLOCKS], note)
    yield from overlap.plots(analysis[OVERLAP], marks(inputs.campaign.stacks), note)
    yield from _views(analysis, marks(inputs.campaign.stacks), note)


def _views(analysis: Analysis, series: dict[str, Mark], note: str) -> Iterator[Plot]:
    """As other benchmarks draw it; what a campaign does not ask for is an empty table."""
    yield from mpiperf.pattern_plots(analysis[MPIPERF_PATTERNS], note)
    yield from mpiperf.buffer_plots(analysis[MPIPERF_BUFFERS], note)
    yield from mpiperf.rse_plots(analysis[MPIPERF_RSE], note)
    yield from diagram.plots(analysis[MPIPERF_DIAGRAM], note)
    drawn = bxj.BxjPlotData(analysis[BXJ_PING_PONG], analysis[BXJ_RANGE], analysis[BXJ_CURVES])
    yield from bxj.plots(drawn, series, note)


def _two_sites(inputs: RunInputs, analysis: Analysis, note: str) -> Iterator[Plot]:
    yield from two_sites.ping_pong_plots(analysis[SITES_PING_PONG], note)
    yield from two_sites.pair_plots(analysis[SITES_PAIRS], note)
    yield from two_sites.order_plots(analysis[SITES_ORDERS], note)
    yield from two_sites.paradox_plots(analysis[PARADOX], inputs.campaign.engine.scheme, note)
    yield from two_sites.matrix_plots(analysis[ROTATING_MATRIX], note)


def _scaling(inputs: RunInputs, analysis: Analysis) -> scaling.ScalingPlotData:
    forms, tolerance = forms_by_curve(analysis[NORMAL_FORMS]), inputs.campaign.analysis.model.tolerance
    return scaling.ScalingPlotData(analysis[SCALING], analysis[MODELS], analysis[MODEL_POINTS], forms, tolerance)


def _no_curves(summary: pd.DataFrame, curves: pd.DataFrame) -> pd.DataFrame:
    """The rows that the figures of the section on scalability do not show. `curves`: `SCALING_COLUMNS`."""
    if not len(curves):
        return summary
    keys = ["stack", "operation", "bytes", "placement"]
    drawn = set(curves[[*keys, "curve_per_node"]].itertuples(index=False, name=None))
    each = summary[[*keys, "processes_per_node"]].itertuples(index=False, name=None)
    return summary[[(*key, 0) not in drawn and (*key, per_node) not in drawn for *key, per_node in each]]


def _by_size(rows: pd.DataFrame, series: dict[str, Mark], note: str) -> Iterator[Plot]:
    rows = _not_swept(rows) if rows["bytes"].nunique() < MIN_SIZES else rows
    groups = list(rows.groupby(POINT, sort=False))
    largest = rows["processes"].max() if len(rows) else 0
    for (processes, per_node, placement), own in groups:
        point: dict[str, Any] = {"processes": processes, "processes_per_node": per_node, "placement": placement}
        info = FigureInfo(
            file=f"time-by-size.p{processes}.n{per_node}.{placement}.svg",
            title=f"Time against size: {labels.point(point)}{note}",
            caption=f"Lower is faster. {INTERVALS} Lines only lead the eye from one measured size to the next.",
            folded=len(groups) > MAX_POINTS and point["processes"] < largest,
        )
        yield Plot(info, partial(times.time_by_size, own, series, note))


def _without_data(rows: pd.DataFrame, series: dict[str, Mark], note: str) -> Iterator[Plot]:
    errors = bool((rows["rse"] > 0).any())
    rows = rows if errors else _not_swept(rows)
    if len(rows):
        info = FigureInfo(
            file="without-data.svg",
            title=f"Operations without data: time{' and reproducibility' if errors else ''}{note}",
            caption=f"Left: time; further left is faster. {INTERVALS} Right: relative standard error over launches."
            if errors
            else f"Further left is faster. {INTERVALS}",
        )
        yield Plot(info, lambda: times.without_data(rows, series, note))


def _sweeps(rows: pd.DataFrame) -> Iterator[tuple[dict[str, Any], pd.DataFrame]]:
    """Points that differ in processes only: on one node all together, on several by processes per node."""
    one_node = bool((rows["processes"] <= rows["processes_per_node"]).all())
    keys = ["placement"] if one_node else ["processes_per_node", "placement"]
    for group, own in rows.groupby(keys, sort=False):
        if own["processes"].nunique() > 1:
            yield dict(zip(keys, group, strict=True)), own


def _not_swept(rows: pd.DataFrame) -> pd.DataFrame:
    """What no figure against processes shows."""
    return rows.drop([index for _, own in _sweeps(rows) for index in own.index])


def _by_processes(rows: pd.DataFrame, series: dict[str, Mark], note: str) -> Iterator[Plot]:
    for sweep, own in _sweeps(rows):
        chosen = own[own["bytes"].isin(spread_over(sorted(own["bytes"].unique().tolist())))]
        cases = chosen[["operation", "bytes"]].drop_duplicates()
        where = f"{sweep['processes_per_node']} processes per node" if "processes_per_node" in sweep else "on one node"
        for first in range(0, len(cases), MAX_PANELS):
            part = chosen.merge(cases.iloc[first : first + MAX_PANELS], on=["operation", "bytes"])
            number = f".{first // MAX_PANELS + 1}" if len(cases) > MAX_PANELS else ""
            info = FigureInfo(
                file=f"time-by-processes.{'.'.join(map(str, sweep.values()))}{number}.svg",
                title=f"Time against processes, {where}{note}",
                caption=f"Lower is faster. {INTERVALS} Lines only lead the eye.",
            )
            yield Plot(info, partial(times.time_by_processes, part, series, note))


def _rse(rows: pd.DataFrame, with_data: pd.DataFrame, series: dict[str, Mark], note: str) -> Iterator[Plot]:
    several = (
        "Markers are medians over {}; bars are the range over them. " if len(rows[POINT].drop_duplicates()) > 1 else ""
    )
    caption = (
        "Relative standard error of the mean over launches, s/(mean·√L), of reliable rows. Lower is more reproducible."
    )
    for against, chosen, over in (("bytes", with_data, "points"), ("processes", rows, "sizes and points")):
        known = chosen[chosen["reliable"] & (chosen["rse"] > 0)]
        if len(known) and (against == "bytes" or known["processes"].nunique() > 1):
            info = FigureInfo(
                file=f"rse-by-{against}.svg",
                title=f"Reproducibility against {'size' if against == 'bytes' else 'processes'}{note}",
                caption=f"{several.format(over)}{caption}",
            )
            yield Plot(info, partial(quality.rse, known, against, series, note))


def write_figures(layout: RunLayout, plots: Iterator[Plot]) -> list[FigureInfo]:
    """Draw and save every figure, list them in `figures.json`, and take away those of an earlier time."""
    drawn = list(plots)
    infos = [plot.info for plot in drawn]

    def save(number: int) -> None:
        with look():
            svg.save(drawn[number].draw(), layout.figures / infos[number].file)

    list(on_all_cores(save, range(len(drawn))))
    write_json(layout.figures / "figures.json", FigureList(figures=infos).model_dump())
    for stale in set(layout.figures.glob("*.svg")) - {layout.figures / info.file for info in infos}:
        stale.unlink()
    return infos
