# SPDX-License-Identifier: BSD-3-Clause
"""The launchers of five libraries give a process with two threads two cores, wherever its host is prescribed or not."""

from __future__ import annotations

import os
import socket
import subprocess
from pathlib import Path

import pytest

from isochron.reframe_checks.launch.launchers import launcher_commands
from isochron.schemas.run.binding import parse_numbers
from isochron.schemas.run.plan import Point
from tests.engine.support import LIBRARIES, wheels_stack

pytestmark = [pytest.mark.mpi, pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two cores")]

POINT = Point(processes=1, processes_per_node=1, placement="packed")
PRINT = ["sed", "-n", r"s/^Cpus_allowed_list:\s*//p", "/proc/self/status"]


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", LIBRARIES)
def test_a_process_has_a_core_for_each_thread(name: str, threads: int, tmp_path: Path) -> None:
    stack, hosts = wheels_stack(name), tmp_path / "hosts"
    hosts.write_text(f"{socket.gethostname()}\n")
    for named in (False, True):
        words = launcher_commands(stack.launcher, POINT, name, threads=threads, named_hosts=named)["stack"]
        words = [word.replace("{host_file}", str(hosts)).replace("{hosts}", socket.gethostname()) for word in words]
        done = subprocess.run([*words, *PRINT], env=stack.env, capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0, done.stderr
        assert len(parse_numbers(done.stdout.strip())) == threads, words
