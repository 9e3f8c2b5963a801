# SPDX-License-Identifier: BSD-3-Clause
"""Stacks whose configuration changed between jobs under one name: all their launches shift, those of others do not.

That is no slow job, and no forecast of another job holds for such a stack.
"""

import numpy as np
import pandas as pd

from isochron.postprocess.ingest.inputs import KEYS
from isochron.stats.changed_labels import FEWEST_LABELS, ChangedLabel, changed_labels, common
from isochron.stats.launches import Values

#: Probability that a stack is named where none changed.
ALPHA = 0.05
#: Least ratio that is told. In public data (LUMI, PICO) a job shifts algorithms against each other by a standard
#: deviation of up to 6 %; a configuration that changed is told from four of these on.
LEAST = 1.25
#: What the sizes of a comparison have in common.
SERIES = ["operation", "processes", "processes_per_node", "placement"]
JOB_CHANGE_COLUMNS = {
    "stack": KEYS["stack"],
    **{name: KEYS[name] for name in SERIES},
    "ratio": "its time in the jobs `longer_in` over that in `shorter_in`, as far as the other stacks of these jobs do "
    "not differ, too; the median over sizes",
    "longer_in": "jobs in which it takes longer, with blanks",
    "shorter_in": "the other jobs that have it",
    "sizes": "sizes in which all launches of the ones are longer than all of the others",
}


def job_changes(launches: pd.DataFrame) -> pd.DataFrame:
    """`JOB_CHANGE_COLUMNS`. `launches`: stack, `SERIES`, bytes, job and value_us of each launch.

    A change is by `LEAST` at least, and in half of the sizes all launches of the stack lie on one side.
    """
    known = launches[(launches["job"] != "").to_numpy()]
    several = list(known.groupby(SERIES, dropna=False, sort=False))
    lines = []
    for keys, rows in several:
        names, jobs, sizes = (list(dict.fromkeys(rows[name])) for name in ("stack", "job", "bytes"))
        if len(jobs) < 2 or len(names) < FEWEST_LABELS:
            continue
        cells = pd.MultiIndex.from_product([jobs, names, sizes])
        medians = rows.groupby(["job", "stack", "bytes"], sort=False)["value_us"].median().reindex(cells)
        values = np.log(medians.to_numpy(dtype=np.float64)).reshape(len(jobs), len(names), len(sizes))
        for found in changed_labels(values, ALPHA / len(several)):
            apart, both = _apart(rows[rows["stack"] == names[found.label]], values, jobs, sizes, found)
            if found.ratio >= LEAST and 2 * apart >= both:
                ends = (" ".join(str(jobs[job]) for job in some) for some in (found.longer, found.shorter))
                lines.append((names[found.label], *keys, found.ratio, *ends, apart))
    return pd.DataFrame(lines, columns=pd.Index(JOB_CHANGE_COLUMNS))


def _apart(
    rows: pd.DataFrame, values: Values, jobs: list[str], sizes: list[int], found: ChangedLabel
) -> tuple[int, int]:
    """In how many sizes all launches are apart, of how many that both groups of jobs have. `rows`: of the stack."""
    job = rows["job"].map(dict(zip(jobs, range(len(jobs)), strict=True))).to_numpy(dtype=np.intp)
    size = rows["bytes"].map(dict(zip(sizes, range(len(sizes)), strict=True))).to_numpy(dtype=np.intp)
    of_job = common(np.delete(values, found.label, axis=1))
    logs = np.log(rows["value_us"].to_numpy(dtype=np.float64)) - of_job[job, size]
    longer = np.isin(job, found.longer)
    ends = pd.DataFrame({"least": logs[longer]}).groupby(size[longer])["least"].min().to_frame()
    ends["most"] = pd.Series(logs[~longer]).groupby(size[~longer]).max()
    both = ends.dropna()
    return int((both["least"] > both["most"]).sum()), len(both)
