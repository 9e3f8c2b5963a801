# SPDX-License-Identifier: BSD-3-Clause
"""References for the ReFrame checks of a site, with how often a check that uses them fails though nothing changed."""

import json
import sys

import pandas as pd

from isochron.common.files import FileError
from isochron.common.text import first_of
from isochron.postprocess.estimate.compare.references import FALSE_ALARMS, FEWEST, References, references
from isochron.postprocess.ingest.inputs import RunInputs

#: The key of the file that is no system.
ABOUT = "about"
#: Results without a reference that the terminal names.
NAMED = 3


def reference(runs: list[RunInputs]) -> str:
    """`{"about": …, system: {stack/operation/bytes/processes x per node/placement: [µs, lower, upper, "us"]}}` as JSON.

    Below the system is ReFrame's `reference`: bounds are relative to the value. `runs` in the order of time. Results
    without a reference are named in the file, and the first of them on the standard error. Raises FileError if no
    result has one.
    """
    campaign, found = runs[-1].campaign, references(runs)
    if not len(found.rows):
        raise FileError(
            f"{campaign.name}: no result has {FEWEST} jobs or {FEWEST} runs on its present level; complete runs: "
            f"{len(runs)}"
        )
    names = _names(found.left_out)
    if names:
        print(f"{campaign.name}: without a reference: {first_of(names, NAMED)}", file=sys.stderr)
    lines = {
        name: [float(f"{row['value_us']:.6g}"), round(row["lower"], 4), round(row["upper"], 4), "us"]
        for name, row in zip(_names(found.rows), found.rows.to_dict("records"), strict=True)
    }
    document = {ABOUT: _about(campaign.name, len(runs), found), campaign.site.system or "*": lines}
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def _about(campaign: str, runs: int, found: References) -> dict[str, object]:
    """What the references are from, and how often they fail a check of a machine where nothing changed."""
    by_jobs = found.rows["jobs"] > 0
    words = []
    if by_jobs.any():
        rate = f"{100 * FALSE_ALARMS:g} %"
        words.append(
            f"from_jobs: with nothing changed, a result of another job with as many launches is outside of its bounds "
            f"in at most {rate} of jobs, half of them above; results of a job are outside together more often than "
            f"alone"
        )
        if found.judged:
            words.append(f"of {found.judged} jobs held against the others, a result was outside in {found.alarmed}")
    if not by_jobs.all():
        words.append(
            f"from_runs: fewer than {FEWEST} jobs are known, so the bounds are the largest distance of a run, and how "
            f"often another is outside is not known"
        )
    return {
        "campaign": campaign,
        "runs": runs,
        "false_alarm_rate": FALSE_ALARMS if by_jobs.all() else None,
        "false_alarms": "; ".join(words),
        "from_jobs": _counts(found.rows[by_jobs], "jobs"),
        "from_runs": _counts(found.rows[~by_jobs], "runs"),
        "left_out": dict(zip(_names(found.left_out), found.left_out["reason"], strict=True)),
    }


def _counts(rows: pd.DataFrame, column: str) -> dict[str, int]:
    return dict(zip(_names(rows), rows[column].tolist(), strict=True))


def _names(rows: pd.DataFrame) -> list[str]:
    """`stack/operation/bytes/processes x per node/placement` of each row."""
    return [
        f"{row['stack']}/{row['operation']}/{row['bytes']}/{row['processes']}x{row['processes_per_node']}"
        f"/{row['placement']}"
        for row in rows.to_dict("records")
    ]
