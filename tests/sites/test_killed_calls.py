# SPDX-License-Identifier: BSD-3-Clause
"""A login node that dies while jobs run: they go on without it, and the next call loses and doubles no launch."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
import yaml

from isochron.schemas.run.layout import RunLayout
from tests.cluster.conftest import CAMPAIGN
from tests.end_to_end.conftest import assert_every_launch_is_stored_once, processes_of
from tests.home import at_home
from tests.sites.launching import PROGRAMS
from tests.sites.test_oar_and_sge import OAR
from tests.sites.test_pbs_campaign import SITE

pytestmark = [pytest.mark.slow, pytest.mark.mpi, pytest.mark.campaign]

#: ReFrame's settings and system of each scheduler; no job gets the environment of the call.
SITES: dict[str, tuple[str, str]] = {
    "pbs": (SITE, "pbs:compute"),
    "oar": (f"site_configuration = {OAR!r}\n", "g5k:compute"),
}
#: So many that jobs still run when the next call has started.
BLOCKS, LAUNCHES = 3, 8


class Site:
    """A folder with a campaign at an imitated site."""

    def __init__(self, folder: Path, scheduler: str) -> None:
        self.folder, self.queue = folder, folder / scheduler
        self.queue.mkdir()
        settings, system = SITES[scheduler]
        (folder / "site.py").write_text(settings)
        site: dict[str, Any] = {
            "reframe_config": "site.py", "system": system, "nodes": 2, "cores_per_node": 2, "parallel_blocks": BLOCKS,
        }  # fmt: skip
        changes = {
            "operations": ["barrier"], "site": site, "processes": [2], "processes_per_node": [1],
            "replication": {"blocks": BLOCKS, "launches_per_block": LAUNCHES},
        }  # fmt: skip
        (folder / "virtual.yaml").write_text(yaml.safe_dump({**CAMPAIGN, **changes}))
        commands = f"{PROGRAMS / scheduler}:{PROGRAMS}:{os.environ['PATH']}"
        self.environment = {**os.environ, **at_home(), "PATH": commands, f"FAKE_{scheduler.upper()}": str(self.queue)}

    def start(self) -> subprocess.Popen[str]:
        """Call `isochron run`."""
        return subprocess.Popen(
            [sys.executable, "-m", "isochron", "run", "virtual.yaml", "--until", "store"], cwd=self.folder,
            env=self.environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        )  # fmt: skip

    @property
    def run(self) -> RunLayout:
        """The newest run."""
        return RunLayout((self.folder / "results" / "virtual" / "latest").resolve())

    def jobs(self) -> dict[str, int]:
        """Sessions of the jobs that run, by number."""
        sessions = {path.stem: int(path.read_text()) for path in self.queue.glob("*.session")}
        return {number: session for number, session in sessions.items() if Path(f"/proc/{session}").is_dir()}

    def submitted(self) -> int:
        """The number of jobs so far."""
        return len(list(self.queue.glob("*.directives")))


@pytest.mark.parametrize("scheduler", SITES)
def test_a_killed_call_loses_and_doubles_no_launch(tmp_path: Path, scheduler: str) -> None:
    if subprocess.run(["unshare", "--uts", "--mount", "hostname", "n1"], check=False).returncode:
        pytest.skip("no host names of one's own here (unshare --uts --mount)")
    site = Site(tmp_path, scheduler)
    call = site.start()
    deadline = time.monotonic() + 300
    while site.submitted() < BLOCKS or not list(site.run.root.glob("attempts/*/*/*.jsonl")):
        assert call.poll() is None and time.monotonic() < deadline
        time.sleep(0.02)
    for pid in processes_of(site.run.root, call.pid) - {0}:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    call.communicate()
    before = site.jobs()
    assert before, "the jobs outlive the processes that submitted them"
    again = site.start()
    output, _ = again.communicate(timeout=600)
    assert again.returncode == 0, output
    assert_every_launch_is_stored_once(site.run)
    assert not site.jobs()
    assert BLOCKS < site.submitted() <= 2 * BLOCKS, "a block whose job was ended is submitted once more"
