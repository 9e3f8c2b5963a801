# SPDX-License-Identifier: BSD-3-Clause
"""The jobs of a run: when and where each ran, and the factor by which all its times differ from those of the others.

Model, in logarithms: the value of a case in a job is that of the case + that of the job (`stats/job_components`). The
interval of a factor is Student's t with what launches of a job differ by, as the mean over their cases, in all jobs
together: it is of the job as it was measured, and says nothing of others.
"""

from hashlib import sha256

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from isochron.postprocess.estimate.values.jobs import SIZE_CLASSES
from isochron.postprocess.ingest.inputs import CASE, POINT, RESULT_KEY
from isochron.stats.job_components import components, job_effects
from isochron.stats.launches import Index, Values
from isochron.stats.slow_jobs import odd_jobs
from isochron.stats.slow_nodes import Mask

#: Classes of sizes: to 16 KiB a job does to all sizes what it does not to larger ones (`values/jobs`).
CLASSES = {"small": "messages of up to 16 KiB", "large": "larger messages"}


def _of_class(name: str, words: str) -> dict[str, str]:
    return {
        f"{name}_ratio": f"its times of {words} over those of the run's jobs with the same cases, in the mean of "
        "logarithms over cases; empty: no other job has them",
        f"{name}_low": "lower end of the interval of that ratio; empty if no job has several launches",
        f"{name}_high": "upper end of that interval",
        f"{name}_cases": "cases (each of one stack) of which it is the mean",
        f"{name}_verdict": "`slow`, `fast`: in it all stacks take longer, or less long, than in the other jobs by more "
        "than the practical threshold: the job, no library; empty: not established",
        f"{name}_shared": "of such a job the median over stacks of their times over those in the other jobs",
        f"{name}_p": "its p value, for all jobs and both classes of sizes",
    }


#: Columns of `job-list.csv`.
JOB_LIST_COLUMNS = {
    "job": "the job, as its scheduler names it",
    "nodes": "nodes on which its launches ran",
    "started_at": "start of its first launch (UTC)",
    "ended_at": "end of its last launch (UTC)",
    "blocks": "its blocks, separated by commas",
    "launches": "its launches with a time",
    "placement": "how processes were placed on the nodes, separated by commas",
    **{column: meaning for name, words in CLASSES.items() for column, meaning in _of_class(name, words).items()},
    "load": "largest load average (one minute) of a node before its first launch; empty: not recorded",
    "cache_line_ns": "median of the readings of the cache line in its launches; empty: not read",
    "network_us": "median of the readings of the network; empty: not read",
    "switches": "switches of its nodes, as Slurm names them, separated by commas; empty: not known",
    "hosts": "its nodes, separated by commas",
}
#: What is read of each launch.
OF_LAUNCH = [
    "launch_id", "started_at", "duration_s", "placement", "hosts", "switches", "load", "cache_line_ns", "network_us",
]  # fmt: skip

#: Share of a job's shift (logarithm) by which two groups of launches may differ from it and still be of the job.
GROUPS_ALIKE = 0.25
#: What a node is sought by: the jobs, and their points on other nodes.
UNIT = ["job", *POINT, "hosts"]
#: Columns of what is saved of jobs for the search for slow nodes, here and over runs (`compare/job_nodes`).
UNIT_COLUMNS = {
    "job": JOB_LIST_COLUMNS["job"],
    **{name: f"point: {name}" for name in POINT},
    "hosts": "nodes of the launches, separated by commas",
    **{name: f"logarithm of its ratio to the others of the run in {words}" for name, words in CLASSES.items()},
    **{f"{name}_us": f"geometric mean of its values in {words}" for name, words in CLASSES.items()},
    "alike": "hash of its cases and libraries: units with the same can be compared with those of other runs",
}


