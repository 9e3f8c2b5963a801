# SPDX-License-Identifier: BSD-3-Clause
"""Libraries in turns: what this subject declares."""

from __future__ import annotations

from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.turns.figure import figures
from isochron.postprocess.subjects.turns.finding import not_asleep, price
from isochron.postprocess.subjects.turns.section import IN_TURNS
from isochron.postprocess.subjects.turns.table import COMPANY, COMPANY_CASES, ROUNDS

SUBJECT = Subject(
    tables=(COMPANY, COMPANY_CASES),
    frames=(ROUNDS,),
    figures=(figures,),
    findings=(not_asleep, price),
    sections=(IN_TURNS,),
)
