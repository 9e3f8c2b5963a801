# SPDX-License-Identifier: BSD-3-Clause
"""Every column of every view, worked out again from raw files by code that shares nothing with the product's."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterable
from math import floor, isnan, log10
from pathlib import Path

from tests.postprocess.subjects.views.recomputed import bxj, mpiperf, pmb_msu, two_sites
from tests.postprocess.subjects.views.recomputed.raw import KEY, POINT, Raw, Record

PLACE = ("stack", *POINT)
RUN = ("scheme", "timer", "buffers", "block", "launch")
#: Of each view the columns that identify a line, and its lines.
RECOMPUTED: dict[str, tuple[tuple[str, ...], Callable[[Raw], Iterable[Record]]]] = {
    "view-pmb": (("benchmark", *PLACE, "bytes"), pmb_msu.pmb),
    "view-pmb-groups": (("groups", "benchmark", *PLACE, "bytes"), pmb_msu.pmb_groups),
    "view-msu-transfers": ((*PLACE, "transfer", "bytes"), pmb_msu.transfers),
    "view-msu-topologies": ((*PLACE, "bytes"), pmb_msu.topologies),
    "view-msu-local": ((*PLACE, "bytes", "process"), pmb_msu.topologies_by_process),
    "view-msu-fit": ((*PLACE, "transfer"), pmb_msu.fits),
    "view-msu-costs": ((*PLACE, "item"), pmb_msu.costs),
    "view-mpiperf": ((*KEY, *RUN), mpiperf.lines),
    "view-mpiperf-local": ((*KEY, *RUN), mpiperf.local_lines),
    "view-mpiperf-ranks": ((*KEY, "block", "launch", "rank"), mpiperf.lines_by_rank),
    "view-mpiperf-wait-patterns": ((*PLACE, "operation", "scheme", "timer", "buffers"), mpiperf.wait_patterns),
    "view-mpiperf-buffers": ((*KEY, "scheme", "timer"), mpiperf.buffers),
    "view-mpiperf-rse": ((*KEY, "scheme", "timer", "buffers"), mpiperf.rse),
    "view-mpiperf-diagram": ((*KEY, *RUN, "rep", "rank"), mpiperf.diagram),
    "view-bxj-1-machine": (("fact",), bxj.machine),
    "view-bxj-2-ping-pong": ((*PLACE, "bytes"), bxj.ping_pong),
    "view-bxj-3-sendrecv": ((*PLACE, "bytes"), bxj.sendrecv),
    "view-bxj-parameters": (("parameters", "stack", "processes_per_node", "placement"), bxj.parameters),
    "view-bxj-largest": (KEY, bxj.largest),
    "view-bxj-points": (KEY, bxj.points),
    "view-bxj-curves": ((*KEY, "algorithm"), bxj.curves),
    "view-two-sites-ping-pong": ((*PLACE, "bytes"), two_sites.ping_pong),
    "view-two-sites-streams": ((*PLACE, "bytes"), two_sites.streams),
    "view-two-sites-pairs": ((*PLACE, "bytes"), two_sites.pairs),
    "view-two-sites-orders": (KEY, two_sites.orders),
    "view-two-sites-paradox": (KEY, two_sites.paradox),
    "view-two-sites-rotating": ((*KEY, "position"), two_sites.rotating),
}
#: Significant digits of a printed number.
DIGITS = 7


def check_view(folder: Path, name: str) -> int:
    """Assert that a view of a run has the columns and lines that are recomputed, each equal to the printed digit.

    Returns the number of lines.
    """
    keys, make = RECOMPUTED[name]
    raw = Raw(folder)
    simulated = {"simulated": raw.simulation} if raw.simulation else {}
    printed: dict[tuple[str, ...], dict[str, str]] = {}
    with (folder / "tables" / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        reader = csv.DictReader(file)
        columns = reader.fieldnames or []
        for cells in reader:
            assert printed.setdefault(tuple(cells[key] for key in keys), cells) is cells, "keys identify a line"
    expected = {tuple(str(line[key]) for key in keys): line for line in make(raw)}
    assert set(printed) == set(expected), (name, set(printed) ^ set(expected))
    for key, line in expected.items():
        assert set(columns) == set(line | simulated), (name, set(columns) ^ set(line))
        wrong = {column: (printed[key][column], value) for column, value in (line | simulated).items()
                 if not is_printed_as(value, printed[key][column])}  # fmt: skip
        assert not wrong, (name, key, wrong)
    return len(expected)


def is_printed_as(value: object, cell: str) -> bool:
    """Whether a cell has the value: a text itself, a number to half a unit of its last digit."""
    if value is None or (isinstance(value, float) and isnan(value)):
        return cell == ""
    if isinstance(value, bool | str) or cell in ("", "True", "False"):
        return str(value) == cell
    number = float(value)  # type: ignore[arg-type]
    last = 10.0 ** (floor(log10(abs(number))) - DIGITS + 1) if number else 0.0
    return abs(float(cell) - number) <= 0.5001 * last + 1e-11
