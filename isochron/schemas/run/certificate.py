# SPDX-License-Identifier: BSD-3-Clause
"""The error rates of the comparison on a machine: the series of tables from which they are computed, and the result.

A *table* is one campaign of two variants of one stack. The slowdowns of a variant's operations are in its file of
shares, which the analysis of the campaign does not read.
"""

from pathlib import Path
from typing import Literal

from pydantic import Field

from isochron.common.files import FileError, read_text
from isochron.schemas.base import FileName, Record

#: The two variants of a stack, the baseline first.
SIDES = ("a", "b")

#: In the folder of results: the newest certificate, its table of results, and the folder of all series.
CERTIFICATE, ROWS, SERIES = "certificate.json", "certificate.csv", ".certify"


class CertifiedTable(Record):
    """One table: a stack compared with itself. `operations`: those that may be slowed in either variant."""

    name: FileName
    stack: str
    seed: int
    operations: list[str]


class Series(Record):
    """`.certify/<series>/series.json`: the requested series and its tables. Effects are shares."""

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
    """A count of hits among N, and the exact interval of their probability (Clopper and Pearson)."""

    hits: int
    of: int
    low: float
    high: float


class EffectScore(Record):
    """Results with one injected effect, a share. `detected`: correct verdicts beyond the threshold."""

    effect: float
    detected: Share
    covered: Share


class Certificate(Record):
    """`certificate.json`: how often the verdicts on a machine were wrong, and which effects were detected."""

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
    #: Tables with a false verdict (slower or faster, although the difference is within the threshold), of all tables
    #: and of those without injected effects; the upper bounds of these shares are one-sided.
    false_tables: Share
    false_same: Share
    #: Such verdicts, of all results whose ratio is within the threshold; and verdicts that exclude the difference, of
    #: the results beyond it.
    false_rows: Share
    false_equivalent: Share
    covered: Share
    median_rse: float | None
    effects: list[EffectScore]


def shares_file(series: Path, table: str, side: str) -> Path:
    """Return the path of the slowdowns of a variant, which the slowing library reads."""
    return series / "truth" / f"{table}-{side}.txt"


def read_shares(path: Path) -> dict[str, float]:
    """Read operations and their shares. Raises FileError."""
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
    """Return the path of the file that the library writes when it was loaded."""
    return shares.with_name(f"{shares.name}.loaded")
