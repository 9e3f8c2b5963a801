# SPDX-License-Identifier: BSD-3-Clause
"""ReFrame settings of the virtual cluster: one system; a partition for each way to start processes."""

#: The cores of the machine under the cluster are few, and all hosts have the same ones: MPI processes that wait let
#: others run, Intel MPI does not bind them, and the libraries keep to TCP, which is what the hosts have.
VARIABLES = [
    ["FI_PROVIDER", "tcp"],
    ["UCX_TLS", "tcp,self,sm"],
    ["HYDRA_LAUNCHER", "slurm"],
    ["I_MPI_HYDRA_BOOTSTRAP", "slurm"],
    ["I_MPI_PIN", "0"],
    ["I_MPI_PMI_LIBRARY", "/usr/lib/x86_64-linux-gnu/libpmi2.so.0"],
    ["I_MPI_WAIT_MODE", "1"],
    ["MPIR_CVAR_ENABLE_PROGRESS_YIELD", "1"],
    ["OMPI_MCA_mpi_yield_when_idle", "1"],
    ["OMPI_MCA_btl", "self,vader,tcp"],
    ["OMPI_MCA_pml", "ob1"],
]


def partition(name, launcher, *access):
    """A partition of whole nodes; one block at a time."""
    return {
        "name": name, "descr": f"whole nodes, {launcher}", "scheduler": "squeue", "launcher": launcher,
        "access": list(access), "environs": ["stack"], "max_jobs": 4, "env_vars": VARIABLES,
        "processor": {"num_cpus": 16}, "sched_options": {"use_nodes_option": True},
    }  # fmt: skip


site_configuration = {
    "systems": [
        {
            "name": "virtual",
            "hostnames": [".*"],
            "modules_system": "nomod",
            "partitions": [
                partition("srun", "srun"),
                partition("mpiexec", "mpiexec"),
                partition("nowhere", "srun", "--partition=nowhere"),
            ],
        }
    ],
    "environments": [{"name": "stack", "target_systems": ["virtual"]}],
    "general": [{"resolve_module_conflicts": False, "remote_detect": False, "poll_rate_max": 10, "poll_rate_min": 2}],
    "logging": [{"handlers": [{"type": "file", "name": "reframe.log", "level": "debug", "append": False}]}],
}
