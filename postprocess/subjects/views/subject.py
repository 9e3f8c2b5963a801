# SPDX-License-Identifier: BSD-3-Clause
"""Results as other benchmarks print them: what this subject declares."""

from __future__ import annotations

from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.views import bxj_figure, bxj_points_figure, mpiperf_figure, two_sites_figure
from isochron.postprocess.subjects.views.finding import wrong_patterns
from isochron.postprocess.subjects.views.section import SOURCES_VIEWS, TABLES
from isochron.postprocess.subjects.views.two_sites_table import ROTATING_MATRIX

SUBJECT = Subject(
    tables=(*TABLES, ROTATING_MATRIX),
    figures=(two_sites_figure.figures, mpiperf_figure.figures, bxj_figure.figures, bxj_points_figure.figures),
    findings=(wrong_patterns,),
    sections=(SOURCES_VIEWS,),
)
