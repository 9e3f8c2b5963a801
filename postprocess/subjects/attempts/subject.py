# SPDX-License-Identifier: BSD-3-Clause
"""Launches that were not accepted: what this subject declares."""

from __future__ import annotations

from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.attempts.finding import refused
from isochron.postprocess.subjects.attempts.section import REFUSED
from isochron.postprocess.subjects.attempts.table import ATTEMPTS

SUBJECT = Subject(
    tables=(ATTEMPTS,),
    findings=(refused,),
    sections=(REFUSED,),
)
