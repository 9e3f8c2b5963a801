# SPDX-License-Identifier: BSD-3-Clause
"""`profile-calls.csv`: what profiled programs call, and which cases of the campaign stand for it."""

from __future__ import annotations

import pandas as pd

from isochron.postprocess.estimate.answer.profiles__cover import case_of, standing_for
from isochron.postprocess.ingest.inputs__inputs import CASE
from isochron.postprocess.kit.table__declaration import Table, TableContext
from isochron.postprocess.subjects.profiles.table__programs import baseline_of, profiles_of
from isochron.schemas.profile.profile import Profile
from isochron.schemas.profile.uses import uses

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
    lines = [line for name, profile in profiles_of(context) for line in _program(context, name, profile)]
    return pd.DataFrame(lines, columns=list(CALL_COLUMNS))


def _program(context: TableContext, name: str, profile: Profile) -> list[dict[str, object]]:
    rows = context.used[context.used["stack"] == baseline_of(context, profile)]
    cases = [case_of(row) for row in rows[CASE].drop_duplicates().itertuples(index=False, name=None)]
    total, lines = profile.mpi_seconds or 1.0, []
    for use in uses(profile):
        same = {"program": profile.program, "profile": name, "call": use.name}
        if not use.parts:
            lines.append(_line(same, use.bytes, use.processes, None, use.seconds / total, use.reason))
        for part, share in use.shares:
            places = [] if use.reason else standing_for(part, cases, profile.processes_per_node)
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
