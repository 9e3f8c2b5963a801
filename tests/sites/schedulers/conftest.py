# SPDX-License-Identifier: BSD-3-Clause
"""The job script of a block without launches, as it runs in a job of a scheduler."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.reframe_checks.conftest import FakeRun
from tests.reframe_checks.launch.test_allocation import HOSTS, job
from tests.sites.launching import PROGRAMS


class Job:
    """A job of a scheduler, with its imitated commands on the PATH."""

    def __init__(self, folder: Path) -> None:
        self.run = FakeRun(folder)

    def script(self, scheduler: str, last: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run the script and a last line, with variables of the scheduler."""
        return job(self.run, last, scheduler=scheduler, PATH=f"{PROGRAMS}:{os.environ['PATH']}", **variables)

    def hosts(self, scheduler: str, *, file: tuple[str, str] | None = None, **variables: str) -> str:
        """Return the hosts of the allocation. `file`: a variable, and what the file that it names has."""
        if file is not None:
            path = self.run.bin / "hosts"
            path.write_text(file[1])
            variables[file[0]] = str(path)
        done = self.script(scheduler, HOSTS, **variables)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()


@pytest.fixture
def in_a_job(tmp_path: Path) -> Job:
    return Job(tmp_path)
