# SPDX-License-Identifier: BSD-3-Clause
"""Snakemake as a child process: its command, its environment, its end."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from isochron.common.children import PYTHON_ENVIRONMENT, python
from isochron.common.files import read_lines
from isochron.common.resources import shipped
from isochron.compat.messages import snakemake_error
from isochron.schemas.run.layout import RunLayout
from isochron.schemas.run.manifest import REBUILD
from isochron.workflows.driving.lock import RUN_VARIABLE, end_survivors

WORKFLOWS = shipped("workflows")

#: Beginning of the line before the output of each call of Snakemake in the log.
CALL = "==== isochron run, "


def command(run: RunLayout, extra: list[str]) -> list[str]:
    """Return the command line; `extra` comes last, and therefore overrides."""
    return [
        *python("-m", "isochron.workflows.driving.block_executor"),
        *("--snakefile", str(WORKFLOWS / "Snakefile")),
        *("--workflow-profile", str(WORKFLOWS / "profiles" / "default")),
        *("--directory", str(run.root)),
        *("--executor", "blocks", "--jobs", "unlimited", "--max-jobs-per-timespan", "1000000/1s"),
        *extra,
    ]


def environment(run: RunLayout, *, rebuild: bool = False) -> dict[str, str]:
    """Return this environment, with this Python first, and with the variable that marks processes of the run."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"
    changes = {"PATH": path, RUN_VARIABLE: str(run.root), "PYTHONUNBUFFERED": "1"}
    return {**os.environ, **PYTHON_ENVIRONMENT, **changes, **({REBUILD: "1"} if rebuild else {})}


@contextmanager
def forward_interrupts() -> Iterator[None]:
    """Let processes started in the context receive interrupts, although shells let background jobs ignore them."""
    previous = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, previous)


def log_of(run: RunLayout) -> Path:
    """Return the log of Snakemake's output, over all calls."""
    return run.logs / "snakemake.log"


def own_error(run: RunLayout) -> str:
    """Return Snakemake's own error in its last call as one line; empty if a job failed or nothing did."""
    path = log_of(run)
    return snakemake_error("\n".join(read_lines(path)).rpartition(CALL)[2]) if path.is_file() else ""


def start(run: RunLayout, extra: list[str], *, rebuild: bool = False) -> subprocess.Popen[bytes]:
    """Start Snakemake in a new session; its output goes to log/snakemake.log, after a line with the time."""
    run.logs.mkdir(parents=True, exist_ok=True)
    with log_of(run).open("ab") as log, forward_interrupts():
        log.write(f"{CALL}{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}\n".encode())
        log.flush()
        return subprocess.Popen(
            command(run, extra),
            cwd=run.root,
            env=environment(run, rebuild=rebuild),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )


def start_no_more(child: subprocess.Popen[bytes]) -> None:
    """Let Snakemake end when the jobs under way have ended."""
    with suppress(ProcessLookupError):
        os.kill(child.pid, signal.SIGTERM)


def stop(child: subprocess.Popen[bytes], run: RunLayout, patience: float = 15.0) -> None:
    """End Snakemake and its processes: first by signals that it can handle, then by SIGKILL."""
    for number, seconds in ((signal.SIGINT, patience), (signal.SIGTERM, 5.0), (signal.SIGKILL, 5.0)):
        if child.poll() is not None:
            break
        with suppress(ProcessLookupError):
            os.killpg(child.pid, number)
        with suppress(subprocess.TimeoutExpired):
            child.wait(seconds)
    end_survivors(run)
