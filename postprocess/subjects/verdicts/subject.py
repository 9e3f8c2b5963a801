# SPDX-License-Identifier: BSD-3-Clause
"""Verdicts of results and their launches: what this subject declares."""

from __future__ import annotations

from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.verdicts.finding import dependent, remeasured, unreliable
from isochron.postprocess.subjects.verdicts.section import RESULT_VERDICTS, STARTS_OF_ROWS
from isochron.postprocess.subjects.verdicts.table import CERTIFICATE, REMEASURED, STARTS, VERDICTS

SUBJECT = Subject(
    tables=(VERDICTS, STARTS, REMEASURED),
    frames=(CERTIFICATE,),
    findings=(unreliable, remeasured, dependent),
    sections=(RESULT_VERDICTS, STARTS_OF_ROWS),
)
