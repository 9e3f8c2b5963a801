# SPDX-License-Identifier: BSD-3-Clause
"""The scan of nodes and links: what this subject declares."""

from __future__ import annotations

from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.scan.figure import figures
from isochron.postprocess.subjects.scan.finding import slow_places
from isochron.postprocess.subjects.scan.section import NODE_SCAN
from isochron.postprocess.subjects.scan.table import SCAN

SUBJECT = Subject(
    tables=(SCAN,),
    figures=(figures,),
    findings=(slow_places,),
    sections=(NODE_SCAN,),
)
