# SPDX-License-Identifier: BSD-3-Clause
"""What the launches ran on: what this subject declares."""

from __future__ import annotations

from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.environment.finding import environment
from isochron.postprocess.subjects.environment.section import ENVIRONMENT
from isochron.postprocess.subjects.environment.table import BINDINGS, LOADS, PROVENANCE

SUBJECT = Subject(
    tables=(PROVENANCE,),
    frames=(LOADS, BINDINGS),
    findings=(environment,),
    sections=(ENVIRONMENT,),
)
