# SPDX-License-Identifier: BSD-3-Clause
"""`isochron publish`: a static site over all campaigns and runs."""

import argparse
import re
from pathlib import Path

from isochron.cli.common import Verbs, add_verb
from isochron.common.exit_codes import Exit
from isochron.common.terminal import Terminal, complain
from isochron.workflows.driving.postprocess import publish_site

EXAMPLE = """\
  isochron publish site                                      every campaign below results
  isochron publish /srv/www/mpi --title "MPI at our site"    called again: only new pages are written
  isochron publish site alpha/results beta/results           two machines in one site"""


def add_parser(verbs: Verbs) -> None:
    """Register the verb."""
    verb = add_verb(verbs, "publish", EXAMPLE, call)
    verb.add_argument("folder", type=Path, metavar="DIR", help="folder of the site: new, empty, or an earlier site")
    verb.add_argument(
        "results",
        nargs="*",
        type=Path,
        default=[Path("results")],
        metavar="RESULTS",
        help="folders of results (default: results)",
    )
    verb.add_argument("--title", default="Isochron", help="name of the site (default: Isochron)")
    verb.add_argument(
        "--url",
        type=_address,
        metavar="URL",
        help="address of the site, for absolute links in feeds (default: relative links)",
    )
    verb.add_argument(
        "--reports",
        type=_count,
        default=10,
        metavar="N",
        help="number of newest runs per campaign whose report is copied, one file each (default: 10)",
    )


def call(arguments: argparse.Namespace) -> int:
    """Write the site and print the path of its first page."""
    options = [f"--title={arguments.title}", f"--url={arguments.url or ''}", f"--reports={arguments.reports}"]
    summary, *warnings = publish_site(arguments.folder, arguments.results, options)
    for line in warnings:
        complain(line)
    console = Terminal()
    console.print(str(arguments.folder / "index.html"))
    if not arguments.quiet:
        console.print(summary)
    return Exit.DONE


def _address(text: str) -> str:
    """Parse the address of a folder; page names are appended, so it has no query and no fragment."""
    if not re.fullmatch(r"https?://[^\s<>\"?#]+", text):
        raise argparse.ArgumentTypeError(
            f"{text!r} is not the address of a folder; give one without ? and #, such as https://www.example.org/mpi"
        )
    return text


def _count(text: str) -> int:
    if not re.fullmatch(r"\d{1,6}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of runs; give a whole number")
    return int(text)
