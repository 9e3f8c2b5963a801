# SPDX-License-Identifier: BSD-3-Clause
"""Slow nodes named from jobs whose sets of nodes overlap, in a run and over runs (`stats/slow_nodes`).

A scan finds slow nodes within an allocation; here the jobs are compared with each other. Jobs of a run are compared
within it; a run with one job is compared with others of the same cases and libraries.
"""

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from isochron.postprocess.estimate.compare.pairs import Rules
from isochron.postprocess.estimate.values.job_list import CLASSES
from isochron.postprocess.ingest.inputs import POINT
from isochron.stats.slow_nodes import JobsOnNodes, NodesOfJobs, slow_nodes

#: Verdicts: what names a node, and what its jobs are too few for.
SLOW, CANNOT = ("slow", "slow, or another"), "cannot name"
#: Columns of `job-nodes.csv`.
JOB_NODE_COLUMNS = {
    "host": "the node",
    "with_it": "of a slow node those that were always in the same jobs, separated by commas: nothing tells them apart",
    "jobs": "jobs in which it was",
    "others": "jobs without it",
    **{
        f"{name}_ratio": f"median of the jobs with it over the median of those without it, in {words}"
        for name, words in CLASSES.items()
    },
    "p_adjusted": "p value that it makes no job slower: exchanges of jobs, corrected over all nodes and both ratios; 1 "
    "where it cannot be named",
    "verdict": "`slow`; `slow, or another` (`rivals`); `as the others`; `not established`; or `cannot name`: whatever "
    "its jobs take, no p could reach the level",
    "rivals": "nodes of which one may be the slow one in place of it, separated by commas",
}
#: Nodes that a sentence names.
MOST_NAMES = 8
#: Jobs that are compared: those of the newest runs, so that what is named is slow now.
MOST_JOBS = 300


def job_nodes(runs: Sequence[pd.DataFrame], rules: Rules) -> pd.DataFrame:
    """`JOB_NODE_COLUMNS`, the smallest p first; empty unless jobs can be compared.

    `runs`: `UNIT_COLUMNS` of each run, the oldest first.
    """
    counts = np.cumsum([frame["job"].nunique() for frame in runs][::-1])[::-1]
    last = len(runs) - 1
    newest = [frame.assign(run=at) for at, frame in enumerate(runs) if at == last or counts[at] <= MOST_JOBS]
    units = pd.concat(newest, ignore_index=True)
    units = units[(units["hosts"] != "").to_numpy(dtype=bool)]
    if len(units):
        units = _in_strata(units)
    if not len(units):
        return pd.DataFrame(columns=list(JOB_NODE_COLUMNS))
    hosts, jobs = _on_nodes(units)
    answer = slow_nodes(jobs, rules.alpha, float(np.log1p(rules.threshold)), rules.seed)
    return _table(hosts, jobs, answer, rules)


def _in_strata(units: pd.DataFrame) -> pd.DataFrame:
    """Units with job and place (numbers) and `stratum`, without jobs that can be compared with no other."""
    units = units.sort_values(["run", "job", *POINT, "hosts"], ignore_index=True)
    units["job"] = units.groupby(["run", "job"], sort=False).ngroup()
    units["place"] = units.groupby("job").cumcount()
    points = units[POINT].astype(str).agg(" ".join, axis=1)
    of_run = units["run"].astype(str) + " " + units["job"].map(points.groupby(units["job"]).agg(";".join))
    several = units["job"].groupby(of_run).transform("nunique") > 1
    alike = units["job"].map(units.groupby("job")["alike"].agg(";".join))
    values = {name: units[name].where(several, np.log(units[f"{name}_us"].astype(float))) for name in CLASSES}
    units = units.assign(stratum=of_run.where(several, alike), **values)
    units = units[units["job"].groupby(units["stratum"]).transform("nunique") > 1]
    return units.assign(job=units.groupby("job").ngroup())


