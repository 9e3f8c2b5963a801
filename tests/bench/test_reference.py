# SPDX-License-Identifier: BSD-3-Clause
"""Ratios in turns against those of libraries that are alone: the demo, before and after it launches in random order.

The reference has three times as many launches of each library, half of them before the demo and half after it. A
ratio in turns agrees if its distance from the reference is within both intervals, added in quadrature.
"""

from __future__ import annotations

import csv
import math
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from isochron.common.resources import shipped
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.manifest import Manifest

pytestmark = [pytest.mark.bench, pytest.mark.mpi]

BLOCKS = int(os.environ.get("ISOCHRON_BENCH_BLOCKS", "24"))

Key = tuple[str, int, str, str]


@dataclass(frozen=True)
class Ratio:
    """The logarithm of a ratio, and half the width of its interval."""

    value: float
    half: float
    verdict: str


def measure(folder: Path, name: str, replication: dict[str, Any]) -> RunLayout:
    """Measure the demo under another name, with this replication."""
    demo = yaml.safe_load(shipped("workflows", "campaigns", "demo.yaml").read_text())
    (folder / f"{name}.yaml").write_text(yaml.safe_dump({**demo, "name": name, "replication": replication}))
    command = [sys.executable, "-m", "isochron", "run", f"{name}.yaml", "--stack-source", "wheels", "--quiet"]
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
    print(f"{name}: load {os.getloadavg()[0]:.1f}", flush=True)
    return RunLayout((folder / "results" / name / "latest").resolve())


def ratios(run: RunLayout) -> dict[Key, Ratio]:
    """Return the ratios of a run that have an interval."""
    found = {}
    with (run.tables / "comparison.csv").open() as file:
        for row in csv.DictReader(file):
            values = [float(row[name] or "nan") for name in ("ratio", "ratio_low", "ratio_high")]
            if all(math.isfinite(value) and value > 0 for value in values):
                log, low, high = map(math.log, values)
                key = row["operation"], int(row["bytes"]), row["baseline"], row["candidate"]
                found[key] = Ratio(log, (high - low) / 2, row["verdict"])
    return found


def pooled(first: Ratio, second: Ratio) -> Ratio:
    """Return the mean of two independent ratios, of equal weight."""
    return Ratio((first.value + second.value) / 2, math.hypot(first.half, second.half) / 2, "")


def test_ratios_in_turns_are_those_of_libraries_alone(tmp_path: Path) -> None:
    alone = {"blocks": 3 * BLOCKS // 2, "launches_per_block": 1, "design": "random"}
    before = ratios(measure(tmp_path, "before", alone))
    run = measure(tmp_path, "turns", {"blocks": BLOCKS})
    after = ratios(measure(tmp_path, "after", alone))
    turns = ratios(run)
    library = {path.stem: Manifest.load(path).mpi_library for path in (run.root / "stacks").glob("*.json")}
    common = sorted(turns.keys() & before.keys() & after.keys())
    assert len(common) > 100
    groups = {
        "versions": [key for key in common if library[key[2]] == library[key[3]]],
        "families": [key for key in common if library[key[2]] != library[key[3]]],
    }
    print(f"{'':9} cases  inside  distance median, largest   half width turns, alone   alone again: inside, median")
    for name, keys in groups.items():
        reference = {key: pooled(before[key], after[key]) for key in keys}
        distance = np.array([abs(turns[key].value - reference[key].value) for key in keys])
        reach = np.array([math.hypot(turns[key].half, reference[key].half) for key in keys])
        again = np.array([abs(before[key].value - after[key].value) for key in keys])
        reach_again = np.array([math.hypot(before[key].half, after[key].half) for key in keys])
        halves = [100 * float(np.median([each[key].half for key in keys])) for each in (turns, reference)]
        print(
            f"{name:9} {len(keys):5}  {100 * np.mean(distance <= reach):4.0f} %  {100 * np.median(distance):6.2f} % "
            f"{100 * distance.max():6.1f} %         {halves[0]:5.2f} % {halves[1]:5.2f} %            "
            f"{100 * np.mean(again <= reach_again):4.0f} % {100 * np.median(again):5.2f} %"
        )
        for key in sorted(keys, key=lambda one: -abs(turns[one].value - reference[one].value))[:5]:
            print(
                f"  {key[0]} {key[1]} B {key[3]} / {key[2]}: in turns {math.exp(turns[key].value):.3f} "
                f"({turns[key].verdict}), alone {math.exp(before[key].value):.3f} and {math.exp(after[key].value):.3f}"
            )
