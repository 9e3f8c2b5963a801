# SPDX-License-Identifier: BSD-3-Clause
"""Tables, figures and report from what a run has measured so far, finished or not."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator

from isochron.schemas.layout import RunLayout

STEPS = ("ingest", "analyse", "render")


def make_report(run: RunLayout) -> Iterator[tuple[str, str]]:
    """Each step as it begins, with an empty text; after one that failed, its name and what it said."""
    run.logs.mkdir(parents=True, exist_ok=True)
    for step in STEPS:
        yield step, ""
        command = [sys.executable, "-m", "isochron.postprocess", step, str(run.root)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        (run.logs / f"{step}.log").write_text(done.stdout + done.stderr)
        if done.returncode != 0:
            yield step, (done.stderr or done.stdout).strip() or f"ended with code {done.returncode}"
            return
