# SPDX-License-Identifier: BSD-3-Clause
"""What must be so after every fault: each planned launch stored once, as it was measured, and no wrong row reliable."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pandas as pd

from isochron.common.files import FileError
from isochron.schemas.run.launch_file import LaunchFile, read_launch
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.plan import Plan
from isochron.schemas.run.records import Measurement
from isochron.schemas.run.state import BlockState, RunState
from isochron.workflows.driving.run import AT_THE_STORE
from tests.soak import processes
from tests.soak.campaign import LONGEST_US, SHORTEST_US
from tests.soak.failure import expect
from tests.soak.lies import LIES
from tests.soak.life import RUN, Life

#: Calls that a fault may cost: the first may still fail of what the fault has left, and says what.
MAX_CALLS = 2


def heal(life: Life, *, report: bool) -> None:
    """`isochron run` to the end, as a person would after reading what it said; then nothing may be amiss."""
    words = RUN[:2] if report else RUN
    for number in range(MAX_CALLS):
        life.seen["second calls"] += number
        code = life.end(life.start(*words))
        if code == 0:
            break
        expect(code == 1, f"a call without any fault ended with {code}")
    expect(code == 0, f"{MAX_CALLS} calls without any fault have not completed the run; it needs a hand")
    check(life, report=report)


def check(life: Life, *, report: bool) -> None:
    """Raise SoakFailure where anything is lost, doubled or wrongly reliable."""
    run = life.place.run
    expect(not list(processes.of(life.room)), "a process of the run is left")
    state = RunState.load(run.state)
    expect(state.state == "complete" or (not report and state.reason == AT_THE_STORE), f"the state is {state.state}")
    expect(not report or run.report.exists(), "there is no report")
    _stored_once(run)
    _as_measured(run)
    _nothing_lost(life)
    _reliable(life, run)


def _stored_once(run: RunLayout) -> None:
    planned = sorted(launch.name for launch in Plan.load(run.plan).launches)
    there = sorted(path.stem for path in run.launches.glob("*.jsonl"))
    expect(there == planned, f"launches/ holds {there}, planned were {planned}")
    stored = pd.read_parquet(run.table("launches"))
    names = stored["launch_id"].str.removeprefix(f"{run.run_id}.")
    expect(sorted(names) == planned, f"the store holds {sorted(names)}, planned were {planned}")
    refused = set()
    for path in run.root.glob("attempts/*/*/outcome.json"):
        with suppress(FileError):
            outcome = BlockState.load(path)
            refused |= {(launch.name, outcome.attempt) for launch in outcome.launches if not launch.accepted}
    wrong = refused & set(zip(names, stored["attempt"], strict=True))
    expect(not wrong, f"stored, though the attempt refused it: {wrong}")


def _as_measured(run: RunLayout) -> None:
    """The store says what the raw files say, row by row and run by run."""
    table = pd.read_parquet(run.table("measurements"))
    keys = zip(table["launch_id"], table["operation"], table["bytes"], strict=True)
    rows = dict(zip(keys, zip(table["verdict"], table["median_us"], strict=True), strict=True))
    expect(len(rows) == len(table), "a row stands twice in the store")
    runs = pd.read_parquet(run.table("repetitions")).set_index(["launch_id", "operation", "bytes"]).sort_index()
    raw = [read_launch(path) for path in sorted(run.launches.glob("*.jsonl"))]
    expected = {(_identity(run, file), row.operation, row.bytes): row for file in raw for row in file.measurements}
    expect(sorted(rows) == sorted(expected), f"rows of the store: {sorted(rows)}")
    for key, row in expected.items():
        verdict, median_us = rows[key]
        expect(verdict == row.verdict, f"{key}: verdict {verdict}, measured was {row.verdict}")
        expect(_same(median_us, row.median_ns), f"{key}: median {median_us} us, measured were {row.median_ns} ns")
        _same_runs(key, runs.loc[[key]].sort_values("rep"), row)


def _same_runs(key: tuple[str, str, int], stored: pd.DataFrame, row: Measurement) -> None:
    expect(stored["rep"].tolist() == list(range(len(row.time_ns))), f"{key}: runs are lost or doubled")
    expect(np.allclose(stored["time_us"], np.array(row.time_ns) / 1e3), f"{key}: times are not those measured")
    expect(stored["valid"].tolist() == row.valid, f"{key}: the valid runs are not those measured")


def _same(stored_us: float, measured_ns: float | None) -> bool:
    if measured_ns is None:
        return bool(np.isnan(stored_us))
    return bool(np.isclose(stored_us, measured_ns / 1e3))


def _identity(run: RunLayout, file: LaunchFile) -> str:
    return f"{run.run_id}.{file.header.launch['name']}"


def _nothing_lost(life: Life) -> None:
    """What had been accepted is still there, the same to the last bit, unless a fault has damaged it."""
    now = life.accepted()
    lost = {launch for launch, digest in life.known.items() if now.get(launch) != digest} - life.touched
    current = life.place.run.run_id
    expect(not lost, f"accepted before, and lost or measured again though nothing had touched it: {sorted(lost)}")
    life.touched = {(run_id, name) for run_id, name in life.touched if run_id != current}
    life.known = {launch: digest for launch, digest in now.items() if launch not in life.touched}


def _reliable(life: Life, run: RunLayout) -> None:
    """No row is reliable that may be wrong: of a launch that was lied to as its lie says, of others within bounds."""
    attempts = {
        (f"{run.run_id}.{file.header.launch['name']}"): (int(file.header.launch["attempt"]), file.header.launch["name"])
        for file in map(read_launch, sorted(run.launches.glob("*.jsonl")))
    }
    for row in pd.read_parquet(run.table("measurements")).itertuples():
        lie = life.lies.get((run.run_id, *attempts[str(row.launch_id)]), "")
        told = LIES[lie].stored if lie else "true"
        where = f"{row.launch_id} {row.operation}: {lie or 'no lie'}"
        expect(told != "never", f"{where}: the launch is in the store")
        life.seen[f"{'lied to' if lie else 'honest'}, {row.verdict}"] += 1
        if row.verdict == "ok":
            expect(told != "doubted" or row.operation not in LIES[lie].about, f"{where}: the row is reliable")
            median = float(str(row.median_us))
            expect(SHORTEST_US <= median <= LONGEST_US, f"{where}: {median} µs are reliable")
