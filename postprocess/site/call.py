# SPDX-License-Identifier: BSD-3-Clause
"""The verbs of `python -m isochron.postprocess` that make pages over many runs."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

    from isochron.postprocess.history_cache.cache import Archive
    from isochron.postprocess.reading.inputs import RunInputs
    from isochron.schemas.run.layout import RunLayout

#: Names of the verbs.
VERBS = ("publish", "pool")


def add_verbs(verbs: Any) -> None:
    """Register them."""
    site = verbs.add_parser("publish", help=publish.__doc__)
    site.add_argument("folder", type=Path, help="folder of the site")
    site.add_argument("results", nargs="+", type=Path, help="folders of results")
    site.add_argument("--title", default="Isochron", help="name of the site")
    site.add_argument("--url", default="", help="address at which the site will be")
    site.add_argument("--reports", type=int, default=10, help="newest runs of a campaign whose report is taken along")
    pooled = verbs.add_parser("pool", help=pool.__doc__)
    pooled.add_argument("output", type=Path, help="file of the page")
    pooled.add_argument("runs", nargs="+", type=Path, help="folders of runs of one plan, the oldest first")


def done(given: argparse.Namespace) -> str:
    """Do what was asked for; returns what is printed."""
    return publish(given) if given.verb == "publish" else pool(given)


def publish(given: argparse.Namespace) -> str:
    """Folders of results → a static site over all their runs; the line is followed by what was left out."""
    from isochron.postprocess.site.publish import SiteOptions
    from isochron.postprocess.site.publish import publish as run

    said, left_out = run(SiteOptions(given.folder, given.results, given.title, given.url, given.reports))
    return "\n".join([said, *left_out])


def pool(given: argparse.Namespace) -> str:
    """Ingested runs of one plan → one estimate of each value and ratio, as a page; and a sentence."""
    from isochron.postprocess.compare.pooled import pooled_runs
    from isochron.postprocess.history_cache.cache import Archive
    from isochron.postprocess.reading.inputs import load_inputs
    from isochron.postprocess.site.standalone import pooled_page
    from isochron.schemas.run.layout import ARCHIVE

    runs = [load_inputs(folder) for folder in given.runs]
    home = runs[0].layout.root.parent
    together = all(run.layout.root.parent == home for run in runs)
    archive = Archive(home.parent / ARCHIVE, home.name) if together else Archive(None)
    return pooled_page(runs, pooled_runs(runs, archive), given.output)


def compare_page(baseline: RunInputs, candidate: RunInputs, table: pd.DataFrame, path: Path) -> None:
    """What `compare` has found, as a page."""
    from isochron.postprocess.site.standalone import compare_page as write

    write(baseline, candidate, table, path)


def history_page(runs: list[RunLayout], archive: Archive, table: pd.DataFrame, path: Path) -> None:
    """What `history` has found, as a page."""
    from isochron.postprocess.site.standalone import history_page as write

    write(runs, archive, table, path)
