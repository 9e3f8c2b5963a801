# SPDX-License-Identifier: BSD-3-Clause
"""`isochron certify`: how often verdicts are wrong on this machine, and which effects they detect."""

import argparse
from pathlib import Path

from rich.console import Console

from isochron.cli.common import Row, Verbs, add_results, add_verb, print_rows
from isochron.common.exit_codes import Exit
from isochron.common.files import FileError, suggest
from isochron.common.terminal import Terminal, complain
from isochron.schemas.run.certificate import CERTIFICATE, ROWS, Certificate, Series, Share
from isochron.spack_envs.declarations import available_stacks, load_declaration
from isochron.workflows.certification.certify import (
    build_library,
    certificate_of,
    is_certified,
    is_measured,
    make_series,
    measure,
    record_run,
    series_for,
)

EXAMPLE = """\
  isochron certify                                    ten tables of mpich-5.0, or continue where it stopped
  isochron certify openmpi-5.0 --tables 20 --effects 0    without injected effects
  isochron certify --quick                            one small table, as a quick check"""

#: Defaults: stack, number of tables, and effects in percent.
STACK, TABLES, EFFECTS, SHORT_EFFECTS = "mpich-5.0", 10, "0,3,5,10,20", "0,100"

#: The largest effect in percent, and the largest number of tables. With larger effects, processes that call one after
#: another would wait for each other longer and longer (slow.c).
MAX_EFFECT, MAX_TABLES = 100.0, 1000


def add_parser(verbs: Verbs) -> None:
    """Register the verb."""
    verb = add_verb(verbs, "certify", EXAMPLE, call)
    verb.add_argument(
        "stacks", nargs="*", metavar="STACK", help=f"stacks to compare with themselves (default: {STACK})"
    )
    verb.add_argument(
        "--tables", type=int, metavar="N", help=f"number of tables for each stack (default: {TABLES}; --quick: 1)"
    )
    verb.add_argument(
        "--effects",
        metavar="LIST",
        help=f"percentages by which operations are slowed (default: {EFFECTS}; --quick: {SHORT_EFFECTS}); if 0 is "
        "among them, every second table slows nothing",
    )
    verb.add_argument("--quick", action="store_true", help="small tables of one block: seconds instead of minutes")
    verb.add_argument(
        "--new", action="store_true", help="start a new series even if such a series was started or is complete"
    )
    add_results(verb)


def call(arguments: argparse.Namespace) -> int:
    """Measure the tables that are missing, then print the certificate."""
    folder, series = series_for(arguments.results, _parse_series(arguments), new=arguments.new)
    console = Terminal()
    if not is_certified(folder):
        code = _measure(folder, series, console, quiet=arguments.quiet)
        if code != Exit.DONE:
            return code
        certificate_of(folder)
    elif not arguments.quiet:
        console.print("nothing to do: this series is complete (--new measures again)")
    _print(Certificate.load(folder / CERTIFICATE), console)
    console.print(f"{arguments.results / CERTIFICATE}, {arguments.results / ROWS}")
    return Exit.DONE


def _parse_series(arguments: argparse.Namespace) -> Series:
    stacks = arguments.stacks or [STACK]
    names = [name for name in available_stacks() if load_declaration(name).simulator is None]
    for stack in stacks:
        if stack not in names:
            raise FileError(
                f"certify: unknown stack '{stack}'{suggest(stack, names)}; the stacks are {', '.join(names)}"
            )
    if len(set(stacks)) < len(stacks):
        raise FileError("certify: a stack is listed twice; list it once")
    tables = arguments.tables if arguments.tables is not None else 1 if arguments.quick else TABLES
    if not 1 <= tables <= MAX_TABLES:
        raise FileError(f"--tables {tables}: give a number from 1 to {MAX_TABLES}")
    effects = _effects(arguments.effects or (SHORT_EFFECTS if arguments.quick else EFFECTS))
    return make_series(stacks, tables, effects, short=arguments.quick)


def _effects(text: str) -> list[float]:
    """Parse percentages to shares. Raises FileError."""
    try:
        percents = [float(word) for word in text.split(",")]
    except ValueError:
        percents = []
    if (
        not percents
        or not all(0 <= percent <= MAX_EFFECT for percent in percents)
        or len(set(percents)) < len(percents)
    ):
        raise FileError(f"--effects {text}: give percentages from 0 to {MAX_EFFECT:g}, each once, as in {EFFECTS}")
    return [percent / 100 for percent in percents]


def _measure(folder: Path, series: Series, console: Console, *, quiet: bool) -> int:
    """Measure every table that is not complete; return the exit code."""
    library = build_library(folder)
    for number, table in enumerate(series.tables, start=1):
        if table.name in series.runs:
            continue
        if not quiet:
            console.print(f"table {number} of {len(series.tables)}: {table.stack} compared with itself")
        run, outcome = measure(table, series, folder, library, console, quiet=quiet)
        if is_measured(outcome):
            series = record_run(series, folder, table, run)
            continue
        if outcome.state.state == "interrupted":
            console.print(
                f"interrupted in table {number} of {len(series.tables)}; the same command continues from here"
            )
            return Exit.INTERRUPTED
        for problem in outcome.problems:
            complain(problem)
        console.print(f"failed in table {number} of {len(series.tables)}; the same command tries the rest again")
        return Exit.FAILED
    return Exit.DONE


def _print(certificate: Certificate, console: Console) -> None:
    """Print the certificate, with the detected and covered shares by effect."""
    threshold = f"{100 * certificate.threshold:g} %"
    upper = f"at {100 * certificate.confidence:g} % confidence"
    console.print(
        f"{', '.join(certificate.stacks)} on {', '.join(certificate.hosts)}, {certificate.made_at}, "
        f"engine {certificate.engine_version}\n"
        f"false verdicts (difference beyond {threshold} claimed but not present): "
        f"{_format_count(certificate.false_tables)} tables; "
        f"upper bound {_percent(certificate.false_tables.high)} {upper}\n"
        f"  tables without injected effects: {_format_count(certificate.false_same)}; upper bound "
        f"{_percent(certificate.false_same.high)}\n"
        f"  results within the threshold: {_format_count(certificate.false_rows)}; equivalent beyond "
        f"it: {_format_count(certificate.false_equivalent)}\n"
        f"intervals that contain the injected ratio: {_share(certificate.covered)}"
        + ("" if certificate.median_rse is None else f"; median RSE {_percent(certificate.median_rse)}")
    )
    rows: list[Row] = [
        {
            "effect": f"{100 * effect.effect:g} %",
            "detected": _share(effect.detected) if effect.effect > certificate.threshold else None,
            "covered": _share(effect.covered),
        }
        for effect in certificate.effects
    ]
    print_rows(rows, ("effect", "detected", "covered"), "table", console)


def _format_count(share: Share) -> str:
    return f"{share.hits} of {share.of}"


def _share(share: Share) -> str:
    if not share.of:
        return "–"
    return f"{_format_count(share)}, {_percent(share.hits / share.of)} [{_percent(share.low)}; {_percent(share.high)}]"


def _percent(value: float) -> str:
    return f"{100 * value:.3g} %"
