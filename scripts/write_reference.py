# SPDX-License-Identifier: BSD-3-Clause
"""Writes the reference pages that are made from the models: campaign.md, store.md and tables.md.

usage: python scripts/write_reference.py [FOLDER]     (default: docs/reference)
"""

import sys
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from isochron.postprocess.estimate.compare.between_runs import BETWEEN_RUNS_COLUMNS
from isochron.postprocess.estimate.compare.history import HISTORY_COLUMNS
from isochron.postprocess.estimate.compare.imported import IMPORT_COLUMNS
from isochron.postprocess.subjects.registry import TABLES
from isochron.schemas.base import FILE, Key, key_of
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run import store
from isochron.schemas.run.candle import CANDLES
from isochron.schemas.run.imported import IMPORTED_TABLES
from isochron.schemas.run.npb import PROGRAMS
from isochron.schemas.run.tools import TOOL_TABLES

NOTE = "<!-- made by scripts/write_reference.py from the models; a test compares -->\n"

CAMPAIGN = """
# Reference: the campaign file

YAML. `isochron schema campaign` prints its JSON schema. Sizes are whole bytes, or text with B, KiB, MiB or GiB; the
[engine reference](engine.md) defines `bytes` for each operation. Unknown keys are errors.

A change of a key that *measures* makes another plan, and so a new run. With `no` the same run continues, and only its
analysis is made again; with `sequential` that is so unless `replication.sequential` lets the verdicts decide what is
measured.

| key | default | measures | meaning |
|---|---|---|---|
"""

STORE = """
# Reference: the store

Parquet tables in `store/`. The names of columns state their units; 1 MB is 10⁶ bytes. `launch_id` joins the tables.
Results rest on `launches`, `measurements`, `repetitions` and `probes`; the others have what only some launches record.
Times of `ping-pong`, `multi-ping-pong` and `transfer-1` are those of a run here, there and back; all tables and the
report have half of that. `tool_rows` and `tool_cells` are there where the campaign has `tools`, `programs` where it
runs programs. The tables `imported` are those of `isochron import`, `results/.imported/<name>/rows.parquet` and
`cells.parquet`: they are part of no run.

Every value comes from a raw file whose last line, the [footer](engine.md#footer), has a checksum of the whole file, its
own values (`duration_s`) included; in files of earlier versions it does not cover those. A table that is not what
`store/tables.sha256` has is refused by every reader, and so is a lost one.
"""

FINDINGS = """
## findings.json

The findings of the report's summary in reading order: each with `kind`, `severity` (`result`, `note`, `warning`),
`text`, the lines behind it as `details`, and the numbers that the text states as `numbers`.
"""

TABLES_HEAD = """
# Reference: the tables

These are the comma-separated files in `tables/`, and what `isochron compare` and `history` print with `--format csv`.
`scaling.csv` and files whose names begin with `model` are written only for three or more process counts. Times are in
µs; a number that does not exist is an empty cell. A text that a spreadsheet would execute, since it begins with `=`,
`+`, `-`, `@` or a tab, has an apostrophe before it, in CSV files that are saved from the pages too; numbers below 0 are
as they are. `<stack>` and `<operation>` stand for each of the campaign's. A *row*
of the results is one operation, size and point under one stack; a *case* is the same without the stack.
"""


#: Sections that a campaign may lack and whose keys are listed all the same.
OPENED = ("programs", "npb")


def rows(model: type[BaseModel], prefix: str = "", section: Key = FILE) -> Iterator[tuple[str, str, str, str]]:
    """Key, default, whether it measures, and meaning of every entry, sections opened up."""
    for name, field in model.model_fields.items():
        key, role = prefix + (field.alias or name), key_of(field, section)
        kind = field.annotation
        if name in OPENED:
            kind = next(part for part in get_args(kind) if part is not type(None))
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from rows(kind, f"{key}.", role)
        else:
            measures = "yes" if role.measures else "sequential" if role.judges else "no"
            yield key, _default(field), measures, field.description or ""


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "**required**"
    value = field.get_default()
    if value is None or value == "":
        return "–"
    text = str(value).lower() if isinstance(value, bool) else str(value).replace("'", "")
    return f"`{text}`"


def campaign_page() -> str:
    """Return text of campaign.md."""
    lines = [f"| `{key}` | {' | '.join(cells)} |" for key, *cells in rows(Campaign)]
    return f"{NOTE}{CAMPAIGN}" + "\n".join(lines) + "\n"


def store_page() -> str:
    """Return text of store.md."""
    parts = [f"{NOTE}{STORE}"]
    imported = {f"imported {name}": columns for name, columns in IMPORTED_TABLES.items()}
    for table, columns in {**store.TABLES, **TOOL_TABLES, "programs": PROGRAMS, "candles": CANDLES, **imported}.items():
        lines = [f"| `{column.name}` | {column.dtype} | {column.meaning} |" for column in columns]
        parts.append(f"\n## {table}\n\n| column | type | meaning |\n|---|---|---|\n" + "\n".join(lines) + "\n")
    return "".join(parts)


def tables_page() -> str:
    """Return text of tables.md."""
    parts = [f"{NOTE}{TABLES_HEAD}"]
    printed = {
        "isochron compare": BETWEEN_RUNS_COLUMNS,
        "isochron compare with an import": IMPORT_COLUMNS,
        "isochron history": HISTORY_COLUMNS,
    }
    tables = {table.file: (table.columns, f"\n{_sentence(table.holds)}\n") for table in TABLES}
    for name, (columns, holds) in {**tables, **{name: (columns, "") for name, columns in printed.items()}}.items():
        lines = [f"| `{column}` | {meaning} |" for column, meaning in columns.items()]
        head = f"\n## {escape(name)}\n{holds}\n| column | meaning |\n|---|---|\n"
        parts.append(head + "\n".join(lines) + "\n")
    return "".join(parts) + FINDINGS


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


PAGES = {"campaign.md": campaign_page, "store.md": store_page, "tables.md": tables_page}


def main(folder: Path) -> None:
    """Write all pages."""
    for name, page in PAGES.items():
        (folder / name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "docs" / "reference")
