# SPDX-License-Identifier: BSD-3-Clause
"""The value of every result: what this subject declares."""

from __future__ import annotations

from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.results.figure import figures
from isochron.postprocess.subjects.results.section import FIGURES, TIMES
from isochron.postprocess.subjects.results.table import LAUNCH_FACTORS, SCALABILITY, SUMMARY, TAILS

SUBJECT = Subject(
    tables=(SUMMARY, TAILS, SCALABILITY),
    frames=(LAUNCH_FACTORS,),
    figures=(figures,),
    sections=(TIMES, FIGURES),
)
