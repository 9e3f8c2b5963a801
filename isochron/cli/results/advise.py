# SPDX-License-Identifier: BSD-3-Clause
"""`isochron advise`: which settings give the losses of a new version back, without a new one elsewhere."""

import argparse
import math

from isochron.cli.common import Row, Verbs, add_results, add_verb, conclude_unfinished, plan_costs, print_rows
from isochron.cli.results.explain import pair_of
from isochron.cli.results.report import remake
from isochron.common.exit_codes import Exit
from isochron.common.files import FileError
from isochron.common.terminal import Terminal
from isochron.schemas.run.advice import Advice, AdvisedCase
from isochron.schemas.run.plan import Plan
from isochron.workflows.advice.advise import advise, choice_of, explained_by
from isochron.workflows.advice.trial import BLOCKS, Explained, Trials, names_of
from isochron.workflows.advice.values import experiments_of, find_values
from isochron.workflows.campaign_file import load_campaign
from isochron.workflows.driving.measured import UnfinishedError
from isochron.workflows.driving.repair import reported_run

EXAMPLE = """\
  isochron advise upgrade-mpich-4.3.2-mpich-5.0.2        after `isochron explain`: over all that the upgrade screens
  isochron advise nightly --pair ompi-4,ompi-5 -n        what would be tried in a campaign, and for how long
  isochron advise nightly --new                          confirm the same settings again, as in another job"""

#: Minutes for both stages of an upgrade.
MINUTES = 20.0
#: The part of the minutes of a trial that the values of settings have before it.
OF_VALUES = 0.25


def add_parser(verbs: Verbs) -> None:
    """Register the verb."""
    verb = add_verb(verbs, "advise", EXAMPLE, call)
    verb.add_argument(
        "run", metavar="CAMPAIGN|RUN_DIR", help="an explained campaign (its newest run), or the folder of a run"
    )
    verb.add_argument("--pair", metavar="OLD,NEW", help="two stacks of one library (default: the only pair that loses)")
    verb.add_argument(
        "--minutes",
        type=float,
        default=MINUTES,
        metavar="M",
        help=f"budget of each trial of an upgrade (default: {MINUTES:g}); one of a campaign has {BLOCKS} blocks; sizes "
        f"in the place of settings have {OF_VALUES:g} of it before",
    )
    verb.add_argument(
        "--new", action="store_true", help="measure again what an equal call has measured, with the settings it advised"
    )
    verb.add_argument("-n", "--dry-run", action="store_true", help="print the settings and the launches, and stop")
    add_results(verb)


def call(arguments: argparse.Namespace) -> int:
    """Advise for a run that is explained."""
    run = reported_run(arguments.results, arguments.run)
    if arguments.minutes <= 0:
        raise FileError(f"--minutes {arguments.minutes:g}: give a number above 0")
    explained = explained_by(run, pair_of(arguments.pair, load_campaign(run.campaign).stacks))
    return advise_on(
        explained, arguments.minutes, Terminal(), quiet=arguments.quiet, again=arguments.new, dry=arguments.dry_run
    )


def advise_on(
    explained: Explained,
    minutes: float,
    console: Terminal,
    *,
    quiet: bool,
    again: bool,
    dry: bool = False,
    until: float = math.inf,
) -> int:
    """Try what gives the losses of an explained run back, write advice.json and the report; return the exit code.

    `dry`: print what would be tried. `until`: when all must be over, as `monotonic` has it. Raises FileError.
    """
    choice = choice_of(explained, again)
    for setting in choice.left_out:
        console.print(f"not tried: {setting}")
    if not choice.settings:
        console.print("no setting is known to give a loss back: nothing to try")
        return Exit.DONE
    trials = Trials(explained, minutes, console, quiet, again, until)
    if not dry:
        experiments = experiments_of(explained, 60 * minutes * OF_VALUES, console, quiet=quiet, again=again)
        try:
            find_values(choice, explained.explanation, experiments, console.print)
        except UnfinishedError as error:
            return conclude_unfinished(error, console)
    prepared = trials.prepare(names_of(explained.explanation, choice.settings), choice.settings)
    if dry or not quiet:
        for tried in choice.settings:
            console.print(f"to try: {tried}  # explains {', '.join(tried.cases)}")
        _print_plan(prepared.plan, console)
    if dry:
        console.print(
            f"before it at most {minutes * OF_VALUES:.3g} minutes of experiments with sizes instead of these settings"
        )
        return Exit.DONE
    try:
        advice = advise(explained, choice, prepared, trials, console.print)
    except UnfinishedError as error:
        return conclude_unfinished(error, console)
    _print(advice, console)
    if not remake(explained.run, console, quiet=True):
        return Exit.FAILED
    console.print(str(explained.run.report))
    return Exit.DONE


def _print_plan(plan: Plan, console: Terminal) -> None:
    """Print what is measured first, and how long that takes."""
    row: Row = {"campaign": plan.campaign, "blocks": len(plan.blocks), **plan_costs(plan)}
    print_rows([row], tuple(row), "table", console)


def _print(advice: Advice, console: Terminal) -> None:
    """Print what to set, what that rests on, and where the files are."""
    last = advice.confirmations[-1]
    if not advice.settings:
        console.print(f"no setting is confirmed to give a loss of {advice.new} back without a new one")
        return
    console.print(f"with {advice.new} set: {advice}")
    console.print(
        f"{len(last.cured)} of {last.lost} losses given back, of {last.measured} cases measured again"
        + (f" and {last.screened} screened" if last.screened else "")
        + (f"; {len(last.given_up)} gains given up" if last.given_up else "")
    )
    for words, cases in (("still slower", last.slower), ("undecided", last.undecided)):
        if cases:
            console.print(f"{words}: {', '.join(map(_words, cases))}")
    if last.left:
        console.print(f"not measured again for lack of minutes: {', '.join(last.left)}")
    for kind, file in advice.files.items():
        console.print(f"{kind}: {file}")


def _words(case: AdvisedCase) -> str:
    return f"{case.operation} {case.bytes} B {case.ratio:.3g} [{case.low:.3g}; {case.high:.3g}]"
