# SPDX-License-Identifier: BSD-3-Clause
"""Published sentences that a run does not confirm."""

from __future__ import annotations

from typing import Any

import pandas as pd

from isochron.postprocess.formatting import numbers
from isochron.postprocess.ingest.inputs import RESULT_KEY, RunInputs
from isochron.postprocess.kit.finding import Finding
from isochron.postprocess.kit.table import Analysis
from isochron.postprocess.subjects.published.checks import AGREES, DIFFERS, INCONCLUSIVE, NOT_MEASURED
from isochron.postprocess.subjects.published.table import PUBLISHED
from isochron.postprocess.subjects.published.wording import cell

#: Outcomes of a sentence, that of its worst case first.
OUTCOMES = (DIFFERS, INCONCLUSIVE, NOT_MEASURED, AGREES)
#: Lines of details; the table has all.
MAX_LINES = 20


def published(_: RunInputs, analysis: Analysis) -> list[Finding]:
    """For each study how many of its sentences the run confirms, and which not."""
    studies = analysis[PUBLISHED].groupby("study", sort=False)
    return [_finding(str(study), rows) for study, rows in studies]


def _finding(study: str, rows: pd.DataFrame) -> Finding:
    sentences = by_sentence(rows)
    counts = {outcome: sum(part["outcome"].iloc[0] == outcome for part in sentences) for outcome in OUTCOMES}
    checked = len(sentences) - counts[NOT_MEASURED]
    source = rows["source"].iloc[0]
    text = f"Of {numbers.count(len(sentences), 'published sentence')} of the study {study} ({source}) "
    text += f"{checked} can be checked here: {counts[AGREES]} {'agrees' if counts[AGREES] == 1 else 'agree'}"
    text += f", {counts[DIFFERS]} {'differs' if counts[DIFFERS] == 1 else 'differ'}"
    text += (
        f", {counts[INCONCLUSIVE]} {numbers.are(counts[INCONCLUSIVE])} inconclusive." if counts[INCONCLUSIVE] else "."
    )
    different = [part for part in sentences if part["outcome"].iloc[0] == DIFFERS]
    if different:
        text += f" {sentence(different[0])}"
    details = [sentence(part) for part in sentences if part["outcome"].iloc[0] in (DIFFERS, INCONCLUSIVE)]
    shown = {name.replace(" ", "_"): count for name, count in counts.items()}
    return Finding(
        kind="published-findings",
        severity="result" if checked else "note",
        text=text,
        details=details[:MAX_LINES],
        numbers={"study": study, "sentences": len(sentences), **shown},
    )


def by_sentence(rows: pd.DataFrame) -> list[pd.DataFrame]:
    """The lines of each sentence, in the order of `OUTCOMES`: the first one has the outcome of the sentence.

    `rows`: `FINDING_COLUMNS` of a study, or of a study and a stack.
    """
    ordered = rows.sort_values("outcome", key=lambda outcomes: outcomes.map(OUTCOMES.index), kind="stable")
    parts: dict[Any, pd.DataFrame] = dict(iter(ordered.groupby("sentence", sort=False)))
    return [parts[name] for name in rows["sentence"].unique()]


def case(rows: pd.DataFrame, row: pd.Series[str]) -> str:
    """What a line is of, beside the other lines of its sentence: `smpi-intel, bcast, 1 KiB, alternating`."""
    several = [name for name in RESULT_KEY if rows[name].nunique() > 1 and row[name]]
    return ", ".join(cell(name, row[name]) for name in several)


def sentence(rows: pd.DataFrame) -> str:
    """`Published: “…” (table 3). Here, smpi-intel, bcast: 0.391 ms.` `rows`: a part of `by_sentence`."""
    first = rows.iloc[0]
    where = case(rows, first)
    text = f"Published: “{first['published']}” ({first['place']}). Here{', ' + where if where else ''}: {first['here']}"
    if len(rows) > 1:
        same = int((rows["outcome"] == first["outcome"]).sum())
        text += f" ({same} of {len(rows)} cases {_verb(first['outcome'], same)}.)"
    return f"{text} {first['if_differs']}".strip() if first["outcome"] == DIFFERS else text


def _verb(outcome: str, number: int) -> str:
    """`differ`, `are inconclusive`."""
    if outcome in (AGREES, DIFFERS):
        return outcome if number == 1 else outcome[:-1]
    return f"{numbers.are(number)} {outcome}"
