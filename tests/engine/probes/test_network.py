# SPDX-License-Identifier: BSD-3-Clause
"""The network between hosts: datagrams where they pass, else the library's own ping-pong, marked as such.

Processes of this machine say that they are on several hosts; the datagrams go over its own address.
"""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from isochron.schemas.run.launch_file import LaunchFile, read_launch
from isochron.schemas.run.records import ProbesAtStart
from tests.engine.support import Mpi

pytestmark = pytest.mark.mpi

#: As many processes on each host as the variable says.
HOSTS = """
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
int MPI_Get_processor_name(char *name, int *length)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    *length = snprintf(name, MPI_MAX_PROCESSOR_NAME, "h%d", rank / atoi(getenv("ON_A_HOST")));
    return MPI_SUCCESS;
}
"""
WORDS = ("--operations", "allreduce", "--sizes", "8", "--stop", "time", "--output", "out.jsonl")
#: Seconds of a launch; the longer ones for a busy machine, on which the engine pauses long after a long reading.
BUDGETS = ("0.3", "3", "30")


@pytest.fixture(scope="module")
def hosts(mpi: Mpi, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What makes processes believe that they are on several hosts."""
    folder = tmp_path_factory.mktemp("hosts")
    (folder / "hosts.c").write_text(HOSTS)
    subprocess.run([mpi.cc, "-shared", "-fPIC", "-o", folder / "hosts.so", folder / "hosts.c"], env=mpi.env, check=True)
    return folder / "hosts.so"


class Launches:
    """Launches of this engine on made-up hosts."""

    def __init__(self, mpi: Mpi, engine: Path, shim: Path, folder: Path) -> None:
        self._mpi, self._engine, self._shim, self._folder = mpi, engine, shim, folder

    def until(self, has_it: Callable[[LaunchFile], object], *words: str) -> LaunchFile:
        """One that has what a test is about, or the longest; skips where there is no network."""
        for seconds in BUDGETS:
            launch = self.run(*words, seconds=seconds)
            by_datagrams(launch)
            if has_it(launch):
                break
        return launch

    def run(self, *words: str, processes: int = 2, on_a_host: int = 1, seconds: str = BUDGETS[0]) -> LaunchFile:
        """The raw file of one, which is as it should be."""
        output = self._folder / "out.jsonl"
        output.unlink(missing_ok=True)
        hosts = ["env", f"LD_PRELOAD={self._shim}", f"ON_A_HOST={on_a_host}"]
        done = subprocess.run(
            self._mpi.launch(processes, [*hosts, self._engine, *WORDS, "--time-budget", seconds, *words]),
            cwd=self._folder, env=self._mpi.env, capture_output=True, text=True, timeout=900, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        return read_launch(output)


@pytest.fixture
def launches(mpi: Mpi, engine: Path, hosts: Path, tmp_path: Path) -> Launches:
    """Launches in an empty folder."""
    return Launches(mpi, engine, hosts, tmp_path)


def start(launch: LaunchFile) -> ProbesAtStart:
    """What the header says of interference."""
    assert launch.header.probes is not None
    return launch.header.probes


def readings(launch: LaunchFile) -> list[float]:
    """What was read between the batches, in order."""
    probes = [row.probes for row in launch.measurements if row.probes is not None]
    return [value for each in probes for value in each.network_us if value is not None]


def told(launch: LaunchFile) -> tuple[Any, ...]:
    """By what, how many pairs, and why not."""
    return start(launch).network_by, start(launch).network_pairs, start(launch).network_why_not


def by_datagrams(launch: LaunchFile) -> None:
    """Skips where this machine has no address but that of its loopback."""
    if "IPv4 address" in start(launch).network_why_not:
        pytest.skip("this machine has no network")


def test_datagrams_between_two_hosts(launches: Launches) -> None:
    """They are read between the batches, in the time that readings may take."""
    launch = launches.until(lambda found: start(found).network_by == "udp" and readings(found))
    assert told(launch) == ("udp", 1, "") and launch.footer.network_lost is not None
    assert start(launch).cache_line_pairs == 0
    reference = start(launch).reference["network_us"]
    assert reference is not None and reference > 0
    found = readings(launch)
    assert found and min(found) > 0


def test_where_datagrams_do_not_pass_the_library_is_asked(launches: Launches) -> None:
    """It is marked as such, and the header says why."""
    launch = launches.until(readings, "--test-probes", "blocked:0")
    assert told(launch) == ("mpi", 1, "1 of 1 pairs of hosts do not answer datagrams (UDP) within 10 ms")
    found = readings(launch)
    assert found and min(found) > 0 and launch.footer.network_lost is None


def test_a_network_that_is_lost_is_given_up(launches: Launches) -> None:
    """The launch goes on without it, and the footer says so."""
    launch = launches.until(lambda found: found.footer.network_lost, "--test-probes", "blocked:10")
    assert told(launch) == ("udp", 1, "")
    assert launch.footer.network_lost == 1 and not readings(launch)
    assert launch.measurements[0].reps_made > 0


@pytest.mark.slow
def test_three_hosts_of_two_processes(launches: Launches) -> None:
    """The third host is left over; on each of the others one process reads, and pairs on a host share a cache line."""
    launch = launches.run(processes=6, on_a_host=2)
    by_datagrams(launch)
    assert [host.ranks for host in launch.header.hosts] == ["0-1", "2-3", "4-5"]
    assert told(launch) == ("udp", 1, "") and start(launch).cache_line_pairs == 3


def test_one_host_has_no_network(launches: Launches) -> None:
    launch = launches.run(on_a_host=2)
    assert told(launch) == ("", 0, "") and start(launch).cache_line_pairs == 1
    assert not readings(launch) and launch.footer.network_lost is None
