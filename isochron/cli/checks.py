# SPDX-License-Identifier: BSD-3-Clause
"""`isochron checks`: the ReFrame checks for a site's own regression suite, and the values of what they measured."""

import argparse
from pathlib import Path

from isochron.cli.common import Verbs, add_verb, run_postprocess
from isochron.common.exit_codes import Exit
from isochron.common.resources import shipped

EXAMPLE = """\
  isochron checks                                                     print the path, which `reframe -c` takes:
  reframe -C site.py -c "$(isochron checks)" -l                       one check for each group of operations
  reframe -C site.py -c "$(isochron checks)" -n Blocking -r -S num_tasks=64 -S num_tasks_per_node=32"""


def add_parser(verbs: Verbs) -> None:
    """Register the verb."""
    verb = add_verb(verbs, "checks", EXAMPLE, call)
    verb.add_argument(
        "files",
        nargs="*",
        type=Path,
        metavar="FILE",
        help="raw files of the launches of such a check: print their values as JSON instead (the checks call this)",
    )


def call(arguments: argparse.Namespace) -> int:
    """Print the path, or the values."""
    if not arguments.files:
        print(shipped("reframe_checks", "checks", "operations.py"))
        return Exit.DONE
    return Exit.DONE if run_postprocess("measured", *map(str, arguments.files)) else Exit.FAILED
