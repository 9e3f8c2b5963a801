# SPDX-License-Identifier: BSD-3-Clause
"""Raw files, plan and campaign of a run, read without the product's code, and values of results by their definition."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from math import nan
from pathlib import Path
from statistics import median
from typing import Any

import yaml

from tests.postprocess.subjects.views.recomputed import dependent

Record = dict[str, Any]
Key = tuple[Any, ...]

KEY = ("stack", "operation", "bytes", "processes", "processes_per_node", "placement")
POINT = KEY[3:]
#: Operations that go there and back: their time is half of that.
HALVED = ("ping-pong", "multi-ping-pong", "transfer-1")
#: Verdicts of a launch in the order of their weight; of the last two the time is none of the operation.
VERDICTS = (
    "ok", "too-few-valid", "disturbed", "unstable", "clock-limited", "timer-limited", "failed-check", "not-supported",
)  # fmt: skip
NO_TIME = VERDICTS[-2:]
MIB = 2**20


@dataclass(frozen=True)
class Launch:
    """An `mpiexec` of the engine: its entry in the plan, its header, and its measurements."""

    planned: Record
    header: Record
    rows: list[Record]

    @property
    def point(self) -> Record:
        return {name: self.planned["point"][name] for name in POINT}

    @property
    def run_in(self) -> tuple[int, int]:
        """Its block, and its number there."""
        return self.planned["block"], self.planned["launch"]

    @property
    def number(self) -> Record:
        return {"block": self.planned["block"], "launch": self.planned["launch"]}

    def key(self, row: Record) -> Record:
        """KEY of one of its measurements."""
        return {
            "stack": self.planned["stack"], "operation": row["operation"], "bytes": row["bytes"], **self.point,
        }  # fmt: skip


@dataclass(frozen=True)
class Value:
    """A result: its verdict, and its usable measurements."""

    verdict: str
    reason: str
    rows: list[Record]

    @property
    def median(self) -> float:
        """µs; NaN if there is no time."""
        return median_us(self.rows)

    @property
    def is_reliable(self) -> bool:
        return self.verdict == "ok"


@dataclass(frozen=True)
class Raw:
    """A run folder."""

    folder: Path

    @cached_property
    def campaign(self) -> Record:
        """The campaign with all defaults."""
        campaign: Record = yaml.safe_load((self.folder / "campaign.yaml").read_text())
        return campaign

    @cached_property
    def plan(self) -> Record:
        plan: Record = json.loads((self.folder / "plan.json").read_text())
        return plan

    @cached_property
    def planned(self) -> list[Record]:
        return [launch for block in self.plan["blocks"] for launch in block["launches"]]

    @cached_property
    def launches(self) -> list[Launch]:
        """Those that were measured, in the plan's order."""
        measured = []
        for planned in self.planned:
            path = self.folder / "launches" / f"{planned['name']}.jsonl"
            if path.is_file():
                records = [json.loads(line) for line in path.read_text().splitlines()]
                rows = [record for record in records if record["record"] == "measurement"]
                measured.append(Launch(planned, records[0], rows))
        return measured

    @cached_property
    def results(self) -> list[Launch]:
        """The launches of the results."""
        return [launch for launch in self.launches if is_of_results(launch.planned)]

    @cached_property
    def values(self) -> dict[Key, Value]:
        """Every planned case of the results, by KEY."""
        planned = [launch for launch in self.planned if is_of_results(launch)]
        measured = self.rows_of(self.results)
        keys = [key for point in self.plan["points"] for launch in planned if launch["point"] == point
                for key in self._cases(launch)]  # fmt: skip
        return {key: value_of(measured.get(key, [])) for key in dict.fromkeys(keys)}

    @cached_property
    def simulation(self) -> str:
        """`simulated (key value, …)` from what the launches were told of their simulation; empty if none was."""
        headers = [launch.header for launch in self.launches if launch.header["simulated"]]
        facts: dict[str, set[str]] = {}
        for header in headers:
            for fact in filter(None, header["launch"].get("simulation", "").split(",")):
                name, _, value = fact.partition("=")
                facts.setdefault(name.replace("-", " "), set()).add(value)
        words = ", ".join(f"{name} {' '.join(sorted(values))}" for name, values in facts.items())
        return f"simulated ({words})" if words else "simulated" if headers else ""

    def rows_of(self, launches: list[Launch]) -> dict[Key, list[Record]]:
        """Measurements of launches by KEY, each with `simulated` of its header."""
        rows = defaultdict(list)
        for launch in launches:
            for row in launch.rows:
                rows[tuple(launch.key(row).values())].append(
                    {**row, "simulated": launch.header["simulated"], "run_in": launch.run_in}
                )
        return rows

    def interval(self, key: Key) -> tuple[float, float]:
        """The interval in µs of the median of a result."""
        confidence, rows = self.campaign["analysis"]["confidence"], self.values[key].rows
        times = [time_us(row) for row in rows]
        if all(row["simulated"] for row in rows):
            return dependent.ordered_ends(sorted(times), len(times), confidence)
        launches = [row["run_in"] for row in rows]
        place = [key[KEY.index(name)] for name in ("stack", *POINT)]
        beside = [value.rows for other, value in self.values.items()
                  if [other[KEY.index(name)] for name in ("stack", *POINT)] == place]  # fmt: skip
        together = [[time_us(row) for row in rows_beside] for rows_beside in beside
                    if [row["run_in"] for row in rows_beside] == launches]  # fmt: skip
        return dependent.interval(times, [block for block, _ in launches], together, confidence)

    def engine_of(self, contrast: str) -> Record:
        """The engine's options of a contrast."""
        return {**self.campaign["engine"], **self.campaign["contrasts"].get(contrast, {})}

    def _cases(self, launch: Record) -> Iterator[Key]:
        point = tuple(launch["point"][name] for name in POINT)
        for operation in launch["operations"] or self.campaign["operations"]:
            for size in [0] if has_no_size(operation) else launch["sizes"] or self.campaign["sizes"]:
                yield (launch["stack"], operation, size, *point)


