# SPDX-License-Identifier: BSD-3-Clause
"""`isochron upgrade`: what changes from one version of a library to another, over all that MPI offers."""

import argparse
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from time import monotonic

from isochron.cli.campaign import complain_about_site, listed
from isochron.cli.common import Row, Verbs, add_results, add_verb, conclude_unfinished, plan_costs, print_rows
from isochron.cli.results.advise import OF_VALUES, advise_on
from isochron.cli.results.explain import BLOCKS, explain_runs
from isochron.common.exit_codes import Exit
from isochron.common.files import FileError
from isochron.common.terminal import Terminal, complain
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.screening import Screening
from isochron.workflows.advice.advise import explained_by
from isochron.workflows.campaign_file import load_campaign
from isochron.workflows.driving.measured import UnfinishedError
from isochron.workflows.explanation.several import asked_of
from isochron.workflows.named_campaign import find_campaign
from isochron.workflows.upgrade.stages import ERROR, FOLLOWED, Versions, site_of
from isochron.workflows.upgrade.upgrade import Changed, Planned, Upgrade, changes_of

EXAMPLE = """\
  isochron upgrade mpich@4.3.2 mpich@5.0.2               two versions from wheels, on this machine
  isochron upgrade mpich@4.3.2 mpich@5.0.2 --dry-run     what would be measured, and for how long
  isochron upgrade module:OpenMPI/4.1.8 module:OpenMPI/5.0.8 --like nightly.yaml --minutes 60
  isochron upgrade mpich@4.3.2 mpich@5.0.2 --explain     which settings make the difference, and which to set
  isochron upgrade a=openmpi@5.0.8 b=openmpi@5.0.8       one version under two names: nothing should change"""

#: Verdicts that an upgrade claims.
CLAIMED = ("slower", "faster")
#: Minutes for both stages, and for these with the reasons and the advice.
MINUTES, WITH_REASONS = 20.0, 30.0
#: Share of the minutes for the stages, for the reasons, and for the advice.
OF_EACH = 1 / 3
#: Processes, all on one node, without `--like`.
PROCESSES = 2


def add_parser(verbs: Verbs) -> None:
    """Register the verb."""
    verb = add_verb(verbs, "upgrade", EXAMPLE, call)
    verb.add_argument(
        "old", metavar="OLD", help="the version in use, as in the stacks of a campaign; NAME=SPEC names it"
    )
    verb.add_argument("new", metavar="NEW", help="the version that may replace it")
    verb.add_argument(
        "--like",
        metavar="CAMPAIGN",
        help="take the site, the processes, the limits and the variants of this campaign (default: this machine, "
        "2 processes)",
    )
    verb.add_argument(
        "--processes", type=int, metavar="N", help=f"processes, all on one node (default: {PROCESSES}; not with --like)"
    )
    verb.add_argument(
        "--minutes",
        type=float,
        metavar="M",
        help=f"budget of all that is measured (default: {MINUTES:g}; with --explain {WITH_REASONS:g}, a third of it "
        "for each of the stages, the reasons and the advice)",
    )
    verb.add_argument(
        "--explain",
        action="store_true",
        help="then find the settings that make the difference, and which of them to set, as `isochron explain` and "
        "`isochron advise` do",
    )
    verb.add_argument("--new", dest="again", action="store_true", help="measure again what an equal call has measured")
    verb.add_argument("-n", "--dry-run", action="store_true", help="print both stages and stop")
    add_results(verb)


@dataclass(frozen=True)
class Outcome:
    """The first stage, and the run of the second one; None if nothing was followed."""

    screening: Screening
    run: RunLayout | None

    @cached_property
    def claims(self) -> list[Changed]:
        """The cases that are slower or faster in the second stage, those that changed most first."""
        changes = changes_of(self.run) if self.run is not None else []
        return [change for change in changes if change.verdict in CLAIMED]


def call(arguments: argparse.Namespace) -> int:
    """Screen, follow, and print what has changed."""
    began = monotonic()
    minutes = arguments.minutes if arguments.minutes is not None else WITH_REASONS if arguments.explain else MINUTES
    if minutes <= 0:
        raise FileError(f"--minutes {minutes:g}: give a number above 0")
    share = OF_EACH if arguments.explain else 1.0
    console = Terminal()
    upgrade = Upgrade(
        _versions(arguments), arguments.results, minutes, console, arguments.quiet, arguments.again, share
    )
    planned = upgrade.planned()
    if not arguments.quiet or arguments.dry_run:
        _print_plan(planned, console)
    code = complain_about_site(planned.campaign)
    if code != Exit.DONE or arguments.dry_run:
        return code
    try:
        screening = upgrade.screen(planned)
        outcome = Outcome(screening, upgrade.follow(screening) if screening.followed else None)
    except UnfinishedError as error:
        return conclude_unfinished(error, console)
    _print(outcome, console)
    if outcome.run is None or not outcome.claims:
        return Exit.DONE
    if not arguments.explain:
        console.print(f"isochron explain {outcome.run.root.parent.name}  # which settings make the difference?")
        return Exit.DONE
    return _explain(outcome, outcome.run, minutes * share, began, console, arguments)


