# SPDX-License-Identifier: BSD-3-Clause
"""Systematic errors of benchmarks: what this subject declares."""

from __future__ import annotations

from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.systematic.figure import figures
from isochron.postprocess.subjects.systematic.finding import late_initialisation, systematic_errors
from isochron.postprocess.subjects.systematic.section import LATE_INITIALISATION, SYSTEMATIC
from isochron.postprocess.subjects.systematic.table import FIRST_CALLS, LATE_CALLS, SYSTEMATIC_ERRORS

SUBJECT = Subject(
    tables=(FIRST_CALLS, LATE_CALLS, SYSTEMATIC_ERRORS),
    figures=(figures,),
    findings=(late_initialisation, systematic_errors),
    sections=(LATE_INITIALISATION, SYSTEMATIC),
)
