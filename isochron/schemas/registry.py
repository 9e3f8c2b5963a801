# SPDX-License-Identifier: BSD-3-Clause
"""Every file that has a JSON schema, by name."""

from typing import Any

from pydantic import TypeAdapter

from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.programs import ProgramReference
from isochron.schemas.input.published_findings import PublishedFindings
from isochron.schemas.input.reference import Reference
from isochron.schemas.profile.profile import Profile
from isochron.schemas.run.advice import Advice
from isochron.schemas.run.bisection import Bisection
from isochron.schemas.run.certificate import Certificate
from isochron.schemas.run.explanation import Explanations
from isochron.schemas.run.family import Family, StackAlias
from isochron.schemas.run.imported import Imported
from isochron.schemas.run.manifest import Manifest, StackDeclaration
from isochron.schemas.run.next_blocks import Flagged, InterimFile
from isochron.schemas.run.plan import Plan
from isochron.schemas.run.records import RECORD
from isochron.schemas.run.screening import Screening
from isochron.schemas.run.state import BlockState, RunState
from isochron.schemas.run.tuning import Tuning

#: Name, model, and the file that it describes.
SCHEMAS: dict[str, tuple[TypeAdapter[Any], str]] = {
    "campaign": (TypeAdapter(Campaign), "campaign.yaml: the campaign file that a person writes"),
    "reference": (TypeAdapter(Reference), "a reference file: published numbers to compare a run with"),
    "program-reference": (
        TypeAdapter(ProgramReference),
        "a reference file of NPB: published results to compare a run with",
    ),
    "published-findings": (
        TypeAdapter(PublishedFindings),
        "postprocess/published/findings/<view>.yaml: sentences of a study, and how a run is checked against them",
    ),
    "profile": (TypeAdapter(Profile), "NAME.profile.json: the MPI calls of a program"),
    "plan": (TypeAdapter(Plan), "plan.json: every launch, by blocks"),
    "family": (TypeAdapter(Family), "spack_envs/families/<library>.yaml: how a library is launched and recognised"),
    "stack": (TypeAdapter(StackAlias | StackDeclaration), "spack_envs/<stack>/stack.yaml: what a stack is"),
    "manifest": (TypeAdapter(Manifest), "stacks/<stack>.json: a stack for which the engine has been built"),
    "record": (RECORD, "launches/*.jsonl: one line of a raw file"),
    "block": (TypeAdapter(BlockState), "blocks/<block>.json: a finished block"),
    "remeasure": (TypeAdapter(Flagged), "tables/remeasure.json: results to be measured again"),
    "certificate": (TypeAdapter(Certificate), "certificate.json: how often verdicts are wrong on a machine"),
    "import": (TypeAdapter(Imported), "import.json: files read by `isochron import`"),
    "interim": (
        TypeAdapter(InterimFile),
        "interim.json: the decisions of interim analyses",
    ),
    "explanation": (TypeAdapter(Explanations), "explanation.json: the settings by which two versions differ"),
    "bisection": (TypeAdapter(Bisection), "bisection.json: the version that brought the difference of two others"),
    "advice": (TypeAdapter(Advice), "advice.json: the settings that give the losses of a new version back"),
    "screening": (TypeAdapter(Screening), "screening.json: what `isochron upgrade` screened, and what it followed"),
    "tuning": (TypeAdapter(Tuning), "tuning.json: algorithms that are better than a library's own choice"),
    "state": (TypeAdapter(RunState), "campaign.json: the state of a run"),
}


def json_schema(name: str) -> dict[str, Any]:
    """Return the JSON schema (draft 2020-12) of one file."""
    adapter, meaning = SCHEMAS[name]
    schema = adapter.json_schema(by_alias=True)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "$comment": meaning, **schema}
