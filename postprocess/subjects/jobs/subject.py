# SPDX-License-Identifier: BSD-3-Clause
"""Jobs: what this subject declares."""

from __future__ import annotations

from isochron.postprocess.kit.subject import Subject
from isochron.postprocess.subjects.jobs.finding import another_job, changed, named_nodes, odd_jobs
from isochron.postprocess.subjects.jobs.section import JOBS_SECTION
from isochron.postprocess.subjects.jobs.table import (
    JOB_CHANGES,
    JOB_LIST,
    JOB_NODES,
    JOB_RATIOS,
    JOB_SHARES,
    JOB_UNITS,
    JOBS,
)

SUBJECT = Subject(
    tables=(JOB_LIST, JOB_NODES, JOBS, JOB_RATIOS, JOB_CHANGES),
    frames=(JOB_SHARES, JOB_UNITS),
    findings=(another_job, changed, odd_jobs, named_nodes),
    sections=(JOBS_SECTION,),
)
