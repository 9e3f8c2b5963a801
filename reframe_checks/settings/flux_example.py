# SPDX-License-Identifier: BSD-3-Clause
"""Example ReFrame settings for a Flux cluster: copy, and change what is marked `yours`.

Call isochron within an instance of whole nodes, `flux batch -N n -x` or `flux alloc -N n -x`: ReFrame's own back end
for Flux asks for one core and no node.
docs/how-to/begin-at-your-site.md shows them with a campaign.
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
                    "processor": {"num_cpus": 48},  # yours
                    "env_vars": [["FI_PROVIDER", "cxi"]],  # yours
                },
            ],
        }
    ],
    # The compilers and libraries are those of the stacks.
    "environments": [{"name": "stack", "target_systems": ["flux_example"]}],
    "logging": [{"handlers": [{"type": "file", "name": "reframe.log", "level": "debug", "append": False}]}],
}
