# SPDX-License-Identifier: BSD-3-Clause
"""`isochron explain`: which settings make two versions of a library differ."""

import argparse
import math
from collections.abc import Sequence

from isochron.cli.common import Row, Verbs, add_results, add_verb, conclude_unfinished, plan_costs, print_rows
from isochron.cli.results.report import remake
from isochron.common.exit_codes import Exit
from isochron.common.files import FileError, suggest
from isochron.common.terminal import Terminal
from isochron.workflows.campaign_file import load_campaign
from isochron.workflows.driving.measured import UnfinishedError
from isochron.workflows.driving.repair import reported_run
from isochron.workflows.explanation.several import Asked, asked_of, explain_all
from isochron.workflows.planning.plan import make_plan

EXAMPLE = """\
  isochron explain demo                              the differences between versions that its question found
  isochron explain demo --pair mpich-4.3,mpich-5.0   between these two
  isochron explain nightly --blocks 24               with narrower intervals"""

#: Blocks of each experiment, until the first one with settings shows how many it takes.
BLOCKS = 8
#: Experiments of a search, of few settings and of many with all algorithms.
USUAL = (4, 20)


def add_parser(verbs: Verbs) -> None:
    """Register the verb."""
    verb = add_verb(verbs, "explain", EXAMPLE, call)
    verb.add_argument("run", metavar="CAMPAIGN|RUN_DIR", help="a campaign (its newest run), or the folder of a run")
    verb.add_argument(
        "--pair", metavar="OLD,NEW", help="two stacks of one library (default: all such pairs of the question)"
    )
    verb.add_argument(
        "--blocks", type=int, default=BLOCKS, metavar="N", help=f"blocks of each experiment (default: {BLOCKS})"
    )
    verb.add_argument(
        "--minutes",
        type=float,
        metavar="M",
        help="begin no experiment that does not fit into so many minutes; what was not searched is named (default: "
        "search to the end)",
    )
    verb.add_argument("--new", action="store_true", help="measure again what an equal call has measured")
    verb.add_argument(
        "-n", "--dry-run", action="store_true", help="print the cases and what an experiment takes, and stop"
    )
    add_results(verb)


def call(arguments: argparse.Namespace) -> int:
    """Explain each pair, print the sentences, and write them into explanation.json and the report of the run."""
    run = reported_run(arguments.results, arguments.run)
    if arguments.blocks < 6:
        raise FileError(f"--blocks {arguments.blocks}: too few to establish a difference in turns; give 6 or more")
    pair = pair_of(arguments.pair, load_campaign(run.campaign).stacks)
    if arguments.minutes is not None and arguments.minutes <= 0:
        raise FileError(f"--minutes {arguments.minutes:g}: give a number above 0")
    console = Terminal()
    asked = asked_of(run, pair, arguments.blocks, console, quiet=arguments.quiet, again=arguments.new)
    if arguments.dry_run:
        _print_plan(asked, console)
        return Exit.DONE
    return explain_runs(asked, console, minutes=math.inf if arguments.minutes is None else arguments.minutes)


def _print_plan(asked: Sequence[Asked], console: Terminal) -> None:
    """Print the cases of each pair, and what an experiment with one set of settings takes. Raises FileError."""
    rows: list[Row] = []
    for one in asked:
        difference = one.difference
        console.print(str(difference))
        console.print(f"  {', '.join(f'{operation} {size} B' for operation, size in difference.cases)}")
        setups = {f"{difference.new}.old-1"[-64:]: (difference.new, {"ANY": ""})}
        plan = make_plan(one.unmeasured.campaign_of(setups, difference.cases))
        rows.append({"old": difference.old, "new": difference.new, **plan_costs(plan)})
    print_rows(rows, tuple(rows[0]), "table", console)
    console.print(
        f"for one experiment with one set of settings; a search takes about {USUAL[0]} to {USUAL[1]} such experiments, "
        "of up to 4 times as many blocks if intervals are wide"
    )


def explain_runs(asked: Sequence[Asked], console: Terminal, *, minutes: float = math.inf) -> int:
    """Explain differences, and make the reports of their runs again; return the exit code. Raises FileError."""
    try:
        explain_all(asked, console.print, minutes)
    except UnfinishedError as error:
        return conclude_unfinished(error, console)
    for run in dict.fromkeys(one.run for one in asked if one.explanation is not None):
        if not remake(run, console, quiet=True):
            return Exit.FAILED
        console.print(f"{run.explanation}\n{run.report}")
    return Exit.DONE


def pair_of(text: str | None, stacks: list[str]) -> tuple[str, str] | None:
    """Return the two stacks. Raises FileError if they are not two of the campaign."""
    if text is None:
        return None
    names = [name.strip() for name in text.split(",")]
    if len(names) != 2 or names[0] == names[1]:
        raise FileError(f"--pair {text}: give two stacks, as in {stacks[0]},{stacks[-1]}")
    for name in names:
        if name not in stacks:
            known = ", ".join(stacks)
            raise FileError(f"--pair {text}: unknown stack '{name}'{suggest(name, stacks)}; the run has {known}")
    first, second = sorted(names, key=stacks.index)
    return first, second
