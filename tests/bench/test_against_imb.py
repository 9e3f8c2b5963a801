# SPDX-License-Identifier: BSD-3-Clause
"""The engine beside IMB in one run: how well launches agree, what load on the machine does to the value, what it costs.

Both measure with one MPI library (that of the Intel MPI wheel, which brings IMB), in interleaved order: ten launches of
each on the quiet machine, ten with one busy process a core. The value of a launch is IMB's t_avg with its default
settings, and the engine's median.
"""

from __future__ import annotations

import csv
import math
import os
import re
import statistics
import subprocess
import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from isochron.schemas.run.manifest import Toolchain
from isochron.spack_envs.declarations import load_declaration
from isochron.spack_envs.wheels import resolve
from tests.engine.support import ROOT, build_engine, read_records, rows_of

pytestmark = [pytest.mark.bench, pytest.mark.mpi]

LAUNCHES = int(os.environ.get("ISOCHRON_BENCH_LAUNCHES", "10"))
SIZES = [8, 1024, 65536]
ROWS = [("barrier", 0), *((operation, size) for operation in ("bcast", "allreduce") for size in SIZES)]
#: More valid runs than the default wants: they cost milliseconds and steady the median. On a busy machine most runs can
#: be invalid, for as long as a launch lasts; the limit on runs bounds what that costs.
ENGINE_OPTIONS = ["--stop", "reps", "--min-valid", "50", "--max-valid", "300", "--max-reps", "600"]

Values = dict[tuple[str, str, str, int], list[float]]  # tool, state, operation, bytes: µs of each launch


def environment(stack: Toolchain) -> dict[str, str]:
    """The environment of the stack."""
    env = {name: value for name, value in os.environ.items() if name not in stack.environment.unset}
    env |= stack.environment.set
    for name, paths in stack.environment.prepend.items():
        env[name] = os.pathsep.join([*paths, *filter(None, [env.get(name)])])
    return env


def launcher(stack: Toolchain) -> list[str]:
    """The launcher for two processes on this machine."""
    values = {"processes": 2, "processes_per_node": 2}
    return [word.format(**values) for word in stack.launcher.argv]


def imb_values(text: str) -> dict[tuple[str, int], float]:
    """Operation and bytes to t_avg in µs, from what IMB prints."""
    found, operation = {}, ""
    for line in text.splitlines():
        if heading := re.match(r"# Benchmarking (\w+)", line):
            operation = heading[1].lower()
        numbers = line.split()
        if numbers and all(re.fullmatch(r"[\d.]+", number) for number in numbers):
            size = 0 if operation == "barrier" else int(numbers[0])
            found[operation, size] = float(numbers[-1])
    return found


def engine_values(path: Path) -> dict[tuple[str, int], float]:
    """Operation and bytes to the median in µs; no value where the engine itself says that there is none."""
    rows = rows_of(read_records(path))
    return {(row["operation"], row["bytes"]): row["median_ns"] / 1000 for row in rows if row["median_ns"] is not None}


@contextmanager
def load(busy: bool) -> Iterator[None]:
    """One busy process a core, or none."""
    cores = sorted(os.sched_getaffinity(0)) if busy else []
    loops = [subprocess.Popen(["taskset", "-c", str(core), "sh", "-c", "while :; do :; done"]) for core in cores]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def measure(stack: Toolchain, engine: Path, folder: Path) -> tuple[Values, dict[tuple[str, str], float]]:
    """All launches of both tools in both states, and the seconds that each tool took in each."""
    values: Values = defaultdict(list)
    seconds: dict[tuple[str, str], float] = defaultdict(float)
    (folder / "sizes").write_text("".join(f"{size}\n" for size in SIZES))
    imb = [str(Path(stack.prefix) / "bin" / "IMB-MPI1"), "-npmin", "2", "-msglen", str(folder / "sizes")]
    own = [str(engine), "--operations", "barrier,bcast,allreduce", "--sizes", ",".join(map(str, SIZES))]
    env = environment(stack)
    for state in ("quiet", "loaded"):
        with load(state == "loaded"):
            for launch in range(LAUNCHES):
                output = folder / f"{state}-{launch}.jsonl"
                commands = [("imb", [*imb, "Barrier", "Bcast", "Allreduce"])]
                commands.append(("engine", [*own, *ENGINE_OPTIONS, "--output", str(output)]))
                for tool, command in commands if launch % 2 == 0 else commands[::-1]:
                    begin = time.monotonic()
                    argv = [*launcher(stack), *command]
                    done = subprocess.run(argv, env=env, capture_output=True, text=True, timeout=300, check=False)
                    assert done.returncode == 0, done.stderr + done.stdout
                    seconds[tool, state] += time.monotonic() - begin
                    found = imb_values(done.stdout) if tool == "imb" else engine_values(output)
                    for (operation, size), value in found.items():
                        if (operation, size) in ROWS:
                            values[tool, state, operation, size].append(value)
    return values, seconds


def rse(sample: list[float]) -> float:
    """Relative standard error of the mean over launches: s / (mean · √L)."""
    if len(sample) < 2:
        return math.nan
    return statistics.stdev(sample) / (statistics.fmean(sample) * math.sqrt(len(sample)))


def table(values: Values, seconds: dict[tuple[str, str], float]) -> list[dict[str, object]]:
    """One line for each row and tool."""
    lines: list[dict[str, object]] = []
    for operation, size in ROWS:
        for tool in ("imb", "engine"):
            quiet, loaded = values[tool, "quiet", operation, size], values[tool, "loaded", operation, size]
            quiet_us, loaded_us = (statistics.median(sample) if sample else math.nan for sample in (quiet, loaded))
            lines.append(
                {
                    "operation": operation,
                    "bytes": size,
                    "tool": tool,
                    "quiet_us": round(quiet_us, 3),
                    "quiet_rse": round(rse(quiet), 4),
                    "loaded_us": round(loaded_us, 3),
                    "loaded_rse": round(rse(loaded), 4),
                    "loaded_over_quiet": round(loaded_us / quiet_us, 2),
                    "quiet_launches": len(quiet),
                    "loaded_launches": len(loaded),
                    "quiet_s_per_launch": round(seconds[tool, "quiet"] / LAUNCHES, 2),
                    "loaded_s_per_launch": round(seconds[tool, "loaded"] / LAUNCHES, 2),
                }
            )
    return lines


def test_against_imb(tmp_path: Path) -> None:
    """Prints the table and writes it to results/bench/against-imb.csv; asserts nothing about time."""
    stack = resolve(load_declaration("intel-mpi-2021"))
    engine = build_engine(stack.cc, tmp_path / "build", environment(stack))
    lines = table(*measure(stack, engine, tmp_path))
    target = ROOT / "results" / "bench" / "against-imb.csv"
    target.parent.mkdir(parents=True, exist_ok=True)
    with target.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, fieldnames=list(lines[0]))
        writer.writeheader()
        writer.writerows(lines)
    print()
    for row in [dict(zip(lines[0], lines[0], strict=True)), *lines]:
        print(" ".join(f"{value!s:>{max(9, len(name))}}" for name, value in row.items()))
    assert all(line["quiet_launches"] == LAUNCHES for line in lines)
