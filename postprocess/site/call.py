# SPDX-License-Identifier: BSD-3-Clause
"""The verbs of `python -m isochron.postprocess` that make pages over many runs."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

#: Names of the verbs.
VERBS = ("publish",)


def add_verbs(verbs: Any) -> None:
    """Register them."""
    site = verbs.add_parser("publish", help=publish.__doc__)
    site.add_argument("folder", type=Path, help="folder of the site")
    site.add_argument("results", nargs="+", type=Path, help="folders of results")
    site.add_argument("--title", default="Isochron", help="name of the site")
    site.add_argument("--url", default="", help="address at which the site will be")
    site.add_argument("--reports", type=int, default=10, help="newest runs of a campaign whose report is taken along")


def done(given: argparse.Namespace) -> str:
    """Do what was asked for; returns what is printed."""
    return publish(given)


def publish(given: argparse.Namespace) -> str:
    """Folders of results → a static site over all their runs; the line is followed by what was left out."""
    from isochron.postprocess.site.publish import Asked
    from isochron.postprocess.site.publish import publish as run

    said, left_out = run(Asked(given.folder, given.results, given.title, given.url, given.reports))
    return "\n".join([said, *left_out])
