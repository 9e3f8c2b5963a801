# SPDX-License-Identifier: BSD-3-Clause
"""What the analyses of several runs of a campaign show together: nodes that make the jobs slower in which they are."""

from pathlib import Path

import pandas as pd

from isochron.common.files import FileError
from isochron.postprocess.analysis.saved import load_frame
from isochron.postprocess.estimate.compare.job_nodes import job_nodes, slow_in_words
from isochron.postprocess.estimate.compare.pairs import Rules
from isochron.postprocess.ingest.inputs import load_inputs
from isochron.postprocess.subjects.jobs.table import JOB_UNITS
from isochron.schemas.run.layout import RunLayout


def slow_nodes_over_runs(folders: list[Path]) -> list[str]:
    """Return a sentence for each slow node. Threshold and confidence are those of the newest run, the last one.

    Runs that were analysed by an earlier version, which saved nothing of their jobs, are left out. Raises FileError.
    """
    runs = [frame for folder in folders if (frame := _units(RunLayout(folder.resolve()))) is not None]
    campaign = load_inputs(folders[-1]).campaign
    rules = Rules(campaign.analysis.threshold, campaign.analysis.confidence, campaign.seed)
    return slow_in_words(job_nodes(runs, rules)) if runs else []


def _units(layout: RunLayout) -> pd.DataFrame | None:
    try:
        return load_frame(layout, JOB_UNITS)
    except FileError:
        return None
