# SPDX-License-Identifier: BSD-3-Clause
"""Reference files of NPB: what others have published of its kernels, described so that it can stand beside a run."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Literal

from pydantic import Field

from isochron.common.files import FileError, read_text, suggest
from isochron.common.resources import shipped
from isochron.schemas.section import Section


class ProgramColumns(Section):
    """Names of the columns of the CSV."""

    kernel: str
    npb_class: str
    processes: str
    processes_per_node: str
    seconds: str = Field(description="column of the time in s; an empty cell: not printed")
    mops_total: str = Field(description="column of the 10⁶ operations a second of all processes")


class ProgramReference(Section):
    """A reference file of NPB: one machine. Lines of the CSV with the same case are launches of it."""

    schema_version: Literal[1] = Field(1, alias="schema")
    title: str
    source: str = Field(min_length=1, description="who measured and printed it, where and when")
    data: str = Field(description="the CSV file, relative to this one; lines that begin with # are comments")
    columns: ProgramColumns
    words: dict[str, int] = Field(default={}, description="words in the CSV that stand for numbers")


def program_reference_path(word: str) -> Path:
    """The file that a person means: a path, or the name of a reference that comes with Isochron. Raises FileError."""
    if "/" in word or word.endswith((".yaml", ".yml")):
        return Path(word)
    known = sorted(path.stem for path in shipped("postprocess", "published", "programs").glob("*.yaml"))
    if word not in known:
        raise FileError(
            f"unknown reference '{word}'{suggest(word, known)}; shipped references: {', '.join(known)}; "
            "or give the path of a reference file"
        )
    return shipped("postprocess", "published", "programs", f"{word}.yaml")


def load_program_reference(path: Path) -> tuple[ProgramReference, list[dict[str, str]]]:
    """A reference file, and the lines of its CSV. Raises FileError with one message."""
    reference = ProgramReference.load_yaml(path, "give the path of a reference file of NPB, which is a YAML file")
    data = path.parent / reference.data
    text = read_text(data, f"name the CSV file in `data` of {path}")
    rows = csv.DictReader([line for line in text.splitlines() if line.strip() and not line.startswith("#")])
    for name in reference.columns.model_dump().values():
        if name not in (rows.fieldnames or []):
            raise FileError(f"{data}: has no column '{name}', which {path} names")
    return reference, list(rows)
