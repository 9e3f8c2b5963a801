# SPDX-License-Identifier: BSD-3-Clause
"""Placements: what this subject declares."""

from __future__ import annotations

from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.placements.finding import orders, places, trunk_orders
from isochron.postprocess.subjects.placements.section import PLACES
from isochron.postprocess.subjects.placements.table import PLACEMENT_ADVICE, PLACEMENTS

SUBJECT = Subject(
    tables=(PLACEMENT_ADVICE, PLACEMENTS),
    findings=(places, orders, trunk_orders),
    sections=(PLACES,),
)
