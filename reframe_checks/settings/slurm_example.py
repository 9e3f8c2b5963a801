# SPDX-License-Identifier: BSD-3-Clause
"""Example ReFrame settings for a Slurm cluster: copy, and change what is marked `yours`.

`srun` starts all stacks; with `site.launcher: stack` in the campaign file each is started by its own mpiexec. The
backend `slurm` asks the accounting database for the end of a job; without one use the backend `squeue`.
docs/how-to/begin-at-your-site.md shows them with a campaign.
"""

site_configuration = {
    "systems": [
        {
            "name": "slurm_example",
            "descr": "a Slurm cluster",
            "hostnames": [".*"],
            "modules_system": "nomod",
            "partitions": [
                {
                    "name": "compute",
                    "scheduler": "slurm",
                    "launcher": "srun",
                    "access": ["--partition=compute", "--account=my-project"],  # yours
                    "environs": ["stack"],
                    "max_jobs": 8,
                    "processor": {"num_cpus": 128},  # yours
                    "sched_options": {"use_nodes_option": True},
                    # Reaches every launch, also where it names an MPI library.
                    "env_vars": [["UCX_NET_DEVICES", "mlx5_0:1"], ["FI_PROVIDER", "verbs"]],  # yours
                },
            ],
        }
    ],
    # The compilers and libraries are those of the stacks.
    "environments": [{"name": "stack", "target_systems": ["slurm_example"]}],
    "logging": [{"handlers": [{"type": "file", "name": "reframe.log", "level": "debug", "append": False}]}],
}
