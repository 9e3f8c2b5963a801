# SPDX-License-Identifier: BSD-3-Clause
"""Example ReFrame settings for an LSF cluster: copy, and change what is marked `yours`.

For LSF with CSM, whose jobs begin on a launch node: `site.launcher: jsrun` of the campaign file, or the launcher `lrun`
here, starts the stacks.
docs/how-to/begin-at-your-site.md shows them with a campaign.
"""

site_configuration = {
    "systems": [
        {
            "name": "lsf_example",
            "descr": "an LSF cluster",
            "hostnames": [".*"],
            "modules_system": "nomod",
            "partitions": [
                {
                    "name": "compute",
                    "scheduler": "lsf",
                    "launcher": "mpiexec",
                    "access": ["-q normal", "-P my-project"],  # yours
                    "environs": ["stack"],
                    "max_jobs": 8,
                    "processor": {"num_cpus": 44},  # yours
                    "env_vars": [["UCX_NET_DEVICES", "mlx5_0:1"]],  # yours
                },
            ],
        }
    ],
    # The compilers and libraries are those of the stacks.
    "environments": [{"name": "stack", "target_systems": ["lsf_example"]}],
    "logging": [{"handlers": [{"type": "file", "name": "reframe.log", "level": "debug", "append": False}]}],
}
