# SPDX-License-Identifier: BSD-3-Clause
"""Tables, figures and report from what a run has measured so far, finished or not."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator

from isochron.ground.children import python
from isochron.schemas.run.layout import RunLayout
from isochron.workflows.driving.foreign import refuse_links

STEPS = ("ingest", "analyse", "render")


def make_report(run: RunLayout) -> Iterator[tuple[str, str]]:
    """Each step as it begins, with an empty text; after one that failed, its name and what it said."""
    refuse_links(run)
    run.logs.mkdir(parents=True, exist_ok=True)
    for step in STEPS:
        yield step, ""
        command = python("-m", "isochron.postprocess", step, str(run.root))
        done = subprocess.run(command, capture_output=True, encoding="utf-8", errors="replace", check=False)
        (run.logs / f"{step}.log").write_text(done.stdout + done.stderr, encoding="utf-8")
        if done.returncode != 0:
            yield step, _in_a_line(step, done)
            return


def _in_a_line(step: str, done: subprocess.CompletedProcess[str]) -> str:
    """Why a step failed: what it said, the last line of a crash, or the signal that ended it."""
    lines = (done.stderr or done.stdout).strip().splitlines()
    if done.returncode < 0:
        return f"{step}: ended by {signal.Signals(-done.returncode).name}, perhaps for want of memory"
    return lines[-1] if lines else f"{step}: ended without a message"
