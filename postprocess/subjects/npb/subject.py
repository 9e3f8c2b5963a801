# SPDX-License-Identifier: BSD-3-Clause
"""The NAS Parallel Benchmarks: what this subject declares."""

from __future__ import annotations

from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.npb.figure import figures
from isochron.postprocess.subjects.npb.section import BENCHMARKS
from isochron.postprocess.subjects.npb.table import NPB, NPB_NODES, NPB_PUBLISHED

SUBJECT = Subject(
    tables=(NPB, NPB_NODES, NPB_PUBLISHED),
    figures=(figures,),
    sections=(BENCHMARKS,),
)
