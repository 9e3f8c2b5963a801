# SPDX-License-Identifier: BSD-3-Clause
"""Interference along the run and in each launch."""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from isochron.postprocess.estimate.values.launches import NO_PROBE
from isochron.postprocess.formatting import labels, numbers
from isochron.postprocess.kit.section import Section, Source, StackMark
from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.comparison.table import COMPARISON
from isochron.postprocess.subjects.interference.finding import by_regime, other_regimes
from isochron.postprocess.subjects.interference.table import PROBE_SERIES, PROBE_TABLE, REGIMES
from isochron.schemas.run.store import BY_DATAGRAMS

#: A launch in which a cache line takes this many times what it does in the others of its point is worth a word.
MUCH = 1.5


@dataclass(frozen=True)
class LaunchRow:
    """A launch: its probe readings as text."""

    mark: StackMark
    point: str
    block: str
    started_at: str
    line: str
    spread: str
    ratio: str
    network: str
    compute: str
    copy: str
    switches: str
    waited: str
    steal: str


@dataclass(frozen=True)
class View:
    """Sentences on all launches, one on the comparisons, and the launches, the most disturbed first.

    `network`: whether the network between hosts was read.
    """

    text: str
    adjusted: str
    rows: list[LaunchRow]
    network: bool


def build(source: Source) -> View | None:
    """None if no probes were read: on simulated machines, and with `engine.probes: none`."""
    table = source.analysis[PROBE_TABLE]
    if not len(table):
        return None
    marks = source.marks
    rows = [
        LaunchRow(
            mark=marks[row["stack"]],
            point=labels.point(row),
            block=numbers.fixed(row["block"], 0),
            started_at=str(row["started_at"])[:19],
            line=numbers.significant(row["cache_line_ns"]),
            spread=f"{numbers.significant(row['cache_line_low_ns'])} – {numbers.significant(row['cache_line_high_ns'])}"
            if row["readings"]
            else numbers.NONE,
            ratio=numbers.ratio(row["cache_line_ratio"]),
            network=_network(row),
            compute=numbers.significant(row["compute_ns"]),
            copy=numbers.significant(row["copy_gbs"]),
            switches=numbers.fixed(row["switches"], 0),
            waited=numbers.percent(row["waited_share"]),
            steal=numbers.percent(row["steal_share"]),
        )
        for row in table.sort_values("cache_line_ratio", ascending=False, kind="stable").to_dict("records")
    ]
    with_readings = table[table["readings"] > 0]
    between = _between(table)
    if not len(with_readings):
        text = "No two processes shared a cache line" + between
        return View(text, _adjusted(source), rows, network=bool(between))
    usual, much = float(with_readings["cache_line_ns"].median()), int((with_readings["cache_line_ratio"] > MUCH).sum())
    text = (
        f"A cache line took {numbers.significant(usual)}{numbers.GAP}ns from one process to another and back in the "
        f"median over launches. In {much} of {numbers.count(len(with_readings), 'launch', 'launches')} it took more "
        f"than {MUCH:g} times what it did in the launches of the same point"
    )
    return View(text + between + _gated(table), _adjusted(source), rows, network=bool(between))


def _network(row: dict[Hashable, Any]) -> str:
    """The round trip between hosts, and whether the library itself has read it; a dash on one host."""
    value = numbers.significant(row["network_us"])
    return f"{value} (MPI)" if row["network_by"] == "mpi" and value != numbers.NONE else value


def _between(table: pd.DataFrame) -> str:
    """A further sentence on the network between hosts; nothing if there was none to read."""
    text = ""
    read = table[table["network_us"].notna()]
    datagrams, library = read[read["network_by"] == BY_DATAGRAMS], read[read["network_by"] == "mpi"]
    if len(datagrams):
        slow, many = int((datagrams["network_ratio"] > MUCH).sum()), numbers.count(len(datagrams), "launch", "launches")
        text = (
            f". A datagram took {numbers.significant(float(datagrams['network_us'].median()))}{numbers.GAP}µs from one "
            f"host to another and back in the median over launches; in {slow} of {many} more than {MUCH:g} times what "
            "it did in the launches of the same point"
        )
    if len(library):
        text += (
            f". In {numbers.count(len(library), 'launch', 'launches')} no datagram passed between hosts: the MPI "
            "library has read the network itself, and nothing is adjusted by that"
        )
    return text


def _gated(table: pd.DataFrame) -> str:
    """A further sentence if what was measured in another regime did not count."""
    gated = table[table["gate_limit_ns"].notna()]
    if not len(gated):
        return ""
    return (
        f". Other regimes than a launch's quiet one were gated in {numbers.count(len(gated), 'launch', 'launches')}: "
        f"{numbers.count(int(gated['disturbed_reps'].sum()), 'run')} do not count, and waiting and measuring again "
        f"took {numbers.percent(gated['extra_share'].median())} of a launch in the median, "
        f"{numbers.percent(gated['extra_share'].max())} at most"
    )


def _adjusted(source: Source) -> str:
    """What the probes do for the comparisons; nothing if there are none."""
    table = source.analysis[COMPARISON]
    adjusted = table[table["adjusted_by"] != ""]
    if not len(adjusted):
        return ""
    used = adjusted[adjusted["adjusted_by"] != NO_PROBE]
    text = f"In {len(used)} of {numbers.count(len(adjusted), 'comparison')} a probe makes the launches more alike"
    if not len(used):
        return text
    ends = (("ratio_low", "ratio_high"), ("adjusted_low", "adjusted_high"))
    widths = [np.log((used[high] / used[low]).to_numpy(dtype=np.float64)) for low, high in ends]
    narrower = float(np.nanmedian(widths[1] / widths[0]))
    other = int((used["adjusted_verdict"] != used["verdict"]).sum())
    return (
        f"{text}: adjusted for interference their intervals are {numbers.significant(narrower)} times as wide in the "
        f"median, and {other} of their verdicts would be others"
    )


INTERFERENCE = Section(
    "interference", "Interference", "interference/section.html.j2", build, needs=(PROBE_TABLE, COMPARISON)
)

SUBJECT = Subject(
    tables=(PROBE_TABLE, REGIMES),
    frames=(PROBE_SERIES,),
    findings=(other_regimes, by_regime),
    sections=(INTERFERENCE,),
)
