# SPDX-License-Identifier: BSD-3-Clause
"""The run compared with other machines: what this subject declares."""

from __future__ import annotations

from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.machines.figure import figures
from isochron.postprocess.subjects.machines.section import OTHER_MACHINES
from isochron.postprocess.subjects.machines.table import MACHINES

SUBJECT = Subject(
    tables=(MACHINES,),
    figures=(figures,),
    sections=(OTHER_MACHINES,),
)