def is_of_results(planned: Record) -> bool:
    """Whether the results rest on a planned launch."""
    return not any(planned[name] for name in ("contrast", "clock_sync", "first_call", "tool", "program"))


def has_no_size(operation: str) -> bool:
    return operation in ("barrier", "ibarrier", "barrier_init") or operation.startswith(("basic-", "wait-pattern-"))


def is_usable(row: Record) -> bool:
    """Whether the row has a time of the operation."""
    return row["median_ns"] is not None and row["verdict"] not in NO_TIME


def time_us(row: Record, field: str = "") -> float:
    """A time of a row in µs, one way; NaN if the engine has none. Without `field`, the median of its sample."""
    value = row[field] if field else sample_median_ns(row)
    return nan if value is None else float(value) / (2e3 if row["operation"] in HALVED else 1e3)


def sample_median_ns(row: Record) -> float:
    """Median of the repetitions that started in time, overruns too."""
    in_time = zip_longest(row["time_ns"], row["valid"], row.get("overran") or [], fillvalue=False)
    return float(median(time for time, is_valid, overran in in_time if is_valid or overran))


def median_us(rows: list[Record]) -> float:
    """Median over launches in µs; NaN without launches."""
    return middle(map(time_us, rows))


def middle(values: Any) -> float:
    """Median; NaN of nothing."""
    listed = list(values)
    return float(median(listed)) if listed else nan


def mib_per_s(moved: float, time: float) -> float:
    """2²⁰ bytes per second, of bytes in µs."""
    return moved / time * 1e6 / MIB


def value_of(rows: list[Record]) -> Value:
    """The result of its launches' measurements."""
    simulated = bool(rows) and all(row["simulated"] for row in rows)
    return Value(*verdict_of(rows, 1 if simulated else 3), [row for row in rows if is_usable(row)])


def verdict_of(rows: list[Record], fewest: int) -> tuple[str, str]:
    """A result is `ok` with at least half of its launches, and at least `fewest`, and none with wrong data."""
    counts = Counter(row["verdict"] for row in rows)
    ok = counts.pop("ok", 0)
    if not rows:
        return "missing", "no launch was measured"
    if counts["failed-check"]:
        return "failed-check", f"wrong data in {counts['failed-check']} of {len(rows)} launches"
    if 2 * ok >= len(rows) and ok >= fewest:
        return "ok", ""
    if 2 * ok >= len(rows):
        return "too-few-launches", f"{ok} ok of {len(rows)} launches; {fewest} are needed"
    worst = max(counts, key=lambda verdict: (counts[verdict], VERDICTS.index(verdict)))
    why = next((row["reason"] for row in rows if row["verdict"] == worst), "")
    reason = f"{ok} ok of {len(rows)} launches; {counts[worst]} {worst}"
    return worst, f"{reason} ({why})" if why else reason
