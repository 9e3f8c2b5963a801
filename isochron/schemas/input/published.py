# SPDX-License-Identifier: BSD-3-Clause
"""Published numbers that come with Isochron (`postprocess/published`): each table as printed, with its source."""

import csv
from dataclasses import dataclass
from itertools import combinations

from isochron.common.files import FileError, csv_lines, read_text, suggest
from isochron.common.resources import shipped
from isochron.schemas.input.reference import load_reference, reference_path, shipped_references


@dataclass(frozen=True)
class PublishedTable:
    """A published table: its name, who published it, its columns, and its cells as text, empty if not printed."""

    name: str
    source: str
    columns: list[str]
    rows: list[dict[str, str]]


def published_tables() -> list[str]:
    """Return the names of the tables."""
    return sorted(path.stem for path in shipped("postprocess", "published").glob("*.csv"))


def load_published(name: str) -> PublishedTable:
    """Read a table; if it has times of several systems, with the ratio of each two. Raises FileError."""
    names = published_tables()
    if name not in names:
        raise FileError(f"unknown table '{name}'{suggest(name, names)}; published tables: {', '.join(names)}")
    text = read_text(shipped("postprocess", "published", f"{name}.csv"), "install Isochron again")
    comments = [line.removeprefix("#").strip() for line in text.splitlines() if line.startswith("#")]
    reader = csv.DictReader(csv_lines(text))
    rows, columns = list(reader), list(reader.fieldnames or [])
    for ratio, first, second in _ratios(name):
        columns.append(ratio)
        rows = [{**row, ratio: _ratio(row[first], row[second])} for row in rows]
    source = " ".join(line for line in comments if not line.startswith("SPDX"))
    return PublishedTable(name, source, columns, rows)


def _ratios(name: str) -> list[tuple[str, str, str]]:
    """Names of the ratios of a table, and the columns of the times."""
    if name not in shipped_references():
        return []
    reference, _ = load_reference(reference_path(name))
    times = {system: names.time_us for system, names in reference.systems.items()}
    return [(f"{first}/{second}", times[first], times[second]) for first, second in combinations(times, 2)]


def _ratio(first: str, second: str) -> str:
    """Three decimals; empty if a time is not printed."""
    return f"{float(first) / float(second):.3f}" if first and second else ""
