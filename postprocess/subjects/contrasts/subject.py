# SPDX-License-Identifier: BSD-3-Clause
"""Contrasts and physical bounds: what this subject declares."""

from __future__ import annotations

from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.contrasts.figure import figures
from isochron.postprocess.subjects.contrasts.finding import below_the_bound, operations_per_rep
from isochron.postprocess.subjects.contrasts.table import BOUNDS, CONTRASTS
from isochron.postprocess.subjects.contrasts.threads import price_of_threads

SUBJECT = Subject(
    tables=(BOUNDS, CONTRASTS),
    figures=(figures,),
    findings=(below_the_bound, operations_per_rep, price_of_threads),
)
