# SPDX-License-Identifier: BSD-3-Clause
"""Example ReFrame settings for a PBS Professional cluster: copy, and change names, access and cores to your site's.

Each stack is started by its own mpiexec, which reads the nodes of the job. Use the backend `torque` for Torque.
docs/how-to/run-under-a-scheduler.md says what Isochron takes from them.
"""

site_configuration = {
    "systems": [
        {
            "name": "pbs_example",
            "descr": "a PBS Professional cluster",
            "hostnames": [".*"],
            "modules_system": "nomod",
            "partitions": [
                {
                    "name": "compute",
                    "scheduler": "pbs",
                    "launcher": "mpiexec",
                    "access": ["-q workq", "-A my-project", "-l place=scatter:excl"],
                    "environs": ["stack"],
                    "max_jobs": 8,
                    "processor": {"num_cpus": 64},
                    # Reaches every launch, also where it names an MPI library.
                    "env_vars": [["UCX_NET_DEVICES", "mlx5_0:1"], ["FI_PROVIDER", "verbs"]],
                },
            ],
        }
    ],
    # The compilers and libraries are those of the stacks.
    "environments": [{"name": "stack", "target_systems": ["pbs_example"]}],
    "logging": [{"handlers": [{"type": "file", "name": "reframe.log", "level": "debug", "append": False}]}],
}
