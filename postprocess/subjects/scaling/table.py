# SPDX-License-Identifier: BSD-3-Clause
"""`models.csv`, `model-….csv`: what cost models say of the curves over processes; `scaling.csv`: their efficiency."""

import pandas as pd

from isochron.postprocess.estimate.models.curves import MODEL_POINT_COLUMNS, SCALING_COLUMNS
from isochron.postprocess.estimate.models.departures import DEPARTURE_COLUMNS, departures
from isochron.postprocess.estimate.models.growth import GROWTH_COLUMNS, growth
from isochron.postprocess.estimate.models.parameters import PARAMETER_COLUMNS
from isochron.postprocess.estimate.models.results import (
    FORM_COLUMNS,
    MODEL_COLUMNS,
    NOTHING,
    ModelResults,
    applies,
    models,
)
from isochron.postprocess.kit.table import SavedFrame, Table, TableContext
from isochron.postprocess.subjects.results.table import make_summary


def make_models(context: TableContext) -> ModelResults:
    """All of it, worked out together; nothing if the campaign has too few process counts."""
    campaign = context.inputs.campaign
    if not applies(campaign):
        return NOTHING
    return models(context.get(make_summary), campaign.analysis.model)


MODELS = Table(
    name="models",
    columns=MODEL_COLUMNS,
    make=lambda context: context.get(make_models).curves,
    holds="every curve over processes: nearest model, where it leaves it, by what factor; fitted normal form",
    applies=applies,
)
MODEL_DEPARTURES = Table(
    name="model-departures",
    columns=DEPARTURE_COLUMNS,
    make=lambda context: departures(context.get(make_models).curves),
    holds="curves that leave their models, in one ranking: those that are slower first",
    applies=applies,
)
SCALING = Table(
    name="scaling",
    columns=SCALING_COLUMNS,
    make=lambda context: context.get(make_models).scaling,
    holds="every point of every curve over processes, with its efficiency",
    applies=applies,
)
MODEL_POINTS = Table(
    name="model-points",
    columns=MODEL_POINT_COLUMNS,
    make=lambda context: context.get(make_models).points,
    holds="every measured point beside the models of its operation",
    applies=applies,
)
MODEL_PARAMETERS = Table(
    name="model-parameters",
    columns=PARAMETER_COLUMNS,
    make=lambda context: context.get(make_models).parameters,
    holds="parameters α, β and γ of the models, and where they come from",
    applies=applies,
)
NORMAL_FORMS = SavedFrame(
    name="normal-forms",
    columns=FORM_COLUMNS,
    make=lambda context: context.get(make_models).forms,
)


def make_growth(context: TableContext) -> pd.DataFrame:
    """`GROWTH_COLUMNS`."""
    forms, rules = context.get(make_models).forms, context.rules
    return growth(context.used, context.get(make_summary), forms, rules.confidence, rules.seed)


GROWTH = Table(
    name="growth",
    columns=GROWTH_COLUMNS,
    make=make_growth,
    holds="curves that grow faster than the process count, extrapolated to twice the largest one",
    applies=applies,
)
