# SPDX-License-Identifier: BSD-3-Clause
"""What is known of a node and of a launch: read from faked nodes, so that each fact is one that we wrote."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from isochron.reframe_checks.launch.command import NODE_FACTS
from isochron.reframe_checks.launch.schedulers import node_facts
from isochron.schemas.scheduler_kind import scheduler_kinds

pytestmark = pytest.mark.process

CPU = "devices/system/cpu"
#: The files of a node below /proc and /sys, and the fact that each must become.
FILES = {
    "proc/sys/kernel/hostname": ("host", "n1"),
    "proc/sys/kernel/osrelease": ("kernel", "6.1.0-50-amd64"),
    "proc/sys/kernel/version": ("kernel_build", "#1 SMP"),
    "proc/sys/kernel/random/boot_id": ("boot", "e2173594"),
    "proc/sys/kernel/numa_balancing": ("numa_balancing", "1"),
    "proc/loadavg": ("load_average", "0.12"),
    f"sys/{CPU}/online": ("cpus_online", "0-127"),
    f"sys/{CPU}/smt/control": ("smt", "on"),
    f"sys/{CPU}/cpu0/cpufreq/scaling_driver": ("frequency_driver", "acpi-cpufreq"),
    f"sys/{CPU}/cpu0/cpufreq/scaling_governor": ("governor", "performance"),
    f"sys/{CPU}/cpu0/cpufreq/scaling_max_freq": ("max_frequency_khz", "3400000"),
    f"sys/{CPU}/cpufreq/boost": ("boost", "1"),
    "sys/devices/system/node/online": ("numa_nodes", "0-7"),
    "sys/devices/system/clocksource/clocksource0/current_clocksource": ("clock_source", "tsc"),
    "sys/class/infiniband/mlx5_0/fw_ver": ("fabric.mlx5_0.firmware", "20.31.1014"),
    "sys/class/infiniband/mlx5_0/board_id": ("fabric.mlx5_0.board", "MT_0000000223"),
    "sys/class/infiniband/mlx5_0/hca_type": ("fabric.mlx5_0.type", "MT4123"),
    "sys/class/infiniband/mlx5_0/ports/1/rate": ("fabric.mlx5_0.rate", "200 Gb/sec (4X HDR)"),
    "sys/class/infiniband/mlx5_0/device/numa_node": ("fabric.mlx5_0.numa_domain", "1"),
    "sys/class/infiniband/mlx5_0/ports/1/state": ("fabric.mlx5_0.state", "4: ACTIVE"),
}
#: Files of more than one line, or of which a part is the fact.
LONGER = {
    "proc/loadavg": "0.12 0.10 0.09 1/900 4242\n",
    "proc/cpuinfo": "processor\t: 0\nmodel name\t: AMD EPYC 7763\nmicrocode\t: 0xa001173\n\nprocessor\t: 1\n",
    "proc/meminfo": "MemTotal:       527951360 kB\nMemFree: 1 kB\n",
    "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never\n",
}


def fake_node(root: Path, **changes: str) -> Path:
    """A folder that stands for / of a node; `changes` are values of facts by their names."""
    for name, (fact, value) in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(changes.get(fact, value) + "\n")
    for name, text in LONGER.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    driver = root / "sys/bus/drivers/mlx5_core"
    (driver / "module").mkdir(parents=True)
    (driver / "module" / "version").write_text(changes.get("driver_version", "5.8-1.1.2") + "\n")
    device = root / "sys/class/infiniband/mlx5_0/device"
    (device / "driver").symlink_to(driver)
    return root


JOB_FACTS = [f"{name}={variable}" for kind in scheduler_kinds().values() for name, variable in kind.job_facts.items()]


def facts(what: str, root: Path | str = "", **environment: str) -> dict[str, str]:
    """What node_facts.sh prints."""
    done = subprocess.run(
        ["bash", str(NODE_FACTS), what, *(node_facts() if what == "node" else JOB_FACTS)],
        env={"PATH": os.environ["PATH"], "ISOCHRON_FACTS_ROOT": str(root), **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.count("\n") == 1
    found: dict[str, str] = json.loads(done.stdout)
    return found


def test_everything_about_a_node_is_read(tmp_path: Path) -> None:
    found = facts(
        "node",
        fake_node(tmp_path),
        SLURM_TOPOLOGY_ADDR="core1.leaf7.n1",
        SLURM_TOPOLOGY_ADDR_PATTERN="switch.switch.node",
    )
    assert found == {
        "record": "node",
        **dict(FILES.values()),
        "cpu_model": "AMD EPYC 7763",
        "microcode": "0xa001173",
        "memory_kib": "527951360",
        "transparent_huge_pages": "madvise",
        "fabric.mlx5_0.driver": "mlx5_core",
        "fabric.mlx5_0.driver_version": "5.8-1.1.2",
        "switch": "core1.leaf7.n1",
        "switch_pattern": "switch.switch.node",
    }


def test_a_network_card_that_is_near_no_numa_domain(tmp_path: Path) -> None:
    near_none = fake_node(tmp_path, **{"fabric.mlx5_0.numa_domain": "-1"})
    assert "fabric.mlx5_0.numa_domain" not in facts("node", near_none)


def test_what_a_node_does_not_tell_is_left_out(tmp_path: Path) -> None:
    assert facts("node", tmp_path) == {"record": "node"}


def test_a_node_is_called_by_its_own_name() -> None:
    """A scheduler hands the login node's HOSTNAME on to every node."""
    assert facts("node", HOSTNAME="login")["host"] == Path("/proc/sys/kernel/hostname").read_text().strip()


