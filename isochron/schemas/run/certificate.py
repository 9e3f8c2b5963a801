# SPDX-License-Identifier: BSD-3-Clause
"""The error rates of the comparison on a machine: the series of tables that shows them, and what it has shown.

A *table* is one campaign of two variants of one stack; where an operation of one variant was slowed, the variant's file
of shares says by how much. The analysis of the campaign reads none of these files.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from isochron.common.files import FileError, read_text
from isochron.schemas.base import FileName, Record

#: The two variants of a stack, the baseline first.
SIDES = ("a", "b")

#: In the folder of results: the newest certificate, its rows, and the folder of all series.
CERTIFICATE, ROWS, SERIES = "certificate.json", "certificate.csv", ".certify"


class CertifiedTable(Record):
    """One table: a stack against itself. `operations`: those that any of its variants may slow."""

    name: FileName
    stack: str
    seed: int
    operations: list[str]


class Series(Record):
    """`.certify/<series>/series.json`: what was asked for, and the tables that it takes. Effects are shares."""

    schema_version: Literal[1] = 1
    started_at: str
    stacks: list[str]
    effects: list[float]
    short: bool
    seed: int
    tables: list[CertifiedTable]
    #: Folder of the run of each table that is complete, below the folder of results.
    runs: dict[str, str] = Field(default_factory=dict)


class Share(Record):
    """How many of how many, and the exact interval of their probability (Clopper and Pearson)."""

    hits: int
    of: int
    low: float
    high: float


class EffectScore(Record):
    """What became of the rows with one injected effect, a share; `detected`: verdicts beyond the threshold, rightly."""

    effect: float
    detected: Share
    covered: Share


class Certificate(Record):
    """`certificate.json`: how often the verdicts of a machine's comparisons were wrong, and what they found."""

    schema_version: Literal[1] = 1
    made_at: str
    isochron_version: str
    engine_version: str
    hosts: list[str]
    processor: str
    load_average: float | None
    results: str
    stacks: list[str]
    short: bool
    #: The practical threshold, and the level of tests and intervals.
    threshold: float
    confidence: float
    #: Tables with a false verdict (slower or faster, where that is not so by more than the threshold), of all tables
    #: and of those in which nothing was slowed; the upper bounds of these shares are one-sided.
    false_tables: Share
    false_same: Share
    #: Such verdicts, of all rows whose ratio is within the threshold; and `equivalent` of the rows beyond it.
    false_rows: Share
    false_equivalent: Share
    covered: Share
    median_rse: float | None
    effects: list[EffectScore]


def shares_file(series: Path, table: str, side: str) -> Path:
    """Where the library that slows a variant reads by how much."""
    return series / "truth" / f"{table}-{side}.txt"


def read_shares(path: Path) -> dict[str, float]:
    """Operation and share of each line. Raises FileError."""
    shares = {}
    for line in read_text(path, "`isochron certify --new` starts a new series").splitlines():
        name, _, share = line.partition(" ")
        try:
            shares[name] = float(share)
        except ValueError:
            raise FileError(
                f"{path}: '{line}' is not `operation share`; `isochron certify --new` starts a new series"
            ) from None
    return shares


def loaded_file(shares: Path) -> Path:
    """What the library writes where it was loaded with that file."""
    return shares.with_name(f"{shares.name}.loaded")
