# SPDX-License-Identifier: BSD-3-Clause
"""Whether the run can be trusted: what this subject declares."""

from __future__ import annotations

from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.trust.figure import figures
from isochron.postprocess.subjects.trust.finding import (
    bimodal,
    incomplete,
    off_launches,
    overhead,
    repeatability,
    simulated,
)
from isochron.postprocess.subjects.trust.section import TRUSTED
from isochron.postprocess.subjects.trust.table import DETECTABLE, TIMELINE, TRUST, WALL_TIME

SUBJECT = Subject(
    tables=(TRUST, TIMELINE, WALL_TIME, DETECTABLE),
    figures=(figures,),
    findings=(incomplete, simulated, overhead, repeatability, bimodal, off_launches),
    sections=(TRUSTED,),
)
