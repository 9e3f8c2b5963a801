# SPDX-License-Identifier: BSD-3-Clause
"""`isochron import`: old output files of other benchmarks, for comparison with new campaigns."""

import argparse
import re
from pathlib import Path

from isochron.cli.common import Verbs, add_results, add_verb
from isochron.common.exit_codes import Exit
from isochron.common.files import FileError
from isochron.common.terminal import Terminal
from isochron.schemas.run.imported import imports
from isochron.tools.registry import TOOLS
from isochron.workflows.driving.postprocess import import_files

EXAMPLE = """\
  isochron import imb old/imb-*.txt --name old-cluster             all values in the files, with their schemes
  isochron import osu bcast.txt --processes 64 --name osu-64       OSU does not print the number of processes
  isochron compare old-cluster demo                                compare with the newest run of a campaign"""


def add_parser(verbs: Verbs) -> None:
    """Register the verb."""
    verb = add_verb(verbs, "import", EXAMPLE, call)
    verb.add_argument("tool", choices=tuple(TOOLS), help=f"benchmark that wrote the files: {', '.join(TOOLS)}")
    verb.add_argument("files", nargs="+", type=Path, metavar="FILE", help="output of the tool, one file per launch")
    verb.add_argument("--name", default="", help="name of the import (default: tool and name of the first file)")
    verb.add_argument("--stack", default="", metavar="STACK", help="compare with this stack only (default: with all)")
    verb.add_argument("--processes", type=_count, metavar="N", help="number of processes, if not stated in the files")
    verb.add_argument(
        "--processes-per-node", type=_count, metavar="N", help="processes per node, if not stated in the files"
    )
    add_results(verb)


def call(arguments: argparse.Namespace) -> int:
    """Import the files and print what was imported."""
    name = arguments.name or f"{arguments.tool}-{re.sub(r'[^A-Za-z0-9._+=-]', '_', arguments.files[0].stem)}"
    if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._+=-]{0,199}", name):
        raise FileError(f"--name {name}: use letters, digits and ._+=-, beginning with a letter or digit")
    options = [f"--name={name}", f"--stack={arguments.stack}"]
    for option in ("processes", "processes_per_node"):
        if (value := getattr(arguments, option)) is not None:
            options.append(f"--{option.replace('_', '-')}={value}")
    record = import_files(arguments.tool, arguments.results, arguments.files, options)
    console = Terminal()
    lines = sum(file.rows for file in record.files)
    versions = ", ".join(sorted({file.version for file in record.files if file.version}))
    console.print(
        f"{record.name}: {lines} lines of {len(record.files)} files by {' '.join([record.tool, versions]).strip()}"
        f" in {imports(arguments.results) / record.name}"
    )
    if not arguments.quiet:
        compared = sum(file.compared for file in record.files)
        console.print(
            f"{compared} of the lines have the time of an operation that Isochron measures too. They were not "
            "launched in the blocks of a run, so they have no interval."
        )
        console.print(f"compare them with a run: isochron compare {record.name} CAMPAIGN")
    return Exit.DONE


def _count(text: str) -> int:
    if not re.fullmatch(r"[1-9]\d{0,8}", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of processes; give a whole number from 1")
    return int(text)
