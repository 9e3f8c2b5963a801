# SPDX-License-Identifier: BSD-3-Clause
"""The explorer: what this subject declares."""

from __future__ import annotations

from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.explorer.section import EXPLORER
from isochron.postprocess.subjects.explorer.table import GROUPINGS, LAUNCH_TIMES, RATES

SUBJECT = Subject(
    tables=(RATES,),
    frames=(LAUNCH_TIMES, GROUPINGS),
    sections=(EXPLORER,),
)
