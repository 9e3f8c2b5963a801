# SPDX-License-Identifier: BSD-3-Clause
"""What is measured beside the time: what this subject declares."""

from __future__ import annotations

from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.details.figure import figures
from isochron.postprocess.subjects.details.finding import growing_memory
from isochron.postprocess.subjects.details.ranks import ARRIVAL, RANK_TIMES, RANKS, STRAGGLERS
from isochron.postprocess.subjects.details.section import DETAILS
from isochron.postprocess.subjects.details.table import BANDWIDTH, COSTS, GROWTH, MEMORY, OVERLAP

SUBJECT = Subject(
    tables=(BANDWIDTH, RANK_TIMES, COSTS, OVERLAP, ARRIVAL, RANKS, STRAGGLERS, MEMORY, GROWTH),
    figures=(figures,),
    findings=(growing_memory,),
    sections=(DETAILS,),
)
