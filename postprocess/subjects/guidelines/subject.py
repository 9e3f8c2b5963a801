# SPDX-License-Identifier: BSD-3-Clause
"""Performance guidelines: what this subject declares."""

from __future__ import annotations

from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.guidelines.finding import guidelines
from isochron.postprocess.subjects.guidelines.section import PERFORMANCE_GUIDELINES
from isochron.postprocess.subjects.guidelines.table import ADVICE, GUIDELINES

SUBJECT = Subject(
    tables=(ADVICE, GUIDELINES),
    findings=(guidelines,),
    sections=(PERFORMANCE_GUIDELINES,),
)
