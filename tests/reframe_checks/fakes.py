# SPDX-License-Identifier: BSD-3-Clause
"""A launcher and an engine that measure nothing, and a run folder that uses them.

The file `mode` beside the launcher says what goes wrong, in all launches or, with several words, in the first, the
second …; `good`: nothing. Run as a program this is the engine.
"""

from __future__ import annotations

import json
import os
import sys
import time
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
LIBRARY = "Fake MPI v1.2.3, for tests"

#: What the launcher does: `$ranks` processes wanted, the rest is the engine's command.
LAUNCHER = """#!/bin/bash
here=$(dirname "$0")
mode=$(cat "$here/mode")
ranks=$2
shift 4
case " $* " in *" --check-timer "*) FAKE_MODE=$mode exec "$@" ;; esac
case $ISOCHRON_LAUNCH in *.candle) exit 0 ;; esac
echo "$ISOCHRON_LAUNCH" >> "$here/started"
modes=($mode)
own=$(grep -nxF "$ISOCHRON_LAUNCH" "$here/started" | tail -n 1) # launches of a session start at once
[ ${#modes[@]} -gt 1 ] && mode=${modes[${own%%:*} - 1]}
export FAKE_MODE=$mode FAKE_RANKS=$ranks
case $mode in
singletons) export FAKE_RANKS=1; for rank in $(seq "$ranks"); do "$@" & done; wait; exit 0 ;;
wrong-ranks) FAKE_RANKS=$((ranks + 1)) exec "$@" ;;
truncate) "$@"; output=$(cat "$here/output"); truncate -s -40 "$output"; exit 0 ;;
survivor) setsid sleep 300 & disown; "$@" ;;
meets) for _ in $(seq 200); do [ "$(wc -l < "$here/started")" -ge 2 ] && exec "$@"; sleep 0.1; done; exit 9 ;;
hangs-second) [ "$(wc -l < "$here/started")" = 2 ] && FAKE_MODE=hangs; exec "$@" ;;
*) exec "$@" ;;
esac
"""


def records(
    *,
    launch: dict[str, str],
    processes: int,
    hosts: int,
    cases: list[tuple[str, int]],
    library: str = LIBRARY,
) -> list[dict[str, Any]]:
    """What a whole raw file holds before its footer."""
    timer = {"name": "clock-gettime", "resolution_ns": 1, "cost_ns": 20, "monotonic": True, "invariant": None}
    header = {
        "record": "header", "schema": 1, "engine_version": "0.1.0", "started_at": "2026-05-04T08:00:00Z",
        "command": ["isochron-engine"], "options": {}, "launch": launch, "mpi_library_version": library,
        "mpi_standard": "3.1", "compiler": "gcc 12.2.0", "processes": processes,
        "hosts": [
            {"name": f"node{number}", "ranks": ",".join(map(str, range(number, processes, hosts)))}
            for number in range(hosts)
        ],
        "bindings": [], "timer": timer, "simulated": False,
    }  # fmt: skip
    return [header, *(measurement(operation, size, processes) for operation, size in cases), overhead(30.0, 20.0)]


def measurement(operation: str, size: int, processes: int) -> dict[str, Any]:
    """One row; its median is 1 µs and a nanosecond for each byte."""
    time_ns = 1000 + size
    figures = dict.fromkeys(
        ["mean_ns", "ci_low_ns", "ci_high_ns", "median_ns", "median_low_ns", "median_high_ns", "min_ns", "max_ns"],
        float(time_ns),
    )
    return {
        "record": "measurement", "operation": operation, "bytes": size, "processes": processes, "scheme": "window",
        "clock_sync": "ring", "timer": "clock-gettime", "reps_made": 2, "reps_valid": 2, "reps_used": 2,
        "invalid": {}, "invalid_by_rank": [], "slot_ns": 5000, "first_call_ns": 1, "second_call_ns": 1,
        "time_ns": [time_ns] * 2, "local_ns": [time_ns] * 2, "valid": [True] * 2, "start_skew_ns": 0.0, "se_ns": 0.0,
        "confidence": 0.95, "clock_error_ns": 0.0, "verdict": "ok", **figures,
    }  # fmt: skip


