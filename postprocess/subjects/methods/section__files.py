# SPDX-License-Identifier: BSD-3-Clause
"""Links to the files of the run."""

from __future__ import annotations

from dataclasses import dataclass

from isochron.postprocess.ingest.inputs__inputs import RunInputs
from isochron.postprocess.kit.section import Section, Source
from isochron.postprocess.subjects.registry import files


@dataclass(frozen=True)
class Link:
    """A file of the run; `path`: in its folder."""

    path: str
    meaning: str


@dataclass(frozen=True)
class View:
    """The files of `tables/`, and what all rests on."""

    tables: list[Link]
    raw: list[Link]


def build(source: Source) -> View:
    """Every file of `tables/` as the registry has it."""
    tables = [Link(f"tables/{name}", text) for name, text in files(source.inputs.campaign).items()]
    return View(tables, _raw(source.inputs))


def _raw(inputs: RunInputs) -> list[Link]:
    return [
        Link("campaign.yaml", "the campaign as it was requested"),
        Link("plan.json", "every planned launch"),
        Link("launches/", "raw files, one per launch, with every run"),
        *(Link(f"stacks/{stack}.json", "manifest of the stack") for stack in inputs.manifests),
        Link("store/", "launches, measurements and runs as Parquet"),
    ]


FILES = Section("files", "Files", "files.html.j2", build)
