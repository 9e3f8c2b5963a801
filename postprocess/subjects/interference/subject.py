# SPDX-License-Identifier: BSD-3-Clause
"""Interference and regimes: what this subject declares."""

from __future__ import annotations

from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.interference.finding import by_regime, other_regimes
from isochron.postprocess.subjects.interference.section import INTERFERENCE
from isochron.postprocess.subjects.interference.table import PROBE_SERIES, PROBE_TABLE, REGIMES

SUBJECT = Subject(
    tables=(PROBE_TABLE, REGIMES),
    frames=(PROBE_SERIES,),
    findings=(other_regimes, by_regime),
    sections=(INTERFERENCE,),
)
