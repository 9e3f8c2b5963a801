# SPDX-License-Identifier: BSD-3-Clause
"""`published-findings.csv`: the sentences of the study that a campaign repeats, and whether the run agrees."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from isochron.common.files import FileError, suggest
from isochron.postprocess.estimate.models.parameters import PING_PONG, SENDRECV
from isochron.postprocess.ingest.inputs import KEYS, RESULT_KEY
from isochron.postprocess.kit.table import Table, TableContext
from isochron.postprocess.subjects.contrasts.table import BOUNDS
from isochron.postprocess.subjects.details.table import COSTS
from isochron.postprocess.subjects.published import wording
from isochron.postprocess.subjects.published.checks import DIFFERS, INCONCLUSIVE, Result, results
from isochron.postprocess.subjects.published.quantity import Margins, select, with_interval
from isochron.postprocess.subjects.results.table import SUMMARY, make_summary
from isochron.postprocess.subjects.systematic.table import LATE_CALLS, SYSTEMATIC_ERRORS
from isochron.postprocess.subjects.views.bxj_points import BXJ_POINTS
from isochron.postprocess.subjects.views.bxj_table import BXJ_CURVES, BXJ_PING_PONG, BXJ_SENDRECV
from isochron.postprocess.subjects.views.mpiperf_table import MPIPERF_PATTERNS
from isochron.postprocess.subjects.views.two_sites_table import (
    PAIRS,
    PARADOX,
    SITES_ORDERS,
    SITES_PAIRS,
    SITES_PING_PONG,
    SITES_STREAMS,
    STREAM,
)
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.published_findings import (
    PublishedFindings,
    Quantity,
    Sentence,
    findings_path,
    load_findings,
    quantities,
    studies,
)


@dataclass(frozen=True)
class Source:
    """A table that sentences are checked against.

    `timed`: whether its times and rates are those of the results, so that they have the intervals of these.
    `operation`: the only operation of a table without this column.
    """

    table: Table
    timed: bool = False
    operation: str = ""

    @property
    def columns(self) -> list[str]:
        """What a sentence can name."""
        return [*self.table.columns, *(["operation"] if self.operation else [])]


SOURCES = {
    source.table.name: source
    for source in (
        Source(SUMMARY, timed=True),
        Source(BXJ_POINTS, timed=True),
        Source(BXJ_CURVES, timed=True),
        Source(BXJ_PING_PONG, timed=True, operation=PING_PONG),
        Source(BXJ_SENDRECV, timed=True, operation=SENDRECV),
        Source(SITES_PING_PONG, timed=True, operation=PING_PONG),
        Source(SITES_STREAMS, timed=True, operation=STREAM),
        Source(SITES_PAIRS, timed=True, operation=PAIRS),
        Source(SITES_ORDERS, timed=True),
        Source(PARADOX),
        Source(BOUNDS),
        Source(LATE_CALLS),
        Source(SYSTEMATIC_ERRORS),
        Source(MPIPERF_PATTERNS),
        Source(COSTS),
    )
}

FINDING_COLUMNS = {
    "study": "study that the campaign repeats: its view (`analysis.views`)",
    "sentence": "name of the sentence",
    "published": "what was published",
    "place": "where: table, figure or section of the study",
    "source": "who published it, and when",
    "checked": "what of the run's tables is compared, and what of it agrees",
    **{name: f"{meaning}; empty where the check has several, or none" for name, meaning in KEYS.items()},
    "here": "what the run has, in words",
    "value": "the number that is compared, if it is one",
    "unit": "its unit: `µs`, `MB/s`, `MiB/s`, `×` of a ratio, or `of all`",
    "low": "lower end of its interval; of an exact value the value itself; empty: it has none",
    "high": "upper end of it",
    "made": "how the value was obtained if it was not run: `model`, or a coarser simulation",
    "outcome": "`agrees`, `differs`, `inconclusive` if the intervals do not decide, or `not measured`",
    "if_differs": "what is known to make the difference, where a run differs",
}


def repeated(campaign: Campaign) -> list[str]:
    """The studies with published findings that a campaign repeats."""
    return [view for view in campaign.analysis.views if view in studies()]


def make_published(context: TableContext) -> pd.DataFrame:
    """`FINDING_COLUMNS`. Raises FileError if the findings of a study cannot be read."""
    lines = [line for view in repeated(context.inputs.campaign) for line in _study(context, view)]
    return pd.DataFrame(lines, columns=list(FINDING_COLUMNS))


def _study(context: TableContext, view: str) -> Iterator[dict[str, Any]]:
    path = findings_path(view)
    study = load_findings(path)
    check_names(study, path)
    for sentence in study.sentences:
        for line in _lines(context, sentence):
            yield {"study": view, "source": study.source, **line}


def check_names(study: PublishedFindings, path: Path) -> None:
    """Raise FileError if a sentence names a table or column that there is not."""
    for sentence in study.sentences:
        for quantity in quantities(sentence.check):
            source = SOURCES.get(quantity.table)
            where = f"{path}: sentence {sentence.name}"
            if source is None:
                raise FileError(
                    f"{where}: unknown table '{quantity.table}'{suggest(quantity.table, SOURCES)}; tables that can be "
                    f"checked: {', '.join(SOURCES)}"
                )
            along = getattr(sentence.check, "along", None)
            named = [quantity.column, quantity.over, quantity.low, quantity.high, along, *quantity.rows]
            for column in filter(None, named):
                if column not in source.columns:
                    raise FileError(
                        f"{where}: {quantity.table} has no column '{column}'{suggest(column, source.columns)}"
                    )


def _lines(context: TableContext, sentence: Sentence) -> Iterator[dict[str, Any]]:
    check, analysis = sentence.check, context.inputs.campaign.analysis
    margins = Margins(analysis.threshold, analysis.model.tolerance)
    simulated = context.launches["simulated"]
    exact = bool(len(simulated) and simulated.all())
    tables = [select(quantity, _table(context, quantity), exact=exact) for quantity in quantities(check)]
    fixed = _fixed(list(quantities(check)))
    for case, result in outcomes_of(sentence, tables, margins):
        key = {**dict.fromkeys(RESULT_KEY), **fixed, **case}
        yield {
            **{name: _text(key[name]) for name in RESULT_KEY},
            "sentence": sentence.name,
            "published": sentence.text,
            "place": sentence.place,
            "checked": wording.expected(check, margins),
            "here": result.text,
            "value": result.number.value,
            "unit": result.unit,
            "low": result.number.low,
            "high": result.number.high,
            "made": result.number.made,
            "outcome": result.outcome,
            "if_differs": sentence.if_differs,
        }


def outcomes_of(
    sentence: Sentence, tables: list[pd.DataFrame], margins: Margins
) -> Iterator[tuple[dict[Any, Any], Result]]:
    """The results of `checks.results`. One that differs from what some runs of the study had is inconclusive."""
    for case, result in results(sentence.check, tables, margins):
        if sentence.sometimes and result.outcome == DIFFERS:
            text = f"{result.text} The study saw it in some of its runs only."
            yield case, replace(result, outcome=INCONCLUSIVE, text=text)
        else:
            yield case, result


def _text(cell: Any) -> str:
    """A cell of a key column; a number may come as a float."""
    return "" if cell is None else str(int(cell)) if isinstance(cell, (int, float)) else str(cell)


def _table(context: TableContext, quantity: Quantity) -> pd.DataFrame:
    """The table of a quantity, with intervals if its times are those of results; empty if the campaign has none."""
    source = SOURCES[quantity.table]
    if not source.table.applies(context.inputs.campaign):
        return pd.DataFrame(columns=source.columns)
    frame = context.get(source.table.make)
    return with_interval(frame, context.get(make_summary), source.operation) if source.timed else frame


def _fixed(parts: list[Quantity]) -> dict[str, Any]:
    """The key columns that all quantities of a check fix to the same value."""
    first, *others = parts
    return {
        name: cells
        for name, cells in first.rows.items()
        if name in KEYS and not isinstance(cells, list) and all(part.rows.get(name) == cells for part in others)
    }


PUBLISHED = Table(
    name="published-findings",
    columns=FINDING_COLUMNS,
    make=make_published,
    holds="sentences of the repeated study, each with what the run has and whether they agree",
    applies=lambda campaign: bool(repeated(campaign)),
)
