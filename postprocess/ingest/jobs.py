# SPDX-License-Identifier: BSD-3-Clause
"""The job (allocation) of each launch of a run, as its scheduler named it."""

from __future__ import annotations

from collections.abc import Iterable

from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.provenance import read_provenance

#: The fact of a launch that names its job.
JOB = "job_id"


def jobs_of(layout: RunLayout, launch_ids: Iterable[str]) -> dict[str, str]:
    """Return the job of each launch by its launch_id; empty where none is recorded, as without a scheduler."""
    return {
        launch: read_provenance(layout.provenance(launch.removeprefix(f"{layout.run_id}."))).launch.get(JOB, "")
        for launch in launch_ids
    }
