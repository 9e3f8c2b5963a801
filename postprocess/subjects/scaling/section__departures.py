# SPDX-License-Identifier: BSD-3-Clause
"""The ranking of what leaves its cost model; each explanation stands once, and the lines refer to it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from string import ascii_lowercase
from typing import Any

from isochron.postprocess.estimate.models.departures__assumptions import REASONS
from isochron.postprocess.formatting import numbers__numbers as numbers
from isochron.postprocess.kit.section import Source, StackMark
from isochron.postprocess.subjects.scaling.table import MODEL_DEPARTURES, MODELS

#: Lines on the page; the table has all.
MAX_LINES = 40


@dataclass(frozen=True)
class Line:
    """A curve that leaves its model."""

    rank: str
    mark: StackMark
    case: str
    slower: bool
    times: str
    where: str
    since: str
    sure: bool
    algorithm: str
    letters: str
    as_if: str


@dataclass(frozen=True)
class Explanation:
    """Why curves leave their models, and how many do so for this reason."""

    letter: str
    text: str
    count: str


@dataclass(frozen=True)
class Ranking:
    """A sentence on all curves, the first lines, how many more the table has, and the explanations."""

    text: str
    lines: list[Line]
    left_out: int
    explanations: list[Explanation]


def ranking(source: Source) -> Ranking | None:
    """None where no curve has a model."""
    table, curves = source.analysis[MODEL_DEPARTURES], source.analysis[MODELS]
    judged = int(curves["algorithm"].notna().sum())
    if not judged:
        return None
    known = {kind for own in table["reasons"] for kind in own.split("; ")}
    kinds = [kind for kind in REASONS if kind in known]
    letters = dict(zip(kinds, ascii_lowercase, strict=False))
    lines = [_line(row, source, letters) for row in table.head(MAX_LINES).to_dict("records")]
    return Ranking(_text(source, judged), lines, max(0, len(table) - MAX_LINES), _explanations(source, letters))


def _text(source: Source, judged: int) -> str:
    """`24 of 36 curves follow …; 8 are slower than their models, 4 are faster`."""
    table = source.analysis[MODEL_DEPARTURES]
    slower, within = int((table["direction"] == "slower").sum()), source.inputs.campaign.analysis.model.tolerance
    stay, faster = judged - len(table), len(table) - slower
    return (
        f"{stay} of {numbers.count(judged, 'curve')} over processes "
        f"{'follows its' if stay == 1 else 'follow their'} nearest cost model to the largest process count, within "
        f"{numbers.given_percent(within)}; {slower} {numbers.are(slower)} slower than that, "
        f"{faster} {numbers.are(faster)} faster"
    )


def _line(row: Mapping[Any, Any], source: Source, letters: Mapping[str, str]) -> Line:
    campaign = source.inputs.campaign
    case = str(row["operation"]) + (f", {numbers.size(row['bytes'])}" if row["bytes"] else "")
    if row["processes_per_node"] and len(campaign.processes_per_node) > 1:
        case += f", {row['processes_per_node']} per node"
    if len(campaign.placements) > 1:
        case += f", {row['placement']}"
    return Line(
        rank=str(row["rank"]),
        mark=source.marks[row["stack"]],
        case=case,
        slower=row["direction"] == "slower",
        times=f"{numbers.ratio(row['times'])} {row['direction']}",
        where=f"at {row['worst_processes']}",
        since="everywhere" if row["nowhere"] else f"from {row['from_processes']} on",
        sure=bool(row["outside"]),
        algorithm=row["algorithm"],
        letters=", ".join(letters[kind] for kind in row["reasons"].split("; ") if kind in letters),
        as_if=row["as_if"],
    )


def _explanations(source: Source, letters: Mapping[str, str]) -> list[Explanation]:
    reasons = [own.split("; ") for own in source.analysis[MODEL_DEPARTURES]["reasons"]]
    return [
        Explanation(letter, REASONS[kind], numbers.count(sum(kind in own for own in reasons), "curve"))
        for kind, letter in letters.items()
    ]