def test_the_environment_of_a_launch_without_its_secrets() -> None:
    steering = {
        "UCX_TLS": "rc_x,self",
        "FI_PROVIDER": "cxi",
        "I_MPI_FABRICS": "shm:ofi",
        "OMPI_MCA_btl": 'vader,"self"',
        "MPICH_OFI_NIC_POLICY": "NUMA",
        "OMP_NUM_THREADS": "1",
    }
    secret = {
        "I_MPI_HYDRA_PASSWORD": "a",
        "UCX_AUTH": "b",
        "PMIX_SECURITY_KEY": "c",
        "OMPI_MCA_oob_token": "d",
        "SLURM_JWT": "e",
        "AWS_SECRET_ACCESS_KEY": "f",
        "PATH_OF_MINE": "g",
    }
    job = {"SLURM_JOB_ID": "4711", "SLURM_JOB_PARTITION": "batch", "ISOCHRON_NODE_LIST": "n1 n2"}
    found = facts("launch", **steering, **secret, **job)
    assert {name: value for name, value in found.items() if name.startswith("environment.")} == {
        f"environment.{name}": value for name, value in steering.items()
    }
    assert (found["job_id"], found["job_partition"], found["node_list"]) == ("4711", "batch", "n1 n2")


def test_other_schedulers_have_job_ids_too() -> None:
    for name in ("PBS_JOBID", "LSB_JOBID", "FLUX_JOB_ID"):
        assert facts("launch", **{name: "17"})["job_id"] == "17"


@pytest.mark.parametrize(
    ("siblings", "threads"),
    [
        (["0,4", "1,5", "2,6", "3,7", "0,4", "1,5", "2,6", "3,7"], "0-3 4-7"),
        (["0-1", "0-1", "2-3", "2-3"], "0,2 1,3"),
        (["0", "1"], None),
        (["0-1", "0-1", "2", "3", "4-5", "4-5"], "0,4 1,5"),  # a core of one thread among others
    ],
)
def test_the_threads_of_each_core(tmp_path: Path, siblings: list[str], threads: str | None) -> None:
    root = fake_node(tmp_path)
    for number, text in enumerate(siblings):
        path = root / f"sys/{CPU}/cpu{number}/topology/thread_siblings_list"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text + "\n")
    assert facts("node", root).get("smt_threads") == threads


def test_sockets_and_numa_domains(tmp_path: Path) -> None:
    root = fake_node(tmp_path)
    for number, (socket, domain) in enumerate([("0-1", "0"), ("0-1", "1"), ("2-3", "2"), ("2-3", "3")]):
        for name, text in {f"{CPU}/cpu{number}/topology/core_siblings_list": socket,
                           f"devices/system/node/node{number}/cpulist": domain}.items():  # fmt: skip
            path = root / "sys" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text + "\n")
    found = facts("node", root)
    assert (found["socket_cpus"], found["numa_cpus"]) == ("0-1 2-3", "0 1 2 3")


@pytest.mark.parametrize(
    ("cgroup", "file"),
    [
        ("0::/slurm/job_7/step_0", "sys/fs/cgroup/slurm/job_7/cpuset.cpus.effective"),
        ("4:memory:/x\n3:cpuset:/slurm/job_7", "sys/fs/cgroup/cpuset/slurm/job_7/cpuset.effective_cpus"),
        ("0::/", "sys/fs/cgroup/cpuset.cpus.effective"),
    ],
)
def test_the_processors_of_the_job(tmp_path: Path, cgroup: str, file: str) -> None:
    root = fake_node(tmp_path)
    assert "job_cpus" not in facts("node", root)
    (root / "proc/self").mkdir()
    (root / "proc/self/cgroup").write_text(cgroup + "\n")
    (root / file).parent.mkdir(parents=True)
    (root / file).write_text("0-15\n")
    assert facts("node", root)["job_cpus"] == "0-15"
