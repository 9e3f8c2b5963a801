# SPDX-License-Identifier: BSD-3-Clause
"""`isochron push`: the results of a run to the site's own systems."""

import argparse
import sys
from pathlib import Path

from isochron.cli.common import Verbs, add_results, add_verb
from isochron.common.exit_codes import Exit
from isochron.common.files import FileError
from isochron.common.terminal import Terminal, complain
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.state import settled
from isochron.workflows.driving.postprocess import records_of
from isochron.workflows.driving.repair import refuse_unreported
from isochron.workflows.push.batch import Batch
from isochron.workflows.push.dashboards import DASHBOARDS, dashboard
from isochron.workflows.push.deliver import Outcome, deliver
from isochron.workflows.push.destination import Destination, destination
from isochron.workflows.push.spool import Spool
from isochron.workflows.runs import find_run, read_state

EXAMPLE = """\
  isochron push nightly --to https://collector.example.org/isochron    JSON lines over HTTP
  isochron push nightly --to prometheus+http://metrics.example.org:8428/api/v1/import/prometheus
  isochron push nightly --to file:///var/lib/node_exporter/nightly.prom for node_exporter
  isochron push nightly --to postgresql://isochron@db.example.org/site  rows of PostgreSQL
  isochron push --dashboard postgresql >isochron.json                   for Grafana
  isochron push --to https://collector.example.org/isochron            what earlier calls could not deliver"""


def add_parser(verbs: Verbs) -> None:
    """Register the verb."""
    verb = add_verb(verbs, "push", EXAMPLE, call)
    verb.add_argument(
        "run",
        nargs="?",
        metavar="CAMPAIGN|RUN_DIR",
        help="a campaign (its newest run), or the folder of a run (default: only what was not delivered before)",
    )
    what = verb.add_mutually_exclusive_group(required=True)
    what.add_argument("--to", type=destination, metavar="URL", help="address of the receiver, without a password")
    what.add_argument("--dashboard", choices=DASHBOARDS, help="print a dashboard for Grafana, of rows or of metrics")
    add_results(verb)


def call(arguments: argparse.Namespace) -> int:
    """Keep the records of the run on the disk, and deliver all that are kept."""
    if arguments.dashboard:
        sys.stdout.write(dashboard(arguments.dashboard))
        return Exit.DONE
    results, batches = arguments.results, []
    if arguments.run is not None:
        run = _finished(arguments.results, arguments.run)
        results, batches = run.root.parent.parent, [Batch(run.run_id, records_of(run))]
    elif not results.is_dir():
        raise FileError(f"{results}: is not a folder; give the folder of all runs with --results")
    spool = Spool.of(results, arguments.to.url)
    receiver, where = arguments.to.receiver(), arguments.to.shown
    with spool.locked():
        for batch in batches:
            spool.keep(batch)
        outcome = deliver(spool, receiver, lambda text: _say(arguments, where, text))
    return _report(arguments, outcome, spool)


def _finished(results: Path, name: str) -> RunLayout:
    """Return a run that is complete and has its report. Raises FileError."""
    run = find_run(results, name)
    state = read_state(run)
    if state is None or settled(state, run.report).state != "complete":
        raise FileError(f"{run.root}: is not finished; `isochron status {name}` says why, `isochron run` continues it")
    refuse_unreported(run, name)
    return run


def _say(arguments: argparse.Namespace, where: str, text: str) -> None:
    if not arguments.quiet:
        complain(f"{where}: {text}")


def _report(arguments: argparse.Namespace, outcome: Outcome, spool: Spool) -> int:
    """Print what was delivered, and what was not and why."""
    to: Destination = arguments.to
    if not arguments.quiet:
        for batch in outcome.delivered:
            Terminal().print(f"{batch.run_id}: {len(batch.records)} records delivered to {to.shown}")
        if not outcome.delivered and not outcome.kept:
            Terminal().print(f"nothing is left to be delivered to {to.shown}")
    if not outcome.kept:
        return Exit.DONE
    runs = "1 run is" if len(outcome.kept) == 1 else f"{len(outcome.kept)} runs are"
    complain(
        f"{to.shown}: {'; '.join(outcome.reasons)}. {runs} kept in {spool.folder}, "
        "and sent by the next `isochron push` to this address"
    )
    return Exit.FAILED
