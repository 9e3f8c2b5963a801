# SPDX-License-Identifier: BSD-3-Clause
"""Start and end of a launch: what this subject declares."""

from __future__ import annotations

from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.startup.finding import startup
from isochron.postprocess.subjects.startup.section import START
from isochron.postprocess.subjects.startup.table import STARTUP

SUBJECT = Subject(
    tables=(STARTUP,),
    findings=(startup,),
    sections=(START,),
)