def _explain(
    outcome: Outcome, run: RunLayout, minutes: float, began: float, console: Terminal, arguments: argparse.Namespace
) -> int:
    """Explain what has changed, and say what to set. `minutes`: for each of the two, and for the stages before.

    What one has left of its minutes is for the next, and what it took more is not: it has half of its own at least.
    """

    def left(end: int) -> float:
        return max(minutes / 2, end * minutes - (monotonic() - began) / 60)

    quiet, again = arguments.quiet, arguments.again
    asked = asked_of(run, None, BLOCKS, console, quiet=quiet, again=again)
    code = explain_runs(asked, console, minutes=left(2))
    if code != Exit.DONE:
        return code
    if all(one.explanation is None for one in asked):
        console.print(f"isochron explain {run.root.parent.name}  # which was not begun for lack of minutes")
        return Exit.DONE
    if not any(change.verdict == "slower" for change in outcome.claims):
        return Exit.DONE
    until = began + 60 * minutes / OF_EACH
    return advise_on(explained_by(run, None), left(3) / (1 + OF_VALUES), console, quiet=quiet, again=again, until=until)


def _versions(arguments: argparse.Namespace) -> Versions:
    """Return the two stacks with the site of `--like`. Raises FileError."""
    if arguments.like is not None and arguments.processes is not None:
        raise FileError("--processes: not with --like, whose campaign states the processes; remove one of the two")
    stacks = [listed(arguments.old), listed(arguments.new)]
    if stacks[0] == stacks[1]:
        raise FileError(f"upgrade: both versions are {arguments.old}; to compare it with itself write a=… b=…")
    if arguments.like is None:
        processes = PROCESSES if arguments.processes is None else arguments.processes
        if processes < 2:
            raise FileError(f"--processes {processes}: give 2 or more, which have something to say to each other")
        return Versions(stacks, {"processes": [processes], "processes_per_node": [processes]})
    path, note = find_campaign(arguments.like, arguments.results)
    if note and not arguments.quiet:
        complain(note)
    return Versions(stacks, site_of(load_campaign(path), [stack for stack in stacks if isinstance(stack, str)]))


def _print_plan(planned: Planned, console: Terminal) -> None:
    """Print what the stages measure, and for how long."""
    row: Row = {
        "operations": len(planned.campaign.operations),
        "cases": len(planned.campaign.chosen),
        "blocks": planned.campaign.replication.blocks,
        **plan_costs(planned.plan),
    }
    print_rows([row], tuple(row), "table", console)
    console.print(
        f"then {FOLLOWED} fresh blocks of the operations that seem to have changed, as many as the minutes permit"
    )


def _print(outcome: Outcome, console: Terminal) -> None:
    """Print what has changed, what that rests on, and where it is."""
    groups: dict[tuple[str, str], list[Changed]] = {}
    for change in outcome.claims:
        groups.setdefault((change.operation, change.verdict), []).append(change)
    rows: list[Row] = [
        {
            "operation": operation,
            "verdict": verdict,
            "sizes": ", ".join(map(str, sorted(change.bytes for change in changes))),
            "most": f"{changes[0].ratio:.3g} [{changes[0].low:.3g}; {changes[0].high:.3g}] at {changes[0].bytes} B",
        }
        for (operation, verdict), changes in groups.items()
    ]
    if rows:
        print_rows(rows, tuple(rows[0]), "table", console)
    _print_counts(outcome, console)
    if outcome.run is not None:
        console.print(str(outcome.run.report))


def _print_counts(outcome: Outcome, console: Terminal) -> None:
    """Print how many cases changed, of how many, and which were left."""
    screening, verdicts = outcome.screening, [change.verdict for change in outcome.claims]
    slower, faster = (verdicts.count(verdict) for verdict in CLAIMED)
    console.print(
        f"{screening.old} → {screening.new}: {slower} case{'' if slower == 1 else 's'} slower and {faster} faster, of "
        f"{len(screening.followed)} that were measured again; {len(screening.cases)} were screened. Claims rest on "
        f"what was measured again: at most {100 * ERROR:g} % of such upgrades make a false one."
    )
    regimes = (change.reason.partition(";")[0] for change in outcome.claims if change.reason)
    for where, count in Counter(regimes).items():
        console.print(f"{count} of these {len(outcome.claims)}: {where}")
    for text in (screening.broken, screening.unusable):
        if text:
            console.print(text)
    if screening.left:
        console.print(
            f"not measured again for lack of minutes, though they seem to have changed: {', '.join(screening.left)}"
        )
