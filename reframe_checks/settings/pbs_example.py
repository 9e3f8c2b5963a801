# SPDX-License-Identifier: BSD-3-Clause
"""Example ReFrame settings for a PBS Professional cluster: copy, and change what is marked `yours`.

Each stack is started by its own mpiexec, unless the campaign file has `site.launcher: pals`. Use the
backend `torque` for Torque.
docs/how-to/begin-at-your-site.md shows them with a campaign.
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
                    "access": ["-q workq", "-A my-project"],  # yours
                    "environs": ["stack"],
                    "max_jobs": 8,
                    "processor": {"num_cpus": 64},  # yours
                    # Reaches every launch, also where it names an MPI library.
                    "env_vars": [["FI_PROVIDER", "cxi"]],  # yours
                },
            ],
        }
    ],
    # The compilers and libraries are those of the stacks.
    "environments": [{"name": "stack", "target_systems": ["pbs_example"]}],
    "logging": [{"handlers": [{"type": "file", "name": "reframe.log", "level": "debug", "append": False}]}],
}
