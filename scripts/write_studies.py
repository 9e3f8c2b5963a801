# SPDX-License-Identifier: BSD-3-Clause
"""Writes docs/reference/studies.md: what the campaigns of published studies print, from runs of them.

usage: python scripts/write_studies.py RESULTS     (the folder in which `isochron run` made the runs)
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from isochron.common.files import FileError
from isochron.postprocess.kit.figure import FigureList
from isochron.postprocess.kit.finding import FINDINGS, Findings
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.plan import Plan
from isochron.workflows.campaign_file import load_campaign

#: Campaigns of studies, in the order of docs/how-to/repeat-a-study.md, with the tables that show each of them.
STUDIES = {
    "mpiperf": ("systematic-errors", "view-mpiperf", "view-mpiperf-wait-patterns"),
    "msu": ("view-msu-transfers", "view-msu-topologies", "basic-costs"),
    "pmb": ("view-pmb",),
    "npb": ("npb", "npb-published"),
    "bxj-rehearsal": ("view-bxj-3-sendrecv", "view-bxj-largest", "model-departures"),
    "two-sites": ("view-two-sites-orders", "view-two-sites-paradox"),
    "two-sites-streams": ("view-two-sites-pairs",),
    "clock-sync": ("clock-synchronisation",),
}
#: Rows and columns of a table that are shown.
ROWS, COLUMNS = 6, 10

HEAD = """<!-- made by scripts/write_studies.py from runs -->
# Reference: what the campaigns of published studies print

From runs of the campaigns of [repeat a published study](../how-to/repeat-a-study.md): the findings of each report, and
the first rows of its tables. Times are those of one machine with two cores, or of a simulated one; yours will differ.
Campaigns that were not run are not listed.
"""


def page(results: Path) -> str:
    """Return the page. Raises FileError if a run cannot be read."""
    runs = ((name, RunLayout((results / name / "latest").resolve())) for name in STUDIES)
    return "\n".join([HEAD, *(line for name, run in runs if run.plan.is_file() for line in study(name, run))])


def study(name: str, run: RunLayout) -> Iterator[str]:
    """Yield the lines of a campaign."""
    campaign, plan = load_campaign(run.campaign), Plan.load(run.plan)
    yield f"## {name}: {campaign.title}\n"
    yield f"{len(plan.launches)} launches in {len(plan.blocks)} blocks.\n"
    for finding in Findings.load(run.tables / FINDINGS).findings:
        if finding.severity == "result":
            yield f"- {finding.text}"
    figures = [figure.title for figure in FigureList.load(run.figures / "figures.json").figures]
    yield f"\nFigures: {'; '.join(figures) or 'none'}.\n"
    for table in STUDIES[name]:
        path = run.tables / f"{table}.csv"
        if path.is_file():
            yield from first_rows(table, pd.read_csv(path))


def first_rows(name: str, rows: pd.DataFrame) -> Iterator[str]:
    """Yield the first rows of a table, without columns that are empty or the same in all rows."""
    shown = [column for column in rows if rows[column].notna().any() and (len(rows) == 1 or rows[column].nunique() > 1)]
    first = rows[shown[:COLUMNS]].head(ROWS)
    yield f"`{name}.csv`, {len(rows)} rows:\n"
    if not first.empty:
        yield f"| {' | '.join(first)} |"
        yield "|---" * len(first.columns) + "|"
    for row in first.itertuples(index=False):
        yield f"| {' | '.join(f'{value:.4g}' if isinstance(value, float) else str(value) for value in row)} |"
    yield ""


def main() -> int:
    """Write the page, and return the exit code."""
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        text = page(Path(sys.argv[1]))
    except FileError as error:
        print(f"write_studies: {error}", file=sys.stderr)
        return 1
    (Path(__file__).parent.parent / "docs" / "reference" / "studies.md").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
