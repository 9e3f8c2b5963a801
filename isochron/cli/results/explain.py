# SPDX-License-Identifier: BSD-3-Clause
"""`isochron explain`: which settings make two versions of a library differ."""

from __future__ import annotations

import argparse

from isochron.cli.common import Row, Verbs, add_results, add_verb, conclude_unfinished, plan_costs, print_rows
from isochron.cli.results.report import remake
from isochron.common.exit_codes import Exit
from isochron.common.files import FileError, suggest
from isochron.common.terminal import Terminal
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.explanation import Explanation, Explanations
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.manifest import Manifest
from isochron.workflows.campaign_file import load_campaign
from isochron.workflows.driving.measured import UnfinishedError
from isochron.workflows.driving.repair import refuse_unreported
from isochron.workflows.explanation.experiments import Experiments
from isochron.workflows.explanation.explain import Difference, explain, find_differences
from isochron.workflows.planning.plan import make_plan
from isochron.workflows.runs import find_run

EXAMPLE = """\
  isochron explain demo                              the differences between versions that its question found
  isochron explain demo --pair mpich-4.3,mpich-5.0   between these two
  isochron explain nightly --blocks 24               with narrower intervals"""

#: Blocks of each experiment, until the first one with settings shows how many it takes.
BLOCKS = 12
#: Experiments of a search, of few settings and of many with all algorithms.
USUAL = (4, 20)


def add_parser(verbs: Verbs) -> None:
    """Register the verb."""
    verb = add_verb(
        verbs,
        "explain",
        "find the settings by which two versions of a library differ: set those whose defaults changed back, "
        "and measure what that gives back",
        EXAMPLE,
        call,
    )
    verb.add_argument("run", metavar="CAMPAIGN|RUN_DIR", help="a campaign (its newest run), or the folder of a run")
    verb.add_argument(
        "--pair", metavar="OLD,NEW", help="two stacks of one library (default: all such pairs of the question)"
    )
    verb.add_argument(
        "--blocks", type=int, default=BLOCKS, metavar="N", help=f"blocks of each experiment (default: {BLOCKS})"
    )
    verb.add_argument("--new", action="store_true", help="measure again what an equal call has measured")
    verb.add_argument(
        "-n", "--dry-run", action="store_true", help="print the cases and what an experiment takes, and stop"
    )
    add_results(verb)


def call(arguments: argparse.Namespace) -> int:
    """Explain each pair, print the sentences, and write them into explanation.json and the report of the run."""
    run = find_run(arguments.results, arguments.run)
    refuse_unreported(run, arguments.run)
    if arguments.blocks < 6:
        raise FileError(f"--blocks {arguments.blocks}: too few to establish a difference in turns; give 6 or more")
    pair = pair_of(arguments.pair, load_campaign(run.campaign).stacks)
    console = Terminal()
    if arguments.dry_run:
        _print_plan(run, pair, arguments.blocks, console)
        return Exit.DONE
    return explain_run(run, pair, arguments.blocks, console, quiet=arguments.quiet, again=arguments.new)


def _print_plan(run: RunLayout, pair: tuple[str, str] | None, blocks: int, console: Terminal) -> None:
    """Print the cases of each pair, and what an experiment with one set of settings takes. Raises FileError."""
    campaign = load_campaign(run.campaign)
    rows: list[Row] = []
    for difference in find_differences(run, _manifests(run, campaign), pair):
        console.print(heading(difference))
        console.print(f"  {', '.join(f'{operation} {size} B' for operation, size in difference.cases)}")
        experiments = _experiments(run, campaign, difference, blocks, console, quiet=True, again=False)
        setups = {f"{difference.new}.old-1"[-64:]: (difference.new, {"ANY": ""})}
        plan = make_plan(experiments.campaign_of(setups, difference.cases))
        rows.append(
            {
                "old": difference.old,
                "new": difference.new,
                **plan_costs(plan),
            }
        )
    print_rows(rows, tuple(rows[0]), "table", console)
    console.print(
        f"for one experiment with one set of settings; a search takes about {USUAL[0]} to {USUAL[1]} such experiments, "
        "of up to 4 times as many blocks if intervals are wide"
    )


def _manifests(run: RunLayout, campaign: Campaign) -> dict[str, Manifest]:
    return {stack: Manifest.load(run.manifest(stack)) for stack in campaign.stacks}


def _experiments(
    run: RunLayout,
    campaign: Campaign,
    difference: Difference,
    blocks: int,
    console: Terminal,
    *,
    quiet: bool,
    again: bool,
) -> Experiments:
    return Experiments(
        of_run=run, campaign=campaign, old=difference.old, new=difference.new, point=difference.point,
        blocks=blocks, console=console, quiet=quiet, again=again,
    )  # fmt: skip


def explain_run(
    run: RunLayout, pair: tuple[str, str] | None, blocks: int, console: Terminal, *, quiet: bool, again: bool
) -> int:
    """Explain the differences of a run that has a report; return the exit code. Raises FileError if there are none.

    `blocks`: of the first experiments; `again`: measure again what an equal call has measured.
    """
    campaign = load_campaign(run.campaign)
    explanations = []
    for difference in find_differences(run, _manifests(run, campaign), pair):
        if not quiet:
            console.print(heading(difference))
        experiments = _experiments(run, campaign, difference, blocks, console, quiet=quiet, again=again)
        try:
            explanations.append(explain(difference, experiments))
        except UnfinishedError as error:
            return conclude_unfinished(error, console)
        for line in _lines(explanations[-1]):
            console.print(line)
    Explanations(pairs=explanations).save(run.explanation)
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


def heading(difference: Difference) -> str:
    """Return which two stacks differ, where, and in how many cases."""
    point, count = difference.point, len(difference.cases)
    left = f" (of {count + difference.left}; of each operation those that differ most)" if difference.left else ""
    return (
        f"{difference.old} → {difference.new}, {point.processes} processes, {point.processes_per_node} on a node: "
        f"{count} case{'' if count == 1 else 's'}{left}"
    )


def _lines(explanation: Explanation) -> list[str]:
    """Return what was found, a line for each case, and what it took."""
    tried, refused = len(explanation.tried), len(explanation.refused)
    lines = [
        f"{explanation.old} → {explanation.new}: {tried} settings with another value"
        + (f", {refused} that cannot be set" if refused else "")
        + f"; {len(explanation.only_old)} that only the old library has, {len(explanation.only_new)} only the new one"
    ]
    for case in explanation.cases:
        ratio = "" if case.ratio is None else f"{case.ratio:.3g} times as long; "
        lines.append(f"  {case.operation} {case.bytes} B: {ratio}{case.in_words(tried)}")
    lines.append(f"  ({explanation.experiments} experiments, {explanation.launches} launches)")
    return lines
