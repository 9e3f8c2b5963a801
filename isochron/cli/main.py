# SPDX-License-Identifier: BSD-3-Clause
"""The command line `isochron`: its commands, and how errors are reported."""

import argparse
import sys
from collections.abc import Collection
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

from isochron.cli.common import split_at_double_dash
from isochron.cli.verbs import VERBS
from isochron.common.children import give_home
from isochron.common.exit_codes import Exit
from isochron.common.files import FileError, suggest
from isochron.common.terminal import complain, lasting_output, refuse_lost_letters

#: Options of other programs that are not needed here.
NEEDLESS = ("--resume", "--continue", "--restart")
#: Verbs that take words after `--`.
TAKE_MORE = ("run", "profile")

DESCRIPTION = """\
MPI benchmark campaigns with synchronised starts: plan, run, resume, analyse, report.

A campaign file states what to measure; `plan` shows the cost, and `run` measures it and writes
the report. Campaigns are given by file or by name: of one that has a run, or of a shipped one, as demo
(`isochron run --help` lists those).
"""

EPILOG = """\
examples:
  isochron doctor                                    is this machine fit to measure on?
  isochron plan demo                                 points, blocks, launches, node hours
  isochron rehearse bxj                              run the plan on a simulated machine first
  isochron run demo                                  measure, or continue where it stopped
  isochron status                                    the state of every run
  isochron report demo                               make the newest report again
  isochron export demo --pdf                         the report as a PDF; also Markdown, Excel, JUnit, …
  isochron compare results/demo/2026… demo           is anything slower than before?
  isochron upgrade mpich@4.3.2 mpich@5.0.2           what does a new version change, in all of MPI?
  isochron explain demo                              which settings make two versions differ?
  isochron advise demo                               which of them to set, and which not
  isochron bisect demo --pair mpich-4.3,mpich-5.0    which version between the two brought it?
  isochron cliffs demo --operation alltoall --sizes 64:64KiB    where does the time jump?
  isochron tune demo --stacks openmpi-5.0            which algorithms beat its own choice, as files of rules
  isochron reproduce demo                            a finding as a program for the developers of a library
  isochron history demo                              what has changed over all its runs, and when?
  isochron publish site                              a static site over all campaigns and runs
  isochron push nightly --to https://…               its results to a system of the site
  isochron published ekss-npb                        published numbers of other studies
  isochron import imb old/*.txt --name old-cluster   files of IMB, OSU … to compare runs with
  isochron profile -- mpiexec -n 4 ./solver          the MPI calls of a program
  reframe -c "$(isochron checks)" -l                 checks for your own ReFrame suite
  isochron certify mpich-5.0                         how often are verdicts wrong on this machine?

exit codes: 0 done, 1 the work failed, 2 usage or configuration, 3 something is slower (compare),
4 over budget, 5 no slowdown found, but some comparisons are inconclusive (--strict), 130 interrupted

documentation: {documentation}
"""

#: The first page of the documentation in a checkout; the wheel does not contain it.
DOCUMENTATION = Path(__file__).parents[2] / "docs" / "README.md"


def parser(wanted: Collection[str] = tuple(VERBS)) -> argparse.ArgumentParser:
    """Return the parser of the whole command line; of commands that are not wanted, only name and meaning."""
    top = argparse.ArgumentParser(
        prog="isochron",
        description=DESCRIPTION,
        epilog=EPILOG.format(documentation=_documentation()),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    top.add_argument("--version", action="version", version=f"isochron {version('isochron')}")
    verbs = top.add_subparsers(dest="verb", metavar="VERB", required=True)
    for name, (module, meaning) in VERBS.items():
        if name in wanted:
            import_module(f"isochron.cli.{module}").add_parser(verbs)
        else:
            verbs.add_parser(name, help=meaning)
    return top


def _documentation() -> str:
    """Return where the documentation is."""
    return str(DOCUMENTATION) if DOCUMENTATION.is_file() else "the folder docs/ of Isochron's sources"


def main(argv: list[str] | None = None) -> int:
    """Run one command; return the exit code."""
    give_home()
    try:
        with lasting_output():
            return _call(sys.argv[1:] if argv is None else argv)
    except FileError as error:
        complain(error)
        return Exit.USAGE
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        complain(f"{where}{error.strerror or error}; fix this and run the same command again")
        return Exit.FAILED
    except MemoryError:
        complain("out of memory; raise the limit (ulimit -v) or plan a smaller campaign")
        return Exit.FAILED


def _call(argv: list[str]) -> int:
    """Run one command; errors are raised."""
    words, extra = split_at_double_dash(argv)
    commands = parser(words)
    if not words:
        commands.print_help()
        return Exit.DONE
    if not words[0].startswith("-") and words[0] not in VERBS:
        commands.error(f"unknown command '{words[0]}'{suggest(words[0], VERBS) or '.'} Commands: {', '.join(VERBS)}")
    if words[0] == "run" and set(NEEDLESS) & {*words}:
        commands.error("`isochron run` continues where it stopped by itself: remove the option (--new measures again)")
    arguments = commands.parse_args(words)
    if extra and arguments.verb not in TAKE_MORE:
        commands.error(
            f"`isochron {arguments.verb}` takes no arguments after `--`; only `run` (for Snakemake) and "
            f"`profile` (a command) do"
        )
    arguments.extra = extra
    refuse_lost_letters(words)
    code: int = arguments.call(arguments)
    return code
