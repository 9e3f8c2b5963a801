# SPDX-License-Identifier: BSD-3-Clause
"""The stacks side by side: what this subject declares."""

from __future__ import annotations

from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.stacks.section import BUILT_STACKS
from isochron.postprocess.subjects.stacks.table import SIDE_BY_SIDE, STACKS

SUBJECT = Subject(
    tables=(STACKS, SIDE_BY_SIDE),
    sections=(BUILT_STACKS,),
)
