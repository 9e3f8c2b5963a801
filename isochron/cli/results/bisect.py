# SPDX-License-Identifier: BSD-3-Clause
"""`isochron bisect`: which of the versions between two brought their difference."""

import argparse

from isochron.cli.common import Verbs, add_results, add_verb, conclude_unfinished
from isochron.cli.results.explain import pair_of
from isochron.common.exit_codes import Exit
from isochron.common.files import FileError
from isochron.common.terminal import Terminal
from isochron.schemas.input.spec import check_stack
from isochron.schemas.run.bisection import Bisection
from isochron.schemas.run.manifest import Manifest
from isochron.workflows.campaign_file import load_campaign
from isochron.workflows.driving.measured import UnfinishedError
from isochron.workflows.driving.repair import reported_run
from isochron.workflows.explanation.bisect import bisect, family_of, versions_between
from isochron.workflows.explanation.experiments import Experiments
from isochron.workflows.explanation.explain import Difference, find_differences

EXAMPLE = """\
  isochron bisect upgrade-mpich-4.1.3-mpich-5.0.2         all versions of the package index between these two
  isochron bisect nightly --pair ompi-4,ompi-5 --versions module:OpenMPI/5.0.3,module:OpenMPI/5.0.6"""

#: Blocks of each experiment, until the first one shows how many it takes; fewest.
BLOCKS, FEWEST = 6, 4


def add_parser(verbs: Verbs) -> None:
    """Register the verb."""
    verb = add_verb(verbs, "bisect", EXAMPLE, call)
    verb.add_argument("run", metavar="CAMPAIGN|RUN_DIR", help="a campaign (its newest run), or the folder of a run")
    verb.add_argument(
        "--pair", metavar="OLD,NEW", help="two stacks of one library (default: the only such pair of the question)"
    )
    verb.add_argument(
        "--versions",
        metavar="A,B",
        help="the stacks between the two, oldest first (default: all versions of the package index)",
    )
    verb.add_argument(
        "--blocks", type=int, default=BLOCKS, metavar="N", help=f"blocks of the first experiments (default: {BLOCKS})"
    )
    verb.add_argument("--new", action="store_true", help="measure again what an equal call has measured")
    verb.add_argument("-n", "--dry-run", action="store_true", help="print the versions and the cases, and stop")
    add_results(verb)


def call(arguments: argparse.Namespace) -> int:
    """Search, print what each case showed, and write it into bisection.json."""
    run = reported_run(arguments.results, arguments.run)
    if arguments.blocks < FEWEST:
        raise FileError(f"--blocks {arguments.blocks}: too few to tell versions apart; give {FEWEST} or more")
    campaign = load_campaign(run.campaign)
    manifests = {stack: Manifest.load(run.manifest(stack)) for stack in campaign.stacks}
    difference = _only(find_differences(run, manifests, pair_of(arguments.pair, campaign.stacks)))
    old, new = (manifests[stack] for stack in (difference.old, difference.new))
    if arguments.versions is not None:
        between = [_stack(word.strip()) for word in arguments.versions.split(",")]
    else:
        between = versions_between(family_of(campaign.declared(difference.new)), old, new)
    if not between:
        raise FileError(f"{difference.old} → {difference.new}: no version is between them; name some by --versions")
    console = Terminal()
    if arguments.dry_run or not arguments.quiet:
        console.print(str(difference))
        console.print(f"versions: {' → '.join([difference.old, *between, difference.new])}")
    if arguments.dry_run:
        return Exit.DONE
    experiments = Experiments(
        of_run=run, campaign=campaign, old=difference.old, new=difference.new, point=difference.point,
        blocks=arguments.blocks, console=console, quiet=arguments.quiet, again=arguments.new,
    )  # fmt: skip
    try:
        result = bisect(difference, between, experiments)
    except UnfinishedError as error:
        return conclude_unfinished(error, console)
    for line in _lines(result):
        console.print(line)
    result.save(run.bisection)
    console.print(str(run.bisection))
    return Exit.DONE


def _only(differences: list[Difference]) -> Difference:
    """Return the only pair. Raises FileError if there are several."""
    if len(differences) > 1:
        pairs = " and ".join(f"{one.old},{one.new}" for one in differences)
        raise FileError(f"several pairs of versions differ: choose one by --pair ({pairs})")
    return differences[0]


def _stack(word: str) -> str:
    try:
        return check_stack(word)
    except ValueError as error:
        raise FileError(f"--versions: {error}") from None


def _lines(result: Bisection) -> list[str]:
    """Return what was found, a line for each case, and what it took."""
    lines = [
        f"  {case.operation} {case.bytes} B: {'' if case.ratio is None else f'{case.ratio:.3g} times as long; '}{case}"
        for case in result.cases
    ]
    return [*lines, f"  ({result.experiments} experiments, {result.launches} launches)"]
