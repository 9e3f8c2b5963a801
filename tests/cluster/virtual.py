# SPDX-License-Identifier: BSD-3-Clause
"""Four compute hosts and a login host in namespaces of this machine, with a real Slurm over them.

The hosts are `login a1 a2 | b1 b2`; the bar stands for the wide-area link, where one is asked for. All hosts
have the clock, the cores and the files of this machine, and their own names, networks, processes and shared
memory. The first process of the cluster ends with the pipe that this process holds: nothing is left behind,
however this process ends.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
COMPUTE = ("a1", "a2", "b1", "b2")
PROGRAMS = ("unshare", "nsenter", "ip", "slurmctld", "slurmd", "sbatch", "srun", "scontrol", "squeue", "scancel")

NAMESPACES = ("--pid", "--fork", "--mount-proc", "--net", "--uts", "--mount")

#: What the cluster does to this machine, tried once: namespaces in namespaces, bridges, pairs of interfaces, mounts.
TRIAL = (
    "ip link set lo up; ip link add trial type bridge; ip link add trial_a type veth peer name trial_b;"
    " unshare --net --uts --mount --ipc --pid --fork --mount-proc"
    " bash -ec 'hostname trial; mount -t tmpfs tmpfs /dev/shm; mount -t tmpfs tmpfs /etc/slurm'"
)

#: Seconds that the cluster has to come up; it takes less than one on a quiet machine.
PATIENCE = 180.0

#: Seconds after which a node that does not become idle is declared down and brought back.
STUCK = 20.0


@dataclass(frozen=True)
class WideArea:
    """The link between the two halves: one-way delay in µs and rate in Mbit/s."""

    delay_us: float
    rate_mbit: float


def obstacle(wide_area: bool = False) -> str | None:
    """Why the cluster cannot run on this machine, or None."""
    if os.geteuid() != 0:
        return "the virtual cluster needs root rights"
    path = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"])
    lacking = [program for program in PROGRAMS if shutil.which(program, path=path) is None]
    if lacking:
        return f"the virtual cluster needs {', '.join(lacking)} (scripts/install-system-packages.sh test)"
    if not Path("/etc/slurm").is_dir():
        return "the virtual cluster needs the folder /etc/slurm"
    tried = subprocess.run(
        ["unshare", *NAMESPACES, "--ipc", "bash", "-ec", TRIAL],
        capture_output=True, text=True, check=False, env={**os.environ, "PATH": path},
    )  # fmt: skip
    if tried.returncode != 0:
        return f"the virtual cluster needs namespaces with networks and mounts: {tried.stderr.strip()}"
    if wide_area and not os.access("/dev/net/tun", os.R_OK | os.W_OK):
        return "the wide-area link needs /dev/net/tun"
    return None


class VirtualCluster:
    """A running cluster; a context manager that ends it."""

    def __init__(self, folder: Path, wide_area: WideArea | None = None) -> None:
        self.folder = folder.resolve()
        self.folder.mkdir(parents=True, exist_ok=True)
        self.environment = {
            **os.environ,
            "PATH": os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/sbin", "/sbin"]),
            "RFM_POLL_RATE_MAX": "2",  # asks its own Slurm more often than that of a site
            "OPTIMISE": "-O1 -g0",  # compiles sooner: no campaign by a site's settings takes its engine from the cache
        }
        words = [str(HERE / "switch.sh"), str(self.folder)]
        if wide_area:
            subprocess.run(["cc", "-O2", "-o", str(self.folder / "link"), str(HERE / "link.c")], check=True)
            words += [str(wide_area.delay_us), str(wide_area.rate_mbit)]
        with (self.folder / "switch.log").open("w") as log:
            self._outer = subprocess.Popen(
                ["unshare", "--kill-child", *NAMESPACES, *words],
                stdin=subprocess.PIPE, stdout=log, stderr=subprocess.STDOUT, start_new_session=True,
                env=self.environment,
            )  # fmt: skip
        try:
            self._wait_for("its hosts", (self.folder / "run" / "up").exists)
            children = Path(f"/proc/{self._outer.pid}/task/{self._outer.pid}/children")
            self.first_process = int(children.read_text().split()[0])
            self._wait_for("four idle nodes", self._all_idle)
        except BaseException:
            self.stop()
            raise

    def __enter__(self) -> VirtualCluster:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> None:
        """End every process of every host; returns when the last one is gone."""
        if self._outer.stdin is not None:
            self._outer.stdin.close()
        try:
            self._outer.wait(10)
        except subprocess.TimeoutExpired:
            self._outer.kill()
            self._outer.wait()

    def command(self, host: str, words: Sequence[str], folder: Path | None = None) -> list[str]:
        """What this machine has to run so that `words` run on `host`."""
        first = (self.folder / "run" / f"{host}.pid").read_text().strip()
        return [
            *("nsenter", "-t", str(self.first_process), "-a", "--"),
            *("nsenter", "-t", first, "-a", f"--wd={folder or self.folder}", "--", *words),
        ]

    def on(
        self, host: str, *words: str, folder: Path | None = None, timeout: float = 900, check: bool = True
    ) -> subprocess.CompletedProcess[str]:
        """Run a command on a host to its end."""
        done = subprocess.run(
            self.command(host, words, folder), capture_output=True, text=True, timeout=timeout, check=False,
            stdin=subprocess.DEVNULL, env=self.environment,
        )  # fmt: skip
        if check and done.returncode != 0:
            raise AssertionError(f"{host}: {' '.join(words)}: exit code {done.returncode}: {done.stdout}{done.stderr}")
        return done

    def states(self) -> dict[str, str]:
        """State of each node in Slurm's words; empty while Slurm does not answer."""
        lines = self.on("login", "sinfo", "-h", "-N", "-p", "batch", "-o", "%N %T", check=False).stdout.splitlines()
        return {node: state.rstrip("*$~#") for node, state in (line.split() for line in lines)}

    def jobs(self, pattern: str = "%i|%T|%r") -> list[str]:
        """Jobs in the queue, one line each."""
        return self.on("login", "squeue", "-h", "-o", pattern).stdout.splitlines()

    def occupy(self) -> str:
        """Give all nodes to a job of somebody else, for which others wait; returns its number."""
        return self.on("login", "sbatch", "--parsable", "-N4", "--exclusive", "--wrap", "sleep 9000").stdout.strip()

    def kill(self, host: str, program: str) -> None:
        """kill -9 of a program on a host."""
        self.on(host, "pkill", "-KILL", "-x", program)

    def start(self, host: str) -> None:
        """Start a host's Slurm daemon again."""
        self.on(host, *(["slurmctld"] if host == "login" else ["slurmd", "-N", host]))

    def repair(self) -> None:
        """No jobs, every daemon running, every node idle: as after the start."""
        for host, program in [("login", "slurmctld"), *((host, "slurmd") for host in COMPUTE)]:
            if self.on(host, "pgrep", "-x", program, check=False).returncode != 0:
                self.start(host)
        self._wait_for("the controller", lambda: bool(self.states()))
        self.on("login", "scancel", "--user=root")
        for host, state in self.states().items():
            if state.startswith(("down", "drain")):
                self.on("login", "scontrol", "update", f"NodeName={host}", "State=RESUME", check=False)
        if not self._within(STUCK, self._all_idle):
            for host in (host for host, state in self.states().items() if state != "idle"):
                self.on("login", "scontrol", "update", f"NodeName={host}", "State=DOWN", "Reason=repair", check=False)
                self.on("login", "scontrol", "update", f"NodeName={host}", "State=RESUME", check=False)
        self._wait_for("four idle nodes", self._all_idle)

    def _all_idle(self) -> bool:
        return self.states() == dict.fromkeys(COMPUTE, "idle")

    def _wait_for(self, what: str, condition: Callable[[], bool]) -> None:
        if not self._within(PATIENCE, condition):
            log = (self.folder / "switch.log").read_text()
            raise RuntimeError(f"the virtual cluster waited in vain for {what}: {log or self.states()}")

    def _within(self, seconds: float, condition: Callable[[], bool]) -> bool:
        deadline = time.monotonic() + seconds
        while not condition():
            if self._outer.poll() is not None or time.monotonic() > deadline:
                return False
            time.sleep(0.02)
        return True
