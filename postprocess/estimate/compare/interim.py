# SPDX-License-Identifier: BSD-3-Clause
"""The interim analyses of a sequential campaign: what each has decided, from the launches that were there.

An interim analysis compares all pairs in all cases, decided or not, at the level that the design reserves for it, so
that all of them correct for the same. A decision is not changed by a later analysis.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from isochron.common.files import FileError
from isochron.postprocess.estimate.compare.comparison import PAIRS_COLUMNS, compare
from isochron.postprocess.estimate.compare.pairs import Rules
from isochron.postprocess.estimate.compare.rows import rows_of
from isochron.postprocess.estimate.values.summary import summarise, usable
from isochron.postprocess.ingest.inputs import POINT, RunInputs, planned_rows
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.replication import claim_levels
from isochron.schemas.run.comparisons import BOUNDED, DECIDED
from isochron.schemas.run.next_blocks import Comparison, Decided, InterimAnalysis
from isochron.schemas.run.plan import Point
from isochron.stats.spending import equal_levels

#: Columns of `comparison.csv`.
DECIDED_COLUMNS = {
    **PAIRS_COLUMNS,
    "decided_after": "blocks for each node count after which an interim analysis decided it: all numbers "
    "of the row rest on these; 0: none did",
}
#: What is compared.
PAIR = ["baseline", "candidate", "operation", "bytes", *POINT]


@dataclass(frozen=True)
class Due:
    """When an analysis is due, and its levels: of the tests, and of the intervals that show stacks to be equal."""

    blocks: int
    level: float
    equal_level: float


def due_analyses(campaign: Campaign) -> list[Due]:
    """All analyses of a campaign, the last at its end."""
    early, replication, alpha = campaign.interim_blocks, campaign.replication, 1 - campaign.analysis.confidence
    equal = equal_levels(early, replication.blocks, replication.units_per_block, alpha)
    return [Due(*each) for each in zip([*early, replication.blocks], claim_levels(early, alpha), equal, strict=True)]


def decided_at_interim(
    inputs: RunInputs,
    rows: pd.DataFrame,
    files: Iterable[str],
    recorded: Sequence[InterimAnalysis],
    slices: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """`DECIDED_COLUMNS`: every pair in every case as in the analysis that decided it, or at the last one.

    `rows`: all rows of the launches (`TableContext.rows`); `files`: raw files that are stored; `recorded`: analyses
    that the driver has made, whose verdicts stand; `slices`: of launches in turns (`TableContext.slices`).
    """
    due, parts = due_analyses(inputs.campaign), []
    measured = _stages(inputs, files)
    left: Any = slice(None)
    for stage in range(max(1, measured)):
        table = _compared(inputs, rows, slices, stage, due[stage]).loc[left]
        verdicts = _recorded(table, recorded[stage]) if stage < len(recorded) else table["verdict"]
        decided = verdicts.isin(DECIDED) & (stage < measured)
        parts.append(table[decided].assign(verdict=verdicts[decided], decided_after=due[stage].blocks))
        table, left = table[~decided], table.index[~decided]
    still = table["verdict"].isin(["inconclusive", *BOUNDED, *DECIDED]) & (stage < len(due) - 1)
    after = f"inconclusive in the interim analysis after {due[stage].blocks} blocks"
    when = after if measured else "the first interim analysis is still to come"
    reasons = (when + ("; " + table["reason"]).where(table["reason"] != "", "")).where(still, table["reason"])
    verdicts = table["verdict"].mask(still, "inconclusive")
    parts.append(table.assign(decided_after=0, verdict=verdicts, reason=reasons))
    outcome: pd.DataFrame = pd.concat(parts).sort_index()
    return outcome[list(DECIDED_COLUMNS)]


def analyse_interim(
    inputs: RunInputs,
    rows: pd.DataFrame,
    files: Iterable[str],
    before: Sequence[InterimAnalysis],
    slices: pd.DataFrame | None = None,
) -> InterimAnalysis:
    """The analysis after the last stage of the plan. `before`: those already made. Raises FileError."""
    stage = inputs.plan.stage
    if _stages(inputs, files) <= stage:
        raise FileError(f"{inputs.layout.root}: launches of the plan are not stored yet; run `isochron run` first")
    due = due_analyses(inputs.campaign)[stage]
    table = decided_at_interim(inputs, rows, files, before, slices)
    fresh = table[table["decided_after"] == due.blocks]
    still = table[table["verdict"] == "inconclusive"]
    return InterimAnalysis(
        stage=stage,
        blocks=due.blocks,
        level=due.level,
        equal_level=due.equal_level,
        decided=[Decided(**key, verdict=verdict) for key, verdict in zip(_keys(fresh), fresh["verdict"], strict=True)],
        open=[Comparison(**key) for key in _keys(still)],
    )


def _stages(inputs: RunInputs, files: Iterable[str]) -> int:
    """How many of the plan's stages are stored, from the first on."""
    there = set(files)
    lacking = [
        block.stage for block in inputs.plan.blocks for launch in block.launches
        if launch.of_results and launch.file not in there
    ]  # fmt: skip
    return min(lacking, default=inputs.plan.stage + 1)


def _compared(inputs: RunInputs, rows: pd.DataFrame, slices: pd.DataFrame | None, stage: int, due: Due) -> pd.DataFrame:
    """`PAIRS_COLUMNS` from the blocks up to a stage; the order of the rows is the same at each."""
    campaign = inputs.campaign
    stages = {block.index: block.stage for block in inputs.plan.blocks}
    part = rows[rows["block"].map(stages) <= stage]
    rules = Rules(campaign.analysis.threshold, 1 - due.equal_level, campaign.seed, level=due.level)
    summary = summarise(planned_rows(inputs), part, campaign.analysis.confidence)
    return compare(rows_of(summary, usable(part), slices), campaign.stacks, rules, inputs.asked.pairs)


def _recorded(table: pd.DataFrame, analysis: InterimAnalysis) -> pd.Series[str]:
    """The verdicts of an analysis; `inconclusive` if it decided nothing."""
    verdicts = {_key(each): each.verdict for each in analysis.decided}
    recorded = [verdicts.get(tuple(row), "inconclusive") for row in table[PAIR].itertuples(index=False, name=None)]
    return pd.Series(recorded, index=table.index, dtype=object)


def _key(each: Comparison) -> tuple[str | int, ...]:
    """What `PAIR` names."""
    return (each.baseline, each.candidate, each.operation, each.bytes, *each.point.model_dump().values())


def _keys(table: pd.DataFrame) -> Iterator[dict[str, Any]]:
    """Each row as a `Comparison` has it."""
    for row in table[PAIR].to_dict("records"):
        point = Point(**{name: row.pop(name) for name in POINT})
        yield {str(name): value for name, value in row.items()} | {"point": point}