def overhead(most_ns: float, least_ns: float) -> dict[str, Any]:
    """What the engine adds to a time, 2 ns on either side of both."""
    ends = {"": 0, "_low": -2, "_high": 2}
    return {
        "record": "overhead", "operations_per_rep": 1, "reps_made": 2, "reps_valid": 2, "pass_reps": [2],
        "time_ns": [int(most_ns)] * 2, "from_last_ns": [int(least_ns)] * 2, "valid": [True] * 2,
        "overran": [False] * 2, "confidence": 0.95, **{f"median{end}_ns": most_ns + by for end, by in ends.items()},
        **{f"from_last_median{end}_ns": least_ns + by for end, by in ends.items()},
    }  # fmt: skip


def write_raw(path: Path, rows: list[dict[str, Any]]) -> None:
    """The rows and the footer that makes them a whole file."""
    body = "".join(json.dumps(row) + "\n" for row in rows).encode()
    footer = {"record": "footer", "records": len(rows), "crc32": f"{zlib.crc32(body):08x}", "elapsed_ns": 1}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(body + json.dumps(footer).encode() + b"\n")


#: What `--check-timer` prints on one node; launchers may add lines.
TIMERS = """a line of the launcher
host                 clock source timer          resolution_ns  cost_ns  rate_ppm  verdict
node0                tsc          mpi-wtime                1.0     31.4       0.2  good
node0                tsc          clock-gettime            1.0     24.1       0.1  good
node0                tsc          gettimeofday          1000.0     23.2       0.1  coarse: short operations will be ...
node0                tsc          tsc                        -        -         -  refused: the counter is not invariant
"""


def check_timers(mode: str) -> None:
    """A table of verdicts; in the mode `false-clock` the campaign's timer is refused."""
    print(TIMERS, end="")
    if mode == "false-clock":
        print("isochron-engine: --timer clock-gettime on node0: it runs backwards; take another", file=sys.stderr)
        sys.exit(3)
    sys.exit(0 if mode == "good" else 5)


@dataclass
class Arguments:
    """The engine's command line, as far as the fake needs it."""

    options: dict[str, str] = field(default_factory=dict)
    launch: dict[str, str] = field(default_factory=dict)

    @classmethod
    def parse(cls, words: list[str]) -> Arguments:
        """Pairs of option and value; `--append-header` takes all that is left."""
        split = words.index("--append-header")
        options = dict(zip(words[:split:2], words[1:split:2], strict=True))
        return cls(options, dict(word.split("=", 1) for word in words[split + 1 :]))


def main(words: list[str]) -> None:
    """Write what the mode asks for."""
    from isochron.schemas.engine.contract import cases

    mode = os.environ["FAKE_MODE"]
    if "--check-timer" in words:
        check_timers(mode)
    given = Arguments.parse(words)
    output = Path(given.options["--output"])
    if mode == "fails":
        print("rank 1: the network is gone", file=sys.stderr)
        sys.exit(5)
    if mode == "hangs":
        time.sleep(300)
    sizes = [int(size) for size in given.options["--sizes"].split(",")]
    asked = cases(given.options["--operations"].split(","), sizes)
    rows = records(
        launch=given.launch | {"leaked": os.environ.get("LD_LIBRARY_PATH", "") + os.environ.get("I_MPI_ROOT", "")},
        processes=int(os.environ["FAKE_RANKS"]),
        hosts=int(given.options["--expect-hosts"]) - (mode == "one-host-less"),
        cases=asked[:-1] if mode == "missing-case" else asked,
        library="Other MPI v9.9.9" if mode == "other-library" else LIBRARY,
    )
    if mode == "shared-cores":
        rows[0]["bindings"] = [{"host": "node0", "cpus": "0", "ranks": "0,1"}]
    write_raw(output, rows)
    (Path(os.environ["ISOCHRON_FAKE"]) / "output").write_text(str(output))


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT))
    main(sys.argv[1:])
