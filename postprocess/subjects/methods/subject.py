# SPDX-License-Identifier: BSD-3-Clause
"""How the numbers were made, and the files of the run: what this subject declares."""

from __future__ import annotations

from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.methods.figure import figures
from isochron.postprocess.subjects.methods.finding import poor_timers
from isochron.postprocess.subjects.methods.section import FILES, METHODS
from isochron.postprocess.subjects.methods.table import CLOCKS, TIMERS

SUBJECT = Subject(
    tables=(TIMERS, CLOCKS),
    figures=(figures,),
    findings=(poor_timers,),
    sections=(METHODS, FILES),
)
