# SPDX-License-Identifier: BSD-3-Clause
"""The answer to the campaign's question, and the summary of the run: what this subject declares."""

from __future__ import annotations

from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.answer.section import FIRST_SCREEN, OVERVIEW
from isochron.postprocess.subjects.answer.table import ANSWERS, GRADES, INCONCLUSIVE_COSTS

SUBJECT = Subject(
    tables=(ANSWERS, GRADES, INCONCLUSIVE_COSTS),
    sections=(FIRST_SCREEN, OVERVIEW),
)
