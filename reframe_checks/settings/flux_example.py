# SPDX-License-Identifier: BSD-3-Clause
"""Example ReFrame settings for a Flux cluster: copy, and change names, access and cores to your site's.

Call isochron within an instance of whole nodes, `flux batch -N n -x` or `flux alloc -N n -x`: ReFrame's own back end
for Flux asks for one core and no node.
docs/how-to/run-under-a-scheduler.md says what Isochron takes from them.
"""

site_configuration = {
    "systems": [
        {
            "name": "flux_example",
            "descr": "a Flux cluster",
            "hostnames": [".*"],
            "modules_system": "nomod",
            "partitions": [
                {
                    "name": "compute",
                    "scheduler": "local",
                    "launcher": "mpiexec",
                    "access": [],
                    "environs": ["stack"],
                    "max_jobs": 1,
                    "processor": {"num_cpus": 48},
                },
            ],
        }
    ],
    # The compilers and libraries are those of the stacks.
    "environments": [{"name": "stack", "target_systems": ["flux_example"]}],
    "logging": [{"handlers": [{"type": "file", "name": "reframe.log", "level": "debug", "append": False}]}],
}
