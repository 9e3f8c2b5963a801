# SPDX-License-Identifier: BSD-3-Clause
"""Complete runs before a run, as the archive has them: its own values, times a night's factor and chance."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from hashlib import sha256

import numpy as np

from isochron.postprocess.estimate.history_cache.cache import Archive, run_values
from isochron.postprocess.ingest.inputs import load_inputs
from isochron.schemas.run.layout import ARCHIVE, RunLayout
from isochron.schemas.run.state import RunState


def write_nights(run: RunLayout, count: int, factors: Mapping[str, float] | None = None) -> list[RunLayout]:
    """So many nights, the oldest first. Values of a row spread by 1 %, those of a night by 5 %.

    `factors`: of the values of the stacks, where the run's own are not theirs.
    """
    campaign = run.root.parent
    archive, rng = Archive(campaign.parent / ARCHIVE, campaign.name), np.random.default_rng(count)
    values = run_values(load_inputs(run.root))
    stacks = values["stack"].map(lambda stack: (factors or {}).get(stack, 1.0))
    nights = []
    for number in range(count):
        night = RunLayout(campaign / f"202601{number + 1:02d}T080000Z-{number:04d}")
        (night.root / "store").mkdir(parents=True)
        shutil.copytree(run.root / "stacks", night.root / "stacks")
        for path in (run.campaign, run.plan):
            shutil.copy(path, night.root / path.name)
        RunState.load(run.state).model_copy(update={"state": "complete", "run_id": night.run_id}).save(night.state)
        night.store_sums.write_text(sha256(night.run_id.encode()).hexdigest())
        times = values["median_us"] * stacks * rng.lognormal(0, 0.05) * rng.lognormal(0, 0.01, len(values))
        archive.keep(night, values.assign(median_us=times, run_id=night.run_id))
        nights.append(night)
    return nights
