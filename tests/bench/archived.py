# SPDX-License-Identifier: BSD-3-Clause
"""A folder of results with many runs, of which all but a few are there as the archive has them: plan, state, values."""

from __future__ import annotations

import shutil
from dataclasses import replace
from datetime import datetime
from hashlib import sha256
from pathlib import Path

import numpy as np
import pandas as pd

from isochron.postprocess.__main__ import main as postprocess
from isochron.postprocess.estimate.history_cache.cache import Archive, run_values
from isochron.postprocess.ingest.inputs import load_inputs
from isochron.schemas.engine.contract import BLOCKING
from isochron.schemas.run.layout import ARCHIVE, RunLayout
from isochron.schemas.run.state import RunState
from tests.postprocess.synthetic import STACKS, Spec, write_run

#: 32,160 rows of launches in each run, 3,216 of results.
LARGE = Spec(
    stacks=list(STACKS)[:4],
    operations=list(BLOCKING),
    sizes=[2**power for power in range(24)],
    processes=[4, 8],
    launches=10,
    runs=3,
)


def name(number: int) -> str:
    """The run-id of the run with this number."""
    return f"{20240101 + number}T000000Z-{number % 10000:04d}"


def slower_from(runs: int) -> int:
    """The number of the first slower run: the level before is known, and the change is still news in the last one."""
    return 2 * runs // 3


def whole_run(results: Path, number: int, spec: Spec) -> RunLayout:
    """A complete run, ingested."""
    run = RunLayout(write_run(results / "synthetic" / name(number), replace(spec, seed=number)))
    _complete(run)
    assert postprocess(["ingest", str(run.root)]) == 0
    return run


def write_archive(results: Path, spec: Spec, runs: int) -> None:
    """`runs` complete runs: a whole one, and others whose values are its own, times a night's factor and chance.

    From `slower_from` on, every tenth row is slower by a fifth.
    """
    first = whole_run(results, 0, spec)
    values = run_values(load_inputs(first.root))
    Archive(results / ARCHIVE, "synthetic").keep(first, values)
    _write_nights(results, "synthetic", first, values, range(1, runs), runs)


def write_campaigns(results: Path, spec: Spec, campaigns: int, runs: int) -> None:
    """The same as several campaigns, `night-000` …; with the first slower run the kernel is another one."""
    first = whole_run(results.with_name(f"{results.name}-first"), 0, spec)
    values = run_values(load_inputs(first.root))
    for campaign in range(campaigns):
        _write_nights(results, f"night-{campaign:03d}", first, values, range(runs), runs, seed=campaign)


def _write_nights(
    results: Path, campaign: str, first: RunLayout, values: pd.DataFrame, numbers: range, runs: int, seed: int = 1
) -> None:
    archive, rng = Archive(results / ARCHIVE, campaign), np.random.default_rng(seed)
    slower = np.where(np.arange(len(values)) % 10 == 0, 1.2, 1.0)
    for number in numbers:
        run, late = RunLayout(results / campaign / name(number)), number >= slower_from(runs)
        for folder in (run.root / "store", run.launches):
            folder.mkdir(parents=True)
        shutil.copytree(first.root / "stacks", run.root / "stacks")
        for path in (first.campaign, first.plan, first.state):
            shutil.copy(path, run.root / path.name)
        _complete(run)
        run.provenance("b001").write_text(
            '{"record": "launch", "host": "n1"}\n'
            f'{{"record": "node", "host": "n1", "kernel": "6.{12 if late else 1}.0"}}\n'
        )
        run.store_sums.write_text(sha256(run.run_id.encode()).hexdigest())
        factor = rng.lognormal(0, 0.02) * rng.lognormal(0, 0.01, len(values)) * (slower if late else 1.0)
        archive.keep(run, _scaled(values, factor).assign(run_id=run.run_id))


def _scaled(values: pd.DataFrame, factor: np.ndarray) -> pd.DataFrame:
    times = ("median_us", "median_low_us", "median_high_us")
    return values.assign(**{each: values[each] * factor for each in times})


def _complete(run: RunLayout) -> None:
    moment = datetime.strptime(run.run_id.partition("-")[0], "%Y%m%dT%H%M%S%z").isoformat()
    changed = {"state": "complete", "run_id": run.run_id, "created_at": moment, "updated_at": moment}
    RunState.load(run.state).model_copy(update=changed).save_sealed(run.state)
