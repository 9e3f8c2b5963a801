# SPDX-License-Identifier: BSD-3-Clause
"""`isochron checks`: the ReFrame checks for a site's own regression suite, and the values of what they measured."""

from __future__ import annotations

import argparse
import subprocess
from pathlib import Path

from isochron.cli.common import Verbs, add_verb
from isochron.common.children import python
from isochron.common.exit_codes import Exit
from isochron.common.resources import shipped
from isochron.common.terminal import complain

EXAMPLE = """\
  isochron checks                                                     print the path, which `reframe -c` takes:
  reframe -C site.py -c "$(isochron checks)" -l                       one check for each group of operations
  reframe -C site.py -c "$(isochron checks)" -n Blocking -r -S num_tasks=64 -S num_tasks_per_node=32"""


def add_parser(verbs: Verbs) -> None:
    """Register the verb."""
    verb = add_verb(verbs, "checks", "print the file of the checks for a site's own ReFrame", EXAMPLE, call)
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
    words = ["measured", *map(str, arguments.files)]
    done = subprocess.run(
        python("-m", "isochron.postprocess", *words), stderr=subprocess.PIPE, encoding="utf-8", check=False
    )
    if done.returncode != 0:
        complain((done.stderr.strip().splitlines() or ["checks: ended without a message"])[-1])
        return Exit.FAILED
    return Exit.DONE
