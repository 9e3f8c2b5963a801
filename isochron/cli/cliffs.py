# SPDX-License-Identifier: BSD-3-Clause
"""`isochron cliffs`: the size, number of processes or block length at which an operation suddenly takes longer."""

import argparse
import math

from isochron.cli.campaign import add_campaign, load_selected_campaign
from isochron.cli.common import Row, Verbs, add_format, add_results, add_verb, conclude_unfinished, print_rows
from isochron.common.exit_codes import Exit
from isochron.common.files import FileError, suggest
from isochron.common.terminal import Terminal
from isochron.schemas.engine.contract import OPERATIONS, WITHOUT_DATA, operation
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.input.size import parse_size
from isochron.workflows.cliffs.experiments import PIECES, Axis, Curve
from isochron.workflows.cliffs.search import GRID
from isochron.workflows.driving.measured import UnfinishedError

EXAMPLE = """\
  isochron cliffs demo --operation alltoall --sizes 64:64KiB                of its first stack
  isochron cliffs demo --operation bcast --sizes 1KiB:1MiB --stack mpich-5.0
  isochron cliffs bxj --operation allreduce --processes 16:1024 --size 8    on a simulated machine
  isochron cliffs demo --operation ping-pong --block-lengths 8:4KiB --size 64KiB"""

#: Smallest jump, most points by axis, and blocks of each experiment; on a simulated machine one block is enough.
JUMP, BLOCKS = 0.2, 6
POINTS: dict[Axis, int] = {"bytes": 80, "processes": 20, "block_length": 20}
#: Of each axis: its option, and the unit of its points.
OPTIONS: dict[Axis, tuple[str, str]] = {
    "bytes": ("sizes", "B"),
    "processes": ("processes", "processes"),
    "block_length": ("block_lengths", "B a block"),
}


def add_parser(verbs: Verbs) -> None:
    """Register the verb."""
    verb = add_verb(verbs, "cliffs", EXAMPLE, call)
    add_campaign(verb)
    verb.add_argument("--operation", required=True, metavar="OPERATION", help="the operation that is measured")
    axis = verb.add_mutually_exclusive_group(required=True)
    axis.add_argument("--sizes", metavar="LOW:HIGH", help="sizes between which jumps are searched, as in 64:64KiB")
    axis.add_argument("--processes", metavar="LOW:HIGH", help="numbers of processes between which they are searched")
    axis.add_argument(
        "--block-lengths",
        metavar="LOW:HIGH",
        help=f"bytes of the {PIECES} blocks of a strided datatype between which they are searched",
    )
    verb.add_argument(
        "--size",
        metavar="SIZE",
        help="with --processes: the size (default: the campaign's smallest); with --block-lengths: of the data",
    )
    verb.add_argument("--stack", metavar="STACK", help="a stack of the campaign (default: its first)")
    verb.add_argument("--jump", type=float, default=JUMP, metavar="SHARE", help=f"smallest jump (default: {JUMP:g})")
    verb.add_argument(
        "--points",
        type=int,
        metavar="N",
        help=f"most points that are measured (default: {POINTS['bytes']} sizes, or {POINTS['processes']} others)",
    )
    verb.add_argument("--blocks", type=int, default=BLOCKS, metavar="N", help=f"blocks of a point (default: {BLOCKS})")
    verb.add_argument("--new", action="store_true", help="measure again what an equal call has measured")
    add_results(verb)
    add_format(verb)


