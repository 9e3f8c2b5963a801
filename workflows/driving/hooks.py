# SPDX-License-Identifier: BSD-3-Clause
"""Hooks: commands that are called when a run has ended (docs/how-to/schedule-campaigns.md)."""

import os
import signal
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from typing import IO, Literal

from isochron.common.children import python
from isochron.common.files import FileError, read_bytes
from isochron.schemas.input.campaign import Campaign
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.state import RunState
from isochron.workflows.driving.postprocess import compare_runs, format_result
from isochron.workflows.runs import complete_run_before

#: Maximum characters of the summary in a variable: the kernel's limit is 128 KiB.
LONGEST_SUMMARY = 20_000

#: Maximum bytes of a hook's log.
LONGEST_LOG = 1_000_000

#: A Python program that writes the first N bytes of its input. It reads all of it, so that a hook that prints more, or
#: its processes in the background, can continue.
KEEP = """
import os, sys
left = int(sys.argv[1])
while part := os.read(0, 65536):
    if left >= 0:
        os.write(1, part[:left])
        left -= len(part)
        if left < 0:
            os.write(1, b"\\n(the rest is omitted)\\n")
"""

#: Seconds to wait for the last output, since processes that a hook left in the background may print more.
LAST_S = 1.0

Event = Literal["complete", "failure", "regression"]


def event_variables(event: Event, run: RunLayout, state: RunState, details: list[str]) -> dict[str, str]:
    """Return the environment variables of a hook."""
    return {
        "ISOCHRON_EVENT": event,
        "ISOCHRON_CAMPAIGN": state.campaign,
        "ISOCHRON_TITLE": state.title,
        "ISOCHRON_RUN_ID": state.run_id,
        "ISOCHRON_RUN_DIR": str(run.root),
        "ISOCHRON_STATE": state.state,
        "ISOCHRON_REASON": state.reason,
        "ISOCHRON_LAUNCHES": str(state.measured_launches),
        "ISOCHRON_PLANNED": str(state.planned_launches),
        "ISOCHRON_REPORT": str(run.report) if run.report.exists() else "",
        "ISOCHRON_DETAILS": "\n".join(details),
        "ISOCHRON_SUMMARY": summary_of(run),
    }


def summary_of(run: RunLayout) -> str:
    """Return the summary of the report, as Markdown; empty if there is none."""
    try:
        return read_bytes(run.in_words).decode()[:LONGEST_SUMMARY]
    except (OSError, UnicodeDecodeError):
        return ""


def call_hook(event: Event, campaign: Campaign, run: RunLayout, state: RunState, details: list[str]) -> str:
    """Call the hook of an event, if there is one. Returns why it failed; a hook has no other effect.

    Its output goes to log/hook-<event>.log, at most LONGEST_LOG bytes. After `hooks.timeout_seconds` its processes are
    killed.
    """
    hooks = campaign.hooks
    command = {"complete": hooks.on_complete, "failure": hooks.on_failure, "regression": hooks.on_regression}[event]
    if command is None:
        return ""
    log = run.logs / f"hook-{event}.log"
    variables = {**os.environ, **event_variables(event, run, state, details)}
    try:
        with log.open("wb") as output:
            problem = _run(command, variables, output, run, hooks.timeout_seconds)
    except OSError as error:
        problem = str(error)
    return f"hooks.on_{event}: {problem}; see {log}" if problem else ""


def call_hooks(run: RunLayout, campaign: Campaign, state: RunState, problems: list[str]) -> list[str]:
    """Call the hooks for the end of a run; return one line for each that failed.

    An interrupted run calls none.
    """
    failures: list[str] = []
    if state.state == "complete":
        failures.append(call_hook("complete", campaign, run, state, problems))
        slower = regressions(run) if campaign.hooks.on_regression else []
        if slower:
            failures.append(call_hook("regression", campaign, run, state, slower))
    elif state.state in ("failed", "over-budget"):
        failures.append(call_hook("failure", campaign, run, state, problems))
    return [line for line in failures if line]


def regressions(run: RunLayout) -> list[str]:
    """Return one line per result that is slower than in the complete run before; also if they cannot be compared."""
    before = complete_run_before(run)
    if before is None:
        return []
    try:
        rows = compare_runs(before, run)
    except FileError as error:
        return [f"the comparison with {before.run_id} failed: {error}"]
    return [format_result(row) for row in rows if row["verdict"] == "slower"]


def _run(command: str, variables: Mapping[str, str], output: IO[bytes], run: RunLayout, seconds: int) -> str:
    """Run a command in a new session; return what went wrong, empty if nothing did."""
    keeper = subprocess.Popen(
        python("-c", KEEP, str(LONGEST_LOG)),
        stdin=subprocess.PIPE,
        stdout=output,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    child = subprocess.Popen(
        ["bash", "-c", command],
        cwd=run.root,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=keeper.stdin,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    if keeper.stdin:
        keeper.stdin.close()  # only the hook has it open now, so it ends with the hook
    try:
        code = child.wait(seconds)
    except subprocess.TimeoutExpired:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        return f"not finished within {seconds} s"
    finally:
        with suppress(subprocess.TimeoutExpired):
            keeper.wait(LAST_S)
    return f"ended with code {code}" if code else ""
