# SPDX-License-Identifier: BSD-3-Clause
"""Tables, figures and report from what a run has measured so far, finished or not."""

from __future__ import annotations

import signal
import subprocess
from collections.abc import Iterator, Mapping
from tempfile import TemporaryFile
from typing import IO

from isochron.common.children import python
from isochron.schemas.run.layout import RunLayout
from isochron.workflows.driving.foreign import refuse_links

STEPS = ("ingest", "analyse", "render")


def make_report(
    run: RunLayout, *, to_the_store: bool = False, environment: Mapping[str, str] | None = None
) -> Iterator[tuple[str, str]]:
    """Each step as it begins, with an empty text; after one that failed, its name and what it said.

    One process makes them all, and says a line as each ends; what it complains of goes to the log of the step.
    """
    refuse_links(run)
    run.logs.mkdir(parents=True, exist_ok=True)
    steps = STEPS[:1] if to_the_store else STEPS
    command = python("-m", "isochron.postprocess", steps[0] if to_the_store else "report", str(run.root))
    with (
        TemporaryFile("a+b") as errors,
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, env=environment) as child,
    ):
        try:
            yield from _steps(run, steps, child, errors)
        except BaseException:  # whoever asked for it has gone, or was asked to end
            child.kill()
            raise


def _steps(
    run: RunLayout, steps: tuple[str, ...], child: subprocess.Popen[bytes], errors: IO[bytes]
) -> Iterator[tuple[str, str]]:
    """The same of the process that does it; `errors`: what it has complained of so far."""
    told = 0
    for step in steps:
        yield step, ""
        said = child.stdout.readline() if child.stdout else b""
        code = 0 if said else child.wait()
        errors.seek(told)
        complaints = errors.read()
        told += len(complaints)
        (run.logs / f"{step}.log").write_bytes(said + complaints)
        if not said:
            yield step, _in_a_line(step, code, complaints.decode(errors="replace"))
            return


def _in_a_line(step: str, code: int, complaints: str) -> str:
    """Why a step failed: what it said, the last line of a crash, or the signal that ended it."""
    lines = complaints.strip().splitlines()
    if code < 0:
        return f"{step}: ended by {signal.Signals(-code).name}, perhaps because memory ran out"
    return lines[-1] if lines else f"{step}: ended without a message"
