# SPDX-License-Identifier: BSD-3-Clause
"""Example ReFrame settings for an LSF cluster: copy, and change names, access and cores to your site's.

Each stack is started by its own mpiexec; with the launcher `lrun` packed launches of those that name a `pmi` are
started by that.
docs/how-to/run-under-a-scheduler.md says what Isochron takes from them.
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
                    "access": ["-q normal", "-P my-project"],
                    "environs": ["stack"],
                    "max_jobs": 8,
                    "processor": {"num_cpus": 44},
                },
            ],
        }
    ],
    # The compilers and libraries are those of the stacks.
    "environments": [{"name": "stack", "target_systems": ["lsf_example"]}],
    "logging": [{"handlers": [{"type": "file", "name": "reframe.log", "level": "debug", "append": False}]}],
}
