# SPDX-License-Identifier: BSD-3-Clause
"""Scalability: what this subject declares."""

from __future__ import annotations

from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.scaling.figure import figures
from isochron.postprocess.subjects.scaling.finding import scaling, superlinear
from isochron.postprocess.subjects.scaling.section import CURVES
from isochron.postprocess.subjects.scaling.table import (
    GROWTH,
    MODEL_DEPARTURES,
    MODEL_PARAMETERS,
    MODEL_POINTS,
    MODELS,
    NORMAL_FORMS,
    SCALING,
)

SUBJECT = Subject(
    tables=(SCALING, MODELS, MODEL_DEPARTURES, MODEL_POINTS, MODEL_PARAMETERS, GROWTH),
    frames=(NORMAL_FORMS,),
    figures=(figures,),
    findings=(scaling, superlinear),
    sections=(CURVES,),
)
