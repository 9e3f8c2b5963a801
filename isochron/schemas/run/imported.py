# SPDX-License-Identifier: BSD-3-Clause
"""`results/.imported/<name>/`: the content of output files that Isochron neither measured nor verified."""

from pathlib import Path
from typing import Literal

from pydantic import Field

from isochron.schemas.base import FileName, Record
from isochron.schemas.run.store import Column


class ImportedFile(Record):
    """One file: its copy in `printouts/`, its original name and its content.

    `compared`: number of rows with the time of an operation that the engine also measures.
    """

    copy_name: FileName
    name: str
    sha256: str
    rows: int
    compared: int
    version: str
    command: str


class Imported(Record):
    """`import.json`: one call of `isochron import`. `stack`: that of the measurement; empty if not stated."""

    schema_version: Literal[1] = 1
    name: FileName
    tool: str
    stack: str
    imported_at: str
    isochron_version: str
    files: list[ImportedFile] = Field(min_length=1)


IMPORTED_ROWS = (
    Column("file", "string", "copy of the file in `printouts/`"),
    Column("line", "int64", "line of the file, from 1: with `file` the key of this table"),
    Column("tool", "string", "the tool"),
    Column("version", "string", "its version; empty if not in the file"),
    Column("benchmark", "string", "the benchmark as the file names it"),
    Column("operation", "string", "corresponding operation of the engine; empty: the row is not compared"),
    Column("scheme", "string", "scheme of the engine that starts repetitions in this way"),
    Column("statistic", "string", "what `value_us` is"),
    Column("processes", "float64", "processes; empty if neither file nor command states it"),
    Column("processes_per_node", "float64", "processes per node; empty if neither file nor command states it"),
    Column("group", "float64", "group of processes, if several measure at once"),
    Column("bytes", "float64", "message size as the engine defines it for the operation"),
    Column("repetitions", "float64", "repetitions from which the value is computed"),
    Column("value_us", "float64", "time in µs; empty if the line has none"),
    Column("min_us", "float64", "smallest, as printed: over processes (IMB, OSU, mpiBench) or over repetitions"),
    Column("max_us", "float64", "largest, likewise"),
    Column("job", "string", "job (allocation) of the launch; empty if the files do not state it"),
    Column("note", "string", "why there is no value, or a note of the line"),
)
IMPORTED_CELLS = (
    Column("file", "string", "copy of the file in `printouts/`"),
    Column("line", "int64", "line of the file, from 1"),
    Column("column", "string", "column as the file names it"),
    Column("text", "string", "the number as printed"),
    Column("value", "float64", "the number, in the file's unit"),
)
#: The tables of an import by name.
IMPORTED_TABLES = {"rows": IMPORTED_ROWS, "cells": IMPORTED_CELLS}


class ImportLayout:
    """Paths of the files of an import."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.record = root / "import.json"
        self.printouts = root / "printouts"
        self.tables = root / "tables"

    def table(self, name: str) -> Path:
        """Return one table of the import (`IMPORTED_TABLES`)."""
        return self.root / f"{name}.parquet"


def imports(results: Path) -> Path:
    """Return the folder of all imports; it is hidden, so it is not listed as a campaign."""
    return results / ".imported"


def find_import(results: Path, name: str) -> ImportLayout | None:
    """Return an import by its name or folder; None if there is none."""
    for folder in (imports(results) / name, Path(name)):
        layout = ImportLayout(folder)
        if layout.record.is_file():
            return layout
    return None


def all_imports(results: Path) -> list[ImportLayout]:
    """Return every import, by name."""
    return [ImportLayout(path.parent) for path in sorted(imports(results).glob("[!.]*/import.json"))]
