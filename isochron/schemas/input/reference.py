# SPDX-License-Identifier: BSD-3-Clause
"""Reference files: published measurements, described so that a run can be compared with them.

A YAML file states the source of the numbers and the meaning of the columns of a CSV file in the same folder. Some come
with Isochron (`postprocess/published`); a site can add others.
"""

import csv
from pathlib import Path
from typing import Literal

from pydantic import Field

from isochron.common.files import FileError, csv_lines, read_text, suggest
from isochron.common.resources import shipped
from isochron.schemas.base import Section
from isochron.schemas.engine.contract import OPERATIONS
from isochron.schemas.input.spec import Name


class System(Section):
    """One machine with one library: the columns that hold its times in µs, and of an interval or range around them."""

    title: str
    time_us: str = Field(description="column of the time of an operation in µs; an empty cell: not printed")
    low_us: str | None = Field(None, description="column of the lower end of its interval or range")
    high_us: str | None = Field(None, description="column of the upper end")


class ReferenceColumns(Section):
    """Names of the columns that identify a measurement."""

    operation: str | None = Field(None, description="column of the operation; without it the file has one operation")
    bytes: str | None = Field(None, description="column of the message size; without it 0")
    processes: str = Field(description="column of the number of processes")
    processes_per_node: str = Field(description="column of the processes per node")
    active: str | None = Field(None, description="column of the active processes; without it all of `processes`")

    @property
    def names(self) -> list[str]:
        """The required columns."""
        return [name for name in self.model_dump().values() if name is not None]


class Reference(Section):
    """A reference file."""

    schema_version: Literal[1] = Field(1, alias="schema")
    title: str
    source: str = Field(min_length=1, description="who measured and published it, where and when")
    data: str = Field(description="the CSV file, relative to this one; lines that begin with # are comments")
    systems: dict[Name, System] = Field(min_length=1)
    columns: ReferenceColumns
    operations: dict[str, str] = Field(
        min_length=1, description="names in the CSV → Isochron's; without a column of operations, the only operation"
    )
    words: dict[str, int] = Field(default={}, description="words in the CSV that represent numbers")


def reference_path(word: str) -> Path:
    """Return the path of a reference file, given its path or the name of a shipped one. Raises FileError."""
    if "/" in word or word.endswith((".yaml", ".yml")):
        return Path(word)
    names = shipped_references()
    if word not in names:
        raise FileError(
            f"unknown reference '{word}'{suggest(word, names)}; shipped references: {', '.join(names)}; "
            "or give the path of a reference file"
        )
    return shipped("postprocess", "published", f"{word}.yaml")


def shipped_references() -> list[str]:
    """Return the names of the references that come with Isochron."""
    folder = shipped("postprocess", "published")
    return sorted(path.stem for path in folder.glob("*.yaml") if path.with_suffix(".csv").is_file())


def load_reference(path: Path) -> tuple[Reference, list[dict[str, str]]]:
    """Read a reference file and the rows of its CSV. Raises FileError."""
    reference = Reference.load_yaml(path, "give the path of a reference file, which is a YAML file")
    for name, operation in reference.operations.items():
        if operation not in OPERATIONS:
            raise FileError(
                f"{path}: operations.{name}: unknown operation '{operation}'{suggest(operation, OPERATIONS)}"
            )
    if reference.columns.operation is None and len(reference.operations) > 1:
        raise FileError(f"{path}: columns.operation: is missing, and there are {len(reference.operations)} operations")
    data = path.parent / reference.data
    text = read_text(data, f"name the CSV file in `data` of {path}")
    lines = csv_lines(text)
    rows = csv.DictReader(lines)
    of_systems = [
        name for system in reference.systems.values() for name in (system.time_us, system.low_us, system.high_us)
    ]
    for name in [*reference.columns.names, *(name for name in of_systems if name is not None)]:
        if name not in (rows.fieldnames or []):
            raise FileError(
                f"{data}: has no column '{name}', which {path} names; its columns are {lines[0] if lines else 'none'}"
            )
    return reference, list(rows)
