# SPDX-License-Identifier: BSD-3-Clause
"""`profiles.csv` and `profile-calls.csv`: profiled programs, and the cases that match their calls."""

from math import isnan
from pathlib import Path

import pandas as pd

from isochron.postprocess.estimate.answer.profiles import Prediction, case_of, matching_cases, predict
from isochron.postprocess.ingest.inputs import CASE
from isochron.postprocess.kit.table import Table, TableContext
from isochron.schemas.profile.profile import Profile, load_profile
from isochron.schemas.profile.uses import uses

PROFILE_COLUMNS = {
    "program": "program that was profiled",
    "profile": "its profile",
    "processes": "processes of the job",
    "mpi_seconds": "time of a process in MPI, in the mean, without MPI_Init and MPI_Finalize",
    "baseline": "stack of the campaign under which the program ran; empty where it has none",
    "candidate": "stack in its place",
    "covered_share": "part of that time in calls that the campaign measured",
    "explained_share": "of that, the part for which calls × measured times account; the rest is waiting, or calls "
    "that took longer than in the campaign",
    "ratio": "time in MPI with the candidate over that with the baseline; empty where nothing can be said",
    "ratio_low": "lower end of its interval",
    "ratio_high": "upper end of it",
    "blocks": "blocks that it rests on",
    "verdict": "`slower` or `faster` beyond the practical threshold, `equivalent` within it, `inconclusive`, or "
    "`not-predicted`",
    "leads": "whether no stack is shown to take less time than this one",
    "reason": "why nothing is predicted",
}


def profiles_of(context: TableContext) -> list[tuple[str, Profile]]:
    """The profiles that the campaign names, with the names of their files. Raises FileError."""
    paths = [Path(each) for each in context.inputs.campaign.analysis.profiles]
    return [(path.name, load_profile(path)) for path in paths]


def baseline_of(context: TableContext, profile: Profile) -> str:
    """The stack whose library said what the program's said; a variant only if there is nothing else."""
    stacks = [
        (bool(each.variant_of), stack)
        for stack, each in context.inputs.manifests.items()
        if each.mpi_library_version.splitlines()[0].strip() == profile.library.strip()
    ]
    return min(stacks)[1] if stacks else ""


def make_programs(context: TableContext) -> pd.DataFrame:
    """`PROFILE_COLUMNS`: a line for each program and stack but the one that it ran under."""
    lines = [line for name, profile in profiles_of(context) for line in _profiled_program(context, name, profile)]
    return pd.DataFrame(lines, columns=list(PROFILE_COLUMNS))


def _profiled_program(context: TableContext, name: str, profile: Profile) -> list[dict[str, object]]:
    baseline = baseline_of(context, profile)
    same = {
        "program": profile.program,
        "profile": name,
        "processes": profile.processes,
        "mpi_seconds": profile.mpi_seconds,
        "baseline": baseline,
    }
    if not baseline:
        reason = f"the campaign did not measure the library that it ran under: {profile.library}"
        return [same | {"verdict": "not-predicted", "reason": reason, "candidate": "", "leads": False}]
    others = [stack for stack in context.inputs.campaign.stacks if stack != baseline]
    predictions = {stack: predict(context.used, profile, baseline, stack, context.rules.confidence) for stack in others}
    # The baseline itself takes what it took.
    least = min([1.0, *(each.high for each in predictions.values() if not isnan(each.high))])
    return [
        same
        | {
            "candidate": stack,
            "covered_share": each.covered,
            "explained_share": each.explained,
            "ratio": each.ratio,
            "ratio_low": each.low,
            "ratio_high": each.high,
            "blocks": each.blocks,
            "verdict": _verdict(each, context.rules.threshold),
            "leads": each.low <= least,
            "reason": each.reason,
        }
        for stack, each in predictions.items()
    ]


def _verdict(prediction: Prediction, threshold: float) -> str:
    if prediction.reason:
        return "not-predicted"
    if prediction.low > 1 + threshold:
        return "slower"
    if prediction.high < 1 / (1 + threshold):
        return "faster"
    return (
        "equivalent" if prediction.low >= 1 / (1 + threshold) and prediction.high <= 1 + threshold else "inconclusive"
    )


PROGRAMS = Table(
    name="profiles",
    columns=PROFILE_COLUMNS,
    make=make_programs,
    holds="what each stack would make of the time that profiled programs spend in MPI",
    applies=lambda campaign: bool(campaign.analysis.profiles),
)


CALL_COLUMNS = {
    "program": "program that was profiled",
    "profile": "its profile",
    "call": "MPI operation; `messages`: sends, receives, and waiting for them",
    "bytes": "size, as the campaign defines it for the operation",
    "processes": "processes of the communicator; 0 where there is none",
    "calls": "calls of a process, in the mean",
    "time_share": "part of the program's time in MPI; that of messages by their number and size",
    "operation": "operation of the campaign that stands for it; empty: none does",
    "sizes": "the sizes at which that was measured, with blanks",
    "reason": "why nothing stands for it",
}


def make_calls(context: TableContext) -> pd.DataFrame:
    """`CALL_COLUMNS`: what takes the longest first, program by program."""
    lines = [line for name, profile in profiles_of(context) for line in _called_program(context, name, profile)]
    return pd.DataFrame(lines, columns=list(CALL_COLUMNS))


def _called_program(context: TableContext, name: str, profile: Profile) -> list[dict[str, object]]:
    rows = context.used[context.used["stack"] == baseline_of(context, profile)]
    cases = [case_of(row) for row in rows[CASE].drop_duplicates().itertuples(index=False, name=None)]
    total, lines = profile.mpi_seconds or 1.0, []
    for use in uses(profile):
        same = {"program": profile.program, "profile": name, "call": use.name}
        if not use.parts:
            lines.append(_line(same, use.bytes, use.processes, None, use.seconds / total, use.reason))
        for part, share in use.shares:
            places = [] if use.reason else matching_cases(part, cases, profile.processes_per_node)
            reason = "" if places else use.reason or "the campaign did not measure it"
            line = _line(same, part.bytes, part.processes, part.calls, share * use.seconds / total, reason)
            sizes = sorted(cases[place][1] for place, _ in places)
            operation = cases[places[0][0]][0] if places else ""
            lines.append(line | {"operation": operation, "sizes": " ".join(map(str, sizes))})
    return lines


def _line(
    same: dict[str, str], size: int, processes: int, calls: float | None, share: float, reason: str
) -> dict[str, object]:
    return {
        **same, "bytes": size, "processes": processes, "calls": calls, "time_share": share, "operation": "", "sizes":
        "", "reason": reason,
    }  # fmt: skip


CALLS = Table(
    name="profile-calls",
    columns=CALL_COLUMNS,
    make=make_calls,
    holds="what profiled programs call of MPI, and which cases stand for it",
    applies=lambda campaign: bool(campaign.analysis.profiles),
)
