# SPDX-License-Identifier: BSD-3-Clause
"""Third-party benchmarks compared with the engine: what this subject declares."""

from __future__ import annotations

from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.tools.figure import figures
from isochron.postprocess.subjects.tools.section import CROSS_CHECKS
from isochron.postprocess.subjects.tools.table import TOOLS

SUBJECT = Subject(
    tables=(TOOLS,),
    figures=(figures,),
    sections=(CROSS_CHECKS,),
)
