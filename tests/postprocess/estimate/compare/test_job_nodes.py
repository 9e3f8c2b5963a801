# SPDX-License-Identifier: BSD-3-Clause
"""Nodes of the jobs of a run and of several runs: who is named, in which words, and why nobody can be."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from isochron.postprocess.estimate.compare.job_nodes import (
    JOB_NODE_COLUMNS,
    cannot_in_words,
    job_nodes,
    slow_in_words,
)
from isochron.postprocess.estimate.compare.pairs import Rules

RULES = Rules(0.03, 0.95)
HOSTS = [f"n{number:02d}" for number in range(12)]


def units(jobs: int, slow: str, seed: int, level: float = 1.0, first: int = 0) -> pd.DataFrame:
    """Jobs on 3 of 12 nodes each; those with the slow one take a tenth longer, and a job varies by 1 %."""
    rng = np.random.default_rng(seed)
    lines = []
    for job in range(first, first + jobs):
        hosts = sorted(rng.choice(HOSTS, 3, replace=False).tolist())
        log = 0.01 * rng.normal() + (np.log(1.1) if slow in hosts else 0)
        lines.append((f"{job}", 24, 8, "packed", ",".join(hosts), log, log))
    table = pd.DataFrame(
        lines, columns=["job", "processes", "processes_per_node", "placement", "hosts", "small", "large"]
    )
    times = {f"{name}_us": level * np.exp(table[name]) for name in ("small", "large")}
    table[["small", "large"]] -= table[["small", "large"]].mean()
    return table.assign(**times, alike="c")


def test_a_slow_node_of_a_run_is_named() -> None:
    table = job_nodes([units(40, "n07", 1)], RULES)
    assert list(table.columns) == list(JOB_NODE_COLUMNS)
    assert table["verdict"].tolist()[0] == "slow" and set(table["verdict"][1:]) <= {"as the others", "not established"}
    row = table.iloc[0]
    assert (row["host"], row["with_it"], row["rivals"]) == ("n07", "", "")
    assert row["jobs"] + row["others"] == 40
    assert row["small_ratio"] == pytest.approx(1.1, abs=0.02)
    (sentence,) = slow_in_words(table)
    assert sentence.startswith("Jobs with node n07 take 1.11 times as long as those without it (")
    assert f"({row['jobs']} of 40 jobs, p 0.0001 over all nodes)" in sentence
    assert cannot_in_words(table) == ""


def test_nodes_that_are_always_together_have_one_sentence() -> None:
    frame = units(40, "n07", 1)
    frame["hosts"] = frame["hosts"].str.replace("n07", "n07,n99")
    table = job_nodes([frame], RULES)
    assert table.loc[table["verdict"] == "slow", "with_it"].tolist() == ["n99", "n07"]
    (sentence,) = slow_in_words(table)
    assert sentence.startswith("Jobs with node n07 or n99 take")
    assert sentence.endswith("; these were always in a job together")


def test_a_node_with_almost_the_same_jobs_is_named_as_another() -> None:
    frame = units(40, "n07", 1)
    hosts = frame["hosts"].where(~frame["hosts"].str.contains("n07"), frame["hosts"] + ",n99")
    hosts.iloc[int(frame["hosts"].str.contains("n07").idxmax())] = "n00,n07"
    table = job_nodes([frame.assign(hosts=hosts)], RULES)
    assert table["verdict"].iloc[0] == "slow, or another"
    (sentence,) = slow_in_words(table)
    assert {"n07", "n99"} <= {table["host"].iloc[0], *table["rivals"].iloc[0].split(",")}
    assert "; instead it may be " in sentence


def test_few_jobs_cannot_name_a_node_and_say_so() -> None:
    table = job_nodes([units(4, "n07", 2)], RULES)
    assert set(table["verdict"]) == {"cannot name"}
    most = int(table["jobs"].max())
    assert cannot_in_words(table) == f"cannot name a slow node: 4 jobs, each node in at most {most} of them"
    alike = job_nodes([units(4, "n07", 2).assign(hosts="n01,n07")], RULES)
    assert cannot_in_words(alike) == "cannot name a slow node: all 4 jobs ran on the same nodes"
    one = job_nodes([units(1, "n07", 2)], RULES)
    assert not len(one) and list(one.columns) == list(JOB_NODE_COLUMNS)
    assert (slow_in_words(one), cannot_in_words(one)) == ([], "")


def test_runs_of_one_job_are_compared_with_each_other() -> None:
    """Forty nights of one job each: a job has no ratio to others of its run; another library is another stratum."""
    nights = [units(1, "n07", seed, level=5.0) for seed in range(40)]
    assert job_nodes(nights, RULES)["host"].iloc[0] == "n07"
    assert slow_in_words(job_nodes(nights, RULES))
    changed = [night.assign(alike=f"{seed}") for seed, night in enumerate(nights)]
    assert not len(job_nodes(changed, RULES))


def test_jobs_of_a_run_are_compared_within_it() -> None:
    """Each night has a level of its own, which is no node's."""
    nights = [units(4, "n07", seed, level=float(np.exp(0.3 * seed))) for seed in range(12)]
    table = job_nodes(nights, RULES)
    assert table["host"].iloc[0] == "n07" and table["verdict"].iloc[0] == "slow"
    assert table["jobs"].iloc[0] + table["others"].iloc[0] == 48