def _on_nodes(units: pd.DataFrame) -> tuple[list[str], JobsOnNodes]:
    """The names of the nodes, and the jobs as arrays. `units`: as `_in_strata` gives them."""
    names = [hosts.split(",") for hosts in units["hosts"]]
    hosts = sorted(set(chain.from_iterable(names)))
    job, place = (units[name].to_numpy(dtype=np.intp) for name in ("job", "place"))
    shape = (int(job.max()) + 1, int(place.max()) + 1)
    members = np.zeros((len(hosts), *shape), dtype=bool)
    number = {host: index for index, host in enumerate(hosts)}
    for line, unit_hosts in enumerate(names):
        members[[number[host] for host in unit_hosts], job[line], place[line]] = True
    values = np.full((*shape, len(CLASSES)), np.nan)
    values[job, place] = units[list(CLASSES)].to_numpy(dtype=np.float64)
    strata = pd.factorize(units.drop_duplicates("job")["stratum"])[0]
    return hosts, JobsOnNodes(members, values, strata.astype(np.intp))


def _table(hosts: list[str], jobs: JobsOnNodes, answer: NodesOfJobs, rules: Rules) -> pd.DataFrame:
    inside = jobs.members.any(axis=2).sum(axis=1)
    slow = {node: named for named in answer.slow for node in named.nodes}
    lines = []
    for node, host in enumerate(hosts):
        ratios, possible = np.exp(answer.effects[node]), answer.least_p[node] <= rules.alpha
        near = not (ratios > 1 + rules.threshold).any()
        verdict, together, rivals = (("as the others" if near else "not established") if possible else CANNOT), "", ""
        if node in slow:
            together = ",".join(hosts[other] for other in slow[node].nodes if other != node)
            rivals = ",".join(hosts[rival] for rival in slow[node].rivals)
            verdict = SLOW[1] if rivals else SLOW[0]
        counts = int(inside[node]), len(jobs.strata) - int(inside[node])
        p_adjusted = float(answer.p[node]) if possible else 1.0
        lines.append((host, together, *counts, *ratios, p_adjusted, verdict, rivals))
    table = pd.DataFrame(lines, columns=list(JOB_NODE_COLUMNS))
    return table.sort_values("p_adjusted", kind="stable", ignore_index=True)


def slow_in_words(table: pd.DataFrame) -> list[str]:
    """Return a sentence for each slow node, the smallest p first. `table`: `JOB_NODE_COLUMNS`."""
    slow = table[table["verdict"].isin(SLOW)].to_dict("records")
    return [_sentence(row) for row in slow if row["host"] == _names(row)[0]]


def cannot_in_words(table: pd.DataFrame) -> str:
    """Return why no node could be named, whatever jobs take; empty if one could, or if no jobs can be compared."""
    if not len(table) or (table["verdict"] != CANNOT).any():
        return ""
    jobs, most = int(table["jobs"].iloc[0] + table["others"].iloc[0]), int(table["jobs"].max())
    if (table["others"] == 0).all():
        return f"cannot name a slow node: all {jobs} jobs ran on the same nodes"
    return f"cannot name a slow node: {jobs} jobs, each node in at most {most} of them"


def _names(row: dict[Any, Any]) -> list[str]:
    return sorted({row["host"], *row["with_it"].split(",")} - {""})


def _sentence(row: dict[Any, Any]) -> str:
    """`Jobs with node n07 take 1.1 times as long as those without it (4 of 40 jobs, p 0.003 over all nodes)`."""
    names, rivals = _names(row), row["rivals"].split(",") if row["rivals"] else []
    ratio = np.nanmax([row[f"{name}_ratio"] for name in CLASSES])
    text = (
        f"Jobs with node {_either(names)} take {ratio:.3g} times as long as those without it ({row['jobs']} of "
        f"{row['jobs'] + row['others']} jobs, p {row['p_adjusted']:.2g} over all nodes)"
    )
    if len(names) > 1:
        text += "; these were always in a job together"
    return f"{text}; instead it may be {_either(rivals)}, in some of these jobs, too" if rivals else text


def _either(names: list[str]) -> str:
    more = f" or one of {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return " or ".join(names[:MOST_NAMES]) + more