def job_list(rows: pd.DataFrame, launches: pd.DataFrame, confidence: float, threshold: float) -> pd.DataFrame:
    """`JOB_LIST_COLUMNS`, in order of time.

    `rows`: RESULT_KEY, job, block, launch and value_us of each launch and case; `launches`: `OF_LAUNCH`; `threshold`:
    the practical one, as a difference of ratios.
    """
    known = rows[(rows["job"] != "").to_numpy()]
    if not len(known):
        return pd.DataFrame(columns=list(JOB_LIST_COLUMNS))
    of_launch = known[["launch", "job", "block"]].drop_duplicates()
    of_launch = of_launch.merge(launches[OF_LAUNCH], left_on="launch", right_on="launch_id")
    lines = [_line(str(job), part) for job, part in of_launch.sort_values("started_at").groupby("job", sort=False)]
    table = pd.DataFrame(lines).set_index("job", drop=False)
    for name, part in _by_class(known).items():
        factors = _factors(part, "job", confidence).reindex(table.index)
        table = table.assign(**{
            f"{name}_ratio": np.exp(factors["effect"]), f"{name}_low": np.exp(factors["effect"] - factors["half"]),
            f"{name}_high": np.exp(factors["effect"] + factors["half"]),
            f"{name}_cases": factors["cases"].fillna(0).astype(int),
        })  # fmt: skip
        table = table.join(_verdicts(part, (1 - confidence) / len(CLASSES), threshold).add_prefix(f"{name}_"))
    table = table.assign(**{f"{name}_verdict": table[f"{name}_verdict"].fillna("") for name in CLASSES})
    return table.reset_index(drop=True)[list(JOB_LIST_COLUMNS)]


def _line(job: str, launches: pd.DataFrame) -> dict[str, object]:
    hosts = sorted({host for names in launches["hosts"] for host in names.split(",")})
    ended = launches["started_at"] + pd.to_timedelta(launches["duration_s"], unit="s")
    return {
        "job": job,
        "nodes": len(hosts),
        "started_at": launches["started_at"].min().isoformat(timespec="seconds"),
        "ended_at": ended.max().isoformat(timespec="seconds"),
        "blocks": ",".join(map(str, sorted(set(launches["block"])))),
        "launches": launches["launch"].nunique(),
        "placement": _listed(launches["placement"]),
        "load": launches["load"].iloc[0],
        "cache_line_ns": launches["cache_line_ns"].median(),
        "network_us": launches["network_us"].median(),
        "switches": _listed(launches["switches"]),
        "hosts": ",".join(hosts),
    }


def _listed(names: pd.Series) -> str:
    return ",".join(sorted({name for several in names for name in several.split(",")} - {""}))


def _by_class(rows: pd.DataFrame) -> dict[str, pd.DataFrame]:
    small = (rows["bytes"] < SIZE_CLASSES[0]).to_numpy()
    return dict(zip(CLASSES, (rows[small], rows[~small]), strict=True))


def _verdicts(rows: pd.DataFrame, alpha: float, threshold: float) -> pd.DataFrame:
    """Return verdict, shared and p of the jobs that are slow or fast for all stacks, by job. `rows`: of a class."""
    lines = {}
    if len(rows):
        stacks, jobs = rows["stack"].unique(), rows["job"].unique()
        case = rows.groupby(CASE, sort=False).ngroup()
        of_blocks = np.log(rows.groupby(["job", "block", "stack", case])["value_us"].median()).unstack()
        of_jobs = np.log(rows.groupby(["job", "stack", case])["value_us"].median()).unstack()
        blocks = of_blocks.index.droplevel("stack").unique()
        values = _filled(of_jobs, pd.MultiIndex.from_product([jobs, stacks]), len(jobs))
        pairs = pd.MultiIndex.from_tuples([(*block, stack) for block in blocks for stack in stacks])
        job_of_block = pd.Index(jobs).get_indexer(blocks.get_level_values("job"))
        odd = odd_jobs(values, _filled(of_blocks, pairs, len(blocks)), job_of_block.astype(np.intp), alpha)
        for line in odd:
            if max(line.ratio, 1 / line.ratio) >= 1 + threshold:
                verdict = "slow" if line.ratio > 1 else "fast"
                lines[jobs[line.job]] = (verdict, line.ratio, min(1.0, len(CLASSES) * line.p_value))
    return pd.DataFrame.from_dict(lines, orient="index", columns=["verdict", "shared", "p"])


