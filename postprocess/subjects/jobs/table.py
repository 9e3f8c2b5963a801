# SPDX-License-Identifier: BSD-3-Clause
"""`jobs.csv`, `job-ratios.csv`, `job-changes.csv`: spread between jobs, forecasts of another, and what changed.

`job-list.csv`: the jobs themselves. `job-nodes.csv`: their nodes, and which are slow.
"""

import pandas as pd

from isochron.common.cores import on_all_cores
from isochron.postprocess.estimate.compare.job_nodes import JOB_NODE_COLUMNS, job_nodes
from isochron.postprocess.estimate.values.earlier_jobs import EarlierJobs
from isochron.postprocess.estimate.values.job_changes import JOB_CHANGE_COLUMNS, job_changes
from isochron.postprocess.estimate.values.job_list import JOB_LIST_COLUMNS, UNIT_COLUMNS, job_list, job_units
from isochron.postprocess.estimate.values.jobs import (
    JOB_COLUMNS,
    JOB_RATIO_COLUMNS,
    SHARE_COLUMNS,
    job_ratios,
    job_shares,
    job_times,
)
from isochron.postprocess.ingest.inputs import CASE, RESULT_KEY, load_inputs
from isochron.postprocess.ingest.jobs import jobs_of, nodes_of
from isochron.postprocess.kit.table import SavedFrame, Table, TableContext
from isochron.schemas.run.layout import RunLayout


def make_launches_of_jobs(context: TableContext) -> pd.DataFrame:
    """RESULT_KEY, job, block, launch and value_us of every launch with a time."""
    used = context.used
    jobs = used["launch_id"].map(jobs_of(context.inputs.layout, used["launch_id"].unique()))
    return used[[*RESULT_KEY, "block"]].assign(job=jobs, launch=used["launch_id"], value_us=used["median_us"])


def make_earlier_jobs(context: TableContext) -> EarlierJobs | None:
    """Launches of the earlier runs that were given, on the same system; None if there are none.

    Jobs that the run shares with them are left out. Raises FileError for an earlier run without a store.
    """
    systems, jobs = set(context.launches["system"]), set(context.get(make_launches_of_jobs)["job"])

    def launches_of(layout: RunLayout) -> pd.DataFrame:
        earlier = TableContext(load_inputs(layout.root))
        facts = earlier.launches[["launch_id", "system", "mpi_version"]]
        rows = earlier.get(make_launches_of_jobs).merge(facts, left_on="launch", right_on="launch_id")
        rows = rows[rows["system"].isin(systems) & ~rows["job"].isin({"", *jobs})]
        kept = rows[[*RESULT_KEY, "mpi_version", "job", "block", "value_us"]]
        return kept.assign(run_id=layout.run_id)

    frames = [frame for frame in on_all_cores(launches_of, context.inputs.earlier) if len(frame)]
    if not frames:
        return None
    versions = dict(zip(context.launches["stack"], context.launches["mpi_version"], strict=True))
    return EarlierJobs(pd.concat(frames, ignore_index=True), versions)


def make_jobs(context: TableContext) -> pd.DataFrame:
    """`JOB_COLUMNS`. A launch has one value, so what differs within launches is not known here."""
    launches, earlier = context.get(make_launches_of_jobs), context.get(make_earlier_jobs)
    lookup = None if earlier is None else earlier.times
    return job_times(launches, launches, RESULT_KEY, context.rules.confidence, lookup)[list(JOB_COLUMNS)]


def make_job_ratios(context: TableContext) -> pd.DataFrame:
    """`JOB_RATIO_COLUMNS` of the pairs of the question."""
    launches, pairs = context.get(make_launches_of_jobs), context.inputs.asked.pairs
    earlier = context.get(make_earlier_jobs)
    lookup = None if earlier is None else earlier.ratios
    return job_ratios(launches, CASE, "stack", pairs, context.rules.confidence, lookup)[list(JOB_RATIO_COLUMNS)]


def make_job_changes(context: TableContext) -> pd.DataFrame:
    """`JOB_CHANGE_COLUMNS`."""
    return job_changes(context.get(make_launches_of_jobs))


def make_job_list(context: TableContext) -> pd.DataFrame:
    """`JOB_LIST_COLUMNS`."""
    launches = context.launches.merge(nodes_of(context.inputs.layout, context.launches["launch_id"]), on="launch_id")
    readings = context.probes.groupby("launch_id")[["cache_line_ns", "network_us"]].median()
    launches = launches.join(readings, on="launch_id")
    rules = context.rules
    return job_list(context.get(make_launches_of_jobs), launches, rules.confidence, rules.threshold)


def make_job_units(context: TableContext) -> pd.DataFrame:
    """`UNIT_COLUMNS`; empty of a scan, which ranks nodes within its jobs."""
    rows = context.get(make_launches_of_jobs)
    return job_units(rows if context.inputs.campaign.scan is None else rows.iloc[:0], context.launches)


def make_job_shares(context: TableContext) -> pd.DataFrame:
    """`SHARE_COLUMNS`."""
    return job_shares(context.get(make_jobs))


JOBS = Table(
    name="jobs",
    columns=JOB_COLUMNS,
    make=make_jobs,
    holds="spread of every row between jobs and launches, and where it lies in another job",
)
JOB_RATIOS = Table(
    name="job-ratios",
    columns=JOB_RATIO_COLUMNS,
    make=make_job_ratios,
    holds="the same of the ratios of two stacks in the same job, of the pairs that the campaign asks about",
)
JOB_CHANGES = Table(
    name="job-changes",
    columns=JOB_CHANGE_COLUMNS,
    make=make_job_changes,
    holds="stacks of which all launches of a job shift while those of the other stacks of the job do not",
)
JOB_LIST = Table(
    name="job-list",
    columns=JOB_LIST_COLUMNS,
    make=make_job_list,
    holds="every job: when and where it ran, and by which factor its times differ from those of the others",
)
JOB_NODES = Table(
    name="job-nodes",
    columns=JOB_NODE_COLUMNS,
    make=lambda context: job_nodes([context.get(make_job_units)], context.rules),
    holds="every node: the jobs with it against those without it; slow ones are named",
    applies=lambda campaign: campaign.scan is None,
)
JOB_UNITS = SavedFrame(name="job-units", columns=UNIT_COLUMNS, make=make_job_units)
JOB_SHARES = SavedFrame(name="job-shares", columns=SHARE_COLUMNS, make=make_job_shares)
