# SPDX-License-Identifier: BSD-3-Clause
"""Profiled programs: what this subject declares."""

from __future__ import annotations

from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.profiles.finding import profiled
from isochron.postprocess.subjects.profiles.section import PROFILED
from isochron.postprocess.subjects.profiles.table import CALLS, PROGRAMS

SUBJECT = Subject(
    tables=(PROGRAMS, CALLS),
    findings=(profiled,),
    sections=(PROFILED,),
)