def groups_of_jobs(rows: pd.DataFrame, jobs: pd.DataFrame) -> Mask:
    """Return of each row with two groups of launches whether these are as far apart as a slow or fast job of its size.

    `rows`: bytes and mode_ratio; `jobs`: `JOB_LIST_COLUMNS`.
    """
    explained = np.zeros(len(rows), dtype=bool)
    modes = np.log(rows["mode_ratio"].to_numpy(dtype=np.float64))
    small = (rows["bytes"] < SIZE_CLASSES[0]).to_numpy()
    for name, of_class in zip(CLASSES, (small, ~small), strict=True):
        for shared in jobs[f"{name}_shared"].dropna():
            shift = abs(np.log(shared))
            explained |= of_class & (np.abs(modes - shift) <= GROUPS_ALIKE * shift)
    return explained


def _filled(table: pd.DataFrame, index: pd.MultiIndex, number: int) -> Values:
    """Return (number, stacks, cases) of a table by job or block, and stack; NaN if missing."""
    values = table.reindex(index).to_numpy(dtype=np.float64)
    return values.reshape(number, -1, values.shape[1])


def job_units(rows: pd.DataFrame, launches: pd.DataFrame) -> pd.DataFrame:
    """`UNIT_COLUMNS`. `rows`: as for `job_list`; `launches`: launch_id, hosts and mpi_version."""
    known = rows[(rows["job"] != "").to_numpy()]
    if not len(known):
        return pd.DataFrame(columns=list(UNIT_COLUMNS))
    known = known.merge(launches[["launch_id", "hosts", "mpi_version"]], left_on="launch", right_on="launch_id")
    known = known.assign(unit=known.groupby(UNIT, sort=False).ngroup())
    table = known.drop_duplicates("unit")[[*UNIT, "unit"]].set_index("unit")
    hashed = pd.util.hash_pandas_object(known[[*RESULT_KEY, "mpi_version"]], index=False)
    table["alike"] = hashed.groupby(known["unit"]).agg(_digest)
    for name, part in _by_class(known).items():
        medians = part.groupby(["unit", *RESULT_KEY])["value_us"].median()
        table[name] = _factors(part, "unit", None)["effect"]
        table[f"{name}_us"] = np.exp(np.log(medians).groupby("unit").mean())
    return table.reset_index(drop=True)[list(UNIT_COLUMNS)]


def _digest(cases: pd.Series) -> str:
    return sha256(np.unique(cases.to_numpy()).tobytes()).hexdigest()[:16]


def _factors(rows: pd.DataFrame, unit: str, confidence: float | None) -> pd.DataFrame:
    """Return effect, half of its interval (logarithms; NaN without a confidence), and cases, by unit.

    `rows`: `unit`, RESULT_KEY, launch and value_us.
    """
    if not len(rows):
        return pd.DataFrame(columns=["effect", "half", "cases"], dtype=np.float64)
    case = rows.groupby(RESULT_KEY, sort=False).ngroup().to_numpy(dtype=np.intp)
    number, names = pd.factorize(rows[unit])
    medians = np.log(rows["value_us"].groupby([number, case]).median().unstack().to_numpy(dtype=np.float64))
    effects = job_effects(medians)
    half = np.full(len(names), np.nan)
    if confidence is not None:
        logs = np.log(rows["value_us"].to_numpy(dtype=np.float64))
        centres = np.nanmean(medians - np.nan_to_num(effects)[:, None], axis=0)
        rests = pd.Series(logs - centres[case] - np.nan_to_num(effects)[number])
        half = _half(rests.groupby([number, rows["launch"].to_numpy()]).mean(), len(names), confidence)
    counted = np.isfinite(medians).sum(axis=1)
    return pd.DataFrame({"effect": effects, "half": half, "cases": counted}, index=names)


def _half(of_launch: pd.Series, jobs: int, confidence: float) -> Values:
    """Half of the interval of each job. `of_launch`: what each launch differs by, by job and launch."""
    job: Index = of_launch.index.get_level_values(0).to_numpy(dtype=np.intp)
    counts = np.bincount(job, minlength=jobs)
    values = np.full((jobs, int(counts.max()), 1, 1), np.nan)
    values[job, of_launch.groupby(level=0).cumcount().to_numpy(), 0, 0] = of_launch.to_numpy(dtype=np.float64)
    spread = components(values, confidence)
    variance, freedom = float(spread.variance[1, 0]), float(spread.freedom[1, 0])
    if not freedom > 0:
        return np.full(jobs, np.nan)
    return np.asarray(stdtrit(freedom, (1 + confidence) / 2) * np.sqrt(variance / np.maximum(counts, 1)))
