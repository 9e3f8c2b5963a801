# SPDX-License-Identifier: BSD-3-Clause
"""Published findings: what this subject declares."""

from __future__ import annotations

from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.published.finding import published
from isochron.postprocess.subjects.published.section import PUBLISHED_FINDINGS
from isochron.postprocess.subjects.published.table import PUBLISHED

SUBJECT = Subject(
    tables=(PUBLISHED,),
    findings=(published,),
    sections=(PUBLISHED_FINDINGS,),
)
