# SPDX-License-Identifier: BSD-3-Clause
"""`isochron tune`: which algorithms are better than a library's own choice, and the rules that make it take them."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from isochron.cli.campaign import add_campaign, add_site, at_this_site, complain_about_site, load_selected_campaign
from isochron.cli.common import Row, Verbs, add_results, add_verb, conclude_unfinished, plan_costs, print_rows
from isochron.cli.results.report import remake
from isochron.common.exit_codes import Exit
from isochron.common.files import FileError
from isochron.common.terminal import Terminal
from isochron.schemas.run.plan import Plan
from isochron.schemas.run.tuning import Tuning
from isochron.workflows.driving.measured import UnfinishedError

if TYPE_CHECKING:
    from isochron.workflows.tuning.tune import Tune

EXAMPLE = """\
  isochron tune nightly                              every stack of the campaign
  isochron tune nightly --stacks openmpi-5.0 --minutes 60
  isochron tune nightly --dry-run                    launches, minutes and node hours"""

#: Minutes for the rounds and the proof of a stack.
MINUTES = 30.0


def add_parser(verbs: Verbs) -> None:
    """Register the verb."""
    verb = add_verb(verbs, "tune", EXAMPLE, call)
    add_campaign(verb)
    verb.add_argument("--stacks", metavar="A,B", help="tune only these stacks of the campaign (comma-separated)")
    verb.add_argument(
        "--minutes", type=float, default=MINUTES, metavar="M", help=f"budget for each stack (default: {MINUTES:g})"
    )
    verb.add_argument("--new", dest="again", action="store_true", help="measure again what an equal call has measured")
    verb.add_argument("-n", "--dry-run", action="store_true", help="print what would be measured, and stop")
    add_site(verb)
    add_results(verb)


def call(arguments: argparse.Namespace) -> int:
    """Tune each stack, and print what was proven and where it is."""
    from isochron.workflows.tuning.tune import Tune  # loads NumPy, which other verbs do not need

    if arguments.minutes <= 0:
        raise FileError(f"--minutes {arguments.minutes:g}: give a number above 0")
    campaign = at_this_site(load_selected_campaign(arguments), arguments)
    if campaign.site.machine is not None:
        raise FileError(
            f"{arguments.campaign}: a simulated machine has no library to tune; name a campaign without one"
        )
    console = Terminal()
    code = complain_about_site(campaign)
    if code != Exit.DONE:
        return code
    for stack in campaign.stacks:
        tune = Tune(campaign, stack, arguments.results, arguments.minutes, console, arguments.quiet, arguments.again)
        if arguments.dry_run:
            _print_plan(tune, console)
            continue
        try:
            code = max(code, _tune(tune, console))
        except UnfinishedError as error:
            return conclude_unfinished(error, console)
    return code


def _tune(tune: Tune, console: Terminal) -> Exit:
    """Tune a stack; return the exit code. Raises UnfinishedError, FileError."""
    choices = tune.choices()
    if choices is None or not choices.algorithms:
        console.print(f"{tune.stack}: it reports no algorithm that could be chosen for these operations")
        return Exit.DONE
    tuned = tune.field_of(choices)
    blocks = tune.blocks_of(tuned)
    tune.eliminate(tuned, blocks)
    rules = tune.rules(tuned)
    if not rules:
        result = tune.result(tuned, blocks, tune.launches)
        console.print(f"{result.in_words}\n{tune.save(result)}")
        return Exit.DONE
    run = tune.prove(rules, tuned, blocks)
    if not remake(run, console, quiet=True):
        return Exit.FAILED
    result = Tuning.load(run.tuning)
    _print(result, console)
    for file in result.files:
        console.print(str(run.root / file))
    console.print(f"{run.tuning}\n{run.report}")
    return Exit.DONE


def _print(result: Tuning, console: Terminal) -> None:
    """Print the rules, those left out, and the sentence."""
    rows: list[Row] = []
    for rule in result.rules:
        cases = [case for case in result.cases if rule.holds(case.operation, case.bytes, case.processes)]
        ratios = [case.ratio for case in cases if case.ratio is not None and case.verdict == "faster"]
        rows.append({"rule": rule.where, "algorithm": rule.algorithm, "time_over_default": _range(ratios)})
    if rows:
        print_rows(rows, tuple(rows[0]), "table", console)
    for one in result.left_out:
        console.print(f"left out: {one.rule.where} {one.rule.algorithm}: {one.reason}")
    console.print(result.in_words)


def _range(ratios: Sequence[float]) -> str:
    """Return the smallest and the largest ratio."""
    least, most = f"{min(ratios):.3g}", f"{max(ratios):.3g}"
    return least if least == most else f"{least} to {most}"


def _print_plan(tune: Tune, console: Terminal) -> None:
    """Print what would be measured, as far as it is known before the first launch."""
    from isochron.workflows.tuning.rounds import ROUNDS
    from isochron.workflows.tuning.tune import MOST, PROOF

    choices = tune.choices(measured_only=True)
    campaign, plan = tune.first()
    if choices is None:
        _print_rows([("first launch", campaign.replication.blocks, plan)], console)
        console.print(
            f"{tune.stack}: its algorithms are known after the first launch; then up to {ROUNDS} rounds of those that "
            f"are left, {MOST} variants in a run, and {PROOF[0]} to {PROOF[1]} blocks of the rules, within the minutes"
        )
        return
    tuned = tune.field_of(choices)
    blocks = tune.blocks_of(tuned)
    _print_rows([("first round", blocks, one) for _, _, one in tune.round_of(tuned, blocks)], console)
    console.print(
        f"{tune.stack}: {len(tuned.cases)} cases, {int(tuned.wanted.sum())} algorithms in all of them; up to "
        f"{ROUNDS} such rounds of those that are left, then {PROOF[0]} to {PROOF[1]} blocks of the rules"
    )


def _print_rows(stages: Sequence[tuple[str, int, Plan]], console: Terminal) -> None:
    rows: list[Row] = [
        {
            "stage": name,
            "blocks": blocks,
            **plan_costs(plan),
        }
        for name, blocks, plan in stages
    ]
    print_rows(rows, tuple(rows[0]), "table", console)
