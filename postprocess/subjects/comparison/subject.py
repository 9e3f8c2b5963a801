# SPDX-License-Identifier: BSD-3-Clause
"""Stacks compared case by case: what this subject declares."""

from __future__ import annotations

from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.comparison.finding import fastest, interim, largest, not_established, tails, versions
from isochron.postprocess.subjects.comparison.section import FASTEST_STACK
from isochron.postprocess.subjects.comparison.table import COMPARISON, FASTEST, TAIL_COMPARISON

SUBJECT = Subject(
    tables=(COMPARISON, TAIL_COMPARISON, FASTEST),
    findings=(versions, largest, tails, fastest, not_established, interim),
    sections=(FASTEST_STACK,),
)