def call(arguments: argparse.Namespace) -> int:
    """Search, and print the jumps."""
    campaign = load_selected_campaign(arguments)
    _check(arguments, campaign)
    stack = arguments.stack or campaign.stacks[0]
    axis = _axis(arguments)
    low, high = _range(arguments, axis)
    at = min(campaign.sizes) if arguments.size is None else _size("--size", arguments.size)
    if axis == "block_length" and (arguments.size is None or high * PIECES > at):
        raise FileError(
            f"--block-lengths {arguments.block_lengths}: give --size, at least {high * PIECES} B, which is {PIECES} "
            "blocks of the longest"
        )
    console = Terminal()
    curve = Curve(
        campaign=campaign,
        stack=stack,
        operation=arguments.operation,
        axis=axis,
        at=at,
        blocks=1 if campaign.site.machine is not None else arguments.blocks,
        results=arguments.results,
        console=console,
        quiet=arguments.quiet or arguments.format != "table",
        again=arguments.new,
    )
    try:
        most = POINTS[axis] if arguments.points is None else arguments.points
        cliffs = curve.cliffs(low, high, arguments.jump, most)
    except UnfinishedError as error:
        return conclude_unfinished(error, console)
    unit = OPTIONS[axis][1]
    rows: list[Row] = [
        {
            "from": one.before,
            "to": one.after,
            "times": round(math.exp(one.jump), 4),
            "low": round(math.exp(one.jump - one.half), 4),
            "high": round(math.exp(one.jump + one.half), 4),
        }
        for one in cliffs
    ]
    if arguments.format != "table":
        print_rows(rows, ("from", "to", "times", "low", "high"), arguments.format, console)
        return Exit.DONE
    for one in cliffs:
        times, least, largest = (math.exp(one.jump + sign * one.half) for sign in (0, -1, 1))
        console.print(
            f"{stack}, {arguments.operation}: from {one.before} to {one.after} {unit} it takes {times:.3g} "
            f"[{least:.3g}; {largest:.3g}] times as long"
        )
    if not cliffs:
        console.print(
            f"{stack}, {arguments.operation}: no jump of {100 * arguments.jump:g} % or more found between {low} and "
            f"{high} {unit}"
        )
    console.print(f"{len(curve.points)} points measured")
    return Exit.DONE


def _check(arguments: argparse.Namespace, campaign: Campaign) -> None:
    """Raise FileError for values that cannot be."""
    if arguments.operation not in OPERATIONS:
        raise FileError(f"--operation {arguments.operation}: unknown{suggest(arguments.operation, list(OPERATIONS))}")
    if arguments.processes is None and arguments.operation in WITHOUT_DATA:
        raise FileError(f"{_option(_axis(arguments))}: {arguments.operation} has no size; give --processes")
    if arguments.block_lengths is not None and not operation(arguments.operation).takes_datatype:
        raise FileError(f"--block-lengths: {arguments.operation} has no derived datatype; give --sizes or --processes")
    if arguments.sizes is not None and arguments.size is not None:
        raise FileError("--size: not with --sizes; remove it")
    if arguments.stack is not None and arguments.stack not in campaign.stacks:
        hint = suggest(arguments.stack, campaign.stacks) or f"; it has {', '.join(campaign.stacks)}"
        raise FileError(f"--stack {arguments.stack}: not a stack of the campaign{hint}")
    if not 0 < arguments.jump < 100:
        raise FileError(f"--jump {arguments.jump:g}: give a share above 0, as in 0.2 for 20 %")
    if arguments.points is not None and arguments.points < GRID + 1:
        raise FileError(f"--points {arguments.points}: give at least {GRID + 1}, of which {GRID} are the first")
    if arguments.blocks < 3:
        raise FileError(f"--blocks {arguments.blocks}: give at least 3, for an interval")


def _axis(arguments: argparse.Namespace) -> Axis:
    """Return what varies: one of the options is given."""
    return next(axis for axis, (option, _) in OPTIONS.items() if getattr(arguments, option) is not None)


def _option(axis: Axis) -> str:
    """Return the option of an axis as it is written."""
    return "--" + OPTIONS[axis][0].replace("_", "-")


def _range(arguments: argparse.Namespace, axis: Axis) -> tuple[int, int]:
    """Return the ends of the range of an axis. Raises FileError."""
    option, text = _option(axis), getattr(arguments, OPTIONS[axis][0])
    words = text.split(":")
    ends = [_size(f"{option} {text}", word) for word in words]
    if len(ends) != 2 or not ends[0] >= 1 or ends[1] < 2 * ends[0] or ends[1] - ends[0] < GRID:
        raise FileError(f"{option} {text}: give LOW:HIGH, the second at least twice the first, as in 16:1024")
    return ends[0], ends[1]


def _size(option: str, word: str) -> int:
    try:
        return int(str(parse_size(word)))
    except ValueError as error:
        raise FileError(f"{option}: {error}") from None
