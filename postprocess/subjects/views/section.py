# SPDX-License-Identifier: BSD-3-Clause
"""What other benchmarks and studies print and draw, as far as the campaign asks for it (`analysis.views`)."""

from dataclasses import dataclass

from isochron.postprocess.kit.section import FigureView, Section, Source
from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.kit.table import Table
from isochron.postprocess.kit.table_view import Part, part
from isochron.postprocess.subjects.views import bxj_figure, bxj_points_figure, mpiperf_figure, two_sites_figure
from isochron.postprocess.subjects.views.bxj_largest import BXJ_LARGEST
from isochron.postprocess.subjects.views.bxj_points import BXJ_POINTS
from isochron.postprocess.subjects.views.bxj_table import (
    BXJ_CURVES,
    BXJ_MACHINE,
    BXJ_PARAMETERS,
    BXJ_PING_PONG,
    BXJ_SENDRECV,
)
from isochron.postprocess.subjects.views.finding import wrong_patterns
from isochron.postprocess.subjects.views.mpiperf_table import (
    MPIPERF_BUFFERS,
    MPIPERF_DIAGRAM,
    MPIPERF_LINES,
    MPIPERF_LOCAL,
    MPIPERF_PATTERNS,
    MPIPERF_RANKS,
    MPIPERF_RSE,
)
from isochron.postprocess.subjects.views.pmb_groups_table import PMB_GROUPS
from isochron.postprocess.subjects.views.pmb_msu_table import (
    MSU_COSTS,
    MSU_FIT,
    MSU_LOCAL,
    MSU_TOPOLOGIES,
    MSU_TRANSFERS,
    PMB_VIEW,
)
from isochron.postprocess.subjects.views.two_sites_table import (
    PARADOX,
    ROTATING_MATRIX,
    SITES_ORDERS,
    SITES_PAIRS,
    SITES_PING_PONG,
    SITES_STREAMS,
)

#: Of each word of `analysis.views` what it stands for, its unit of bandwidth, and its tables.
VIEWS: dict[str, tuple[str, str, tuple[Table, ...]]] = {
    "msu": (
        "MSU tests (Andreev, Voevodin)",
        "Bandwidths are in MiB/s, which the source calls MB/s.",
        (MSU_TRANSFERS, MSU_FIT, MSU_TOPOLOGIES, MSU_LOCAL, MSU_COSTS),
    ),
    "pmb": ("PMB 2.2 (Pallas)", "Bandwidths are in MiB/s, which the source calls MB/s.", (PMB_VIEW, PMB_GROUPS)),
    "mpiperf": (
        "MPIPerf (Kurnosov)",
        "Times are in µs; no bandwidths are printed.",
        (MPIPERF_LINES, MPIPERF_RANKS, MPIPERF_PATTERNS, MPIPERF_BUFFERS, MPIPERF_RSE, MPIPERF_DIAGRAM),
    ),
    "mpiperf-local": (
        "MPIPerf (Kurnosov), longest local durations",
        "The time of a run is its longest local duration, as that program has it; late starts do not show in it.",
        (MPIPERF_LOCAL,),
    ),
    "bxj": (
        "Scalability on BXJ (Luo Hongbing, Zhang Xiaoxia)",
        "Bandwidths are in MiB/s, which the source calls MB/s: one way, m/t of a message, or imb, 2m/t of a Sendrecv, "
        "bytes sent and received. Numbered tables have the numbers of the study, 3 is its tables 3 and 4.",
        (BXJ_MACHINE, BXJ_PING_PONG, BXJ_SENDRECV, BXJ_PARAMETERS, BXJ_LARGEST, BXJ_POINTS, BXJ_CURVES),
    ),
    "two-sites": (
        "Two sites (Igumnov et al.)",
        "Bandwidths are in MB/s, 10⁶ bytes.",
        (SITES_PING_PONG, SITES_STREAMS, SITES_PAIRS, SITES_ORDERS, PARADOX),
    ),
}


@dataclass(frozen=True)
class Group:
    """The views of one source: its name, its unit, its tables and figures."""

    title: str
    unit: str
    parts: list[Part]
    figures: list[FigureView]


def build(source: Source) -> list[Group] | None:
    """None if the campaign asks for none, or nothing of them was measured."""
    campaign, groups = source.inputs.campaign, []
    for name, (title, unit, tables) in VIEWS.items():
        shown = {table: source.analysis[table] for table in tables if table.applies(campaign)}
        parts = [part(table, frame) for table, frame in shown.items() if len(frame)]
        if parts:
            groups.append(Group(title, unit, parts, source.figures_of(f"views-{name}")))
    return groups or None


TABLES = tuple(table for *_, tables in VIEWS.values() for table in tables)
SOURCES_VIEWS = Section(
    "views",
    "As others print it",
    "views/section.html.j2",
    build,
    needs=TABLES,
    shows=tuple(f"views-{name}" for name in VIEWS),
)

SUBJECT = Subject(
    tables=(*TABLES, ROTATING_MATRIX),
    figures=(two_sites_figure.figures, mpiperf_figure.figures, bxj_figure.figures, bxj_points_figure.figures),
    findings=(wrong_patterns,),
    sections=(SOURCES_VIEWS,),
)
