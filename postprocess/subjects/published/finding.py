# SPDX-License-Identifier: BSD-3-Clause
"""Published sentences that a run does not confirm."""

from __future__ import annotations

import pandas as pd

from isochron.postprocess.formatting import numbers
from isochron.postprocess.ingest.inputs import RESULT_KEY, RunInputs
from isochron.postprocess.kit.finding import Finding
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.published.checks import AGREES, DIFFERS, INCONCLUSIVE, NOT_MEASURED
from isochron.postprocess.subjects.published.table import PUBLISHED
from isochron.postprocess.subjects.published.wording import cell
from isochron.schemas.input.placement import PACKED, PLACEMENTS

#: Outcome of a case that agrees on one placement and not on another, where the sentence states none.
DEPENDS = "depends on the placement"
#: Outcomes of a sentence, that of its worst case first.
OUTCOMES = (DIFFERS, DEPENDS, INCONCLUSIVE, NOT_MEASURED, AGREES)
#: Column of `by_sentence`: the outcome of a line's case, over all placements on which it is not stated.
TOLD = "told"
#: What a case is, but for its placement.
CASE = [name for name in RESULT_KEY if name != "placement"]
#: Lines of details; the table has all.
MAX_LINES = 20


def published(_: RunInputs, analysis: Analysis) -> list[Finding]:
    """For each study how many of its sentences the run confirms, and which not."""
    studies = analysis[PUBLISHED].groupby("study", sort=False)
    return [_finding(str(study), rows) for study, rows in studies]


def _finding(study: str, rows: pd.DataFrame) -> Finding:
    sentences = by_sentence(rows)
    counts = {outcome: sum(part[TOLD].iloc[0] == outcome for part in sentences) for outcome in OUTCOMES}
    checked = len(sentences) - counts[NOT_MEASURED]
    source = rows["source"].iloc[0]
    text = f"Of {numbers.count(len(sentences), 'published sentence')} of the study {study} ({source}) "
    text += f"{checked} can be checked here: {counts[AGREES]} {'agrees' if counts[AGREES] == 1 else 'agree'}"
    text += f", {counts[DIFFERS]} {'differs' if counts[DIFFERS] == 1 else 'differ'}"
    text += f", {counts[DEPENDS]} {_verb(DEPENDS, counts[DEPENDS])}" if counts[DEPENDS] else ""
    text += (
        f", {counts[INCONCLUSIVE]} {numbers.are(counts[INCONCLUSIVE])} inconclusive." if counts[INCONCLUSIVE] else "."
    )
    different = [part for part in sentences if part[TOLD].iloc[0] == DIFFERS]
    if different:
        text += f" {sentence(different[0])}"
    details = [sentence(part) for part in sentences if part[TOLD].iloc[0] in (DIFFERS, INCONCLUSIVE)]
    shown = {name.replace(" ", "_"): count for name, count in counts.items()}
    return Finding(
        kind="published-findings",
        severity="result" if checked else "note",
        text=text,
        details=details[:MAX_LINES],
        numbers={"study": study, "sentences": len(sentences), **shown},
    )


def by_sentence(rows: pd.DataFrame) -> list[pd.DataFrame]:
    """The lines of each sentence with TOLD, in the order of `OUTCOMES`: TOLD of the first one is that of the sentence.

    `rows`: `FINDING_COLUMNS` of a study, or of a study and a stack.
    """
    parts = [_told(part) for _, part in rows.groupby("sentence", sort=False)]
    return [part.sort_values([TOLD, "outcome"], key=_places, kind="stable") for part in parts]


def _places(outcomes: pd.Series[str]) -> pd.Series[int]:
    """Where each outcome is in `OUTCOMES`."""
    return outcomes.map(OUTCOMES.index)


def _told(part: pd.DataFrame) -> pd.DataFrame:
    """The lines of a sentence with TOLD.

    Which ranks share a node, a study states with its orders of hosts (`node_lists`), but not with `packed` or
    `round-robin`. So a case on several of these has an outcome where it is the same on all of them.
    """
    told = part["outcome"].copy()
    free = part[part["placement"].isin(PLACEMENTS)]
    for _, lines in free.groupby(CASE, sort=False, dropna=False):
        outcomes = set(lines["outcome"])
        if lines["placement"].nunique() < free["placement"].nunique():
            outcomes.add(NOT_MEASURED)
        if len(outcomes) > 1:
            told[lines.index] = NOT_MEASURED if NOT_MEASURED in outcomes else DEPENDS
    return part.assign(**{TOLD: told})


def case(rows: pd.DataFrame, row: pd.Series[str]) -> str:
    """What a line is of, beside the other lines of its sentence: `smpi-intel, bcast, 1 KiB, alternating`."""
    several = [name for name in RESULT_KEY if row[name] and (rows[name].nunique() > 1 or _is_chosen(name, row[name]))]
    return ", ".join(cell(name, row[name]) for name in several)


def _is_chosen(name: str, content: object) -> bool:
    """Whether it is a placement other than the usual one."""
    return name == "placement" and content in PLACEMENTS and content != PACKED


def sentence(rows: pd.DataFrame) -> str:
    """`Published: “…” (table 3). Here, smpi-intel, bcast: 0.391 ms.` `rows`: a part of `by_sentence`."""
    first = rows.iloc[0]
    where = case(rows, first)
    text = f"Published: “{first['published']}” ({first['place']}). Here{', ' + where if where else ''}: {first['here']}"
    if len(rows) > 1:
        same = int((rows[TOLD] == first[TOLD]).sum())
        text += f" ({same} of {len(rows)} cases {_verb(first[TOLD], same)}.)"
    return f"{text} {first['if_differs']}".strip() if first[TOLD] == DIFFERS else text


def _verb(outcome: str, number: int) -> str:
    """`differ`, `are inconclusive`."""
    if outcome in (AGREES, DIFFERS, DEPENDS):
        verb, *rest = outcome.split(" ", 1)
        return outcome if number == 1 else " ".join([verb[:-1], *rest])
    return f"{numbers.are(number)} {outcome}"
