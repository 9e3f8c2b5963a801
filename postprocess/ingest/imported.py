# SPDX-License-Identifier: BSD-3-Clause
"""Files that other benchmarks printed → `results/.imported/<name>/`: copies, and every number of them in tables."""

import re
import secrets
import shutil
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from isochron.common.files import FileError, refuse_links_below
from isochron.common.hashing import sha256
from isochron.postprocess.ingest.store import ARROW_TYPES, parquet_errors
from isochron.schemas.run.imported import IMPORTED_TABLES, Imported, ImportedFile, ImportLayout, imports
from isochron.tools.registry import read_printout
from isochron.tools.rows import Printout, Row, placed

#: Columns of the rows that a file and its printout say, and not the row.
OF_FILE = ("file", "tool", "version")


@dataclass(frozen=True)
class ImportOptions:
    """What the caller says of the files: a name, and what they may leave out."""

    name: str
    stack: str = ""
    processes: int | None = None
    processes_per_node: int | None = None


def import_files(tool: str, results: Path, options: ImportOptions, paths: list[Path]) -> Imported:
    """Read all files, then write them all. Raises FileError with file, line and reason; nothing is written then."""
    target = ImportLayout(imports(results) / options.name)
    _refuse_taken(results, target, options.name)
    printouts = {
        f"{number:02d}-{re.sub(r'[^A-Za-z0-9._+=-]', '_', path.name)}": (
            path,
            placed(read_printout(tool, path), options.processes, options.processes_per_node),
        )
        for number, path in enumerate(paths)
    }
    fresh = ImportLayout(imports(results) / f".{secrets.token_hex(4)}")
    fresh.printouts.mkdir(parents=True)
    try:
        for copy, (path, _) in printouts.items():
            shutil.copyfile(path, fresh.printouts / copy)
        by_copy = {copy: printout for copy, (_, printout) in printouts.items()}
        for table, columns in (("rows", _rows(by_copy)), ("cells", _cells(by_copy))):
            pq.write_table(pa.table(columns, schema=_schema(table)), fresh.table(table))
        record = Imported(
            name=options.name,
            tool=next(iter(by_copy.values())).tool,
            stack=options.stack,
            imported_at=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
            isochron_version=version("isochron"),
            files=[
                ImportedFile(
                    copy_name=copy,
                    name=path.name,
                    sha256=sha256(fresh.printouts / copy),
                    rows=len(printout.rows),
                    compared=sum(bool(row.operation) and row.value_us is not None for row in printout.rows),
                    version=printout.version,
                    command=printout.command,
                )
                for copy, (path, printout) in printouts.items()
            ],
        )
        record.save(fresh.record)
        fresh.root.replace(target.root)
    except BaseException:
        shutil.rmtree(fresh.root, ignore_errors=True)
        raise
    return record


def timed_rows(layout: ImportLayout) -> pd.DataFrame:
    """Rows of an import that have a time, of an operation that the engine measures too. Raises FileError."""
    path = layout.table("rows")
    if not path.is_file():
        raise FileError(f"{path}: is missing; import the files again")
    with parquet_errors(path, "import the files again"):
        rows: pd.DataFrame = pq.read_table(path).to_pandas()
    timed = rows[(rows["operation"] != "") & rows["value_us"].notna() & rows["bytes"].notna()]
    return timed.assign(job=timed.get("job", ""))


def _refuse_taken(results: Path, target: ImportLayout, name: str) -> None:
    refuse_links_below(results, target.record)
    if target.root.exists():
        raise FileError(f"{target.root}: there is an import of this name; give another --name, or remove the folder")
    if (results / name).exists():
        raise FileError(f"{results / name}: a campaign has this name; give another --name")


def _schema(table: str) -> Any:
    return pa.schema(
        [
            pa.field(column.name, ARROW_TYPES[column.dtype], metadata={"meaning": column.meaning})
            for column in IMPORTED_TABLES[table]
        ]
    )


def _rows(printouts: dict[str, Printout]) -> dict[str, list[Any]]:
    """Columns of `rows`."""
    lines: list[tuple[dict[str, str], Row]] = [
        ({"file": copy, "tool": printout.tool, "version": printout.version}, row)
        for copy, printout in printouts.items()
        for row in printout.rows
    ]
    return {
        column.name: [
            of_file[column.name] if column.name in OF_FILE else getattr(row, column.name) for of_file, row in lines
        ]
        for column in IMPORTED_TABLES["rows"]
    }


def _cells(printouts: dict[str, Printout]) -> dict[str, list[Any]]:
    """Columns of `cells`."""
    cells = [
        (copy, row.line, column, text, float(text))
        for copy, printout in printouts.items()
        for row in printout.rows
        for column, text in row.cells
    ]
    return {column.name: [cell[place] for cell in cells] for place, column in enumerate(IMPORTED_TABLES["cells"])}
